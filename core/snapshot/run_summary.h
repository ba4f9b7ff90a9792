// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RUN_SUMMARY_H
#define PMCTOP_RUN_SUMMARY_H

#include "core/snapshot/snapshot.h"

#include <stddef.h>

/*
 * A whole run, added up from its snapshots: of every process what it did from first to last, those
 * that have ended too, and the same of CPUs and totals. What the snapshots conserve it does.
 *
 * A process is known by its pid and start; another one that gets the number of one that ended is a
 * row of its own. Memory is bounded: beyond `most` processes the smallest, those that have ended
 * first, are folded into one row "N more" with pid 0.
 *
 * Counts of two plans (core/event/plan.h) cannot be added where their tallies differ. Each of them
 * is a part, with events, rows and time of its own: that in which it was in force.
 */
struct run_summary;

enum {
	SUMMARY_PROCESSES_MAX = 10000, /* what `most` usually is */
	SUMMARY_PARTS_MAX = 16,        /* later ones are left out, and a note says so */
};

struct run_summary *run_summary_new(size_t most);   /* > 0 */
void run_summary_free(struct run_summary *summary); /* NULL is fine */

/* Adds an interval; the snapshot stays its owner's. */
void run_summary_add(struct run_summary *summary, const struct snapshot *snapshot);

/* How many parts there are: 0 before the first snapshot. */
size_t run_summary_parts(const struct run_summary *summary);

/*
 * A part as a snapshot of the run (whose part and parts are filled in), which the caller frees:
 * interval_ns is the sum of its intervals, rates of rows are of snapshot_interval_s(), comm and
 * user are as last seen, and the notes are all that were there at any time. Rows are processes: pid
 * == tid.
 */
struct snapshot *run_summary_snapshot(const struct run_summary *summary, size_t part,
				      const struct snapshot_run *run);

#endif
