// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LAYOUT_H
#define PMCTOP_LAYOUT_H

#include "tui/term/canvas.h"

#include <stdbool.h>

/*
 * The parts of a screen of any size from 1x1 up. What does not fit is an empty rect. The second
 * finding goes first, then machine, first finding, CPU lines, note, key bar, totals, title; the
 * list stays. Pure.
 */
struct layout_want {
	bool findings;       /* lines for what costs most */
	bool machine;        /* a line for its load, memory and pressure */
	unsigned cpu_lines;  /* wanted lines of CPUs; 0: there are none */
	bool banner;         /* a line for notes, also while there are none */
	bool prompt;         /* a prompt, which always gets the last line */
	unsigned list_lines; /* lines that the list needs, with its title */
	bool history;        /* graphs of the totals, if there is room */
	bool more; /* details below the list, and CPUs and a side right of it, if there is room */
};

struct layout {
	struct rect title;    /* host, time, interval */
	struct rect totals;   /* figures of the machine or target */
	struct rect machine;  /* its load, memory and pressure */
	struct rect findings; /* what costs most: two sentences, four on a large screen */
	struct rect history;  /* graphs of the totals */
	struct rect cpus;     /* one line per CPU, or a table right of the list */
	struct rect side;     /* below that table: details of the selected row */
	struct rect banner;
	struct rect body;   /* the list or page */
	struct rect detail; /* below the list: the other details; all if there is no side */
	struct rect bottom; /* key bar or prompt */
};

/* From this width on the machine's line has all values, and a side fits right of the list. */
enum { LAYOUT_WIDE = 160 };

struct layout layout_screen(unsigned width, unsigned height, const struct layout_want *want);

#endif
