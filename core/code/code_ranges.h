// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_RANGES_H
#define PMCTOP_CODE_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* Ranges of offsets in a file, each with the id of its function. Zeroed is empty. */
struct code_range {
	uint64_t start, end;
	uint32_t id;
};

struct code_ranges {
	struct code_range *items; /* ascending, disjoint, not empty */
	size_t n, capacity;
};

void code_ranges_fini(struct code_ranges *ranges);
/* Removes all ranges. */
void code_ranges_clear(struct code_ranges *ranges);
/* Returns the id of the range with the offset, or 0. */
uint32_t code_ranges_find(const struct code_ranges *ranges, uint64_t offset);
/*
 * Adds a range, which has the offset. Of a range that overlaps others, which a file that is written
 * to may have, the part around the offset is added; nothing if the offset is in a range already.
 */
void code_ranges_add(struct code_ranges *ranges, const struct code_range *range, uint64_t offset);

#endif
