// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_COUNTED_H
#define PMCTOP_TESTS_COUNTED_H

#include "core/metric.h"
#include "core/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Counts that a test has, as a metric's input: the one place that knows how tallies are laid out.
 * Every event shares its counter with nobody but time, so that each may have been counted for
 * another share of it.
 */
struct counted {
	struct event_set events;
	struct tally_shape shape;
	uint64_t *tally;
	struct metric_input input;
};

struct counted_event {
	const char *name; /* task-clock and context-switches: what the slices measured */
	double count;     /* scaled up, as perf stat prints it */
	double share;     /* of the task's time that it was counted, 0..1; 1: all */
};

/*
 * All of it so many times, the interval too: ratios and rates are the same, and what is lost by
 * raw counts being whole numbers is lost behind every digit that counts.
 */
#define COUNTED_TIMES 1000.0

static inline void counted_init(struct counted *c, double task_clock_s, double interval_s,
				const struct counted_event *events, size_t n)
{
	*c = (struct counted){0};
	event_set_init(&c->events, NULL);
	for (size_t i = 0; i < n; i++) {
		struct event_set *set = &c->events;

		if (event_set_find(set, events[i].name) >= 0)
			continue;
		set->items =
			array_reserve(set->items, &set->capacity, set->n + 1, sizeof(*set->items));
		set->items[set->n] =
			(struct event){.name = xstrdup(events[i].name),
				       .scale = 1,
				       .kind = EVENT_HARDWARE,
				       .group = (unsigned)(set->n - TALLY_FIRST_COUNTED)};
		set->n++;
	}
	size_t first_group = c->events.n;
	c->shape = (struct tally_shape){(unsigned)c->events.n,
					(unsigned)(c->events.n - TALLY_FIRST_COUNTED)};
	c->tally = xcalloc(tally_width(&c->shape), sizeof(*c->tally));
	c->tally[TALLY_TASK_CLOCK] =
		(uint64_t)llround(task_clock_s * COUNTED_TIMES * (double)NS_PER_S);
	for (size_t i = 0; i < n; i++) {
		size_t event = (size_t)event_set_find(&c->events, events[i].name);

		if (event == TALLY_TASK_CLOCK)
			continue;
		c->tally[event] =
			(uint64_t)llround(events[i].count * COUNTED_TIMES * events[i].share);
		if (event >= TALLY_FIRST_COUNTED)
			c->tally[first_group + event - TALLY_FIRST_COUNTED] = (uint64_t)llround(
				(double)c->tally[TALLY_TASK_CLOCK] * events[i].share);
	}
	c->input = (struct metric_input){.events = &c->events,
					 .shape = &c->shape,
					 .tally = c->tally,
					 .interval_s = interval_s * COUNTED_TIMES};
}

static inline void counted_fini(struct counted *c)
{
	event_set_fini(&c->events);
	free(c->tally);
	*c = (struct counted){0};
}

#endif
