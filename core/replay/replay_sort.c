// SPDX-License-Identifier: MIT
/*
 * Records of a ring are in order, and perf writes the rings one after the other, in the same order
 * in each round. So there are few runs of records in order, one for each CPU; a heap of runs has
 * the one with the oldest record at its root. A record that fits behind no run begins a new one: at
 * worst each record is a run, and this is a heap of records.
 */
#include "core/replay/replay_sort.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_USUAL = 4096 }; /* one for each CPU, or some */

struct item {
	struct item *next;        /* in the run */
	uint64_t time_ns, number; /* number: of the records so far, for equal times */
	struct perf_event_header record[];
};

struct run {
	struct item *first, *last;
	size_t place;                /* in the heap */
	struct run *next, *previous; /* a ring, in the order in which they began */
};

struct replay_sort {
	struct run **heap;
	size_t n_runs, capacity;
	struct run *latest; /* that got the last record, or the one before it; NULL: no runs */
	size_t n;
	size_t bytes, bytes_max; /* of records */
	uint64_t numbers;
	uint64_t latest_ns;   /* of all records */
	uint64_t round_ns;    /* latest_ns at the end of the last round */
	uint64_t complete_ns; /* records up to this time are complete */
	uint64_t dropped_ns;  /* time of the newest record that was dropped */
	uint64_t late;
};

struct replay_sort *replay_sort_new(size_t bytes_max)
{
	struct replay_sort *sort = xcalloc(1, sizeof(*sort));

	sort->bytes_max = bytes_max;
	return sort;
}

void replay_sort_free(struct replay_sort *sort)
{
	if (!sort)
		return;
	for (size_t i = 0; i < sort->n_runs; i++) {
		for (struct item *item = sort->heap[i]->first, *next; item; item = next) {
			next = item->next;
			free(item);
		}
		free(sort->heap[i]);
	}
	free(sort->heap);
	free(sort);
}

static bool is_older(const struct run *a, const struct run *b)
{
	return a->first->time_ns != b->first->time_ns ? a->first->time_ns < b->first->time_ns
						      : a->first->number < b->first->number;
}

static void set_place(struct replay_sort *sort, struct run *run, size_t place)
{
	sort->heap[place] = run;
	run->place = place;
}

static void move_up(struct replay_sort *sort, struct run *run)
{
	size_t i = run->place;

	for (size_t above; i > 0 && is_older(run, sort->heap[above = (i - 1) / 2]); i = above)
		set_place(sort, sort->heap[above], i);
	set_place(sort, run, i);
}

static void move_down(struct replay_sort *sort, struct run *run)
{
	size_t i = run->place;

	for (size_t below; (below = 2 * i + 1) < sort->n_runs; i = below) {
		if (below + 1 < sort->n_runs && is_older(sort->heap[below + 1], sort->heap[below]))
			below++;
		if (!is_older(sort->heap[below], run))
			break;
		set_place(sort, sort->heap[below], i);
	}
	set_place(sort, run, i);
}

/* Behind the latest one in the ring. */
static void begin_run(struct replay_sort *sort, struct item *item)
{
	struct run *run = xcalloc(1, sizeof(*run)), *before = sort->latest ? sort->latest : run;

	run->first = run->last = item;
	run->previous = before;
	run->next = before == run ? run : before->next;
	run->next->previous = run;
	before->next = run;
	sort->latest = run;
	sort->heap =
		array_reserve(sort->heap, &sort->capacity, sort->n_runs + 1, sizeof(*sort->heap));
	run->place = sort->n_runs++;
	move_up(sort, run);
}

static void end_run(struct replay_sort *sort, struct run *run)
{
	struct run *last = sort->heap[--sort->n_runs];

	if (last != run) {
		last->place = run->place;
		move_down(sort, last);
	}
	if (sort->latest == run)
		sort->latest = run->previous == run ? NULL : run->previous;
	run->previous->next = run->next;
	run->next->previous = run->previous;
	free(run);
}

static int compare_times(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Too much memory is used: takes the older half as complete. */
static void complete_half(struct replay_sort *sort)
{
	uint64_t *times = xcalloc(sort->n, sizeof(*times));
	size_t n = 0;

	for (size_t i = 0; i < sort->n_runs; i++)
		for (const struct item *item = sort->heap[i]->first; item; item = item->next)
			times[n++] = item->time_ns;
	qsort(times, sort->n, sizeof(*times), compare_times);
	if (times[sort->n / 2] > sort->complete_ns)
		sort->complete_ns = times[sort->n / 2];
	free(times);
}

/* Records in no order have many runs, which take memory too. */
static bool is_over_limit(const struct replay_sort *sort)
{
	size_t runs = sort->n_runs > RUNS_USUAL ? sort->n_runs - RUNS_USUAL : 0;

	return sort->bytes + runs * sizeof(struct run) > sort->bytes_max;
}

void replay_sort_add(struct replay_sort *sort, const struct perf_event_header *record,
		     uint64_t time_ns)
{
	struct item *item = xmalloc(sizeof(*item) + record->size);
	struct run *run = sort->latest;

	*item = (struct item){.time_ns = time_ns, .number = sort->numbers++};
	memcpy(item->record, record, record->size);
	if (run && run->last->time_ns > time_ns)
		run = run->next;
	if (run && run->last->time_ns <= time_ns) {
		run->last = run->last->next = item;
		sort->latest = run;
	} else {
		begin_run(sort, item);
	}
	sort->n++;
	sort->bytes += record->size;
	if (time_ns > sort->latest_ns)
		sort->latest_ns = time_ns;
	sort->late += time_ns < sort->dropped_ns;
	if (is_over_limit(sort) && sort->heap[0]->first->time_ns > sort->complete_ns)
		complete_half(sort);
}

void replay_sort_round(struct replay_sort *sort)
{
	if (sort->round_ns > sort->complete_ns)
		sort->complete_ns = sort->round_ns;
	sort->round_ns = sort->latest_ns;
}

void replay_sort_end(struct replay_sort *sort)
{
	sort->complete_ns = sort->latest_ns;
}

const struct perf_event_header *replay_sort_first(const struct replay_sort *sort, uint64_t *time_ns)
{
	if (sort->n == 0 || sort->heap[0]->first->time_ns > sort->complete_ns)
		return NULL;
	*time_ns = sort->heap[0]->first->time_ns;
	return sort->heap[0]->first->record;
}

void replay_sort_drop(struct replay_sort *sort)
{
	struct run *run = sort->heap[0];
	struct item *first = run->first;

	if (first->time_ns > sort->dropped_ns)
		sort->dropped_ns = first->time_ns;
	sort->n--;
	sort->bytes -= first->record->size;
	run->first = first->next;
	if (run->first)
		move_down(sort, run);
	else
		end_run(sort, run);
	free(first);
}

uint64_t replay_sort_late(const struct replay_sort *sort)
{
	return sort->late;
}
