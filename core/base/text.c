// SPDX-License-Identifier: MIT
/*
 * Strict UTF-8 and numbers with a decimal point, without the locale. A text from outside passes
 * through struct text_scan, which decides what may be sent to a terminal.
 */
#include "core/base/text.h"

#include "core/base/text_width.h"
#include "core/base/util.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_character(uint32_t value)
{
	return value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
}

size_t text_decode(const char *text, uint32_t *character)
{
	/* By length: the smallest character. A smaller one is an overlong form. */
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = (unsigned char)text[0];
	size_t length;
	uint32_t value;

	if (lead < 0x80) {
		*character = lead;
		return lead != 0;
	}
	if (lead >= 0xC2 && lead <= 0xDF)
		length = 2, value = lead & 0x1Fu;
	else if ((lead & 0xF0) == 0xE0)
		length = 3, value = lead & 0x0Fu;
	else if (lead >= 0xF0 && lead <= 0xF4)
		length = 4, value = lead & 0x07u;
	else
		goto invalid;
	for (size_t i = 1; i < length; i++) {
		unsigned char next = (unsigned char)text[i]; /* a NUL ends the loop here */

		if ((next & 0xC0) != 0x80)
			goto invalid;
		value = value << 6 | (next & 0x3Fu);
	}
	if (value < least[length] || !is_character(value))
		goto invalid;
	*character = value;
	return length;
invalid:
	*character = TEXT_REPLACEMENT;
	return 1;
}

size_t text_encode(uint32_t character, char to[4])
{
	uint32_t c = is_character(character) ? character : TEXT_REPLACEMENT;

	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xC0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xE0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3F));
		to[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	to[0] = (char)(0xF0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3F));
	to[2] = (char)(0x80 | (c >> 6 & 0x3F));
	to[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

bool text_scan_next(struct text_scan *scan)
{
	size_t n_bytes = text_decode(scan->at, &scan->character);
	int width = text_char_width(scan->character);

	if (n_bytes == 0)
		return false;
	scan->at += n_bytes;
	scan->replaced = width < 0 || (width == 0 && scan->marks_left == 0);
	scan->width = scan->replaced ? 1 : (unsigned)width; /* U+FFFD has one column */
	if (scan->replaced)
		scan->marks_left = 0;
	else if (width == 0)
		scan->marks_left--;
	else
		scan->marks_left = TEXT_MARKS_MAX;
	return true;
}

size_t text_scan_shown(const struct text_scan *scan, char to[4])
{
	return text_encode(scan->replaced ? TEXT_REPLACEMENT : scan->character, to);
}

unsigned text_width(const char *text)
{
	unsigned width = 0;

	for (struct text_scan scan = {.at = text}; text_scan_next(&scan);)
		width += scan.width;
	return width;
}

size_t text_printable(char *to, size_t size, const char *from, unsigned columns)
{
	size_t length = 0;

	if (size == 0)
		return 0;
	for (struct text_scan scan = {.at = from}; text_scan_next(&scan);) {
		char bytes[4];
		size_t n = text_scan_shown(&scan, bytes);

		if (scan.width > columns || n >= size - length)
			break;
		columns -= scan.width;
		memcpy(to + length, bytes, n);
		length += n;
	}
	to[length] = '\0';
	return length;
}

/* The bytes that snprintf() wrote, from its return value. */
static size_t written(int length, size_t size)
{
	if (length < 0 || size == 0)
		return 0;
	return size_min((size_t)length, size - 1);
}

/* By integers: printf's decimal point depends on the locale, and "0,5" is not a number in JSON. */
size_t text_fixed(char *to, size_t size, double value, unsigned decimals)
{
	static const uint64_t powers[] = {1,      10,      100,      1000,      10000,
					  100000, 1000000, 10000000, 100000000, 1000000000};
	unsigned places = decimals < ARRAY_SIZE(powers) ? decimals : ARRAY_SIZE(powers) - 1;
	double magnitude = fabs(value);

	if (magnitude * (double)powers[places] >= 9e15) /* no room left for decimals in a double */
		return written(snprintf(to, size, "%.0f", value), size);
	uint64_t scaled = (uint64_t)llround(magnitude * (double)powers[places]);
	const char *sign = value < 0 && scaled > 0 ? "-" : "";
	uint64_t whole = scaled / powers[places], fraction = scaled % powers[places];
	if (places == 0)
		return written(snprintf(to, size, "%s%" PRIu64, sign, whole), size);
	return written(
		snprintf(to, size, "%s%" PRIu64 ".%0*" PRIu64, sign, whole, (int)places, fraction),
		size);
}

size_t text_grouped(char *to, size_t size, uint64_t value)
{
	char digits[24];
	size_t n = written(snprintf(digits, sizeof(digits), "%" PRIu64, value), sizeof(digits));
	size_t length = 0;

	for (size_t i = 0; i < n && length + 2 < size; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			to[length++] = ',';
		to[length++] = digits[i];
	}
	to[length] = '\0';
	return length;
}

void text_hex(char *to, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '\0';
}

size_t text_percent(char *to, size_t size, double share)
{
	size_t length = text_fixed(to, size - 1, 100 * share, 1);

	memcpy(to + length, "%", 2);
	return length + 1;
}

size_t text_trimmed(char *to, size_t size, double value, unsigned decimals)
{
	size_t length = text_fixed(to, size, value, decimals);

	if (!memchr(to, '.', length))
		return length;
	while (length > 0 && to[length - 1] == '0')
		to[--length] = '\0';
	if (length > 0 && to[length - 1] == '.')
		to[--length] = '\0';
	return length;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

size_t text_number(const char *text, double *value)
{
	enum { FRACTION_MAX = 30 }; /* digits after the point; more do not change a double */
	const char *at = text;
	double number = 0;
	int exponent = 0;

	if (!is_digit(text[0]) && !(text[0] == '.' && is_digit(text[1])))
		return 0;
	while (is_digit(*at))
		number = number * 10 + (*at++ - '0');
	if (*at == '.') {
		for (at++; is_digit(*at); at++) {
			if (exponent == -FRACTION_MAX)
				continue;
			number = number * 10 + (*at - '0');
			exponent--;
		}
	}
	if (*at == 'e' || *at == 'E') {
		const char *digits = at + (at[1] == '-' || at[1] == '+' ? 2 : 1);
		bool negative = at[1] == '-';
		int written = 0;

		if (is_digit(*digits)) {
			for (at = digits; is_digit(*at); at++)
				if (written < 10000)
					written = written * 10 + (*at - '0');
			exponent += negative ? -written : written;
		}
	}
	/* Division by an exact power of ten rounds once, so 0.1 is 0.1. 0 and infinity stay what
	 * they are: 0e999 is 0. */
	*value = number == 0 || !isfinite(number) ? number
		 : exponent < 0                   ? number / pow(10, -exponent)
						  : number * pow(10, exponent);
	return (size_t)(at - text);
}

size_t text_u64(const char *text, uint64_t *value)
{
	const char *at = text + strspn(text, " \t");
	uint64_t number = 0;

	if (!is_digit(*at))
		return 0;
	for (; is_digit(*at); at++)
		if (__builtin_mul_overflow(number, 10u, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			return 0;
	*value = number;
	return (size_t)(at - text);
}

bool text_part_ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && memcmp(text + length - n, end, n) == 0;
}

bool text_ends_with(const char *text, const char *end)
{
	return text_part_ends_with(text, strlen(text), end);
}

size_t text_first_line(const char *text, unsigned width)
{
	size_t fits = 0, word_end = 0;

	for (;;) {
		word_end += strspn(text + word_end, " ");
		word_end += strcspn(text + word_end, " ");
		char *line = xstrndup(text, word_end);
		bool too_wide = text_width(line) > width;
		free(line);
		if (fits > 0 && too_wide)
			return fits;
		fits = word_end;
		if (!text[word_end])
			return fits;
	}
}
