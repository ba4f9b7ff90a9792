// SPDX-License-Identifier: MIT
/*
 * An array in the order of offsets: functions are found often, and added once. Separate from
 * code_file.c, as ranges that overlap are tested without a file.
 */
#include "core/code/code_ranges.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

void code_ranges_fini(struct code_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct code_ranges){0};
}

void code_ranges_clear(struct code_ranges *ranges)
{
	ranges->n = 0;
}

/* The first range that begins above the offset. */
static size_t first_above(const struct code_ranges *ranges, uint64_t offset)
{
	size_t low = 0, high = ranges->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->items[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t code_ranges_find(const struct code_ranges *ranges, uint64_t offset)
{
	size_t above = first_above(ranges, offset);

	return above > 0 && offset < ranges->items[above - 1].end ? ranges->items[above - 1].id : 0;
}

void code_ranges_add(struct code_ranges *ranges, const struct code_range *range, uint64_t offset)
{
	size_t at = first_above(ranges, offset);
	struct code_range added = *range;

	if (offset < range->start || offset >= range->end ||
	    (at > 0 && offset < ranges->items[at - 1].end))
		return;
	if (at > 0 && added.start < ranges->items[at - 1].end)
		added.start = ranges->items[at - 1].end;
	if (at < ranges->n && added.end > ranges->items[at].start)
		added.end = ranges->items[at].start;
	ranges->items = array_reserve(ranges->items, &ranges->capacity, ranges->n + 1,
				      sizeof(*ranges->items));
	memmove(&ranges->items[at + 1], &ranges->items[at],
		(ranges->n - at) * sizeof(*ranges->items));
	ranges->items[at] = added;
	ranges->n++;
}
