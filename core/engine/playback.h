// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PLAYBACK_H
#define PMCTOP_PLAYBACK_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PLAYBACK_SPEED_ONE = 1000, /* as it was recorded */
	PLAYBACK_SPEED_MAX = 0,    /* as fast as it can be read */
};

/*
 * Where the player of a recording is. Positions are times from the beginning of the first interval
 * on; a snapshot's is that of its end. Plain values: two are the same where their bytes are.
 */
struct playback {
	char name[64];            /* of the file, without its folders; "-": a pipe */
	uint64_t position_ns;     /* of what is shown; 0: nothing is yet */
	uint64_t length_ns;       /* as far as it is known */
	uint64_t time_ns;         /* snapshot->time_ns of what is shown */
	uint64_t begin_real_ns;   /* CLOCK_REALTIME of the beginning; 0: not known */
	uint64_t every_ns;        /* how long its intervals usually are; 0: not known yet */
	uint32_t speed;           /* in thousandths, or PLAYBACK_SPEED_MAX */
	uint32_t seeking_percent; /* of the way to where someone asked to go, while `seeking` */
	bool seeking;
	bool whole;  /* nothing lies behind length_ns */
	bool pipe;   /* it cannot be read again */
	bool native; /* made by pmctop: its intervals are those that were recorded */
	bool paused;
	bool ended;       /* what is shown is the last of it, or there is nothing to show */
	bool waiting;     /* for whoever writes into the pipe */
	uint32_t told;    /* how many sentences there were */
	char text[200];   /* the last one: why what was asked for cannot be */
	char broken[256]; /* why nothing more comes, where it is no end; "" */
};

#endif
