// SPDX-License-Identifier: MIT
/* A read gives sums since the opening; the tally gets the growth since the last read. */
#include "core/collect/task_counters.h"

#include "core/base/util.h"
#include "core/perf/record.h"

#include <stdlib.h>
#include <string.h>

int task_counters_open(struct task_counters *counters, const struct sys *sys,
		       const struct event_set *events, const struct plan *plan, pid_t tid,
		       bool on_exec, int *failed)
{
	const struct group_place place = {
		.tid = tid, .cpu = -1, .inherit = true, .on_exec = on_exec};
	size_t n = plan->shape.n_groups, member = 0;
	int result = 0;

	*failed = -1;
	*counters = (struct task_counters){
		.plan = plan,
		.groups = xcalloc(n, sizeof(*counters->groups)),
		.readings = xcalloc(n, sizeof(*counters->readings)),
	};
	for (unsigned i = 0; i < n && result == 0; i++) {
		struct group *group = &counters->groups[i];
		size_t members = plan->groups[i].n_members;
		if (members == 0)
			continue;
		counters->readings[i] = xcalloc(READING_VALUES + members, sizeof(uint64_t));
		result = group_open(group, sys, events, plan, i, &place, &member);
		if (result < 0 && plan->groups[i].members[member] >= 0)
			*failed = plan->groups[i].members[member];
	}
	if (result < 0)
		task_counters_close(counters);
	return result;
}

int task_counters_begin(const struct task_counters *counters)
{
	int result = 0;

	for (unsigned i = 0; i < counters->plan->shape.n_groups && result == 0; i++)
		if (counters->groups[i].n > 0)
			result = group_enable(&counters->groups[i]);
	return result;
}

void task_counters_close(struct task_counters *counters)
{
	for (size_t i = 0; counters->plan && i < counters->plan->shape.n_groups; i++) {
		group_close(&counters->groups[i]);
		free(counters->readings[i]);
	}
	free(counters->groups);
	free(counters->readings);
	*counters = (struct task_counters){0};
}

/* Adds the growth of one group. Returns 0 and its enabled ns, or -errno. */
static int read_group(struct task_counters *counters, unsigned index, uint64_t *now,
		      uint64_t *tally, uint64_t *enabled_ns)
{
	const struct plan *plan = counters->plan;
	const struct plan_group *planned = &plan->groups[index];
	uint64_t *before = counters->readings[index];
	int result = group_read(&counters->groups[index], now);

	if (result < 0)
		return result;
	tally[tally_group(&plan->shape, index)] +=
		u64_growth(before[READING_RUNNING_NS], now[READING_RUNNING_NS]);
	for (size_t i = 0; i < planned->n_members; i++)
		if (planned->members[i] >= 0)
			tally[planned->members[i]] +=
				u64_growth(before[READING_VALUES + i], now[READING_VALUES + i]);
	*enabled_ns = u64_growth(before[READING_ENABLED_NS], now[READING_ENABLED_NS]);
	memcpy(before, now, (READING_VALUES + planned->n_members) * sizeof(*now));
	return 0;
}

/*
 * Adds the time that the task ran on the CPUs of each PMU. With one core PMU that is all its time.
 * With several, the enabled ns of a group cover all CPUs, and its running ns those of its PMU.
 */
static void add_domains(const struct plan *plan, const uint64_t *before, uint64_t ran_ns,
			uint64_t *tally)
{
	const struct tally_shape *shape = &plan->shape;
	unsigned n_pmus = 0;

	for (unsigned d = 0; d < shape->n_domains; d++)
		n_pmus += !plan->domains[d].all_cpus;
	for (unsigned d = 0; d < shape->n_domains; d++) {
		const struct plan_domain *domain = &plan->domains[d];
		uint64_t running_ns = 0;
		if (domain->waits)
			continue;
		for (unsigned k = 0; k < domain->n_groups; k++)
			running_ns += tally[tally_group(shape, domain->first_group + k)] -
				      before[domain->first_group + k];
		bool all = domain->all_cpus || n_pmus <= 1 || running_ns > ran_ns;
		tally[tally_domain(shape, d)] += all ? ran_ns : running_ns;
	}
}

int task_counters_read(struct task_counters *counters, uint64_t *tally)
{
	const struct tally_shape *shape = &counters->plan->shape;
	uint64_t *before = xcalloc(shape->n_groups, sizeof(*before));
	uint64_t ran_ns = 0;
	size_t most = 0;
	int failure = 0;

	memcpy(before, tally + tally_group(shape, 0), shape->n_groups * sizeof(*before));
	for (unsigned i = 0; i < shape->n_groups; i++)
		most = counters->groups[i].n > most ? counters->groups[i].n : most;
	uint64_t *now = xcalloc(READING_VALUES + most, sizeof(*now));
	for (unsigned i = 0; i < shape->n_groups; i++) {
		uint64_t enabled_ns = 0;
		int result = counters->groups[i].n > 0
				     ? read_group(counters, i, now, tally, &enabled_ns)
				     : 0;
		failure = result < 0 ? result : failure;
		ran_ns = enabled_ns > ran_ns ? enabled_ns : ran_ns;
	}
	add_domains(counters->plan, before, ran_ns, tally);
	tally[TALLY_TASK_CLOCK] += ran_ns;
	free(now);
	free(before);
	return failure;
}

size_t task_counters_fds(const struct plan *plan)
{
	size_t n = 0;

	for (unsigned i = 0; i < plan->shape.n_groups; i++)
		n += plan->groups[i].n_members;
	return n;
}
