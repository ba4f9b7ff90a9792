// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_COUNTED_H
#define PMCTOP_TESTS_COUNTED_H

#include "core/base/util.h"
#include "core/metric/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes a metric's input from the counts of a test, which then does not depend on the layout of
 * tallies. Each event is in a group of its own and may be counted for another share of the time.
 */
struct counted {
	struct event_set events;
	struct plan *plan; /* one group per event */
	uint64_t *tally;
	struct metric_input input;
	double interval_s;
};

struct counted_event {
	const char *name; /* task-clock and context-switches are taken from slices */
	double count;     /* scaled, as perf stat prints it */
	double share;     /* of the task's time in which it was counted, 0..1 */
};

/*
 * Factor of all counts and times. Ratios and rates stay the same, and rounding to whole counts
 * changes no printed digit.
 */
#define COUNTED_TIMES 1000.0

void counted_init(struct counted *c, double task_clock_s, double interval_s,
		  const struct counted_event *events, size_t n);

void counted_fini(struct counted *c);

#endif
