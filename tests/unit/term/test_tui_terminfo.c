// SPDX-License-Identifier: MIT
/* Strings of terminfo without their padding. */
#include "core/base/util.h"
#include "tui/term/terminfo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void padding_is_left_out(void **state)
{
	static const struct {
		const char *string, *bytes;
	} rows[] = {
		{"\033[H", "\033[H"},
		{"\033[H$<5/>\033[J$<50*>", "\033[H\033[J"},
		{"$5", "$5"},
		{"$<5", "$<5"},
		{"", ""},
		{"$<5>", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char bytes[16];
		size_t n = terminfo_copy(bytes, sizeof(bytes), rows[i].string);

		assert_int_equal(n, strlen(rows[i].bytes));
		assert_memory_equal(bytes, rows[i].bytes, n);
		if (n > 0)
			assert_int_equal(terminfo_copy(bytes, n - 1, rows[i].string), 0);
	}
}

static void a_string_that_does_not_fit_is_left_out(void **state)
{
	struct sequence sequence = {.n = 0};
	char half[SEQUENCE_BYTES / 2 + 1];

	(void)state;
	memset(half, 'x', sizeof(half) - 1);
	half[sizeof(half) - 1] = '\0';
	sequence_add(&sequence, half);
	sequence_add(&sequence, NULL);
	assert_int_equal(sequence.n, SEQUENCE_BYTES / 2);
	half[0] = 'y';
	sequence_add(&sequence, half);
	assert_int_equal(sequence.n, SEQUENCE_BYTES);
	sequence_add(&sequence, "z");
	assert_int_equal(sequence.n, SEQUENCE_BYTES);
	assert_int_equal(sequence.bytes[SEQUENCE_BYTES - 1], 'x');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(padding_is_left_out),
		cmocka_unit_test(a_string_that_does_not_fit_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
