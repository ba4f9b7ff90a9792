// SPDX-License-Identifier: MIT
/* A heap of copies, the oldest at its root. */
#include "core/replay/replay_sort.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

struct item {
	uint64_t time_ns, number; /* number: of the records so far, for equal times */
	struct perf_event_header *record;
};

struct replay_sort {
	struct item *items; /* a heap */
	size_t n, capacity;
	size_t bytes, bytes_max;
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
	for (size_t i = 0; i < sort->n; i++)
		free(sort->items[i].record);
	free(sort->items);
	free(sort);
}

static bool is_older(const struct item *a, const struct item *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->number < b->number;
}

static void swap_items(struct item *a, struct item *b)
{
	struct item kept = *a;

	*a = *b;
	*b = kept;
}

static void move_up(struct item *items, size_t i)
{
	for (size_t above; i > 0 && is_older(&items[i], &items[above = (i - 1) / 2]); i = above)
		swap_items(&items[i], &items[above]);
}

static void move_down(struct item *items, size_t n)
{
	for (size_t i = 0, oldest;; i = oldest) {
		oldest = i;
		for (size_t below = 2 * i + 1; below <= 2 * i + 2 && below < n; below++)
			if (is_older(&items[below], &items[oldest]))
				oldest = below;
		if (oldest == i)
			return;
		swap_items(&items[i], &items[oldest]);
	}
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

	for (size_t i = 0; i < sort->n; i++)
		times[i] = sort->items[i].time_ns;
	qsort(times, sort->n, sizeof(*times), compare_times);
	if (times[sort->n / 2] > sort->complete_ns)
		sort->complete_ns = times[sort->n / 2];
	free(times);
}

void replay_sort_add(struct replay_sort *sort, const struct perf_event_header *record,
		     uint64_t time_ns)
{
	sort->items =
		array_reserve(sort->items, &sort->capacity, sort->n + 1, sizeof(*sort->items));
	sort->items[sort->n] = (struct item){time_ns, sort->numbers++, xmalloc(record->size)};
	memcpy(sort->items[sort->n].record, record, record->size);
	move_up(sort->items, sort->n++);
	sort->bytes += record->size;
	if (time_ns > sort->latest_ns)
		sort->latest_ns = time_ns;
	sort->late += time_ns < sort->dropped_ns;
	if (sort->bytes > sort->bytes_max && sort->items[0].time_ns > sort->complete_ns)
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
	if (sort->n == 0 || sort->items[0].time_ns > sort->complete_ns)
		return NULL;
	*time_ns = sort->items[0].time_ns;
	return sort->items[0].record;
}

void replay_sort_drop(struct replay_sort *sort)
{
	struct item first = sort->items[0];

	if (first.time_ns > sort->dropped_ns)
		sort->dropped_ns = first.time_ns;
	sort->bytes -= first.record->size;
	free(first.record);
	sort->items[0] = sort->items[--sort->n];
	move_down(sort->items, sort->n);
}

uint64_t replay_sort_late(const struct replay_sort *sort)
{
	return sort->late;
}
