// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_TOTALS_H
#define PMCTOP_EVENT_TOTALS_H

#include "core/snapshot/snapshot.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The total of each event since the last event_totals_zero(), of the machine or the target,
 * whichever the snapshots have. A total does not depend on the plan. The total of an event that is
 * not counted any more is dropped.
 *
 * A count that is scaled up from the share of the time in which its group was on is an estimate.
 * Its error is computed from the estimates of the last snapshots, as rates r per second:
 *
 *     v = mean of (r[i + 1] - r[i])^2 / 2        over about the last SUMS_MEMORY snapshots
 *     jump = the smaller of |r - r before| and |r - mean|; a later one is at least
 *            JUMP_LEFT of the one before, or |r - mean|
 *     error = max(SPREADS * f * sqrt(v), JUMPS * jump) / r
 *
 * The true value is within this error in about 95 of 100 snapshots. sqrt(v) is the standard
 * deviation of the estimates (von Neumann's, without slow changes of the load). It includes quick
 * changes of the load. So the error of a load that changes with each snapshot is too large (six
 * times, with phases of random length around 150 ms in snapshots of 1 s), never too small.
 *
 * An estimate far from the others is wrong most often, for example after a short burst that was
 * counted in full. So its error includes the jump. f is Student's factor for a few snapshots: 1.9
 * at SUMS_LEAST, soon 1. The share is not used: it is a mean over CPUs, and some may count
 * nothing.
 *
 * Errors of CPUs and turns must not repeat from snapshot to snapshot, so turns and windows are
 * random (core/collect/cpu_counter_set.h, duty_cycle.h). An estimate of 0 has no error: a burst
 * outside all turns leaves no trace.
 */
enum {
	SUMS_MEMORY = 32,
	SUMS_LEAST = 4, /* snapshots before an error is stated */
};

struct event_sum {
	char *name;
	struct figure total; /* in the event's unit: VALID, SCALED or LOST */
	double rate;         /* per second, of the last snapshot in which it was known */
	double variance, mean, jump;
	unsigned n; /* snapshots in which it was known, up to SUMS_MEMORY */
};

/* Zeroed is empty. */
struct event_totals {
	struct event_sum *items;
	size_t n;
	uint64_t time_ns; /* sum of the intervals since zero */
	bool targeted;    /* the last snapshot had a target */
};

void event_totals_add(struct event_totals *sums, const struct snapshot *snapshot);
/* Adds one row of the snapshot. A struct has sums of the machine, or of one row only. */
void event_totals_add_row(struct event_totals *sums, const struct snapshot *snapshot,
			  const struct metric_input *row);
/* Sets the totals to 0. The rates and errors stay. */
void event_totals_zero(struct event_totals *sums);
void event_totals_fini(struct event_totals *sums);

/* Returns the sum of that event, or NULL. */
const struct event_sum *event_totals_find(const struct event_totals *sums, const char *name);
/*
 * Returns the relative error of the last figure in 95 of 100 cases; may be more than 1. `share` is
 * the share of the time in which it was counted; 1: the error is 0. NAN: unknown.
 */
double event_sum_error(const struct event_sum *sum, double share);

/* Returns the tally of the target, or of the machine if there is none. */
struct metric_input event_totals_input(const struct snapshot *snapshot);

#endif
