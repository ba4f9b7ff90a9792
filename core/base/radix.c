// SPDX-License-Identifier: MIT
/*
 * One pass a byte, from the lowest. The bytes of all passes are counted at once, and a byte that is
 * the same in all keys needs no pass. Separate from view.c, which chooses the keys.
 */
#include "core/base/radix.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	BYTES = sizeof(uint64_t),
	VALUES = 256,
	FEW = 64, /* up to here insertion sort is faster */
};

static unsigned byte_of(const struct radix_item *item, unsigned byte)
{
	return (item->key >> (8 * byte)) & 0xff;
}

static void insertion_sort(struct radix_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct radix_item item = items[i];
		size_t at = i;

		for (; at > 0 && items[at - 1].key > item.key; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static void count_bytes(const struct radix_item *items, size_t n, size_t counts[BYTES][VALUES])
{
	memset(counts, 0, BYTES * sizeof(counts[0]));
	for (size_t i = 0; i < n; i++)
		for (unsigned byte = 0; byte < BYTES; byte++)
			counts[byte][byte_of(&items[i], byte)]++;
}

static void move_by_byte(const struct radix_item *from, size_t n, unsigned byte,
			 const size_t counts[VALUES], struct radix_item *to)
{
	size_t at[VALUES], sum = 0;

	for (unsigned value = 0; value < VALUES; value++) {
		at[value] = sum;
		sum += counts[value];
	}
	for (size_t i = 0; i < n; i++)
		to[at[byte_of(&from[i], byte)]++] = from[i];
}

void radix_sort(struct radix_item *items, size_t n)
{
	size_t counts[BYTES][VALUES];

	if (n < FEW) {
		insertion_sort(items, n);
		return;
	}
	struct radix_item *from = items, *other = xcalloc(n, sizeof(*other)), *to = other;
	count_bytes(items, n, counts);
	for (unsigned byte = 0; byte < BYTES; byte++) {
		if (counts[byte][byte_of(&items[0], byte)] == n)
			continue; /* all keys have the same */
		move_by_byte(from, n, byte, counts[byte], to);
		struct radix_item *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
	free(other);
}

uint64_t radix_key(double number)
{
	const uint64_t sign = (uint64_t)1 << 63;
	uint64_t bits;

	number += 0.0; /* -0 becomes 0 */
	memcpy(&bits, &number, sizeof(bits));
	return bits & sign ? ~bits : bits | sign;
}
