// SPDX-License-Identifier: MIT
/* Ranges of a file: what is found, in any order of adding, and what of overlaps is kept. */
#include "core/code/code_ranges.h"

#include "core/base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_overlaps(void **state)
{
	static const struct {
		const char *name;
		struct code_range range;
		uint64_t offset;
		const char *want; /* ids of the offsets from 0 on */
	} rows[] = {
		{"the first", {8, 12, 1}, 9, "........1111...."},
		{"known", {8, 12, 2}, 9, "........1111...."},
		{"before", {2, 4, 2}, 2, "..22....1111...."},
		{"adjacent", {12, 14, 3}, 13, "..22....111133.."},
		{"over both sides", {0, 16, 4}, 6, "..224444111133.."},
		{"over all, at the end", {0, 16, 5}, 15, "..22444411113355"},
		{"over all, at the begin", {0, 16, 6}, 1, "6622444411113355"},
		{"all is known", {0, 16, 7}, 7, "6622444411113355"},
		{"empty", {20, 20, 8}, 20, "6622444411113355"},
		{"without its offset", {20, 24, 8}, 24, "6622444411113355"},
	};
	struct code_ranges ranges = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char is[17] = "";

		print_message("%s\n", rows[i].name);
		code_ranges_add(&ranges, &rows[i].range, rows[i].offset);
		for (unsigned at = 0; at < 16; at++) {
			uint32_t id = code_ranges_find(&ranges, at);
			is[at] = id ? (char)('0' + id) : '.';
		}
		assert_string_equal(is, rows[i].want);
	}
	assert_int_equal(code_ranges_find(&ranges, 20), 0);
	assert_int_equal(code_ranges_find(&ranges, UINT64_MAX), 0);
	code_ranges_clear(&ranges);
	assert_int_equal(code_ranges_find(&ranges, 9), 0);
	code_ranges_add(&ranges, &(struct code_range){0, UINT64_MAX, 1}, 5);
	assert_int_equal(code_ranges_find(&ranges, UINT64_MAX - 1), 1);
	code_ranges_fini(&ranges);
}

static void test_many(void **state)
{
	enum { MANY = 5000 };
	struct code_ranges ranges = {0};

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t at = i * 617 % MANY;

		code_ranges_add(&ranges, &(struct code_range){16 * at, 16 * at + 8, at + 1},
				16 * at + 3);
	}
	assert_int_equal(ranges.n, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(code_ranges_find(&ranges, 16 * i), i + 1);
		assert_int_equal(code_ranges_find(&ranges, 16 * i + 7), i + 1);
		assert_int_equal(code_ranges_find(&ranges, 16 * i + 8), 0);
	}
	code_ranges_fini(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("code_ranges", tests, NULL, NULL);
}
