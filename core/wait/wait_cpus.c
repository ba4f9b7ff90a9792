// SPDX-License-Identifier: MIT
/*
 * runq_time of a CPU: how long tasks waited for it, all together. A wait belongs to the CPU that
 * ends it, and one that lasts at the end of the interval to the CPU that the task has left. The
 * kernel does not say where waits after wake-ups were (schedstat): they belong to the task's CPU
 * if it has one only. If it has several, they are divided by its time on each, and are in doubt.
 * A task that has never run has no CPU: its wait is in the totals alone.
 *
 * The lifetimes and the known parts of a CPU are those of the tasks that ran there last, and its
 * own time.
 */
#include "core/wait/waits_internal.h"

#include "core/base/util.h"

#include <string.h>

static void add_lifetime(const struct waits *waits, struct interval *interval, size_t cpu,
			 uint64_t known_ns, uint64_t lifetime_ns)
{
	uint64_t *tally = interval_cpu(interval, cpu);

	tally[waits->places.groups[WAIT_OF_QUEUES]] += known_ns;
	tally[waits->places.lifetime] += lifetime_ns;
}

/* Divides ns by the task's time on its CPUs. The parts add up to ns. */
static void divide_by_time(struct waits *waits, const struct interval *interval,
			   const struct interval_place *place, uint64_t ns)
{
	const struct interval_place *first = place;
	uint64_t all_ns = place->ns;

	for (; place->next; all_ns += place->ns)
		place = &interval->places[place->next - 1];
	for (place = first;; place = &interval->places[place->next - 1]) {
		uint64_t part_ns = ns;
		if (place->ns < all_ns)
			part_ns = (uint64_t)((double)ns * (double)place->ns / (double)all_ns);
		if (place->cpu < waits->n_cpus)
			waits->queued_ns[place->cpu] += part_ns;
		ns -= part_ns;
		all_ns -= place->ns;
		if (!place->next)
			return;
	}
}

/* Removes what CPUs have too much, from this one first: which of them had it is not known. */
static void take_back(struct waits *waits, size_t cpu, uint64_t ns)
{
	for (size_t i = 0; ns > 0 && i < waits->n_cpus; i++) {
		uint64_t *queued_ns = &waits->queued_ns[(cpu + i) % waits->n_cpus];
		uint64_t part_ns = ns < *queued_ns ? ns : *queued_ns;

		*queued_ns -= part_ns;
		ns -= part_ns;
	}
}

void waits_add_to_cpus(struct waits *waits, struct interval *interval, const struct task *task,
		       const struct wait_values *values)
{
	const struct task_wait *account = &task->wait;
	uint64_t queued_ns = waits_queued_ns(account);
	uint64_t woken_ns = u64_growth(queued_ns, values->counts[WAIT_RUNQ]);
	uint64_t known_ns = values->known_ns[WAIT_OF_QUEUES];
	const struct interval_place *place = NULL;

	if (!account->has_run || account->cpu >= interval->n_cpus)
		return;
	if (task->interval == interval->sequence)
		place = &interval->last_places[task->slot];
	/* The totals have no wait of a task for which nothing is known, and none of a quota. */
	if (known_ns == 0)
		queued_ns = 0;
	else if (queued_ns > values->counts[WAIT_RUNQ])
		queued_ns = values->counts[WAIT_RUNQ];
	waits->queued_ns[account->cpu] += u64_growth(account->placed_ns, queued_ns);
	take_back(waits, account->cpu, u64_growth(queued_ns, account->placed_ns));
	if (place && place->next) {
		divide_by_time(waits, interval, place, woken_ns);
		known_ns = u64_growth(woken_ns, known_ns);
	} else {
		waits->queued_ns[account->cpu] += woken_ns;
	}
	add_lifetime(waits, interval, account->cpu, known_ns, values->lifetime_ns);
}

void waits_cut_cpus(struct waits *waits, struct interval *interval, bool gaps)
{
	uint64_t ns = waits->end_ns - waits->begin_ns;
	int runq = waits->places.counts[WAIT_RUNQ];

	for (size_t i = 0; runq >= 0 && i < interval->n_cpus && i < waits->n_cpus; i++) {
		interval_cpu(interval, i)[runq] += waits->queued_ns[i];
		/* With gaps a part is unknown, not all: 1 ns makes the sum a lower bound. */
		if (interval->coverage[i].counted || interval->coverage[i].online)
			add_lifetime(waits, interval, i, gaps ? 1 : ns, ns);
	}
	memset(waits->queued_ns, 0, waits->n_cpus * sizeof(*waits->queued_ns));
}
