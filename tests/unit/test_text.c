// SPDX-License-Identifier: MIT
/* Text from outside and numbers to the outside. */
#include "core/text.h"
#include "core/util.h"

#include <float.h>
#include <gnu/libc-version.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static void decodes(void **state)
{
	static const struct {
		const char *name, *text;
		uint32_t want;
		size_t length;
	} rows[] = {
		{"the end", "", 0, 0},
		{"ASCII", "a", 'a', 1},
		{"DEL", "\x7f", 0x7F, 1},
		{"two bytes", "\xc3\xa4", 0xE4, 2},
		{"three bytes", "\xe2\x82\xac", 0x20AC, 3},
		{"four bytes", "\xf0\x9f\x98\x80", 0x1F600, 4},
		{"the last character", "\xf4\x8f\xbf\xbf", 0x10FFFF, 4},
		{"beyond the last", "\xf4\x90\x80\x80", TEXT_REPLACEMENT, 1},
		{"a byte of the middle", "\x80", TEXT_REPLACEMENT, 1},
		{"overlong slash", "\xc0\xaf", TEXT_REPLACEMENT, 1},
		{"overlong in three", "\xe0\x80\xaf", TEXT_REPLACEMENT, 1},
		{"overlong in four", "\xf0\x80\x80\xaf", TEXT_REPLACEMENT, 1},
		{"a surrogate", "\xed\xa0\x80", TEXT_REPLACEMENT, 1},
		{"cut after one", "\xe2", TEXT_REPLACEMENT, 1},
		{"cut after two", "\xe2\x82", TEXT_REPLACEMENT, 1},
		{"no continuation", "\xe2(\xa1", TEXT_REPLACEMENT, 1},
		{"five bytes", "\xf8\x88\x80\x80\x80", TEXT_REPLACEMENT, 1},
		{"0xff", "\xff", TEXT_REPLACEMENT, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t character = 0;
		size_t length = text_decode(rows[i].text, &character);

		if (length != rows[i].length || character != rows[i].want)
			fail_msg("%s: U+%04X, %zu bytes", rows[i].name, character, length);
	}
}

static void encodes_what_it_decodes(void **state)
{
	(void)state;
	for (uint32_t c = 1; c <= 0x110010; c++) {
		bool character = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
		char bytes[5] = "";
		uint32_t back = 0;
		size_t length = text_encode(c, bytes);

		if (text_decode(bytes, &back) != length || strlen(bytes) != length ||
		    back != (character ? c : TEXT_REPLACEMENT))
			fail_msg("U+%04X", c);
	}
}

static void widths(void **state)
{
	static const struct {
		const char *name, *text;
		unsigned want;
	} rows[] = {
		{"nothing", "", 0},
		{"ASCII", "abc", 3},
		{"umlauts", "\xc3\xa4\xc3\xb6", 2},
		{"a combining mark", "e\xcc\x81", 1},
		{"Japanese", "\xe6\x97\xa5\xe6\x9c\xac", 4},
		{"Hangul", "\xed\x95\x9c", 2},
		{"an emoji", "\xf0\x9f\x98\x80", 2},
		{"an Arabic mark",
		 "ab\xd9\xb0"
		 "cd",
		 4},
		{"Hindi", "\xe0\xa4\xa8\xe0\xa5\x87", 1},
		{"a flag, as two replacements", "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa", 2},
		{"a box", "\xe2\x94\x80", 1},
		{"a block", "\xe2\x96\x88", 1},
		{"invalid", "\xff", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (text_width(rows[i].text) != rows[i].want)
			fail_msg("%s: %u", rows[i].name, text_width(rows[i].text));
}

/* What is shown as TEXT_REPLACEMENT whatever wcwidth() says, and why. */
static bool is_deliberate(uint32_t code)
{
	static const struct {
		const char *why;
		uint32_t first, last;
	} rows[] = {
		{"soft hyphen: shown by some", 0xAD, 0xAD},
		{"turns the text", 0x61C, 0x61C},
		{"turns the text", 0x200E, 0x200F},
		{"turns the text", 0x202A, 0x202E},
		{"invisible, turns the text", 0x2060, 0x206F},
		{"byte order mark", 0xFEFF, 0xFEFF},
		{"interlinear annotation", 0xFFF9, 0xFFFB},
		{"invisible tags", 0xE0000, 0xE007F},
		{"Arabic number signs: 0 or 1", 0x600, 0x605},
		{"Arabic end of ayah: 0 or 1", 0x6DD, 0x6DD},
		{"Syriac abbreviation mark: 0 or 1", 0x70F, 0x70F},
		{"Arabic pound and piastre marks: 0 or 1", 0x890, 0x891},
		{"Arabic disputed end of ayah: 0 or 1", 0x8E2, 0x8E2},
		{"Kaithi number sign: 0 or 1", 0x110BD, 0x110BD},
		{"Kaithi number sign above: 0 or 1", 0x110CD, 0x110CD},
		{"Hangul filler: 0 or 2", 0x115F, 0x115F},
		{"Hangul filler: 0 or 2", 0x3164, 0x3164},
		{"Hangul filler: 0 or 1", 0xFFA0, 0xFFA0},
		{"trigrams: wide since Unicode 16", 0x2630, 0x2637},
		{"digrams: wide since Unicode 16", 0x268A, 0x268F},
		{"numbers on black squares: wide in glibc alone", 0x3248, 0x324F},
		{"hexagrams: wide in glibc and since Unicode 16", 0x4DC0, 0x4DFF},
		{"Tai Xuan Jing: wide since Unicode 16", 0x1D300, 0x1D356},
		{"counting rods: wide since Unicode 16", 0x1D360, 0x1D376},
		{"regional indicators: two make a flag", 0x1F1E6, 0x1F1FF},
		{"skin tones: drawn into the emoji before", 0x1F3FB, 0x1F3FF},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (code >= rows[i].first && code <= rows[i].last)
			return true;
	return false;
}

/*
 * A width that differs from ncurses' (which asks wcwidth()) shifts the rest of the row. The table
 * is glibc 2.36's: a later one knows more characters, an earlier one fewer.
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
		char bytes[5] = "", shown[5];
		int want = wcwidth((wchar_t)c), width = (int)text_character_width(c);

		text_encode(c, bytes);
		text_printable(shown, sizeof(shown), bytes, 2);

		bool sent = strcmp(shown, BAD) != 0 || c == TEXT_REPLACEMENT, same;

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

static void is_printable(void **state)
{
	static const struct {
		const char *name, *text;
		size_t size;
		unsigned columns;
		const char *want;
	} rows[] = {
		{"as it is", "postgres: writer", 64, 64, "postgres: writer"},
		{"an escape sequence", "\x1b]0;owned\a", 64, 64, BAD "]0;owned" BAD},
		{"line ends", "a\r\nb\tc", 64, 64, "a" BAD BAD "b" BAD "c"},
		{"DEL", "a\x7f", 64, 64, "a" BAD},
		{"C1 as UTF-8",
		 "\xc2\x9b"
		 "2J",
		 64, 64, BAD "2J"},
		{"C1 as a byte",
		 "\x9b"
		 "2J",
		 64, 64, BAD "2J"},
		{"bidirectional override",
		 "a\xe2\x80\xae"
		 "b",
		 64, 64, "a" BAD "b"},
		{"line separator", "a\xe2\x80\xa8", 64, 64, "a" BAD},
		{"a mark stays on its letter",
		 "ab\xd9\xb0"
		 "cd",
		 64, 4,
		 "ab\xd9\xb0"
		 "cd"},
		{"not assigned", "a\xcd\xb8", 64, 64, "a" BAD},
		{"a skin tone", "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", 64, 64, "\xf0\x9f\x91\x8d" BAD},
		{"cut at columns", "abcdef", 64, 3, "abc"},
		{"no columns", "abc", 64, 0, ""},
		{"a wide character is not halved", "a\xe6\x97\xa5", 64, 2, "a"},
		{"cut at bytes", "abcdef", 4, 64, "abc"},
		{"a character is not cut", "ab\xc3\xa4", 4, 64, "ab"},
		{"room for the NUL alone", "abc", 1, 64, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char to[64];
		size_t length = text_printable(to, rows[i].size, rows[i].text, rows[i].columns);

		if (strcmp(to, rows[i].want) != 0 || length != strlen(to))
			fail_msg("%s: \"%s\"", rows[i].name, to);
	}
	assert_int_equal(text_printable(NULL, 0, "abc", 3), 0);
}

static void numbers(void **state)
{
	static const struct {
		const char *name;
		double value;
		unsigned decimals;
		const char *fixed, *trimmed;
	} rows[] = {
		{"zero", 0, 2, "0.00", "0"},
		{"whole", 12, 0, "12", "12"},
		{"a hundred is not one", 100, 0, "100", "100"},
		{"a hundred with decimals", 100, 3, "100.000", "100"},
		{"a half", 0.5, 2, "0.50", "0.5"},
		{"leading zeros of the fraction", 1.005001, 6, "1.005001", "1.005001"},
		{"rounds", 2.675001, 2, "2.68", "2.68"},
		{"rounds into the whole", 9.999, 2, "10.00", "10"},
		{"negative", -1.25, 2, "-1.25", "-1.25"},
		{"no minus zero", -0.001, 2, "0.00", "0"},
		{"nine decimals", 0.123456789, 9, "0.123456789", "0.123456789"},
		{"more than nine are nine", 0.5, 20, "0.500000000", "0.5"},
		{"large", 1e15, 2, "1000000000000000", "1000000000000000"},
		{"very large", 1e22, 2, "10000000000000000000000", "10000000000000000000000"},
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t length = text_fixed(text, sizeof(text), rows[i].value, rows[i].decimals);

		if (strcmp(text, rows[i].fixed) != 0 || length != strlen(text))
			fail_msg("%s: \"%s\"", rows[i].name, text);
		length = text_trimmed(text, sizeof(text), rows[i].value, rows[i].decimals);
		if (strcmp(text, rows[i].trimmed) != 0 || length != strlen(text))
			fail_msg("%s, trimmed: \"%s\"", rows[i].name, text);
	}
	assert_int_equal(text_fixed(text, sizeof(text), -DBL_MAX, 3), 310);
	assert_int_equal(text_fixed(text, 3, 12345, 0), 2);
	assert_string_equal(text, "12");
}

static void test_number(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		double value;
	} rows[] = {
		{"0.1x", 3, 0.1}, {"1.", 2, 1},     {".5", 2, 0.5},      {"2e3", 3, 2000},
		{"1e", 1, 1},     {"0e999", 5, 0},  {"0.e308022", 9, 0}, {"1e999", 5, HUGE_VAL},
		{"1e-999", 6, 0}, {"0e-999", 6, 0}, {"-1", 0, 0},        {".", 0, 0},
		{"inf", 0, 0},    {"", 0, 0},
	};
	char digits[420];
	double value = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t length = text_number(rows[i].text, &value);

		assert_int_equal(length, rows[i].length);
		if (length > 0 && !(value == rows[i].value))
			fail_msg("%s: %g", rows[i].text, value);
	}
	memset(digits, '9', sizeof(digits));
	text_copy(digits + 400, 10, "e-400");
	assert_int_equal(text_number(digits, &value), 405);
	assert_true(isinf(value)); /* too large on the way is too large */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes),      cmocka_unit_test(encodes_what_it_decodes),
		cmocka_unit_test(widths),       cmocka_unit_test(widths_are_wcwidths),
		cmocka_unit_test(is_printable), cmocka_unit_test(numbers),
		cmocka_unit_test(test_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
