// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TEXT_H
#define PMCTOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Text that came from outside (comm, user and host names, what was typed) and text that goes out,
 * without the locale: core writes UTF-8 and "0.5" whatever LC_ALL says.
 */

#define TEXT_REPLACEMENT 0xFFFDu /* stands for what is no character or must not be shown */

/*
 * One character of strict UTF-8 (RFC 3629: no overlong forms, no surrogates) at a NUL-terminated
 * text. Returns its bytes, 0 at the end; a byte that starts none is TEXT_REPLACEMENT, one byte.
 */
size_t text_decode(const char *text, uint32_t *character);
/* Writes 1 to 4 bytes, no NUL; what is no character is written as TEXT_REPLACEMENT. */
size_t text_encode(uint32_t character, char to[4]);

/*
 * A text as it may be shown, one character after the other. Begin with {.at = text}.
 *
 * Not shown, but replaced by TEXT_REPLACEMENT: control characters (C0, DEL, C1), characters that
 * turn or break a line (bidirectional controls, U+2028), that show nothing (zero-width space,
 * joiners, selectors), or of uncertain width (unassigned, or drawn differently by newer
 * terminals), and combining marks after TEXT_MARKS_MAX others or without a character to stand on.
 */
enum { TEXT_MARKS_MAX = 2 }; /* on a character, as Thai and Vietnamese need */

struct text_scan {
	const char *at;     /* the bytes that follow the character */
	uint32_t character; /* as in the text; a byte that is no UTF-8 is TEXT_REPLACEMENT */
	bool replaced;
	unsigned width; /* columns as shown: 0 (a mark), 1 or 2 (East Asian wide, emoji) */
	unsigned marks_left;
};

/* The next character. False at the end of the text. */
bool text_scan_next(struct text_scan *scan);
/* Writes the character as shown: 1 to 4 bytes, no NUL. Returns the bytes. */
size_t text_scan_shown(const struct text_scan *scan, char to[4]);
/* Columns of a text as text_printable() shows it. */
unsigned text_width(const char *text);

/*
 * What may be sent to a terminal, or printed in a line: a text as struct text_scan shows it. Cut
 * between characters at `columns` columns and at size - 1 bytes, always NUL-terminated. Returns
 * the bytes written. At most three bytes come out for one that goes in.
 */
size_t text_printable(char *to, size_t size, const char *from, unsigned columns);

/* "-12.50": rounded half away from zero; `value` is finite, decimals <= 9. Returns the length. */
size_t text_fixed(char *to, size_t size, double value, unsigned decimals);
/* A share, 0..1, as "43.2%". */
size_t text_percent(char *to, size_t size, double share);
/* As text_fixed, but "12.5" and "12": no zeros that say nothing. */
size_t text_trimmed(char *to, size_t size, double value, unsigned decimals);

/*
 * A decimal number without a sign, with a fraction and an exponent (strtod would read the decimal
 * point of the locale). Returns its bytes, 0 where there is none; what is too large is not finite.
 */
size_t text_number(const char *text, double *value);

/*
 * How many bytes of a text stand on its first line when it is broken at blanks to be at most
 * `width` columns wide. At least one word, however long. 0 for "".
 */
size_t text_first_line(const char *text, unsigned width);

#endif
