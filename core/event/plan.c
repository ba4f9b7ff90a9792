// SPDX-License-Identifier: MIT
/*
 * Two steps. First plan_pack.c decides which hardware events of a domain share a group. Then the
 * groups are laid out here: the leader, the places of the switch event and the tick, and the
 * counter of each value.
 */
#include "core/event/plan_internal.h"

#include "core/base/util.h"
#include "core/event/event_wait.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct drawing {
	const struct plan_request *request;
	struct plan *plan;
	size_t counters_capacity, groups_capacity, domains_capacity;
};

static struct plan_group *add_group(struct drawing *drawing)
{
	struct plan *plan = drawing->plan;

	plan->groups = array_reserve(plan->groups, &drawing->groups_capacity,
				     plan->shape.n_groups + 1, sizeof(*plan->groups));
	struct plan_group *group = &plan->groups[plan->shape.n_groups];
	*group = (struct plan_group){
		.domain = plan->shape.n_domains,
		.layout = {.group = plan->shape.n_groups, .domain = plan->shape.n_domains},
	};
	plan->shape.n_groups++;
	return group;
}

static void add_member(struct plan_group *group, int member)
{
	group->members =
		xreallocarray(group->members, group->n_members + 1, sizeof(*group->members));
	group->members[group->n_members++] = member;
}

/* A counter with values from /proc or slices: the group has no member for it. */
static void add_uncounted(struct drawing *drawing, const struct plan_group *group, size_t event,
			  int code)
{
	struct plan *plan = drawing->plan;

	plan->counters = array_reserve(plan->counters, &drawing->counters_capacity,
				       plan->shape.n_counters + 1, sizeof(*plan->counters));
	plan->counters[plan->shape.n_counters] = (struct plan_counter){
		.event = (unsigned)event,
		.code = (unsigned)code,
		.group = group->layout.group,
	};
	plan->shape.n_counters++;
}

/* Members are indices of events until order_counters(). */
static void add_counter(struct drawing *drawing, struct plan_group *group, size_t event, int code)
{
	add_uncounted(drawing, group, event, code);
	add_member(group, (int)event);
}

static void add_hardware(struct drawing *drawing, struct plan_group *group,
			 const struct plan_pack *pack, size_t pmu)
{
	const struct event *events = drawing->request->events->items;

	for (size_t i = 0; i < pack->n; i++)
		add_counter(drawing, group, pack->events[i],
			    plan_code_on(&events[pack->events[i]], pmu));
	group->layout.n_hardware = group->n_members;
}

static void add_switches(struct plan_group *group)
{
	group->layout.switch_value = group->n_members;
	add_member(group, PLAN_SWITCH);
	add_member(group, PLAN_TICK);
}

/* Software events have one code for all PMUs. */
static void add_software(struct drawing *drawing, struct plan_group *group)
{
	const struct event_set *events = drawing->request->events;

	for (size_t i = 0; i < events->n; i++)
		if (events->items[i].kind == EVENT_SOFTWARE &&
		    events->items[i].state == FIGURE_VALID)
			add_counter(drawing, group, i, 0);
}

bool plan_is_of_proc(const struct event *event)
{
	if (event->kind == EVENT_PROC)
		return true;
	if (event->kind == EVENT_WAIT)
		return event_wait_is_of_proc(event_wait_of(event));
	if (event->kind != EVENT_SOFTWARE || event->n_codes == 0)
		return false;
	const struct perf_event_attr *attr = &event->codes[0].attr;
	bool both_levels = !attr->exclude_user && !attr->exclude_kernel;
	return both_levels && attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
		attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

void plan_use_proc(struct event_set *events)
{
	for (size_t i = 0; i < events->n; i++) {
		struct event *event = &events->items[i];
		if (event->kind == EVENT_WAIT && !plan_is_of_proc(event))
			event->state = FIGURE_DENIED;
		if (event->kind != EVENT_DERIVED && !plan_is_of_proc(event))
			continue;
		event->state = FIGURE_VALID;
		event->answer = 0;
		if (event->n_codes > 0)
			event->codes[0].state = FIGURE_VALID;
	}
}

static bool is_size_taken(const struct plan *plan, unsigned first, size_t n_members)
{
	for (unsigned i = first; i < plan->shape.n_groups; i++)
		if (plan->groups[i].n_members == n_members)
			return true;
	return false;
}

static void add_domain(struct drawing *drawing, struct plan_domain domain)
{
	struct plan *plan = drawing->plan;

	plan->domains = array_reserve(plan->domains, &drawing->domains_capacity,
				      plan->shape.n_domains + 1, sizeof(*plan->domains));
	domain.n_groups = plan->shape.n_groups - domain.first_group;
	plan->domains[plan->shape.n_domains++] = domain;
}

static void add_task_domain(struct drawing *drawing)
{
	const struct event_set *events = drawing->request->events;
	struct plan *plan = drawing->plan;

	for (unsigned i = PLAN_GROUP_PROC; i <= PLAN_GROUP_SOFTWARE; i++)
		add_group(drawing);
	for (size_t i = 0; i < events->n; i++) {
		const struct event *event = &events->items[i];
		if (event->state != FIGURE_VALID || event->kind == EVENT_WAIT)
			continue;
		if (event->kind == EVENT_PROC)
			add_uncounted(drawing, &plan->groups[PLAN_GROUP_TIMES], i, 0);
		else if (plan_is_of_proc(event))
			add_uncounted(drawing, &plan->groups[PLAN_GROUP_PROC], i, 0);
		else if (event->kind == EVENT_SOFTWARE)
			add_counter(drawing, &plan->groups[PLAN_GROUP_SOFTWARE], i, 0);
	}
	add_domain(drawing, (struct plan_domain){.all_cpus = true});
}

/* Per task: only the hardware groups of the PMU, which may be none. */
static void add_task_pmu(struct drawing *drawing, size_t pmu)
{
	struct plan_packing packing = {.request = drawing->request, .pmu = pmu};
	unsigned first = drawing->plan->shape.n_groups;

	plan_packing_fill(&packing);
	for (size_t i = 0; i < packing.n; i++)
		add_hardware(drawing, add_group(drawing), &packing.packs[i], pmu);
	add_domain(drawing, (struct plan_domain){.pmu = pmu, .first_group = first});
	plan_packing_fini(&packing);
}

/* Each group measures the time of a task, so there must be one with members. */
static void add_task_clock(struct plan *plan)
{
	for (unsigned i = 0; i < plan->shape.n_groups; i++)
		if (plan->groups[i].n_members > 0)
			return;
	add_member(&plan->groups[PLAN_GROUP_SOFTWARE], PLAN_PAD);
}

static void add_core_domain(struct drawing *drawing, size_t pmu)
{
	const struct plan_request *request = drawing->request;
	struct plan_packing packing = {.request = request, .pmu = pmu};
	struct plan *plan = drawing->plan;
	unsigned first = plan->shape.n_groups;

	plan_packing_fill(&packing);
	bool joined = packing.n == 1 && !request->separate_clock;
	struct plan_group *clock = add_group(drawing);
	if (joined)
		add_hardware(drawing, clock, &packing.packs[0], pmu);
	add_switches(clock);
	add_software(drawing, clock);
	clock->layout.clock = true;
	for (size_t i = 0; !joined && i < packing.n; i++) {
		struct plan_group *group = add_group(drawing);
		add_hardware(drawing, group, &packing.packs[i], pmu);
		add_switches(group);
	}
	while (is_size_taken(plan, first + 1, plan->groups[first].n_members))
		add_member(&plan->groups[first], PLAN_PAD);
	add_domain(drawing, (struct plan_domain){.pmu = pmu, .first_group = first});
	plan_packing_fini(&packing);
}

static void add_socket_domain(struct drawing *drawing, size_t event, size_t code)
{
	struct plan_group *group = add_group(drawing);

	add_counter(drawing, group, event, (int)code);
	add_domain(drawing, (struct plan_domain){
				    .pmu = drawing->request->events->items[event].codes[code].pmu,
				    .socket = true,
				    .first_group = drawing->plan->shape.n_groups - 1,
			    });
}

static void add_sockets(struct drawing *drawing)
{
	const struct event_set *events = drawing->request->events;

	for (size_t i = 0; i < events->n; i++) {
		const struct event *event = &events->items[i];
		if (event->kind != EVENT_SOCKET || event->state != FIGURE_VALID)
			continue;
		for (size_t k = 0; k < event->n_codes; k++)
			if (event->codes[k].state == FIGURE_VALID)
				add_socket_domain(drawing, i, k);
	}
}

/* Adds the domain of the /proc events to a plan of counted CPUs: one domain for all CPUs. */
static void add_proc_domain(struct drawing *drawing)
{
	const struct event_set *events = drawing->request->events;
	struct plan *plan = drawing->plan;
	unsigned first = plan->shape.n_groups;

	for (size_t i = 0; i < events->n; i++) {
		if (events->items[i].kind != EVENT_PROC || events->items[i].state != FIGURE_VALID)
			continue;
		if (plan->shape.n_groups == first)
			add_group(drawing);
		add_uncounted(drawing, &plan->groups[first], i, 0);
	}
	if (plan->shape.n_groups == first)
		return;
	plan->times_group = (int)first;
	add_domain(drawing, (struct plan_domain){.all_cpus = true, .first_group = first});
}

/* The events of waiting: one domain, and a group for each source. */
static void add_wait_domain(struct drawing *drawing)
{
	const struct event_set *events = drawing->request->events;
	struct plan *plan = drawing->plan;
	unsigned first = plan->shape.n_groups;

	for (size_t i = 0; i < events->n; i++) {
		const struct event *event = &events->items[i];
		if (event->kind != EVENT_WAIT || event->state != FIGURE_VALID)
			continue;
		while (plan->shape.n_groups < first + WAIT_GROUPS)
			add_group(drawing);
		enum event_wait wait = event_wait_of(event);
		for (size_t k = 0; k < event_wait_counters(wait); k++)
			add_uncounted(drawing, &plan->groups[first + event_wait_group(wait)], i, 0);
	}
	if (plan->shape.n_groups > first)
		add_domain(drawing, (struct plan_domain){
					    .all_cpus = true, .waits = true, .first_group = first});
}

static int compare_counters(const void *a, const void *b)
{
	const struct plan_counter *left = a, *right = b;

	if (left->event != right->event)
		return left->event < right->event ? -1 : 1;
	return (left->group > right->group) - (left->group < right->group);
}

/* Sorts the counters by event, and turns members from events into counters. */
static void order_counters(struct plan *plan, size_t n_events)
{
	unsigned n = plan->shape.n_counters;

	qsort(plan->counters, n, sizeof(*plan->counters), compare_counters);
	plan->n_events = n_events;
	plan->first_counter = xcalloc(n_events + 1, sizeof(*plan->first_counter));
	for (unsigned i = 0; i < n; i++)
		plan->first_counter[plan->counters[i].event + 1]++;
	for (size_t i = 0; i < n_events; i++)
		plan->first_counter[i + 1] += plan->first_counter[i];
	for (unsigned g = 0; g < plan->shape.n_groups; g++) {
		struct plan_group *group = &plan->groups[g];
		for (size_t i = 0; i < group->n_members; i++)
			if (group->members[i] >= 0)
				group->members[i] =
					plan_counter_in(plan, g, (unsigned)group->members[i]);
		group->layout.n_values = group->n_members;
		group->layout.counter_of = group->members;
	}
}

struct plan *plan_new(const struct plan_request *request)
{
	struct plan *plan = xcalloc(1, sizeof(*plan));
	struct drawing drawing = {.request = request, .plan = plan};

	plan->references = 1;
	plan->shape.n_counters = TALLY_FIRST_COUNTED;
	plan->counters = array_reserve(NULL, &drawing.counters_capacity, TALLY_FIRST_COUNTED,
				       sizeof(*plan->counters));
	for (unsigned i = 0; i < TALLY_FIRST_COUNTED; i++)
		plan->counters[i] = (struct plan_counter){.event = i};
	plan->per_task = request->per_task;
	plan->times_group = request->per_task ? PLAN_GROUP_TIMES : -1;
	if (request->per_task) {
		plan->counters[TALLY_SWITCHES].group = PLAN_GROUP_SWITCHES;
		add_task_domain(&drawing);
		for (size_t i = 0; i < request->pmus->n_core; i++)
			add_task_pmu(&drawing, i);
		add_task_clock(plan);
	} else {
		for (size_t i = 0; i < request->pmus->n_core; i++)
			add_core_domain(&drawing, i);
		add_sockets(&drawing);
		add_proc_domain(&drawing);
	}
	add_wait_domain(&drawing);
	order_counters(plan, request->events->n);
	return plan;
}

struct plan *plan_ref(struct plan *plan)
{
	__atomic_add_fetch(&plan->references, 1, __ATOMIC_RELAXED);
	return plan;
}

void plan_unref(struct plan *plan)
{
	/* Acquire and release: the last reference must see all uses by other threads. */
	if (!plan || __atomic_sub_fetch(&plan->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (size_t i = 0; i < plan->shape.n_groups; i++)
		free(plan->groups[i].members);
	free(plan->counters);
	free(plan->first_counter);
	free(plan->groups);
	free(plan->domains);
	free(plan);
}

static bool takes_turns(const struct plan *plan, unsigned group)
{
	const struct plan_domain *domain = &plan->domains[plan->groups[group].domain];

	return domain->n_groups > 1 && !domain->socket && !domain->all_cpus && !domain->waits;
}

static bool is_of_turns(const struct plan *plan, size_t counter)
{
	return counter >= TALLY_FIRST_COUNTED && takes_turns(plan, plan->counters[counter].group);
}

/* The difference of two clocks that are read one after the other is no time off. */
static bool is_off(uint64_t on_ns, uint64_t ran_ns)
{
	return on_ns > 0 && on_ns < ran_ns - ran_ns / PLAN_WHOLE_PARTS;
}

#define ESTIMATE_MOST 0x1p63

void plan_estimate_turns(const struct plan *plan, uint64_t *tally)
{
	const struct tally_shape *shape = &plan->shape;

	for (size_t i = TALLY_FIRST_COUNTED; i < shape->n_counters; i++) {
		unsigned group = plan->counters[i].group;
		size_t on = tally_group(shape, group);
		uint64_t on_ns = tally[on] + tally[tally_beside(shape, on)];
		uint64_t ran_ns = tally[tally_domain(shape, plan->groups[group].domain)];
		uint64_t *beside = &tally[tally_beside(shape, i)];

		if (!takes_turns(plan, group) || !is_off(on_ns, ran_ns))
			continue;
		double rate = (double)(tally[i] + *beside) / (double)on_ns;
		/* A damaged recording may have any numbers. */
		double estimate = fmin(round(rate * (double)(ran_ns - on_ns)), ESTIMATE_MOST);
		*beside = u64_sum(*beside, (uint64_t)estimate);
	}
	for (unsigned i = 0; i < shape->n_groups; i++) {
		size_t on = tally_group(shape, i);
		uint64_t on_ns = tally[on] + tally[tally_beside(shape, on)];
		uint64_t ran_ns = tally[tally_domain(shape, plan->groups[i].domain)];

		if (takes_turns(plan, i) && is_off(on_ns, ran_ns))
			tally[tally_beside(shape, on)] += ran_ns - on_ns;
	}
}

void plan_clear_turns(const struct plan *plan, uint64_t *tally)
{
	const struct tally_shape *shape = &plan->shape;

	for (size_t i = 0; i < shape->n_counters; i++)
		if (is_of_turns(plan, i))
			tally[tally_beside(shape, i)] = 0;
	for (unsigned i = 0; i < shape->n_groups; i++)
		if (takes_turns(plan, i))
			tally[tally_beside(shape, tally_group(shape, i))] = 0;
}

void plan_add_turns(const struct plan *plan, const uint64_t *part, uint64_t *sum)
{
	const struct tally_shape *shape = &plan->shape;

	for (size_t i = 0; i < shape->n_counters; i++)
		if (is_of_turns(plan, i))
			sum[tally_beside(shape, i)] += part[tally_beside(shape, i)];
	for (unsigned i = 0; i < shape->n_groups; i++)
		if (takes_turns(plan, i)) {
			size_t at = tally_beside(shape, tally_group(shape, i));
			sum[at] += part[at];
		}
}

uint64_t plan_count(const struct plan *plan, const uint64_t *tally, size_t event)
{
	uint64_t count = 0;

	if (event >= plan->n_events)
		return 0;
	for (unsigned i = plan->first_counter[event]; i < plan->first_counter[event + 1]; i++)
		count += tally[i];
	return count;
}

bool plan_has_task_values(const struct plan *plan, const struct event_set *events)
{
	bool found = plan->times_group >= 0;

	for (unsigned i = TALLY_FIRST_COUNTED; i < plan->shape.n_counters; i++)
		found |= events->items[plan->counters[i].event].kind == EVENT_WAIT;
	return found;
}

unsigned plan_most_turns(const struct plan *plan)
{
	unsigned most = 1;

	for (unsigned i = 0; i < plan->shape.n_domains; i++) {
		const struct plan_domain *domain = &plan->domains[i];
		/* Without the group of the clock, which is always on. */
		unsigned turns = plan->per_task ? domain->n_groups : domain->n_groups - 1;
		if (turns > most && !domain->all_cpus)
			most = turns;
	}
	return most;
}

unsigned plan_next_counter(const struct plan *plan, unsigned counter)
{
	const struct plan_counter *counters = plan->counters;
	unsigned next = counter + 1;

	while (next < plan->shape.n_counters && counters[next].event == counters[counter].event &&
	       counters[next].group == counters[counter].group)
		next++;
	return next;
}

int plan_counter_in(const struct plan *plan, unsigned group, unsigned event)
{
	if (event >= plan->n_events)
		return -ENOENT;
	for (unsigned i = plan->first_counter[event]; i < plan->first_counter[event + 1]; i++)
		if (plan->counters[i].group == group)
			return (int)i;
	return -ENOENT;
}
