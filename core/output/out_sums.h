// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_SUMS_H
#define PMCTOP_OUT_SUMS_H

#include "core/output/out_value.h"
#include "core/view/view.h"

/*
 * Scaled counts of the lines that sum up other lines of a view. Each line is scaled by its own
 * share, so the scaled sum of tallies is not the sum of the scaled lines. The sum of the lines is
 * right: with CPU 0 always counted and CPU 1 counted for a tenth of the time, one share for both
 * would scale CPU 0 too. So for every event
 *
 *     tasks + left_out + others + idle + unattributed = totals
 *
 * holds for scaled counts, with null as 0 and only the roots of a tree, as it does for events.
 *
 * A line that ran only while the event was not counted has no scaled count. What it did is
 * estimated from its time, by the rate of all other lines except idle in the time in which they
 * were counted, for the CPUs of each PMU apart. No line can have that estimate, so it is in
 * `unattributed`.
 *
 * By other rows (rollup, top, filter) the lines are scaled by other shares, so totals may differ a
 * little. If no line except idle has an event, its total is not known.
 */
struct out_sums {
	struct out_scaled *totals;       /* by event, owned */
	struct out_scaled *unattributed; /* with the estimate; SCALED if there is one; owned */
	/* Tasks, left_out, and the estimate for these tasks alone; owned. NULL: no target. */
	struct out_scaled *target;
};

/* By view->rows and view->left_out. In a view of CPUs: by the threads of the snapshot. */
void out_sums_init(const struct view *view, struct out_sums *sums);
/* The same by rows without parents. Idle time is summed by CPU if the CPUs are known. */
void out_sums_init_rows(const struct snapshot *snapshot, const struct rows *rows,
			struct out_sums *sums);
void out_sums_fini(struct out_sums *sums);

#endif
