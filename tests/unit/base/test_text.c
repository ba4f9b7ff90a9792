// SPDX-License-Identifier: MIT
/* UTF-8 from outside, the characters of it that are shown, and numbers in output. */
#include "core/base/text_buffer.h"
#include "tests/unit/shared/widths.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
		{"more marks than two", "e\xcc\x81\xcc\x81\xcc\x81", 2},
		{"a mark alone", "\xcc\x81", 1},
		{"a box", "\xe2\x94\x80", 1},
		{"a block", "\xe2\x96\x88", 1},
		{"invalid", "\xff", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (text_width(rows[i].text) != rows[i].want)
			fail_msg("%s: %u", rows[i].name, text_width(rows[i].text));
}

/*
 * Ranges with a certain width. tests/live/test_widths.c compares every character with wcwidth() of
 * this C library.
 */
static void widths_of_characters(void **state)
{
	enum { REPLACED = -1 };
	static const struct {
		const char *name;
		uint32_t first, last;
		int want;
	} rows[] = {
		{"C0 controls", 0x1, 0x1F, REPLACED},
		{"ASCII", 0x20, 0x7E, 1},
		{"DEL and C1 controls", 0x7F, 0x9F, REPLACED},
		{"Latin-1", 0xAE, 0xFF, 1},
		{"combining diacritical marks", 0x300, 0x34E, 0},
		{"not assigned", 0x378, 0x379, REPLACED},
		{"Greek", 0x3A3, 0x3FF, 1},
		{"Cyrillic", 0x400, 0x482, 1},
		{"Cyrillic marks", 0x483, 0x489, 0},
		{"Hebrew points", 0x591, 0x5BD, 0},
		{"Hebrew", 0x5D0, 0x5EA, 1},
		{"Arabic", 0x620, 0x64A, 1},
		{"Arabic vowels", 0x64B, 0x65F, 0},
		{"Devanagari letters", 0x904, 0x939, 1},
		{"Devanagari vowels below and above", 0x941, 0x948, 0},
		{"Thai letters", 0xE01, 0xE30, 1},
		{"Thai vowels below and above", 0xE34, 0xE3A, 0},
		{"Hangul initials", 0x1100, 0x115E, 2},
		{"Hangul vowels and finals", 0x1161, 0x11FF, 0},
		{"zero-width space and joiners", 0x200B, 0x200D, REPLACED},
		{"line and paragraph separators", 0x2028, 0x2029, REPLACED},
		{"arrows", 0x2190, 0x21FF, 1},
		{"boxes and blocks", 0x2500, 0x259F, 1},
		{"Braille", 0x2800, 0x28FF, 1},
		{"ideographic space", 0x3000, 0x3000, 2},
		{"Hiragana", 0x3041, 0x3096, 2},
		{"Katakana", 0x30A0, 0x30FF, 2},
		{"Han, extension A", 0x3400, 0x4DB5, 2},
		{"Han", 0x4E00, 0x9FA5, 2},
		{"Yi", 0xA000, 0xA48C, 2},
		{"Hangul", 0xAC00, 0xD7A3, 2},
		{"surrogates", 0xD800, 0xDFFF, REPLACED},
		{"private", 0xE000, 0xF8FF, 1},
		{"Han, compatible", 0xF900, 0xFA2D, 2},
		{"variation selectors", 0xFE00, 0xFE0F, REPLACED},
		{"full width", 0xFF01, 0xFF60, 2},
		{"half width", 0xFF61, 0xFF9F, 1},
		{"the replacement", TEXT_REPLACEMENT, TEXT_REPLACEMENT, 1},
		{"no characters", 0xFFFE, 0xFFFF, REPLACED},
		{"Linear B", 0x10000, 0x1000B, 1},
		{"faces", 0x1F600, 0x1F64F, 2},
		{"Han, extension B", 0x20000, 0x2A6D6, 2},
		{"variation selectors, supplement", 0xE0100, 0xE01EF, REPLACED},
		{"private planes", 0xF0000, 0xFFFFD, 1},
		{"the last ones, no characters", 0x10FFFE, 0x10FFFF, REPLACED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (uint32_t c = rows[i].first; c <= rows[i].last; c++) {
			unsigned want = rows[i].want == REPLACED ? 1 : (unsigned)rows[i].want;

			struct text_scan shown = shown_character(c);

			if (shown.width != want || shown.replaced != (rows[i].want == REPLACED))
				fail_msg("%s: U+%04X: %u%s", rows[i].name, c, shown.width,
					 shown.replaced ? " (replaced)" : "");
		}
	for (uint32_t c = 1; c <= 0x10FFFF; c++)
		if (is_deliberate(c) && !shown_character(c).replaced)
			fail_msg("U+%04X is not replaced", c);
}

/* Numbers of characters in Unicode 14. Each added, lost or changed one changes them. */
static void characters_of_each_width(void **state)
{
	unsigned n[3] = {0}, replaced = 0;

	(void)state;
	for (uint32_t c = 1; c <= 0x10FFFF; c++) {
		struct text_scan shown = shown_character(c);

		if (shown.replaced)
			replaced++;
		else
			n[shown.width]++;
	}
	assert_int_equal(n[0], 1930);
	assert_int_equal(n[1], 162392);
	assert_int_equal(n[2], 117183);
	assert_int_equal(replaced, 832606);
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
		{"two marks on a letter, no more", "a\xcc\x81\xcc\x82\xcc\x83\xcc\x84x", 64, 64,
		 "a\xcc\x81\xcc\x82" BAD BAD "x"},
		{"a mark without a letter", "\xcc\x81x", 64, 64, BAD "x"},
		{"a mark on a control", "\x1b\xcc\x81x", 64, 64, BAD BAD "x"},
		{"zero width",
		 "a\xe2\x80\x8b"
		 "b\xe2\x80\x8d",
		 64, 64, "a" BAD "b" BAD},
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

static void test_grouped(void **state)
{
	static const struct {
		uint64_t value;
		const char *text;
	} rows[] = {
		{0, "0"},
		{999, "999"},
		{1000, "1,000"},
		{12345, "12,345"},
		{1234567, "1,234,567"},
		{UINT64_MAX, "18,446,744,073,709,551,615"},
	};
	char text[40];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(text_grouped(text, sizeof(text), rows[i].value),
				 strlen(rows[i].text));
		assert_string_equal(text, rows[i].text);
	}
	assert_int_equal(text_grouped(text, 3, 1234), 1); /* no comma at the end */
	assert_string_equal(text, "1");
}

static void test_hex(void **state)
{
	static const struct {
		uint8_t bytes[3];
		size_t n;
		const char *text;
	} rows[] = {
		{{0}, 0, ""},
		{{0x00}, 1, "00"},
		{{0x0a, 0xf0, 0xff}, 3, "0af0ff"},
	};
	char text[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		text_hex(text, rows[i].bytes, rows[i].n);
		assert_string_equal(text, rows[i].text);
	}
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
	assert_true(isinf(value)); /* the digits before the exponent alone are too large */
}

static void test_u64(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		uint64_t value;
	} rows[] = {
		{"0", 1, 0},
		{" \t42 kB", 4, 42},
		{"007", 3, 7},
		{"18446744073709551615", 20, UINT64_MAX},
		{"18446744073709551616", 0, 5},
		{"99999999999999999999999", 0, 5},
		{"-1", 0, 5},
		{"+1", 0, 5},
		{"\n1", 0, 5},
		{"max", 0, 5},
		{"", 0, 5},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 5;

		assert_int_equal(text_u64(rows[i].text, &value), rows[i].length);
		assert_int_equal(value, rows[i].value);
	}
}

static void test_ends_with(void **state)
{
	(void)state;
	assert_true(text_ends_with("a.json", ".json"));
	assert_true(text_ends_with(".json", ".json"));
	assert_true(text_ends_with("a", ""));
	assert_false(text_ends_with("json", ".json"));
	assert_false(text_ends_with("a.jsonl", ".json"));
	assert_false(text_ends_with("", "a"));
	assert_true(text_part_ends_with("a.jsonl", 6, ".json"));
	assert_false(text_part_ends_with("a.json", 5, ".json"));
}

static void buffer_grows(void **state)
{
	struct text_buffer buffer = {0};
	char want[1001] = "";

	(void)state;
	text_buffer_add(&buffer, "", 0);
	assert_string_equal(buffer.bytes, "");
	for (size_t i = 0; i < 200; i++) {
		text_buffer_add_text(&buffer, "abc");
		text_buffer_add(&buffer, "dexyz", 2);
		memcpy(want + 5 * i, "abcde", 6);
		assert_string_equal(buffer.bytes, want);
		assert_int_equal(buffer.length, 5 * (i + 1));
	}
	free(buffer.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes),
		cmocka_unit_test(encodes_what_it_decodes),
		cmocka_unit_test(widths),
		cmocka_unit_test(widths_of_characters),
		cmocka_unit_test(characters_of_each_width),
		cmocka_unit_test(is_printable),
		cmocka_unit_test(numbers),
		cmocka_unit_test(test_grouped),
		cmocka_unit_test(test_hex),
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_ends_with),
		cmocka_unit_test(buffer_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
