// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_SUM_H
#define PMCTOP_SNAPSHOT_SUM_H

#include "core/base/hash_table.h"
#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The sum over time: consecutive snapshots as one snapshot of their whole time, without notes. The
 * rows are threads, or processes as rollup_tallies() makes them of each snapshot. Rows of one
 * thread or process are added up. What is known of a row is what was known last.
 *
 * A thread is identified by tid and start. A process is identified by pid and start. If a start of
 * a process is unknown, a process that has ended and one that lives are two processes.
 *
 * All snapshots must have tallies of the same meaning. At most SNAPSHOT_SUM_CGROUPS cgroups are
 * kept, also of ended rows; rows of further ones have none.
 */
enum { SNAPSHOT_SUM_CGROUPS = 1 << 15 };

struct snapshot_sum {
	/*
	 * The sum, not evaluated, with the columns of the last snapshot; owned. Threads have no
	 * command lines. Processes have references to theirs, and `threads` is the most in one
	 * snapshot.
	 */
	struct snapshot *sum;
	enum rollup by;       /* ROLLUP_THREAD or ROLLUP_PROCESS */
	uint64_t added;       /* snapshots */
	uint64_t *last_added; /* by row: `added` when it was in a snapshot last */
	size_t cgroups_capacity;
	struct hash_table cgroups; /* by path: index + 1 */
};

void snapshot_sum_init(struct snapshot_sum *self, struct columns *columns, enum rollup by);
void snapshot_sum_fini(struct snapshot_sum *self);

/* Adds the next snapshot. */
void snapshot_sum_add(struct snapshot_sum *self, const struct snapshot *next);
/* Removes the rows without a mark. The others keep their order. */
void snapshot_sum_keep_rows(struct snapshot_sum *self, const bool *marks);
/*
 * Returns a copy of a sum of processes, with `more` zeroed rows behind its own; the caller frees
 * it.
 */
struct snapshot *snapshot_sum_copy(const struct snapshot_sum *self, size_t more);
/*
 * Computes the figures of the target, CPUs and totals of a sum. It does not evaluate rows
 * (rows_evaluate_one): there are many, and few are used.
 */
void snapshot_sum_evaluate(struct snapshot *sum);

#endif
