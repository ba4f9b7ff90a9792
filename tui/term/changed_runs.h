// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CHANGED_RUNS_H
#define PMCTOP_CHANGED_RUNS_H

#include "tui/term/canvas.h"
#include "tui/term/paint.h"
#include "tui/term/terminfo.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The cells that differ between two canvases, as runs: cells of a line that are sent one after the
 * other, in one paint. Pure.
 */
struct changed_run {
	unsigned x, y, columns;
	const struct paint *paint; /* borrowed from the paints */
	bool blank;   /* has blanks alone: another paint with this background will do */
	bool cleared; /* by erasing */
	bool sent;    /* set by the caller */
};

/* Zeroed is empty. */
struct changed_runs {
	struct changed_run *items; /* owned; by line, from the left */
	size_t n, capacity;
	size_t *lines; /* owned; the first run of each line, and the end */
	size_t lines_capacity;
};

/* Finds the runs that turn `last` into `canvas`, of the same size. NULL: all cells differ. */
void changed_runs_find(struct changed_runs *runs, const struct terminfo *terminfo,
		       const struct paints *paints, const struct canvas *last,
		       const struct canvas *canvas);
void changed_runs_fini(struct changed_runs *runs);

#endif
