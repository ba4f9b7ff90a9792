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
 * The slices of a recording of perf's, put into intervals.
 *
 * Nothing in such a recording marks the refreshes, and nothing tells who ran just then. So an
 * interval ends when all CPUs have come to its end in their records (core/replay/replay_order), and
 * a slice that spans it is divided in proportion to time: a tick is made up, of the task that the
 * CPU's next record names. What cannot be divided (records were lost in it, or its end is too far
 * away) stays whole, and is of the interval in which it ends: late, but never wrong.
 */
struct replay_slices {
	/* Borrowed; set by whoever makes it, with the number of CPUs. */
	struct attrib *attrib;
	struct interval *interval;
	struct notes *notes;
	const struct attrib_layout *layout; /* of samples' readings */
	bool live; /* what comes is shown before long: no CPU is waited for longer than that */

	struct replay_order *order;
	struct replay_slices_cpu *cpus;
	size_t n_cpus, n_heard;
	uint64_t *reading; /* scratch */

	uint64_t first_ns;           /* when the recording begins */
	uint64_t begin_ns, until_ns; /* the interval under way */
	uint64_t interval_ns;        /* how long it was meant to be */
	bool ended;                  /* nothing more comes: what waits need not */
};

/* By number: all of `order` are CPUs that there may be. The first interval is to begin then. */
void replay_slices_init(struct replay_slices *slices, size_t n_cpus, uint64_t first_ns);
void replay_slices_fini(struct replay_slices *slices); /* zeroed is fine */

/* A record of a CPU, in its order; readings of samples are the layout's, their ids 0. */
void replay_slices_add(struct replay_slices *slices, size_t cpu, const struct record *record);
/* perf has been at all CPUs. */
void replay_slices_round(struct replay_slices *slices);

/* Whether all that belongs to the interval is there; where nothing more comes, at its end. */
bool replay_slices_are_over(const struct replay_slices *slices);
/* Ends the interval: every CPU's accounts are closed. */
void replay_slices_end(struct replay_slices *slices);
/* Begins the next one, which follows it: the interval is empty by now. */
void replay_slices_begin(struct replay_slices *slices, uint64_t interval_ns);

#endif
