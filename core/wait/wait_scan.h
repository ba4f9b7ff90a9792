// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WAIT_SCAN_H
#define PMCTOP_WAIT_SCAN_H

#include "core/event/event_wait.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Why threads do not run, from readings of /proc alone: the source beside the slices of waits.h,
 * for modes "task" and "proc".
 *
 * schedstat has the time on a CPU, the time in run queues and the number of slices. The growth
 * between two readings is that of the interval, and the rest of the lifetime is blocked time. A
 * wait that lasts at a reading is not in schedstat yet. Three facts help:
 *
 *   - A thread in state R has slices = switches while it waits, and slices = switches + 1 on a CPU.
 *   - A thread in state R at both readings, without a voluntary switch in between, was never
 *     blocked. It waited whenever it did not run, also without a slice in the interval.
 *   - Otherwise a wait that lasts is taken for an average one. What schedstat has of it later is
 *     credited less what was credited before, never less than 0.
 *
 * Limits. A figure with such an estimate is FIGURE_LOST. One that is an average since a reading
 * before the interval is FIGURE_SCALED. Times in states D, T and t are from samples at the two ends
 * of the interval. The time on a CPU is up to the last tick.
 */

/* What /proc has of a thread at one time. */
struct wait_reading {
	uint64_t time_ns;                  /* CLOCK_MONOTONIC */
	uint64_t ran_ns, queue_ns, slices; /* of schedstat */
	uint64_t voluntary, involuntary;   /* switches, of status */
	bool queue_known, switches_known;
	char state; /* R S D ... */
};

/* A thread from one reading to the next. All zero: there was none. */
struct wait_thread {
	struct wait_reading last;
	bool known;              /* `last` is set */
	uint64_t ahead_ns;       /* credited, but not in last.queue_ns yet */
	uint64_t doubt_ns;       /* most that the wait at `last` may differ from ahead_ns */
	uint64_t start_doubt_ns; /* most that its start may differ from last.time_ns */
	uint64_t held_ns; /* time since when it has not run in states D, T or t; 0: it is not */
};

/* A new thread, at its start: it has not run, and is runnable. doubt_ns: of its start. */
void wait_thread_begin(struct wait_thread *thread, uint64_t start_ns, uint64_t doubt_ns);

/*
 * Fills in the values between the last reading, or begin_ns if that is later, and this one. They
 * are unknown if there was no last reading, if a number is lower than before, or if it has ended.
 */
void wait_thread_read(struct wait_thread *thread, const struct wait_reading *now, uint64_t begin_ns,
		      struct wait_values *values);

/* Whether a thread in that state has values to show although it does not run. */
static inline bool wait_is_restless(char state)
{
	return state == 'R' || state == 'D';
}

#endif
