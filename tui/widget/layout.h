// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LAYOUT_H
#define PMCTOP_LAYOUT_H

#include "tui/term/canvas.h"

#include <stdbool.h>

/*
 * Where things stand on a screen of any size, from 1x1 up. Pure. What does not fit is an empty
 * rect: first the verdict goes, then the CPU lines, the note, the key bar, the totals, the title;
 * the list stays.
 */
struct layout_want {
	bool verdict;       /* there is a sentence about the machine */
	unsigned cpu_lines; /* how many there are to show */
	unsigned banner;    /* lines of a note to the user */
	bool prompt;        /* a question at the bottom, which always gets its line */
	bool history;       /* graphs of the totals, where there is room */
	bool more;          /* what a large screen has beside the list */
};

struct layout {
	struct rect title;   /* host, time, interval */
	struct rect totals;  /* of the whole machine */
	struct rect verdict; /* what is to be said of it */
	struct rect history; /* graphs of these */
	struct rect cpus;    /* a line each, or right of the list a table */
	struct rect banner;
	struct rect body;   /* the list, or whatever the screen is about */
	struct rect detail; /* below the list: of the selected row */
	struct rect bottom; /* key bar or prompt */
};

struct layout layout_screen(unsigned width, unsigned height, const struct layout_want *want);

#endif
