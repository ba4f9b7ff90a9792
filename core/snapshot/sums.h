// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SUMS_H
#define PMCTOP_SUMS_H

#include "core/snapshot/snapshot.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What each event has counted since someone last said zero, of the whole machine or of the target,
 * whichever the snapshots are of: one number an event, whatever the plan that it is counted by. An
 * event that is counted no more is forgotten.
 *
 * A count that is scaled up from the share of the time in which its group was on is an estimate,
 * the better the steadier the event is. How steady, tell its own rates r from one snapshot to the
 * next, of which slow changes take no part (von Neumann's estimator):
 *
 *     v = mean of (r[i + 1] - r[i])^2 / 2        over about the last SUMS_MEMORY snapshots
 *     error = sqrt((1 - share) * v) / r
 *
 * If what happens in one turn of the counters says nothing about the next, rates of snapshots vary
 * by v because each is the mean of the turns that were seen; the mean of all turns differs from it
 * by (1 - share) of that. It is a standard error: two of three are nearer to the truth. It is too
 * small for what beats in time with the turns.
 */
enum {
	SUMS_MEMORY = 16,
	SUMS_LEAST = 4, /* snapshots before an error is told */
};

struct event_sum {
	char *name;
	double total;            /* in the event's unit */
	enum figure_state state; /* VALID, or the worst of what was added: SCALED, LOST */
	double rate;             /* a second, of the last snapshot in which it was known */
	double variance, mean;
	unsigned n; /* snapshots in which it was known, up to SUMS_MEMORY */
};

/* Zeroed is empty. */
struct sums {
	struct event_sum *items;
	size_t n;
	uint64_t time_ns; /* since zero, as far as there were snapshots */
	bool targeted;    /* of what the last snapshot was */
};

void sums_add(struct sums *sums, const struct snapshot *snapshot);
/* The same of one row of it: sums are of the machine, or all of that row. */
void sums_add_row(struct sums *sums, const struct snapshot *snapshot,
		  const struct metric_input *row);
/* The totals alone: how steady an event is stays known. */
void sums_zero(struct sums *sums);
void sums_fini(struct sums *sums);

/* NULL where nothing is known of that event. */
const struct event_sum *sums_find(const struct sums *sums, const char *name);
/* How far a figure of that share may be off, as a part of it; NAN where that is not known. */
double event_sum_error(const struct event_sum *sum, double share);

/* What events are counted of: the tally of the target or the machine. */
struct metric_input sums_input(const struct snapshot *snapshot);

#endif
