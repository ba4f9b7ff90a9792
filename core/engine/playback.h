// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PLAYBACK_H
#define PMCTOP_PLAYBACK_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PLAYBACK_SPEED_ONE = 1000, /* the speed of the recording */
	PLAYBACK_SPEED_MAX = 0,    /* without a pause */
};

/*
 * The position of a replay. Positions are ns from the beginning of the first interval; a snapshot's
 * position is its end. Two are equal if their bytes are.
 */
struct playback {
	char name[64];            /* base name of the file; "-": a pipe */
	uint64_t position_ns;     /* of the snapshot that is shown; 0: none yet */
	uint64_t length_ns;       /* known so far */
	uint64_t time_ns;         /* snapshot->time_ns of the one shown */
	uint64_t begin_real_ns;   /* CLOCK_REALTIME of the beginning; 0: unknown */
	uint64_t every_ns;        /* usual length of an interval; 0: unknown */
	uint32_t speed;           /* in thousandths, or PLAYBACK_SPEED_MAX */
	uint32_t seeking_percent; /* progress of a seek, while `seeking` */
	bool seeking;
	bool final;   /* length_ns does not grow */
	bool pipe;    /* it cannot be read again */
	bool native;  /* made by pmctop: has its own intervals */
	bool profile; /* samples alone, of fixed events */
	bool paused;
	bool ended;       /* the last snapshot is shown, or there is none */
	bool waiting;     /* for the writer of the pipe */
	uint32_t n_texts; /* number of messages so far */
	char text[200];   /* the last message: why a request failed */
	char broken[256]; /* why the replay ended early; "" */
};

#endif
