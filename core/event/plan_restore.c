// SPDX-License-Identifier: MIT
/*
 * The words of a recording may contradict each other, so each index is checked before it is used.
 * Then the layouts of groups follow from their members, as in plan.c.
 */
#include "core/event/plan.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool counters_fit(const struct plan *plan, const struct event_set *events)
{
	const struct plan_counter *counters = plan->counters;

	for (unsigned i = 0; i < plan->shape.n_counters; i++) {
		if (counters[i].event >= events->n || counters[i].group >= plan->shape.n_groups)
			return false;
		if (i < TALLY_FIRST_COUNTED ? counters[i].event != i
					    : counters[i].event < counters[i - 1].event)
			return false;
		const struct event *event = &events->items[counters[i].event];
		if (event->n_codes > 0 && counters[i].code >= event->n_codes)
			return false;
	}
	return plan->shape.n_counters >= TALLY_FIRST_COUNTED;
}

/* The groups are in the order of the domains, and have the index of their domain. */
static bool domains_fit(const struct plan *plan, size_t n_pmus)
{
	unsigned next = 0;

	for (unsigned i = 0; i < plan->shape.n_domains; i++) {
		const struct plan_domain *domain = &plan->domains[i];
		if (domain->first_group != next || domain->n_groups == 0 ||
		    domain->n_groups > plan->shape.n_groups - next ||
		    (domain->pmu >= n_pmus && !domain->all_cpus))
			return false;
		for (unsigned k = 0; k < domain->n_groups; k++)
			if (plan->groups[next++].domain != i)
				return false;
	}
	return next == plan->shape.n_groups &&
	       (plan->times_group < 0 || (unsigned)plan->times_group < next);
}

/* Each counter is a member once. */
static bool members_fit(const struct plan *plan)
{
	bool *taken = xcalloc(plan->shape.n_counters, sizeof(*taken)), fit = true;

	for (unsigned g = 0; g < plan->shape.n_groups; g++) {
		const struct plan_group *group = &plan->groups[g];
		for (size_t i = 0; i < group->n_members && fit; i++) {
			int member = group->members[i];
			if (member < 0) {
				fit = member >= PLAN_PAD;
				continue;
			}
			fit = (unsigned)member < plan->shape.n_counters && !taken[member] &&
			      member >= TALLY_FIRST_COUNTED && plan->counters[member].group == g;
			if (fit)
				taken[member] = true;
		}
	}
	free(taken);
	return fit;
}

/* Fills the layout of a group. False if it is counted and has no switch event. */
static bool lay_out(const struct plan *plan, const struct event_set *events, unsigned index)
{
	struct plan_group *group = &plan->groups[index];
	const struct plan_domain *domain = &plan->domains[group->domain];
	struct attrib_layout *layout = &group->layout;
	bool counted = !domain->socket && !domain->all_cpus, switches = false, first = true;

	*layout = (struct attrib_layout){
		.n_values = group->n_members,
		.counter_of = group->members,
		.group = index,
		.domain = group->domain,
		.clock = counted && domain->first_group == index,
	};
	for (size_t i = 0; counted && i < group->n_members; i++) {
		int member = group->members[i];
		bool hardware = member >= 0 &&
				events->items[plan->counters[member].event].kind == EVENT_HARDWARE;
		first &= hardware;
		layout->n_hardware += first;
		if (member == PLAN_SWITCH && !switches) {
			layout->switch_value = i;
			switches = true;
		}
	}
	return switches || !counted;
}

static void count_counters(struct plan *plan, const struct event_set *events)
{
	plan->n_events = events->n;
	plan->first_counter = xcalloc(events->n + 1, sizeof(*plan->first_counter));
	for (unsigned i = 0; i < plan->shape.n_counters; i++)
		plan->first_counter[plan->counters[i].event + 1]++;
	for (size_t i = 0; i < events->n; i++)
		plan->first_counter[i + 1] += plan->first_counter[i];
}

static void mark_waits(struct plan *plan, const struct event_set *events)
{
	for (unsigned i = TALLY_FIRST_COUNTED; i < plan->shape.n_counters; i++) {
		const struct plan_counter *counter = &plan->counters[i];
		if (events->items[counter->event].kind == EVENT_WAIT)
			plan->domains[plan->groups[counter->group].domain].waits = true;
	}
}

int plan_restore(struct plan *plan, const struct event_set *events, size_t n_pmus)
{
	if (!counters_fit(plan, events) || !domains_fit(plan, n_pmus) || !members_fit(plan))
		return -EBADMSG;
	count_counters(plan, events);
	mark_waits(plan, events);
	for (unsigned i = 0; i < plan->shape.n_groups; i++)
		if (!lay_out(plan, events, i))
			return -EBADMSG;
	return 0;
}
