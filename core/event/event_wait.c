// SPDX-License-Identifier: MIT
/*
 * Events of waiting are events like others, so that sums of tasks, metrics, recordings and outputs
 * have them without code of their own. Their group is not one of a PMU. Its ns are the
 * part of the task's lifetime for which the source is known. The ns of its domain are the lifetime.
 */
#include "core/event/event_wait.h"

#include "core/base/util.h"
#include "core/event/event_resolver.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const char *const event_wait_names[WAIT_EVENTS] = {
	[WAIT_RUNQ] = "runq_time",
	[WAIT_PREEMPTED] = "preempted_time",
	[WAIT_THROTTLED] = "throttled_time",
	[WAIT_BLOCKED] = "blocked_time",
	[WAIT_UNINTERRUPTIBLE] = "uninterruptible_time",
	[WAIT_STOPPED] = "stopped_time",
	[WAIT_LOCK] = "lock_time",
	[WAIT_DISK] = "disk_time",
	[WAIT_PAGING] = "paging_time",
	[WAIT_FORKED] = "forked_time",
	[WAIT_VOLUNTARY] = "voluntary-switches",
	[WAIT_INVOLUNTARY] = "involuntary-switches",
	[WAIT_FORKS] = "forks",
	[WAIT_WAKEUPS] = "wakeups",
};

static int find_name(const char *name)
{
	for (int i = 0; i < WAIT_EVENTS; i++)
		if (strcmp(event_wait_names[i], name) == 0)
			return i;
	return -1;
}

enum event_wait event_wait_of(const struct event *event)
{
	int found = find_name(event->name);

	return found < 0 ? WAIT_EVENTS : (enum event_wait)found;
}

enum event_wait_group event_wait_group(enum event_wait wait)
{
	static const unsigned char groups[WAIT_EVENTS] = {
		[WAIT_RUNQ] = WAIT_OF_QUEUES,          [WAIT_PREEMPTED] = WAIT_OF_PREEMPTIONS,
		[WAIT_THROTTLED] = WAIT_OF_CGROUPS,    [WAIT_BLOCKED] = WAIT_OF_REST,
		[WAIT_UNINTERRUPTIBLE] = WAIT_OF_BOTH, [WAIT_STOPPED] = WAIT_OF_BOTH,
		[WAIT_LOCK] = WAIT_OF_LOOKS,           [WAIT_DISK] = WAIT_OF_LOOKS,
		[WAIT_PAGING] = WAIT_OF_LOOKS,         [WAIT_FORKED] = WAIT_OF_FORKS,
		[WAIT_VOLUNTARY] = WAIT_OF_RECORDS,    [WAIT_INVOLUNTARY] = WAIT_OF_RECORDS,
		[WAIT_FORKS] = WAIT_OF_FORKS,          [WAIT_WAKEUPS] = WAIT_OF_WAKINGS,
	};

	return (enum event_wait_group)groups[wait];
}

bool event_wait_is_estimate(enum event_wait wait, bool per_task)
{
	enum event_wait_group group = event_wait_group(wait);

	return group == WAIT_OF_LOOKS || (per_task && group == WAIT_OF_BOTH);
}

bool event_wait_is_part_estimate(enum event_wait wait)
{
	return event_wait_group(wait) == WAIT_OF_CGROUPS;
}

bool event_wait_is_of_proc(enum event_wait wait)
{
	return wait != WAIT_PREEMPTED && wait != WAIT_FORKED && wait != WAIT_FORKS &&
	       wait != WAIT_WAKEUPS;
}

const char *event_wait_unit(enum event_wait wait)
{
	return wait < WAIT_VOLUNTARY ? "ns" : "";
}

size_t event_wait_counters(enum event_wait wait)
{
	return wait == WAIT_WAKEUPS ? WAKEUP_RANGES : 1;
}

size_t wakeup_range(uint64_t latency_ns)
{
	if (latency_ns < WAKEUP_LEAST_NS)
		return 0;
	unsigned octave = 63 - (unsigned)__builtin_clzll(latency_ns / WAKEUP_LEAST_NS);
	double from_ns = (double)((uint64_t)WAKEUP_LEAST_NS << octave);
	size_t range = 2 * (size_t)octave + ((double)latency_ns >= from_ns * M_SQRT2);

	return range < WAKEUP_RANGES ? range : WAKEUP_RANGES - 1;
}

double wakeup_range_ns(size_t range)
{
	double from_ns = (double)((uint64_t)WAKEUP_LEAST_NS << range / 2);

	return from_ns * sqrt(range % 2 ? 2 * M_SQRT2 : M_SQRT2);
}

/*
 * The counters of wake-ups need a tracepoint, which is the code of the event. It decides whether
 * they can be counted.
 */
static int resolve_tracepoint(const struct event_context *context, struct event *event,
			      struct error *err)
{
	static const char name[] = "sched:sched_waking";
	const char *rest;
	int result = event_tracepoint_resolve(context, name, event, &rest, err);

	if (result != EVENT_NOT_MINE)
		return result;
	result = event_tracepoint_explain(context, name, err);
	return result < 0 ? result : error_set(err, -ENOENT, "There is no tracepoint '%s'.", name);
}

int event_wait_resolve(const struct event_context *context, const char *name, struct event *event,
		       const char **rest, struct error *err)
{
	int found = find_name(name), result = 0;

	if (!context->sys || found < 0)
		return EVENT_NOT_MINE;
	if (found == WAIT_WAKEUPS)
		result = resolve_tracepoint(context, event, err);
	event->kind = EVENT_WAIT;
	text_copy(event->unit, sizeof(event->unit), event_wait_unit((enum event_wait)found));
	*rest = name + strlen(name);
	return result;
}

void wait_places_find(struct wait_places *places, const struct plan *plan,
		      const struct event_set *events)
{
	*places = (struct wait_places){.beside = tally_beside(&plan->shape, 0)};
	for (int i = 0; i < WAIT_EVENTS; i++)
		places->counts[i] = -1;
	for (unsigned i = TALLY_FIRST_COUNTED; i < plan->shape.n_counters; i++) {
		const struct plan_counter *counter = &plan->counters[i];
		const struct event *event = &events->items[counter->event];
		if (event->kind != EVENT_WAIT || event_wait_of(event) == WAIT_EVENTS)
			continue;
		enum event_wait wait = event_wait_of(event);
		const struct plan_group *group = &plan->groups[counter->group];
		unsigned first = counter->group - event_wait_group(wait);
		places->any = true;
		if (places->counts[wait] < 0)
			places->counts[wait] = (int)i;
		for (unsigned k = 0; k < WAIT_GROUPS; k++)
			places->groups[k] = tally_group(&plan->shape, first + k);
		places->lifetime = tally_domain(&plan->shape, group->domain);
	}
}

static const unsigned char of_queues[] = {WAIT_OF_QUEUES, WAIT_OF_REST, WAIT_OF_CGROUPS,
					  WAIT_OF_PREEMPTIONS};

void wait_values_unseen(uint64_t lifetime_ns, struct wait_values *values)
{
	*values = (struct wait_values){.lifetime_ns = lifetime_ns};
	values->counts[WAIT_BLOCKED] = lifetime_ns;
	for (size_t i = 0; i < ARRAY_SIZE(of_queues); i++)
		values->estimated_ns[of_queues[i]] = lifetime_ns;
}

void wait_values_still(uint64_t lifetime_ns, bool blocked, bool sleeping,
		       struct wait_values *values)
{
	static const unsigned char of_records[] = {WAIT_OF_RECORDS, WAIT_OF_FORKS, WAIT_OF_WAKINGS};

	wait_values_unseen(lifetime_ns, values);
	for (size_t i = 0; blocked && i < ARRAY_SIZE(of_queues); i++) {
		values->known_ns[of_queues[i]] = lifetime_ns;
		values->estimated_ns[of_queues[i]] = 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(of_records); i++)
		values->known_ns[of_records[i]] = lifetime_ns;
	if (sleeping)
		values->known_ns[WAIT_OF_BOTH] = lifetime_ns;
}

void wait_values_clip(uint64_t most_ns, struct wait_values *values)
{
	for (size_t i = 0; i < WAIT_FORKED; i++)
		values->counts[i] = u64_min(values->counts[i], most_ns);
	for (size_t i = 0; i < WAIT_GROUPS; i++) {
		values->known_ns[i] = u64_min(values->known_ns[i], most_ns);
		values->estimated_ns[i] =
			u64_min(values->estimated_ns[i], most_ns - values->known_ns[i]);
	}
	values->lifetime_ns = u64_min(values->lifetime_ns, most_ns);
}

void wait_values_add(const struct wait_places *places, const struct wait_values *values,
		     uint64_t *tally)
{
	for (size_t i = 0; i < WAIT_EVENTS; i++)
		if (places->counts[i] >= 0)
			tally[places->counts[i]] += values->counts[i];
	for (size_t i = 0; i < WAIT_GROUPS; i++) {
		tally[places->groups[i]] += values->known_ns[i];
		tally[places->groups[i] + places->beside] += values->estimated_ns[i];
	}
	tally[places->lifetime] += values->lifetime_ns;
}
