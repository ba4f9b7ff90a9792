// SPDX-License-Identifier: MIT
/*
 * Arrays by slot grow with the tasks that run, arrays by index have the length of the CPUs. A task
 * mostly runs on one CPU, so a slot has the place of its last slice, and the others are in a list.
 */
#include "core/attrib/interval.h"

#include "core/base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void interval_init(struct interval *interval, const struct tally_shape *shape,
		   const int *cpu_numbers, size_t n_cpus)
{
	*interval = (struct interval){
		.cpu_numbers = xcalloc(n_cpus, sizeof(int)),
		.coverage = xcalloc(n_cpus, sizeof(struct cpu_coverage)),
		.n_cpus = n_cpus,
	};
	if (n_cpus > 0)
		memcpy(interval->cpu_numbers, cpu_numbers, n_cpus * sizeof(int));
	interval_reshape(interval, shape);
}

void interval_reshape(struct interval *interval, const struct tally_shape *shape)
{
	size_t width = tally_width(shape);

	free(interval->tallies);
	free(interval->cpus);
	free(interval->idle);
	free(interval->unattributed);
	free(interval->others);
	free(interval->totals);
	interval->shape = *shape;
	interval->tallies = xcalloc(interval->capacity * width, sizeof(uint64_t));
	interval->cpus = xcalloc(interval->n_cpus * width, sizeof(uint64_t));
	interval->idle = xcalloc(interval->n_cpus * width, sizeof(uint64_t));
	interval->unattributed = xcalloc(width, sizeof(uint64_t));
	interval->others = xcalloc(width, sizeof(uint64_t));
	interval->totals = xcalloc(width, sizeof(uint64_t));
	interval_reset(interval);
}

void interval_fini(struct interval *interval)
{
	free(interval->ran);
	free(interval->tallies);
	free(interval->last_places);
	free(interval->places);
	free(interval->cpu_numbers);
	free(interval->cpus);
	free(interval->idle);
	free(interval->coverage);
	free(interval->unattributed);
	free(interval->others);
	free(interval->totals);
	*interval = (struct interval){0};
}

/* All arrays by slot have one capacity. */
static void shrink_arrays(struct interval *interval)
{
	size_t width = tally_width(&interval->shape), capacity = interval->capacity;

	interval->places = array_give_back(interval->places, &interval->places_capacity,
					   interval->n_places, sizeof(*interval->places));
	interval->ran = array_give_back(interval->ran, &interval->capacity, interval->n_ran,
					sizeof(struct task *));
	if (interval->capacity == capacity)
		return;
	interval->tallies =
		xreallocarray(interval->tallies, interval->capacity, width * sizeof(uint64_t));
	interval->last_places = xreallocarray(interval->last_places, interval->capacity,
					      sizeof(*interval->last_places));
}

void interval_reset(struct interval *interval)
{
	size_t width = tally_width(&interval->shape);

	shrink_arrays(interval);
	interval->sequence++;
	interval->n_ran = 0;
	interval->n_places = 0;
	memset(interval->cpus, 0, interval->n_cpus * width * sizeof(uint64_t));
	memset(interval->idle, 0, interval->n_cpus * width * sizeof(uint64_t));
	for (size_t i = 0; i < interval->n_cpus; i++) {
		const struct cpu_coverage *was = &interval->coverage[i];
		interval->coverage[i] =
			(struct cpu_coverage){.online = was->online, .whole = was->whole};
	}
	memset(interval->unattributed, 0, width * sizeof(uint64_t));
	memset(interval->others, 0, width * sizeof(uint64_t));
	memset(interval->totals, 0, width * sizeof(uint64_t));
	interval->gaps_until_ns = 0;
	interval->still = (struct interval_still){false};
	interval->contended_ns = 0;
	interval->lost_records = 0;
	interval->gaps = 0;
	interval->unexplained = 0;
}

uint64_t interval_counted_ns(const struct interval *interval)
{
	uint64_t longest_ns = 0, sum_ns = 0, n = 0;

	for (size_t i = 0; i < interval->n_cpus; i++)
		if (interval->coverage[i].whole &&
		    interval_cpu(interval, i)[TALLY_TASK_CLOCK] > longest_ns)
			longest_ns = interval_cpu(interval, i)[TALLY_TASK_CLOCK];
	for (size_t i = 0; i < interval->n_cpus && longest_ns > 0; i++) {
		uint64_t cpu_ns = interval_cpu(interval, i)[TALLY_TASK_CLOCK];
		if (!interval->coverage[i].whole || cpu_ns < longest_ns / 2)
			continue;
		sum_ns += cpu_ns;
		n++;
	}
	return n > 0 ? sum_ns / n : interval->wall_ns;
}

float interval_uneven(const struct interval *interval, uint64_t length_ns)
{
	double most = 0;

	for (size_t i = 0; i < interval->n_cpus && length_ns > 0; i++) {
		uint64_t cpu_ns = interval_cpu(interval, i)[TALLY_TASK_CLOCK];
		double off = fabs((double)cpu_ns / (double)length_ns - 1);

		/* As in interval_counted_ns(): a CPU that came late has too few records. */
		if (interval->coverage[i].online && cpu_ns >= length_ns / 2 && off > most)
			most = off;
	}
	return most <= INTERVAL_EVEN ? 0 : most < 1 ? (float)most : 1;
}

void interval_admit(struct interval *interval, struct task *task)
{
	size_t width = tally_width(&interval->shape);

	if (interval->n_ran == interval->capacity) {
		interval->ran = array_reserve(interval->ran, &interval->capacity,
					      interval->n_ran + 1, sizeof(struct task *));
		interval->tallies = xreallocarray(interval->tallies, interval->capacity,
						  width * sizeof(uint64_t));
		interval->last_places = xreallocarray(interval->last_places, interval->capacity,
						      sizeof(*interval->last_places));
	}
	task->interval_before = task->interval;
	task->interval = interval->sequence;
	task->slot = interval->n_ran++;
	interval->ran[task->slot] = task;
	interval->last_places[task->slot] = (struct interval_place){.cpu = INTERVAL_NOWHERE};
	memset(interval->tallies + task->slot * width, 0, width * sizeof(uint64_t));
}

static void swap_times(struct interval_place *a, struct interval_place *b)
{
	const struct interval_place was = *a;

	a->ns = b->ns;
	a->cpu = b->cpu;
	b->ns = was.ns;
	b->cpu = was.cpu;
}

void interval_come(struct interval *interval, size_t slot, size_t cpu)
{
	struct interval_place *last = &interval->last_places[slot];

	for (uint32_t at = last->next; at; at = interval->places[at - 1].next)
		if (interval->places[at - 1].cpu == cpu) {
			swap_times(last, &interval->places[at - 1]);
			return;
		}
	if (last->cpu != INTERVAL_NOWHERE) {
		interval->places = array_reserve(interval->places, &interval->places_capacity,
						 interval->n_places + 1, sizeof(*interval->places));
		interval->places[interval->n_places++] = *last;
		last->next = (uint32_t)interval->n_places;
	}
	last->ns = 0;
	last->cpu = (uint32_t)cpu;
}

void interval_add_gap(struct interval *interval, size_t cpu, uint64_t ns, uint64_t end_ns)
{
	interval->coverage[cpu].gaps = true;
	interval->coverage[cpu].gap_ns += ns;
	if (end_ns > interval->gaps_until_ns)
		interval->gaps_until_ns = end_ns;
}

void interval_set_offline(struct interval *interval)
{
	for (size_t i = 0; i < interval->n_cpus; i++)
		interval_set_online(interval, i, false, false);
}

/* A gap may be hidden time, too. */
void interval_doubt_gaps(struct interval *interval)
{
	for (size_t i = 0; i < interval->n_cpus; i++) {
		struct cpu_coverage *cpu = &interval->coverage[i];
		uint64_t hidden_ns = cpu->doubt_ns - cpu->ticks_ns;
		cpu->doubt_ns += u64_growth(hidden_ns, cpu->gap_ns);
	}
}

struct interval_gaps interval_gaps(const struct interval *interval)
{
	struct interval_gaps gaps = {.any = interval->uncounted};

	for (size_t i = 0; i < interval->n_cpus; i++) {
		uint64_t cpu_ns = interval_cpu(interval, i)[TALLY_TASK_CLOCK];

		gaps.length_ns = cpu_ns > gaps.length_ns ? cpu_ns : gaps.length_ns;
		gaps.unknown_ns += interval->coverage[i].gap_ns;
		gaps.beside_ns += interval_cpu(interval, i)[tally_unseen(&interval->shape)];
		gaps.any |= interval->coverage[i].gaps;
	}
	gaps.unknown_ns =
		interval->uncounted ? gaps.length_ns : u64_min(gaps.unknown_ns, gaps.length_ns);
	gaps.beside_ns = u64_min(gaps.beside_ns, gaps.length_ns);
	return gaps;
}

const uint64_t *interval_tally(const struct interval *interval, const struct task *task)
{
	if (task->interval != interval->sequence)
		return NULL;
	return interval->tallies + task->slot * tally_width(&interval->shape);
}

/* Whether so much of unknown time, in which a task lived and was not seen elsewhere, matters. */
static bool is_much(const struct interval_gaps *gaps, const struct task *task, uint64_t seen_ns,
		    uint64_t unknown_ns)
{
	uint64_t life_ns = gaps->length_ns;

	if (task->start_ns && task->exit_ns && task->exit_ns - task->start_ns < life_ns)
		life_ns = task->exit_ns - task->start_ns;
	uint64_t unseen_ns = u64_min(u64_growth(seen_ns, life_ns), unknown_ns);

	return (double)unseen_ns > INTERVAL_UNSEEN * (double)gaps->length_ns;
}

bool interval_may_be_unseen(const struct interval *interval, const struct interval_gaps *gaps,
			    const struct task *task)
{
	const uint64_t *tally = interval_tally(interval, task);

	uint64_t seen_ns = tally ? tally[TALLY_TASK_CLOCK] : 0;
	/* It ran to its end, unseen. */
	bool ended_unseen = task->exit_ns && seen_ns == 0;
	return gaps->beside_ns > 0 && !(tally && tally[tally_unseen(&interval->shape)] > 0) &&
	       (ended_unseen || is_much(gaps, task, seen_ns, gaps->beside_ns));
}

static bool ran_in_gaps(const struct interval *interval, size_t slot)
{
	const struct interval_place *place = &interval->last_places[slot];

	while (place->cpu == INTERVAL_NOWHERE || !interval->coverage[place->cpu].gaps) {
		if (place->next == 0)
			return false;
		place = &interval->places[place->next - 1];
	}
	return true;
}

bool interval_has_gaps(const struct interval *interval, const struct interval_gaps *gaps,
		       const struct task *task)
{
	const uint64_t *tally = interval_tally(interval, task);

	if (!gaps->any)
		return false;
	if (tally && ran_in_gaps(interval, task->slot))
		return true;
	if (task->start_ns > interval->gaps_until_ns && !interval->uncounted)
		return false;
	/* An estimate of time beside windows is no proof. */
	uint64_t seen_ns =
		tally ? tally[TALLY_TASK_CLOCK] - tally[tally_unseen(&interval->shape)] : 0;
	return is_much(gaps, task, seen_ns, gaps->unknown_ns);
}

void interval_mark_hidden(struct interval *interval)
{
	for (size_t i = 0; i < interval->n_cpus; i++) {
		uint64_t ns = interval_cpu(interval, i)[TALLY_TASK_CLOCK];
		if (interval->coverage[i].hidden_ns > ns / 100)
			interval_add_gap(interval, i,
					 u64_growth(interval->coverage[i].gap_ns,
						    interval->coverage[i].hidden_ns),
					 UINT64_MAX);
	}
}

uint64_t interval_sum_tasks(const struct interval *interval, size_t at)
{
	size_t width = tally_width(&interval->shape);
	uint64_t sum = 0;

	for (size_t i = 0; i < interval->n_ran; i++)
		sum += interval->tallies[i * width + at];
	return sum;
}

void interval_sum_cpus(struct interval *interval)
{
	for (size_t i = 0; i < interval->n_cpus; i++)
		tally_add(&interval->shape, interval->totals, interval_cpu(interval, i));
}

void interval_sum_parts(struct interval *interval)
{
	size_t width = tally_width(&interval->shape);

	for (size_t i = 0; i < interval->n_ran; i++)
		tally_add(&interval->shape, interval->totals, interval->tallies + i * width);
	for (size_t i = 0; i < interval->n_cpus; i++)
		tally_add(&interval->shape, interval->totals, interval_idle(interval, i));
	tally_add(&interval->shape, interval->totals, interval->unattributed);
	tally_add(&interval->shape, interval->totals, interval->others);
}

uint64_t interval_hidden_to_idle(struct interval *interval, size_t index, unsigned domain,
				 uint64_t idle_ns)
{
	uint64_t *idle = interval_idle(interval, index);
	size_t domain_ns = tally_domain(&interval->shape, domain);

	if (idle_ns > interval->coverage[index].hidden_ns)
		idle_ns = interval->coverage[index].hidden_ns;
	interval->coverage[index].hidden_ns -= idle_ns;
	interval->unattributed[TALLY_TASK_CLOCK] -= idle_ns;
	idle[TALLY_TASK_CLOCK] += idle_ns;
	interval->unattributed[domain_ns] -= idle_ns;
	idle[domain_ns] += idle_ns;
	return idle_ns;
}

void interval_idle_to_others(struct interval *interval, size_t index, uint64_t ns)
{
	const struct tally_shape *shape = &interval->shape;
	uint64_t *idle = interval_idle(interval, index);
	double share = (double)ns / (double)idle[TALLY_TASK_CLOCK];

	for (size_t i = 0; i < tally_unseen(shape); i++) {
		uint64_t moved = idle[i];

		if (i == TALLY_TASK_CLOCK)
			moved = ns;
		else if (i >= shape->n_counters)
			moved = u64_min(idle[i], (uint64_t)(share * (double)idle[i]));
		idle[i] -= moved;
		interval->others[i] += moved;
	}
	interval_set_outside(interval, index, true);
}
