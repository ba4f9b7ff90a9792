// SPDX-License-Identifier: MIT
#include "core/radix.h"
#include "core/util.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void keys_go_up_as_numbers_do(void **state)
{
	static const double numbers[] = {
		(double)-INFINITY, -1e300, -2, -1.5, -1e-300, 0, 1e-300, 1, 1.5, 2, 1e300,
		(double)INFINITY};

	(void)state;
	for (size_t i = 1; i < ARRAY_SIZE(numbers); i++)
		assert_true(radix_key(numbers[i - 1]) < radix_key(numbers[i]));
	assert_true(radix_key(-0.0) == radix_key(0.0));
}

/* As a comparison would, and equal ones in their order. */
static void sorts_by_both_keys(void **state)
{
	enum { N = 5000 };
	static struct radix_item items[N];
	uint64_t random = 88172645463325252u;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		items[i] = (struct radix_item){
			{i % 2 ? random % 7 : random, i % 3 ? random >> 50 : i % 5}, i};
	}
	radix_sort(items, N);
	for (size_t i = 1; i < N; i++) {
		const struct radix_item *a = &items[i - 1], *b = &items[i];
		bool same = a->keys[0] == b->keys[0];

		assert_true(a->keys[0] < b->keys[0] || (same && a->keys[1] <= b->keys[1]));
		if (same && a->keys[1] == b->keys[1])
			assert_true(a->index < b->index);
	}
}

static void sorts_few(void **state)
{
	struct radix_item items[] = {{{2, 0}, 0}, {{1, 9}, 1}};

	(void)state;
	radix_sort(items, 0);
	radix_sort(items, 1);
	assert_int_equal(items[0].index, 0);
	radix_sort(items, 2);
	assert_int_equal(items[0].index, 1);
	assert_int_equal(items[1].index, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_go_up_as_numbers_do),
		cmocka_unit_test(sorts_by_both_keys),
		cmocka_unit_test(sorts_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
