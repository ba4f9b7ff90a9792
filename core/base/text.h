// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TEXT_H
#define PMCTOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Texts from outside (comm, user and host names, typed texts) and texts for output. The locale has
 * no effect: core writes UTF-8 and "0.5" with any LC_ALL.
 */

#define TEXT_REPLACEMENT 0xFFFDu /* in place of invalid and hidden characters */

/*
 * Decodes one character of strict UTF-8 (RFC 3629: no overlong forms, no surrogates) of a
 * NUL-terminated text. Returns its bytes, 0 at the end. An invalid byte is TEXT_REPLACEMENT, 1
 * byte.
 */
size_t text_decode(const char *text, uint32_t *character);
/* Writes 1 to 4 bytes, no NUL, and returns how many. An invalid one is TEXT_REPLACEMENT. */
size_t text_encode(uint32_t character, char to[4]);

/*
 * Iterates over the characters of a text as it may be shown. Begin with {.at = text}.
 *
 * TEXT_REPLACEMENT is shown in place of control characters (C0, DEL, C1), of characters that
 * reverse or break a line (bidirectional controls, U+2028), are invisible (zero-width space,
 * joiners, selectors) or have an uncertain width (unassigned, or drawn differently by newer
 * terminals), and of combining marks without a base character or after TEXT_MARKS_MAX others.
 */
enum { TEXT_MARKS_MAX = 2 }; /* a character; Thai and Vietnamese need 2 */

struct text_scan {
	const char *at;     /* the bytes after the character */
	uint32_t character; /* as in the text; an invalid byte is TEXT_REPLACEMENT */
	bool replaced;
	unsigned width; /* columns as shown: 0 (a mark), 1 or 2 (East Asian wide, emoji) */
	unsigned marks_left;
};

/* Moves to the next character. False at the end of the text. */
bool text_scan_next(struct text_scan *scan);
/* Writes the character as shown: 1 to 4 bytes, no NUL. Returns how many. */
size_t text_scan_shown(const struct text_scan *scan, char to[4]);
/* Columns of a text as text_printable() shows it. */
unsigned text_width(const char *text);

/*
 * Copies a text as struct text_scan shows it, fit for a terminal or a line of output. Cut between
 * characters at `columns` columns and at size - 1 bytes, always NUL-terminated. Returns the bytes
 * written: at most three for each byte of `from`.
 */
size_t text_printable(char *to, size_t size, const char *from, unsigned columns);

/* "-12.50", rounded half away from zero. `value` is finite, decimals <= 9. Returns the length. */
size_t text_fixed(char *to, size_t size, double value, unsigned decimals);
/* A share in 0..1 as "43.2%". Returns the length. */
size_t text_percent(char *to, size_t size, double share);
/* "1,234,567". Returns the length. */
size_t text_grouped(char *to, size_t size, uint64_t value);
/* The bytes as two lower-case hexadecimal digits each, "0aff". `to` has 2 * n + 1 bytes. */
void text_hex(char *to, const uint8_t *bytes, size_t n);
/* As text_fixed(), but without trailing zeros: "12.5", "12". */
size_t text_trimmed(char *to, size_t size, double value, unsigned decimals);

/*
 * Parses a decimal number without a sign, with an optional fraction and exponent. strtod() depends
 * on the locale. Returns its bytes, 0 if there is none. A number that is too large is infinite.
 */
size_t text_number(const char *text, double *value);

/*
 * Parses decimal digits, after blanks and tabs. Returns the bytes read; 0 if there is no digit, a
 * sign, or a number of more than 64 bits, and *value is unchanged.
 */
size_t text_u64(const char *text, uint64_t *value);

/* Whether the text ends with `end`, or is `end`. */
bool text_ends_with(const char *text, const char *end);
/* The same for the first `length` bytes of a text. */
bool text_part_ends_with(const char *text, size_t length, const char *end);

/*
 * The bytes of the first line of a text that is wrapped at blanks to `width` columns. At least one
 * word, of any length. 0 for "".
 */
size_t text_first_line(const char *text, unsigned width);

#endif
