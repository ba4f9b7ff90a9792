// SPDX-License-Identifier: MIT
/*
 * A formula has events, a tally has counters. The plan is between them: an event may be counted in
 * several groups, on several PMUs. This file decides once which counters a metric reads. Metrics
 * that read the same counters share the reading.
 */
#include "core/metric/metric.h"

#include "core/base/util.h"
#include "core/event/event_wait.h"
#include "core/metric/metric_internal.h"

#include <stdlib.h>
#include <string.h>

size_t metric_events(const struct metric *metric, unsigned *events, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < metric->n_ops; i++) {
		size_t k = 0;
		if (metric->ops[i].code != OP_EVENT)
			continue;
		while (k < n && events[k] != metric->ops[i].event)
			k++;
		if (k == n && n < max)
			events[n++] = (unsigned)metric->ops[i].event;
	}
	return n;
}

/* The events of one metric that need the PMU and can be counted. */
struct binding {
	const struct event_set *events;
	const struct plan *plan;
	unsigned needed[METRIC_EVENTS_MAX];
	size_t n_needed;
};

static void binding_init(struct binding *binding, const struct metric *metric,
			 const struct event_set *events, const struct plan *plan)
{
	unsigned all[METRIC_EVENTS_MAX];
	size_t n = metric_events(metric, all, METRIC_EVENTS_MAX);

	*binding = (struct binding){.events = events, .plan = plan};
	for (size_t i = 0; i < n; i++) {
		const struct event *event = &events->items[all[i]];
		if (event->kind == EVENT_HARDWARE && event->state == FIGURE_VALID)
			binding->needed[binding->n_needed++] = all[i];
	}
}

static size_t needed_in_group(const struct binding *binding, unsigned group)
{
	size_t n = 0;

	for (size_t i = 0; i < binding->n_needed; i++)
		n += plan_counter_in(binding->plan, group, binding->needed[i]) >= 0;
	return n;
}

/* Returns how many are in the groups of the domain; *most: in the group that has most. */
static size_t needed_in_domain(const struct binding *binding, const struct plan_domain *domain,
			       size_t *most)
{
	size_t n = 0;

	*most = 0;
	for (size_t i = 0; i < binding->n_needed; i++) {
		bool found = false;
		for (unsigned k = 0; k < domain->n_groups; k++)
			found |= plan_counter_in(binding->plan, domain->first_group + k,
						 binding->needed[i]) >= 0;
		n += found;
	}
	for (unsigned k = 0; k < domain->n_groups; k++) {
		size_t in_group = needed_in_group(binding, domain->first_group + k);
		*most = in_group > *most ? in_group : *most;
	}
	return n;
}

static struct metric_reading reading_of(const struct event_set *events, const struct plan *plan,
					size_t index, double percentile, enum metric_part part)
{
	const struct event *event = &events->items[index];
	enum event_wait wait = event->kind == EVENT_WAIT ? event_wait_of(event) : WAIT_EVENTS;

	return (struct metric_reading){
		.event = index,
		.percentile = percentile,
		.part = part,
		.estimate = wait != WAIT_EVENTS && event_wait_is_estimate(wait, plan->per_task),
		.part_estimate = wait != WAIT_EVENTS && event_wait_is_part_estimate(wait),
		/* Only tasks that ran are in it. The blocked time of a machine is boundless. */
		.single = wait == WAIT_BLOCKED,
	};
}

static void append_counter(struct metric_reading *reading, const struct plan *plan,
			   unsigned counter)
{
	const struct tally_shape *shape = &plan->shape;
	unsigned group = plan->counters[counter].group;

	reading->items = xreallocarray(reading->items, reading->n + 1, sizeof(*reading->items));
	reading->items[reading->n++] = (struct metric_counter){
		.count = counter,
		.group_ns = (unsigned)tally_group(shape, group),
		.domain_ns = (unsigned)tally_domain(shape, plan->groups[group].domain),
	};
}

static void read_all(struct metric_reading *reading, const struct plan *plan)
{
	if (reading->event >= plan->n_events)
		return;
	for (unsigned i = plan->first_counter[reading->event];
	     i < plan->first_counter[reading->event + 1]; i++)
		append_counter(reading, plan, i);
}

/*
 * Reads one event that needs the PMU. If a PMU lacks another input of the metric, its counters are
 * not read.
 */
static void read_together(struct metric_reading *reading, const struct binding *binding)
{
	const struct plan *plan = binding->plan;

	for (unsigned d = 0; d < plan->shape.n_domains; d++) {
		const struct plan_domain *domain = &plan->domains[d];
		size_t most, all = needed_in_domain(binding, domain, &most);

		if (all < binding->n_needed)
			continue;
		for (unsigned k = 0; k < domain->n_groups; k++) {
			unsigned group = domain->first_group + k;
			int counter = plan_counter_in(plan, group, (unsigned)reading->event);
			if (counter >= 0 && (most < all || needed_in_group(binding, group) == all))
				append_counter(reading, plan, (unsigned)counter);
		}
	}
}

/* Returns the index of an equal reading, or adds this one. Takes ownership of reading->items. */
static size_t intern(struct metric_readings *readings, struct metric_reading *reading)
{
	for (size_t i = 0; i < readings->n; i++) {
		const struct metric_reading *known = &readings->items[i];
		if (known->event != reading->event || known->n != reading->n ||
		    known->part != reading->part || known->percentile < reading->percentile ||
		    known->percentile > reading->percentile ||
		    (known->n > 0 &&
		     memcmp(known->items, reading->items, known->n * sizeof(*known->items)) != 0))
			continue;
		free(reading->items);
		return i;
	}
	readings->items = array_reserve(readings->items, &readings->capacity, readings->n + 1,
					sizeof(*readings->items));
	readings->items[readings->n] = *reading;
	return readings->n++;
}

void metric_bind(struct metric *metric, const struct event_set *events, const struct plan *plan,
		 struct metric_readings *readings)
{
	struct binding binding;

	binding_init(&binding, metric, events, plan);
	for (size_t i = 0; i < metric->n_ops; i++) {
		struct metric_op *op = &metric->ops[i];
		if (op->code != OP_CPU_TIME && op->code != OP_EVENT)
			continue;
		struct metric_reading reading =
			op->code == OP_EVENT
				? reading_of(events, plan, op->event, op->percentile, op->part)
				: reading_of(events, plan, TALLY_TASK_CLOCK, 0, 0);
		const struct event *event = &events->items[reading.event];
		if (event->kind == EVENT_HARDWARE && event->state == FIGURE_VALID)
			read_together(&reading, &binding);
		else
			read_all(&reading, plan);
		op->reading = intern(readings, &reading);
	}
}

void metric_read_events(struct metric_readings *readings, const struct event_set *events,
			const struct plan *plan)
{
	readings->items = array_reserve(readings->items, &readings->capacity, events->n,
					sizeof(*readings->items));
	for (size_t i = 0; i < events->n; i++) {
		readings->items[i] = reading_of(events, plan, i, 0, METRIC_PART_COUNT);
		read_all(&readings->items[i], plan);
	}
	readings->n = events->n;
}

bool metric_is_apart(const struct metric *metric, const struct event_set *events,
		     const struct plan *plan)
{
	struct binding binding;

	binding_init(&binding, metric, events, plan);
	for (unsigned d = 0; d < plan->shape.n_domains; d++) {
		size_t most, all = needed_in_domain(&binding, &plan->domains[d], &most);
		if (most < all)
			return true;
	}
	return false;
}

void metric_readings_fini(struct metric_readings *readings)
{
	for (size_t i = 0; i < readings->n; i++)
		free(readings->items[i].items);
	free(readings->items);
	*readings = (struct metric_readings){0};
}
