// SPDX-License-Identifier: MIT
/* Patterns of CPUs: what they match, and what is refused, as patterns that would take forever. */
#include "core/base/util.h"
#include "core/tables/table_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_rows(void **state)
{
	static const struct {
		const char *pattern, *id;
		enum table_pattern_answer answer;
	} rows[] = {
		{"GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-4", TABLE_PATTERN_YES},
		{"GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-7", TABLE_PATTERN_NO},
		{"GenuineIntel-6-55-[56789ABCDEF]", "GenuineIntel-6-55-B", TABLE_PATTERN_YES},
		{"GenuineIntel-6-9A", "GenuineIntel-6-9A-3", TABLE_PATTERN_YES},
		{"GenuineIntel-6-9", "GenuineIntel-6-9A-3", TABLE_PATTERN_NO},
		{"GenuineIntel-6-9AB", "GenuineIntel-6-9A-3", TABLE_PATTERN_NO},
		{"GenuineIntel-6-(37|4A|4C|4D|5A)", "GenuineIntel-6-4C-1", TABLE_PATTERN_YES},
		{"GenuineIntel-6-(37|4A|4C|4D|5A)", "GenuineIntel-6-4B-1", TABLE_PATTERN_NO},
		{"GenuineIntel-6-8[DE]|GenuineIntel-6-9E", "GenuineIntel-6-9E-1",
		 TABLE_PATTERN_YES},
		{"AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])", "AuthenticAMD-23-31-0",
		 TABLE_PATTERN_NO},
		{"AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])", "AuthenticAMD-23-18-0",
		 TABLE_PATTERN_YES},
		{"AuthenticAMD-23-[[:xdigit:]]+", "AuthenticAMD-23-71-0", TABLE_PATTERN_YES},
		{"AuthenticAMD-23-[[:xdigit:]]+", "AuthenticAMD-23-7x-0", TABLE_PATTERN_NO},
		{"AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])", "AuthenticAMD-25-61-2",
		 TABLE_PATTERN_NO},
		{"a.c*", "acccx", TABLE_PATTERN_NO},
		{"a.?c*x", "abcccx", TABLE_PATTERN_YES},
		{"(a|(b|c)d)e", "cde", TABLE_PATTERN_YES},
		{"(a|(b|c)d)e", "ce", TABLE_PATTERN_NO},
		{"[^a-c]", "d", TABLE_PATTERN_YES},
		{"[^a-c]", "b", TABLE_PATTERN_NO},
		{"[]a]", "]", TABLE_PATTERN_YES},
		{"[a-]", "x", TABLE_PATTERN_NO},
		{"a\\.b", "a.b", TABLE_PATTERN_YES},
		{"a\\.b", "axb", TABLE_PATTERN_NO},
		{"(a|)b", "b", TABLE_PATTERN_YES},
		{"", "a", TABLE_PATTERN_INVALID},
		{"*a", "a", TABLE_PATTERN_INVALID},
		{"a**", "a", TABLE_PATTERN_INVALID},
		{"a|*", "a", TABLE_PATTERN_INVALID},
		{"(a", "a", TABLE_PATTERN_INVALID},
		{"a)", "a", TABLE_PATTERN_INVALID},
		{"[a", "a", TABLE_PATTERN_INVALID},
		{"a\\", "a", TABLE_PATTERN_INVALID},
		{"a{2}", "aa", TABLE_PATTERN_INVALID},
		{"^a$", "a", TABLE_PATTERN_INVALID},
		{"a\\1", "a", TABLE_PATTERN_INVALID},
		{"(a)\\1", "aa", TABLE_PATTERN_INVALID},
		/* Patterns that explode: a group is not repeated. */
		{"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", TABLE_PATTERN_INVALID},
		{"(a|a)+b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", TABLE_PATTERN_INVALID},
		{"((a+)+)+b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", TABLE_PATTERN_INVALID},
		{"()?", "a", TABLE_PATTERN_INVALID},
		{"a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b",
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		 TABLE_PATTERN_NO},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		enum table_pattern_answer answer = table_pattern_match(rows[i].pattern, rows[i].id);

		if (answer != rows[i].answer)
			fail_msg("'%s' on '%s': %d", rows[i].pattern, rows[i].id, answer);
	}
}

static void test_long(void **state)
{
	char pattern[TABLE_PATTERN_BYTES + 2];

	(void)state;
	memset(pattern, 'a', sizeof(pattern));
	pattern[TABLE_PATTERN_BYTES + 1] = '\0';
	assert_int_equal(table_pattern_match(pattern, "a"), TABLE_PATTERN_INVALID);
	pattern[TABLE_PATTERN_BYTES] = '\0';
	assert_int_equal(table_pattern_match(pattern, "a"), TABLE_PATTERN_NO);
	assert_int_equal(table_pattern_match(pattern, pattern), TABLE_PATTERN_YES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
