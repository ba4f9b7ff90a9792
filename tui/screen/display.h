// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DISPLAY_H
#define PMCTOP_DISPLAY_H

#include "core/snapshot/history.h"
#include "core/snapshot/snapshot.h"
#include "core/view/finding.h"
#include "tui/panel/graph_range.h"

#include <stdbool.h>

/* What the screens draw: the shown snapshot, its findings, the baseline and the history. */
struct display {
	struct snapshot *snapshot;      /* NULL before the first interval has ended; owned */
	struct snapshot *waiting;       /* the newest of a pause; NULL: none; owned */
	struct snapshot *baseline;      /* figures are compared with it; NULL: none; owned */
	struct history *history;        /* of all snapshots, also during a pause; owned */
	struct graph_range graph_range; /* the part of the history that graphs show */
	struct findings findings;       /* of the snapshot */
	/* True from the first finding, machine line, or small error on, so that the layout stays
	 * the same. */
	bool has_finding_lines, has_machine_line, has_small_errors;
	bool paused;
};

void display_init(struct display *display);
void display_fini(struct display *display);

/* Shows the snapshot, which is owned from now on, and frees the one before. */
void display_set_snapshot(struct display *display, struct snapshot *snapshot);
/* The newest snapshot, shown or waiting; NULL before the first. */
const struct snapshot *display_newest(const struct display *display);

#endif
