// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_SLICES_H
#define PMCTOP_REPLAY_SLICES_H

#include "core/attrib/attrib.h"
#include "core/base/notes.h"
#include "core/perf/record.h"
#include "core/replay/replay_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The slices of a perf recording, divided into intervals.
 *
 * A perf recording has no cuts and does not name the task that runs at a cut. So an interval ends
 * when the records of all CPUs have reached its end (core/replay/replay_order.h). A slice across
 * the end is divided in proportion to time, by a synthetic tick of the task that the next record of
 * the CPU names. A slice that cannot be divided (records were lost in it, or its end is too far
 * away) counts in the interval in which it ends: late, but not wrong.
 */
struct replay_slices {
	/* Borrowed; set by the caller of replay_slices_init(). */
	struct attrib *attrib;
	struct tasks *tasks;
	struct interval *interval;
	struct notes *notes;
	const struct attrib_layout *layout; /* of the readings of samples */
	struct slice_log *log;              /* attrib's; NULL: none */
	bool live; /* a pipe: a CPU is waited for no longer than an interval is shown */

	struct replay_order *order;
	struct replay_slices_cpu *cpus;
	size_t n_cpus, n_present;
	uint64_t *reading; /* scratch */

	uint64_t first_ns;           /* beginning of the recording */
	uint64_t begin_ns, until_ns; /* the interval under way */
	uint64_t interval_ns;        /* its intended length */
	bool ended;                  /* no more records come */
};

/* CPUs have the numbers 0 to n_cpus - 1. The first interval begins at first_ns. */
void replay_slices_init(struct replay_slices *slices, size_t n_cpus, uint64_t first_ns);
void replay_slices_fini(struct replay_slices *slices); /* zeroed is fine */

/* Adds a record of a CPU, in order. The reading of a sample has the layout, and id 0. */
void replay_slices_add(struct replay_slices *slices, size_t cpu, const struct record *record);
/* Ends a round of perf over all CPUs. */
void replay_slices_round(struct replay_slices *slices);

/* Whether all records of the interval were added, or no more come. */
bool replay_slices_are_over(const struct replay_slices *slices);
/* Ends the interval and closes the accounts of all CPUs. */
void replay_slices_end(struct replay_slices *slices);
/* Begins the next interval, which the caller has reset. */
void replay_slices_begin(struct replay_slices *slices, uint64_t interval_ns);

#endif
