// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_MERGE_H
#define PMCTOP_SNAPSHOT_MERGE_H

#include "core/snapshot/snapshot.h"

/*
 * Snapshots that follow one another as one of their whole time: the same tasks, CPUs and totals
 * with their counts added up, and no notes or command lines. Threads are known by tid and start;
 * names are as last seen.
 */

/* As much of the first as that; the caller frees it. */
struct snapshot *snapshot_merge_new(const struct snapshot *first);
/* Adds the next one, which must have the same columns. */
void snapshot_merge_add(struct snapshot *sum, const struct snapshot *next);
/*
 * The figures of CPUs and totals, when nothing more is to come: until then there are none. Rows
 * have none even then (rows_evaluate_one): there are many, and few are looked at.
 */
void snapshot_merge_evaluate(struct snapshot *sum);

#endif
