// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_TOTALS_H
#define PMCTOP_EVENT_TOTALS_H

#include "core/snapshot/snapshot.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What each event has counted since someone last said zero, of the whole machine or of the target,
 * whichever the snapshots are of: one number an event, whatever the plan that it is counted by. An
 * event that is counted no more is forgotten.
 *
 * A count that is scaled up from the share of the time in which its group was on is an estimate.
 * Its error is found from the estimates themselves, as rates r a second from one snapshot to the
 * next:
 *
 *     v = mean of (r[i + 1] - r[i])^2 / 2        over about the last SUMS_MEMORY snapshots
 *     jump = the smaller of |r - r before| and |r - mean|; a later one is at least
 *            JUMP_LEFT of the one before, or |r - mean|
 *     error = max(SPREADS * f * sqrt(v), JUMPS * jump) / r
 *
 * The true value is within this error in about 95 of 100 snapshots. sqrt(v) is the standard
 * deviation of the estimates (von Neumann's: slow changes of the load take no part), the quick
 * changes of the load itself included: the error of a load that changes with each snapshot is too
 * large (six times, with phases of random length around 150 ms in snapshots of 1 s), never too
 * small. An estimate that is far from the others is the one that is wrong most often, as where a
 * short burst was seen in full, so its error has the jump in it. f is Student's, for a few
 * snapshots: 1.9 at SUMS_LEAST, soon 1. The share takes no part: it is the mean of CPUs that may
 * count nothing.
 *
 * Errors of CPUs and turns must not repeat from snapshot to snapshot: turns and windows are random
 * (core/collect/cpu_counter_set.h, duty_cycle.h). Nothing is stated for an estimate of 0, because
 * a burst that no turn has seen leaves no trace.
 */
enum {
	SUMS_MEMORY = 32,
	SUMS_LEAST = 4, /* snapshots before an error is stated */
};

struct event_sum {
	char *name;
	double total;            /* in the event's unit */
	enum figure_state state; /* VALID, or the worst of what was added: SCALED, LOST */
	double rate;             /* a second, of the last snapshot in which it was known */
	double variance, mean, jump;
	unsigned n; /* snapshots in which it was known, up to SUMS_MEMORY */
};

/* Zeroed is empty. */
struct event_totals {
	struct event_sum *items;
	size_t n;
	uint64_t time_ns; /* since zero, as far as there were snapshots */
	bool targeted;    /* of what the last snapshot was */
};

void event_totals_add(struct event_totals *sums, const struct snapshot *snapshot);
/* The same of one row of it: sums are of the machine, or all of that row. */
void event_totals_add_row(struct event_totals *sums, const struct snapshot *snapshot,
			  const struct metric_input *row);
/* The totals alone: how steady an event is stays known. */
void event_totals_zero(struct event_totals *sums);
void event_totals_fini(struct event_totals *sums);

/* NULL where nothing is known of that event. */
const struct event_sum *event_totals_find(const struct event_totals *sums, const char *name);
/*
 * How far the last figure, counted in that share of the time, may be off in 95 of 100 cases, as a
 * part of it: may be more than 1. 0 where it was counted in full, NAN where nothing can be stated.
 */
double event_sum_error(const struct event_sum *sum, double share);

/* What events are counted of: the tally of the target or the machine. */
struct metric_input event_totals_input(const struct snapshot *snapshot);

#endif
