// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TERMINFO_H
#define PMCTOP_TERMINFO_H

#include "tui/term/color.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What terminfo has of the terminal's type. ncurses must have loaded it. Strings may have padding
 * ($<5/>), which is never sent: sequence_add() and terminfo_copy() leave it out.
 */

/* The strings and abilities that drawing needs. The strings are borrowed; NULL: not there. */
struct terminfo {
	const char *move, *column, *row;           /* cup hpa vpa; `move` is always there */
	const char *right, *down_lines;            /* cuf cud */
	const char *carriage_return, *down, *left; /* cr cud1 cub1 */
	const char *clear, *clear_line, *erase;    /* clear el ech */
	const char *scrolled_lines;                /* csr */
	const char *plain, *bold, *dim, *underline, *reverse;
	const char *foreground, *background, *own_colors; /* setaf setab op */
	const char *hide_cursor, *show_cursor;            /* civis cnorm */
	enum color_depth depth;                           /* the colours to draw with */
	bool fills_background;        /* what it clears has the current background (bce) */
	bool wraps_at_once;           /* a character in the last column moves to the next line */
	unsigned attributes;          /* enum paint_attribute: these take no cell */
	unsigned attributes_in_color; /* the part of them that it can show in colour */
};

/* Without `color` there are no colours. direct_color: 24 bits, although terminfo has fewer. */
struct terminfo terminfo_read(bool color, bool direct_color);

/* A string of the type, borrowed. NULL: it has none of that name. */
const char *terminfo_string(const char *name);

/* Copies a string without padding and NUL. Returns its bytes; 0: none, or more than `size`. */
size_t terminfo_copy(char *to, size_t size, const char *string);

/* Bytes of strings without padding, one after the other. Zeroed is empty. */
enum { SEQUENCE_BYTES = 128 };
struct sequence {
	char bytes[SEQUENCE_BYTES];
	size_t n;
};

/* Appends a string. NULL, and a string that does not fit, append nothing. */
void sequence_add(struct sequence *sequence, const char *string);

#endif
