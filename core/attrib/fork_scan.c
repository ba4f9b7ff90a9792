// SPDX-License-Identifier: MIT
/*
 * Records are collected ring by ring, then sorted by time. The caller applies them in that order.
 * Separate from cpu_counters.c, which has one CPU: the list has the records of all CPUs.
 */
#include "core/attrib/fork_scan.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

void fork_scan_fini(struct fork_scan *fork_scan)
{
	free(fork_scan->items);
	*fork_scan = (struct fork_scan){0};
}

void fork_scan_clear(struct fork_scan *fork_scan)
{
	fork_scan->items = array_give_back(fork_scan->items, &fork_scan->capacity, fork_scan->n,
					   sizeof(*fork_scan->items));
	fork_scan->n = 0;
}

void fork_scan_add(struct fork_scan *fork_scan, size_t cpu, const struct perf_event_header *header,
		   bool names)
{
	struct record record;
	bool wanted =
		header->type == PERF_RECORD_FORK || (names && header->type == PERF_RECORD_COMM);

	if (!wanted || record_decode(header, &record) < 0)
		return;
	fork_scan->items = array_reserve(fork_scan->items, &fork_scan->capacity, fork_scan->n + 1,
					 sizeof(*fork_scan->items));
	struct fork_scan_item *item = &fork_scan->items[fork_scan->n];
	*item = (struct fork_scan_item){.record = record, .cpu = cpu, .order = fork_scan->n++};
	if (header->size <= sizeof(item->raw))
		memcpy(item->raw, header, header->size);
}

/* By time. A FORK comes before a COMM of the same time. */
static int compare_items(const void *left, const void *right)
{
	const struct fork_scan_item *a = left, *b = right;

	if (a->record.time_ns != b->record.time_ns)
		return a->record.time_ns < b->record.time_ns ? -1 : 1;
	if (a->record.kind != b->record.kind)
		return a->record.kind == RECORD_FORK ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void fork_scan_sort(struct fork_scan *fork_scan)
{
	if (fork_scan->n > 1)
		qsort(fork_scan->items, fork_scan->n, sizeof(*fork_scan->items), compare_items);
}
