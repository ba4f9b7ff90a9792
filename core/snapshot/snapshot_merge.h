// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_MERGE_H
#define PMCTOP_SNAPSHOT_MERGE_H

#include "core/snapshot/snapshot.h"

/*
 * Consecutive snapshots as one snapshot of their whole time, without notes and command lines. A
 * thread is identified by tid and start. Names are the last known ones.
 */

/* Returns an empty sum; the caller frees it with snapshot_free(). */
struct snapshot *snapshot_merge_new(struct columns *columns);
/* Adds the next snapshot, which must have the same columns. */
void snapshot_merge_add(struct snapshot *sum, const struct snapshot *next);
/* Adds CPUs, totals, times and the values of the machine, but no rows. The tallies must have the
 * same shape. */
void snapshot_merge_add_machine(struct snapshot *sum, const struct snapshot *next);
/* Adds the samples of code. They count events of the columns, which must be the same. */
void snapshot_merge_add_code(struct snapshot *sum, const struct snapshot *next);
/*
 * Computes the figures of the target, CPUs and totals, once all snapshots are added. It does not
 * evaluate rows (rows_evaluate_one): there are many, and few are used.
 */
void snapshot_merge_evaluate(struct snapshot *sum);

#endif
