// SPDX-License-Identifier: MIT
/* The width of every character against this C library's wcwidth(). */
#include "tests/unit/shared/widths.h"

#include <gnu/libc-version.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <wchar.h>

#include <cmocka.h>

/*
 * A width that differs from that of ncurses (which calls wcwidth()) shifts the rest of the row. The
 * table is that of glibc 2.36: later versions have more characters, earlier ones fewer.
 */
static void widths_are_wcwidths(void **state)
{
	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		print_message("no C.UTF-8 locale: widths are not compared\n");
		skip();
	}

	int version = strverscmp(gnu_get_libc_version(), "2.36");
	unsigned differ = 0;

	for (uint32_t c = 1; c <= 0x10FFFF; c++) {
		struct text_scan shown = shown_character(c);
		int want = wcwidth((wchar_t)c), width = (int)shown.width;
		bool sent = !shown.replaced, same;

		if (is_deliberate(c))
			same = !sent && width == 1;
		else if (!sent)
			same = width == 1 && (want < 0 || version > 0);
		else
			same = width == want || (want < 0 && version < 0);
		if (!same && differ++ < 20)
			print_error("U+%04X: %d%s, wcwidth %d\n", c, width,
				    sent ? "" : " (replaced)", want);
	}
	setlocale(LC_CTYPE, "C");
	assert_int_equal(differ, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths_are_wcwidths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
