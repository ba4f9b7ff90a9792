// SPDX-License-Identifier: MIT
/* Numbers as keys, and the order of radix_sort(). */
#include "core/base/radix.h"
#include "core/base/util.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
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

static void sort_is_by_key_and_stable(void **state)
{
	enum { MOST = 5000 };
	static const size_t many[] = {0, 1, 2, 63, 64, MOST};
	static struct radix_item items[MOST];
	uint64_t random = 88172645463325252u;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(many); k++) {
		for (size_t i = 0; i < many[k]; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			items[i] = (struct radix_item){i % 2 ? random % 7 : random, i};
		}
		radix_sort(items, many[k]);
		for (size_t i = 1; i < many[k]; i++) {
			const struct radix_item *a = &items[i - 1], *b = &items[i];

			assert_true(a->key < b->key || (a->key == b->key && a->index < b->index));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_go_up_as_numbers_do),
		cmocka_unit_test(sort_is_by_key_and_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
