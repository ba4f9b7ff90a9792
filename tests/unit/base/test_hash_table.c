// SPDX-License-Identifier: MIT
/* Keys with the same home, or with homes side by side. One of them is removed. */
#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"

enum { KEYS_MAX = 8, ROOM = 512, LAST_SLOT = 2 * ROOM - 1 };

/* The first key after `after` with that home. */
static uint64_t key_with_home(const struct hash_table *table, size_t home, uint64_t after)
{
	uint64_t key = after + 1;

	while (hash_table_home(table, key) != home)
		key++;
	return key;
}

struct hash_case {
	const char *name;
	int homes[KEYS_MAX]; /* of the keys, in the order of adding; -1 ends them */
	size_t removed;      /* index of the key to remove */
};

static const struct hash_case cases[] = {
	{"the first of a run", {5, 5, 5, -1}, 0},
	{"one in the middle", {5, 5, 5, 5, -1}, 1},
	{"the last", {5, 5, 5, -1}, 2},
	{"a key at home behind the gap stays, the next one moves", {5, 6, 5, -1}, 0},
	{"keys pushed out of their homes move back", {5, 5, 6, 7, -1}, 0},
	{"a run over the end", {LAST_SLOT - 1, LAST_SLOT, LAST_SLOT - 1, LAST_SLOT, 0, -1}, 0},
	{"a gap in the last slot", {LAST_SLOT, LAST_SLOT, 0, 1, -1}, 0},
	{"a gap in the first slot", {LAST_SLOT, LAST_SLOT, 0, LAST_SLOT, -1}, 1},
	{"the only key", {5, -1}, 0},
};

static void test_remove(void **state)
{
	const struct hash_case *this = *state;
	uint64_t keys[KEYS_MAX] = {0}, last = 0;
	struct hash_table table;
	size_t n = 0;

	hash_table_init(&table, ROOM);
	for (; this->homes[n] >= 0; n++) {
		last = keys[n] = key_with_home(&table, (size_t)this->homes[n], last);
		hash_table_add(&table, last)->item = &keys[n];
	}
	hash_table_remove(&table, hash_table_slot(&table, keys[this->removed]));
	assert_int_equal(table.n, n - 1);
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(hash_table_find(&table, keys[i]),
				 i == this->removed ? NULL : &keys[i]);
	hash_table_fini(&table);
}

/* All numbers of a key, in their order, as one number in the decimal system. */
static size_t numbers_of(const struct hash_table *table, uint64_t key)
{
	struct hash_slot *slot = hash_table_slot(table, key);
	size_t numbers = 0;

	for (; slot->number; slot = hash_table_next(table, slot))
		numbers = numbers * 10 + slot->number;
	return numbers;
}

static void test_equal_keys(void **state)
{
	struct hash_table table = {0};

	(void)state;
	for (size_t i = 1; i <= 3; i++)
		for (uint64_t key = 0; key < 100; key++)
			hash_table_add(&table, key)->number = i;
	for (uint64_t key = 0; key < 100; key++)
		assert_int_equal(numbers_of(&table, key), 123);
	assert_int_equal(numbers_of(&table, 100), 0);
	assert_int_equal(numbers_of(&table, UINT64_MAX), 0);
	hash_table_fini(&table);
}

static void test_order_after_growth(void **state)
{
	struct hash_table table;

	(void)state;
	hash_table_init(&table, 0);
	uint64_t last = key_with_home(&table, table.n_slots - 1, 0);
	for (size_t i = 1; i <= 3; i++)
		hash_table_add(&table, last)->number = i;
	for (size_t first = table.n_slots; table.n_slots == first;)
		hash_table_add(&table, last + table.n)->number = 1;
	assert_int_equal(numbers_of(&table, last), 123);
	hash_table_fini(&table);
}

static void test_remove_item(void **state)
{
	struct hash_table table = {0};
	char items[3];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		hash_table_add(&table, 7)->item = &items[i];
	hash_table_remove_item(&table, 7, &items[1]);
	struct hash_slot *slot = hash_table_slot(&table, 7);
	assert_ptr_equal(slot->item, &items[0]);
	slot = hash_table_next(&table, slot);
	assert_ptr_equal(slot->item, &items[2]);
	assert_null(hash_table_next(&table, slot)->item);
	hash_table_clear(&table);
	assert_int_equal(table.n, 0);
	assert_null(hash_table_find(&table, 7));
	hash_table_fini(&table);
}

static void test_bounded_search(void **state)
{
	struct hash_table table;
	uint64_t key = 0;

	(void)state;
	hash_table_init(&table, ROOM);
	for (size_t i = 1; i <= 5; i++) {
		key = key_with_home(&table, 3, key);
		hash_table_add(&table, key)->number = i;
	}
	assert_ptr_equal(hash_table_slot_within(&table, key, 5), hash_table_slot(&table, key));
	assert_int_equal(hash_table_slot(&table, key)->number, 5);
	assert_null(hash_table_slot_within(&table, key, 4));
	hash_table_fini(&table);
}

static void test_grows_and_shrinks(void **state)
{
	enum { N = 100 * 1000, STAY = 10 };
	struct hash_table table;

	(void)state;
	hash_table_init(&table, ROOM);
	assert_int_equal(table.n_slots, 2 * ROOM);
	assert_false(hash_table_shrink(&table));
	for (uint64_t key = 1; key <= N; key++)
		hash_table_add(&table, key)->number = key;
	assert_in_range(table.n_slots, 2 * N, 4 * N);
	for (uint64_t key = STAY + 1; key <= N; key++)
		hash_table_remove(&table, hash_table_slot(&table, key));
	while (hash_table_shrink(&table))
		continue;
	assert_int_equal(table.n_slots, ARRAY_SMALL);
	for (uint64_t key = 1; key <= N; key++)
		assert_int_equal(hash_table_slot(&table, key)->number, key <= STAY ? key : 0);
	hash_table_fini(&table);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_equal_keys),        cmocka_unit_test(test_order_after_growth),
		cmocka_unit_test(test_remove_item),       cmocka_unit_test(test_bounded_search),
		cmocka_unit_test(test_grows_and_shrinks),
	};
	static const struct cases table = CASES(test_remove, cases);

	return cases_run("hash table", &table, 1, others, ARRAY_SIZE(others));
}
