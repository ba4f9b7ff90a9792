// SPDX-License-Identifier: MIT
#include "tests/unit/shared/counted.h"

static struct plan *counted_plan(unsigned n_events)
{
	struct plan *plan = xcalloc(1, sizeof(*plan));
	unsigned n_groups = n_events - TALLY_FIRST_COUNTED;

	*plan = (struct plan){
		.shape = {n_events, n_groups, 1},
		.counters = xcalloc(n_events, sizeof(*plan->counters)),
		.first_counter = xcalloc(n_events + 1, sizeof(*plan->first_counter)),
		.groups = xcalloc(n_groups, sizeof(*plan->groups)),
		.domains = xcalloc(1, sizeof(*plan->domains)),
		.n_events = n_events,
		.references = 1,
	};
	plan->domains[0].n_groups = n_groups;
	for (unsigned i = 0; i < n_events; i++) {
		plan->counters[i].event = i;
		plan->counters[i].group = i < TALLY_FIRST_COUNTED ? 0 : i - TALLY_FIRST_COUNTED;
		plan->first_counter[i + 1] = i + 1;
	}
	return plan;
}

void counted_init(struct counted *c, double task_clock_s, double interval_s,
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
		set->items[set->n] = (struct event){
			.name = xstrdup(events[i].name), .scale = 1, .kind = EVENT_HARDWARE};
		set->n++;
	}
	c->plan = counted_plan((unsigned)c->events.n);
	const struct tally_shape *shape = &c->plan->shape;
	c->tally = xcalloc(tally_width(shape), sizeof(*c->tally));
	c->tally[TALLY_TASK_CLOCK] = c->tally[tally_domain(shape, 0)] =
		(uint64_t)llround(task_clock_s * COUNTED_TIMES * (double)NS_PER_S);
	for (size_t i = 0; i < n; i++) {
		size_t event = (size_t)event_set_find(&c->events, events[i].name);

		if (event == TALLY_TASK_CLOCK)
			continue;
		c->tally[event] =
			(uint64_t)llround(events[i].count * COUNTED_TIMES * events[i].share);
		if (event >= TALLY_FIRST_COUNTED)
			c->tally[tally_group(shape, (unsigned)event - TALLY_FIRST_COUNTED)] =
				(uint64_t)llround((double)c->tally[TALLY_TASK_CLOCK] *
						  events[i].share);
	}
	c->input = (struct metric_input){.events = &c->events, .plan = c->plan, .tally = c->tally};
	c->interval_s = interval_s * COUNTED_TIMES;
}

void counted_fini(struct counted *c)
{
	event_set_fini(&c->events);
	plan_unref(c->plan);
	free(c->tally);
	*c = (struct counted){0};
}
