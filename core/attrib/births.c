// SPDX-License-Identifier: MIT
#include "core/attrib/births.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

void births_fini(struct births *births)
{
	free(births->items);
	*births = (struct births){0};
}

void births_clear(struct births *births)
{
	births->items = array_give_back(births->items, &births->capacity, births->n,
					sizeof(*births->items));
	births->n = 0;
}

void births_add(struct births *births, size_t cpu, const struct perf_event_header *header,
		bool names)
{
	struct record record;
	bool wanted =
		header->type == PERF_RECORD_FORK || (names && header->type == PERF_RECORD_COMM);

	if (!wanted || record_decode(header, &record) < 0)
		return;
	births->items = array_reserve(births->items, &births->capacity, births->n + 1,
				      sizeof(*births->items));
	struct birth *birth = &births->items[births->n];
	*birth = (struct birth){.record = record, .cpu = cpu, .order = births->n++};
	if (header->size <= sizeof(birth->raw))
		memcpy(birth->raw, header, header->size);
}

/* At the same time a birth comes before a name. */
static int compare(const void *left, const void *right)
{
	const struct birth *a = left, *b = right;

	if (a->record.time_ns != b->record.time_ns)
		return a->record.time_ns < b->record.time_ns ? -1 : 1;
	if (a->record.kind != b->record.kind)
		return a->record.kind == RECORD_FORK ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void births_sort(struct births *births)
{
	if (births->n > 1)
		qsort(births->items, births->n, sizeof(*births->items), compare);
}
