// SPDX-License-Identifier: MIT
/*
 * An entry stands at the home of its key, or in the next free slot behind it. A search ends at the
 * first free slot, so a removal has to close its gap: each later entry of the run moves into the
 * gap if that is not before its home. There are no tombstones, so searches stay short however
 * often tasks come and go.
 */
#include "core/base/hash_table.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { FIRST_BITS = 4 };

static void allocate_slots(struct hash_table *table, unsigned bits)
{
	table->shift = 64 - bits;
	table->n_slots = (size_t)1 << bits;
	table->slots = xcalloc(table->n_slots, sizeof(*table->slots));
}

uint64_t hash_random_odd(void)
{
	uint64_t odd;

	if (getrandom(&odd, sizeof(odd), GRND_NONBLOCK) != sizeof(odd))
		odd = monotonic_ns() * 0x9e3779b97f4a7c15ull; /* early in the boot */
	return odd | 1;
}

void hash_table_init(struct hash_table *table, size_t room)
{
	unsigned bits = FIRST_BITS;

	while ((size_t)1 << bits < 2 * room)
		bits++;
	*table = (struct hash_table){0};
	allocate_slots(table, bits);
}

void hash_table_fini(struct hash_table *table)
{
	free(table->slots);
	*table = (struct hash_table){0};
}

/* The free slot behind all entries with that home. */
static struct hash_slot *free_slot(const struct hash_table *table, uint64_t key)
{
	size_t at = hash_table_home(table, key);

	while (table->slots[at].item)
		at = (at + 1) & (table->n_slots - 1);
	return &table->slots[at];
}

/* Begins behind a free slot, so that entries with equal keys keep their order. */
static void resize_slots(struct hash_table *table, unsigned bits)
{
	struct hash_slot *old = table->slots;
	size_t n_old = table->n_slots, begin = 0;

	allocate_slots(table, bits);
	while (begin < n_old && old[begin].item)
		begin++;
	for (size_t i = 0; i < n_old; i++) {
		const struct hash_slot *slot = &old[(begin + i) & (n_old - 1)];

		if (slot->item)
			*free_slot(table, slot->key) = *slot;
	}
	free(old);
}

struct hash_slot *hash_table_add(struct hash_table *table, uint64_t key)
{
	if (2 * (table->n + 1) > table->n_slots)
		resize_slots(table, table->slots ? 64 - table->shift + 1 : FIRST_BITS);
	struct hash_slot *slot = free_slot(table, key);
	slot->key = key;
	table->n++;
	return slot;
}

void hash_table_remove(struct hash_table *table, struct hash_slot *slot)
{
	size_t mask = table->n_slots - 1;
	size_t gap = (size_t)(slot - table->slots), next = gap;

	for (;;) {
		next = (next + 1) & mask;
		if (!table->slots[next].item)
			break;
		size_t home = hash_table_home(table, table->slots[next].key);
		if (((next - home) & mask) >= ((next - gap) & mask)) {
			table->slots[gap] = table->slots[next];
			gap = next;
		}
	}
	table->slots[gap] = (struct hash_slot){0};
	table->n--;
}

void hash_table_remove_item(struct hash_table *table, uint64_t key, const void *item)
{
	struct hash_slot *slot = hash_table_slot(table, key);

	while (slot->item != item)
		slot = hash_table_next(table, slot);
	hash_table_remove(table, slot);
}

void hash_table_clear(struct hash_table *table)
{
	memset(table->slots, 0, table->n_slots * sizeof(*table->slots));
	table->n = 0;
}

bool hash_table_shrink(struct hash_table *table)
{
	if (!array_is_sparse(table->n_slots, table->n))
		return false;
	resize_slots(table, 64 - table->shift - 1);
	return true;
}
