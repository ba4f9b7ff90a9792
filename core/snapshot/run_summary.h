// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RUN_SUMMARY_H
#define PMCTOP_RUN_SUMMARY_H

#include "core/snapshot/snapshot.h"

#include <stddef.h>

/*
 * A whole run, added up from its snapshots: all processes, also ended ones, CPUs and
 * totals. It conserves what the snapshots conserve.
 *
 * A process is identified by its pid and start. A process that reuses the pid of an ended one has a
 * row of its own. Memory is bounded: beyond `most` processes half of them are folded into one row
 * "N more" with pid 0, ended ones first, then processes with the least CPU time.
 *
 * Counts of two plans (core/event/plan.h) with different tallies cannot be added. Each such plan is
 * a part, with its own events, rows and time.
 */
struct run_summary;

enum {
	SUMMARY_PROCESSES_MAX = 10000, /* the usual `most` */
	SUMMARY_PARTS_MAX = 16,        /* further ones are left out, with a note */
};

struct run_summary *run_summary_new(size_t most);   /* > 0 */
void run_summary_free(struct run_summary *summary); /* NULL is fine */

/* Adds a snapshot, which is borrowed for the call. */
void run_summary_add(struct run_summary *summary, const struct snapshot *snapshot);

/* Returns how many parts there are: 0 before the first snapshot. */
size_t run_summary_parts(const struct run_summary *summary);

/*
 * Returns a part as a snapshot of `run`, with its `part` and `parts` set; the caller frees it.
 * interval_ns is the sum of the intervals, and rates of rows divide by snapshot_interval_s(). comm,
 * command line and user are the last known ones. The notes are all notes of the snapshots. Rows are
 * processes: pid == tid.
 */
struct snapshot *run_summary_snapshot(const struct run_summary *summary, size_t part,
				      const struct snapshot_run *run);

#endif
