// SPDX-License-Identifier: MIT
/*
 * A sum of n samples of equal weight has a relative standard error of 1 / sqrt(n). With unequal
 * weights it is sqrt(sum of squares) / sum of weights, which is never less.
 */
#include "core/event/sampled_event.h"

#include "core/base/util.h"

#include <math.h>

static void fill_group(struct plan *plan, unsigned group)
{
	unsigned counter = TALLY_FIRST_COUNTED + group;
	int *members = xcalloc(1, sizeof(*members));

	members[0] = (int)counter;
	plan->groups[group] = (struct plan_group){.members = members, .n_members = 1};
	plan->counters[counter] = (struct plan_counter){.event = counter, .group = group};
}

struct plan *sampled_event_plan(const struct event_set *events)
{
	struct plan *plan = xcalloc(1, sizeof(*plan));
	unsigned n_groups = (unsigned)events->n - TALLY_FIRST_COUNTED;

	plan->references = 1;
	plan->times_group = -1;
	plan->shape = (struct tally_shape){
		.n_counters = (unsigned)events->n, .n_groups = n_groups, .n_domains = 1};
	plan->counters = xcalloc(events->n, sizeof(*plan->counters));
	plan->groups = xcalloc(n_groups, sizeof(*plan->groups));
	plan->domains = xcalloc(1, sizeof(*plan->domains));
	plan->domains[0] = (struct plan_domain){.all_cpus = true, .n_groups = n_groups};
	for (unsigned i = 0; i < TALLY_FIRST_COUNTED; i++)
		plan->counters[i].event = i;
	for (unsigned i = 0; i < n_groups; i++)
		fill_group(plan, i);
	/* It fits: the indices were made here. */
	plan_restore(plan, events, 1);
	return plan;
}

void sampled_event_add(const struct plan *plan, uint64_t *tally, size_t event, uint64_t weight)
{
	const struct tally_shape *shape = &plan->shape;
	unsigned counter = plan->first_counter[event];
	double square = (double)weight * (double)weight / (double)SAMPLED_SQUARE;

	tally[counter] += weight;
	tally[tally_beside(shape, counter)]++;
	tally[tally_group(shape, plan->counters[counter].group)] +=
		square < 0x1p63 ? (uint64_t)square : UINT64_C(1) << 63;
}

uint64_t sampled_event_samples(const struct tally_shape *shape, const uint64_t *tally,
			       size_t counter)
{
	return tally[tally_beside(shape, counter)];
}

double sampled_event_error(const struct tally_shape *shape, const uint64_t *tally, size_t counter,
			   size_t group_ns)
{
	double samples = (double)sampled_event_samples(shape, tally, counter);
	double weight = (double)tally[counter];

	if (samples <= 0 || weight <= 0)
		return 1;
	double squares = (double)tally[group_ns] * (double)SAMPLED_SQUARE / (weight * weight);
	double error = sqrt(fmax(squares, 1 / samples));
	return error < 1 ? error : 1;
}
