// SPDX-License-Identifier: MIT
#include "text.h"

#include "util.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
	uint32_t first, last;
};

/* Combining marks and joiners that people meet; ascending. */
static const struct range zero_width[] = {
	{0x0300, 0x036F}, {0x0483, 0x0489},   {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
	{0x0900, 0x0902}, {0x093A, 0x093A},   {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D},
	{0x0E31, 0x0E31}, {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
	{0x200B, 0x200D}, {0x20D0, 0x20FF},   {0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE00, 0xFE0F},
	{0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
};

/* East Asian Wide and Fullwidth, and emoji that are drawn in two columns; ascending. */
static const struct range double_width[] = {
	{0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
	{0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},
	{0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
	{0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
	{0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
	{0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
	{0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
	{0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
	{0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},
	{0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
	{0xFFE0, 0xFFE6},   {0x16FE0, 0x18CFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004},
	{0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
	{0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
	{0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
	{0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F567},
	{0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5},
	{0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D7}, {0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6EC},
	{0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945},
	{0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

/* What moves the cursor, ends the line or turns the text that follows; ascending. */
static const struct range unprintable[] = {
	{0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C}, {0x200E, 0x200F},
	{0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
};

static bool within(const struct range *ranges, size_t n, uint32_t character)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (character > ranges[middle].last)
			low = middle + 1;
		else if (character < ranges[middle].first)
			high = middle;
		else
			return true;
	}
	return false;
}

static bool is_character(uint32_t value)
{
	return value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
}

size_t text_decode(const char *text, uint32_t *character)
{
	/* The smallest character that needs so many bytes: anything below is an overlong form. */
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
		unsigned char next = (unsigned char)text[i]; /* a NUL ends it here */

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

unsigned text_character_width(uint32_t character)
{
	if (character < 0x300)
		return 1;
	if (within(zero_width, ARRAY_SIZE(zero_width), character))
		return 0;
	return within(double_width, ARRAY_SIZE(double_width), character) ? 2 : 1;
}

unsigned text_width(const char *text)
{
	unsigned width = 0;
	uint32_t character;

	for (size_t n; (n = text_decode(text, &character)) > 0; text += n)
		width += text_character_width(character);
	return width;
}

size_t text_printable(char *to, size_t size, const char *from, unsigned columns)
{
	size_t length = 0;
	uint32_t character;

	if (size == 0)
		return 0;
	for (size_t n; (n = text_decode(from, &character)) > 0; from += n) {
		char bytes[4];

		if (within(unprintable, ARRAY_SIZE(unprintable), character))
			character = TEXT_REPLACEMENT;
		unsigned width = text_character_width(character);
		size_t n_bytes = text_encode(character, bytes);
		if (width > columns || n_bytes >= size - length)
			break;
		columns -= width;
		memcpy(to + length, bytes, n_bytes);
		length += n_bytes;
	}
	to[length] = '\0';
	return length;
}

/* What snprintf says, as what was really written. */
static size_t written(int length, size_t size)
{
	if (length < 0 || size == 0)
		return 0;
	return size_min((size_t)length, size - 1);
}

/*
 * By integers, because printf's decimal point is the locale's: "0,5" is two fields in a CSV and
 * no number in JSON.
 */
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
