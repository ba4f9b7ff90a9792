// SPDX-License-Identifier: MIT
/*
 * perf opens a group although another program holds its counters, and then does not run it. So each
 * group is enabled once and must run. If it does not, its events are tried one by one: some have
 * only one counter that can count them (Intel's ref-cycles) and are left out, else the PMU has
 * fewer counters for now.
 */
#include "core/collect/contention.h"

#include <errno.h>

enum {
	CONTENDED_NOTED = 20, /* noted from a 20th of all CPU time */
	CONTENDED_MUCH = 5,
	CONTENDED_CUTS = 2, /* consecutive ones, until the plan changes */
};

void contention_reset(struct contention *contention)
{
	notes_remove(contention->context->notes, NOTE_COUNTERS_TAKEN);
	notes_remove(contention->context->notes, NOTE_COUNTERS_SHARED);
	contention->much_cuts = 0;
}

void contention_note(const struct contention *contention)
{
	for (size_t i = 0; i < contention->context->pmus->n_core; i++)
		if (contention->budget->taken[i])
			notes_add_urgent_as(contention->context->notes, NOTE_COUNTERS_TAKEN,
					    "Not counted: counters taken (NMI watchdog or another "
					    "profiler). pmctop retries from time to time.");
		else if (contention->budget->most[i] < BUDGET_MOST)
			notes_add_as(contention->context->notes, NOTE_COUNTERS_TAKEN,
				     "Some counters are taken (NMI watchdog or another profiler). "
				     "Hardware events counted at a time: %zu.",
				     contention->budget->most[i]);
}

/*
 * Shared counters take turns. A group that is off the PMU makes no switch records, so that time is
 * unattributed. A little of it is noted. With much of it the next plan avoids the shared counters.
 */
void contention_cut(struct contention *contention, const struct interval *interval)
{
	uint64_t total_ns = interval->totals[TALLY_TASK_CLOCK];

	if (interval->contended_ns > total_ns / CONTENDED_NOTED)
		notes_add_urgent_as(contention->context->notes, NOTE_COUNTERS_SHARED,
				    "The counters are shared with another profiler. Time while it "
				    "held them is unattributed.");
	else if (!contention->separate_clock) /* noted until they are tried again */
		notes_remove(contention->context->notes, NOTE_COUNTERS_SHARED);
	if (interval->contended_ns > total_ns / CONTENDED_MUCH)
		contention->much_cuts++;
	else
		contention->much_cuts = 0;
}

static struct event *event_of(const struct contention *contention, const struct plan *plan,
			      int counter)
{
	return &contention->context->events->items[plan->counters[counter].event];
}

/* Fills in the hardware events of a group. Returns how many, at most BUDGET_MOST. */
static size_t find_codes(const struct contention *contention, const struct plan *plan,
			 const struct plan_group *group, const struct event_code **codes)
{
	size_t n = group->layout.n_hardware;

	for (size_t i = 0; i < n; i++)
		codes[i] = &event_of(contention, plan, group->members[i])
				    ->codes[plan->counters[group->members[i]].code];
	return n;
}

/*
 * Leaves out events that only one, taken, counter can count, so that the others can be counted.
 * Returns false if all events run alone, or none. An event that does not open alone (Intel's
 * top-down events) counts as running.
 */
static bool leave_out_taken(struct contention *contention, const struct plan *plan,
			    const struct plan_group *group, const struct event_code *const *codes,
			    int cpu)
{
	bool runs[BUDGET_MOST];
	size_t n = group->layout.n_hardware, running = 0;

	for (size_t i = 0; i < n; i++) {
		runs[i] = true;
		budget_try(contention->context->sys, cpu, &codes[i], 1, &runs[i]);
		running += runs[i];
	}
	if (running == 0 || running == n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!runs[i])
			event_leave_out(event_of(contention, plan, group->members[i]),
					plan->counters[group->members[i]].code, FIGURE_NOT_COUNTED,
					-EUSERS);
	budget_doubt(contention->budget);
	return true;
}

void contention_handle(struct contention *contention, const struct plan *plan, unsigned index,
		       int cpu)
{
	const struct plan_group *group = &plan->groups[index];
	const struct event_code *codes[BUDGET_MOST];
	size_t pmu = plan->domains[group->domain].pmu;
	size_t n = find_codes(contention, plan, group, codes);

	if (leave_out_taken(contention, plan, group, codes, cpu))
		return;
	budget_measure(contention->budget, pmu, cpu, codes, n);
	contention->separate_clock |= contention->budget->taken[pmu];
}

/* Whether a group runs on this thread's CPU; true if the CPU has another PMU. */
static bool runs_here(const struct contention *contention, const struct plan *plan,
		      const struct plan_group *group)
{
	const struct sys *sys = contention->context->sys;
	size_t pmu = plan->domains[group->domain].pmu;
	const struct cpu_list *cpus = &contention->context->pmus->items[pmu].cpus;
	const struct event_code *codes[BUDGET_MOST];
	bool runs;

	if (group->layout.n_hardware == 0 || contention->budget->taken[pmu] ||
	    !cpu_list_has(cpus, sys_current_cpu(sys)))
		return true;
	size_t n = find_codes(contention, plan, group, codes);
	int result = budget_try(sys, -1, codes, n, &runs);
	return result < 0 || runs || !cpu_list_has(cpus, sys_current_cpu(sys));
}

bool contention_confirm(struct contention *contention, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->shape.n_groups; i++) {
		if (runs_here(contention, plan, &plan->groups[i]))
			continue;
		contention_handle(contention, plan, i, -1);
		return false;
	}
	return true;
}

/* Makes events valid that were left out because their counter was taken. */
static void restore_taken(const struct contention *contention)
{
	for (size_t i = 0; i < contention->context->events->n; i++) {
		struct event *event = &contention->context->events->items[i];
		for (size_t k = 0; k < event->n_codes; k++) {
			if (event->codes[k].state != FIGURE_NOT_COUNTED)
				continue;
			event->codes[k].state = event->state = FIGURE_VALID;
			event->answer = 0;
		}
	}
}

/* Whether the last intervals show counters that were taken since the plan was made. */
static bool in_doubt(const struct contention *contention, const struct plan *plan,
		     const struct cpu_counter_set *cpus)
{
	for (size_t i = 0; i < cpus->n; i++) {
		const struct cpu_counters *cpu = &cpus->items[i];
		if (!cpu->open || cpu_counters_off(cpu) < COUNTED_OFF_READINGS)
			continue;
		if (!contention->budget->taken[plan->domains[cpu->domain].pmu])
			return true;
	}
	return contention->much_cuts >= CONTENDED_CUTS && !contention->separate_clock;
}

/* Whether taken counters are free again: their groups stayed open, and ran all the time. */
static bool is_given_back(const struct contention *contention, const struct plan *plan,
			  const struct interval *interval)
{
	const uint64_t *totals = interval->totals;

	for (unsigned d = 0; d < plan->shape.n_domains; d++) {
		const struct plan_domain *domain = &plan->domains[d];
		uint64_t all_ns = totals[tally_domain(&plan->shape, d)], ns = 0;
		if (domain->socket || domain->all_cpus || !contention->budget->taken[domain->pmu])
			continue;
		for (unsigned k = !plan->per_task; k < domain->n_groups; k++)
			ns += totals[tally_group(&plan->shape, domain->first_group + k)];
		if (ns > 0 && ns >= all_ns - all_ns / CONTENDED_NOTED)
			return true;
	}
	return false;
}

bool contention_renew(struct contention *contention, const struct plan *plan,
		      const struct interval *interval, const struct cpu_counter_set *cpus)
{
	bool retry = budget_retry(contention->budget, is_given_back(contention, plan, interval));
	bool doubt = in_doubt(contention, plan, cpus);

	if (retry || doubt)
		contention->separate_clock = doubt;
	if (doubt)
		budget_doubt(contention->budget);
	if (retry)
		restore_taken(contention);
	return retry || doubt;
}
