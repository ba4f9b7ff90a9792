// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HASH_TABLE_H
#define PMCTOP_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The hash table of core: open addressing, 16 bytes a slot, at most half of the slots taken.
 *
 * A key is an integer. A table of integers uses them as they are, so an equal key is the same
 * entry. A table of texts uses hash_text(), so its caller compares the text of each entry with an
 * equal key:
 *
 *	struct hash_slot *slot = hash_table_slot(table, hash_text(path));
 *
 *	while (slot->item && !is_same(slot->item, path))
 *		slot = hash_table_next(table, slot);
 *
 * A table does not own its items. A zeroed table is empty: it can be added to and freed, but not
 * searched. A pointer to a slot is valid until the next call that adds, removes or shrinks.
 */
struct hash_slot {
	uint64_t key;
	union { /* both are 0 in a free slot */
		void *item;
		size_t number; /* such as an index + 1 */
	};
};

struct hash_table {
	struct hash_slot *slots;
	size_t n_slots; /* a power of two */
	size_t n;       /* taken slots */
	unsigned shift; /* 64 - log2(n_slots) */
};

/* FNV-1a with 64 bits, begun with HASH_BEGIN. */
#define HASH_BEGIN 0xcbf29ce484222325ull

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n-- > 0)
		hash = (hash ^ *at++) * 0x100000001b3ull;
	return hash;
}

static inline uint64_t hash_text(const char *text)
{
	uint64_t hash = HASH_BEGIN;

	for (; *text; text++)
		hash = hash_bytes(hash, text, 1);
	return hash;
}

/*
 * A random odd number. A key from outside times this number is another key for each table owner, so
 * that keys cannot be chosen that all have one home.
 */
uint64_t hash_random_odd(void);

/*
 * A key from outside, mixed with a random number of its table. For keys that may be chosen freely:
 * a series of keys with equal differences keeps its form after a multiplication alone.
 */
static inline uint64_t hash_mix(uint64_t random, uint64_t key)
{
	key ^= random;
	key = (key ^ key >> 32) * 0xd6e8feb86659fd93ull;
	key = (key ^ key >> 32) * 0xd6e8feb86659fd93ull;
	return key ^ key >> 32 ^ random;
}

/* An empty table, in which `room` entries fit before it grows. */
void hash_table_init(struct hash_table *table, size_t room);
void hash_table_fini(struct hash_table *table);

/*
 * The index at which a search for the key begins. Fibonacci hashing scatters neighbours: the
 * threads of a process have a run of tids, and a removal costs as much as the run of slots behind
 * it.
 */
static inline size_t hash_table_home(const struct hash_table *table, uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15ull >> table->shift);
}

/* The first slot of the key, or a free one. */
static inline struct hash_slot *hash_table_slot(const struct hash_table *table, uint64_t key)
{
	size_t at = hash_table_home(table, key);

	while (table->slots[at].key != key && table->slots[at].item)
		at = (at + 1) & (table->n_slots - 1);
	return &table->slots[at];
}

/*
 * The same, but NULL if the search needs more than `most` slots. For keys from outside: they may be
 * chosen so that all have one home and each search is long. `most` is HASH_PROBES_MAX, except in
 * tests.
 */
enum { HASH_PROBES_MAX = 1024 };
static inline struct hash_slot *hash_table_slot_within(const struct hash_table *table, uint64_t key,
						       size_t most)
{
	size_t at = hash_table_home(table, key);

	for (; table->slots[at].key != key && table->slots[at].item; most--) {
		if (most <= 1)
			return NULL;
		at = (at + 1) & (table->n_slots - 1);
	}
	return &table->slots[at];
}

/* The next slot with the same key, in the order of adding, or a free one. `slot` is taken. */
static inline struct hash_slot *hash_table_next(const struct hash_table *table,
						struct hash_slot *slot)
{
	size_t at = (size_t)(slot - table->slots);
	uint64_t key = slot->key;

	do
		at = (at + 1) & (table->n_slots - 1);
	while (table->slots[at].key != key && table->slots[at].item);
	return &table->slots[at];
}

/* The first item of the key, or NULL. */
static inline void *hash_table_find(const struct hash_table *table, uint64_t key)
{
	return hash_table_slot(table, key)->item;
}

/*
 * Adds a slot for the key, behind the slots with the same key. The caller sets its item or number
 * at once. The table may grow, which moves all slots.
 */
struct hash_slot *hash_table_add(struct hash_table *table, uint64_t key);

/*
 * Frees a taken slot. A later entry may move into it, so a loop over the slots examines the same
 * slot again.
 */
void hash_table_remove(struct hash_table *table, struct hash_slot *slot);
/* Removes the entry of the key with that item, which must exist. */
void hash_table_remove_item(struct hash_table *table, uint64_t key, const void *item);
/* Removes all entries, and keeps the memory. */
void hash_table_clear(struct hash_table *table);

/* Halves a table that is almost empty (array_is_sparse()). True if it did: all slots moved. */
bool hash_table_shrink(struct hash_table *table);

#endif
