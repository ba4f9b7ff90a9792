// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_SUM_H
#define PMCTOP_CODE_SUM_H

#include "core/code/code_profile.h"
#include "core/snapshot/columns.h"
#include "core/snapshot/history.h"
#include "core/snapshot/snapshot.h"
#include "core/view/code_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The samples and the exact counts of one row, both of the same intervals. More intervals have more
 * samples, so the errors of shares are smaller. A sum keeps no snapshot: only the samples of the
 * row, without tasks and CPUs, and one tally.
 */
struct code_sum {
	struct columns *columns;      /* a reference; NULL: the sum is empty */
	struct code_profile *profile; /* a reference */
	uint64_t *tally;              /* 0 if the row did not run */
	uint64_t interval_ns;
	size_t intervals;
	float uneven; /* the largest snapshot.uneven */
	bool lost;    /* the row was ROW_LOST */
};

/*
 * The row of a snapshot; `tree`: a process with its descendants. HISTORY_MACHINE is all but the
 * idle tasks, and has the lost samples. Returns false, and an empty sum, if the snapshot has no
 * samples.
 */
bool code_sum_init(struct code_sum *sum, const struct snapshot *snapshot,
		   const struct history_key *key, bool tree);
void code_sum_fini(struct code_sum *sum); /* leaves it empty */
/* Adds `more`, which is empty or has the same columns. */
void code_sum_add(struct code_sum *sum, const struct code_sum *more);

/*
 * Fills the view of a sum that is not empty, sorted by the share of that event (< n_events). `kind`
 * is the row's. The view borrows from the sum, which must not change meanwhile.
 */
void code_sum_view(const struct code_sum *sum, enum history_kind kind, unsigned event,
		   struct code_view *view);

#endif
