// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TERM_CURSOR_H
#define PMCTOP_TERM_CURSOR_H

#include "core/base/text_buffer.h"
#include "tui/term/terminfo.h"

#include <stdbool.h>

/*
 * The terminal's cursor, at which it shows the next character, and the shortest way to a cell.
 * Pure, except for terminfo's tiparm().
 */
struct term_cursor {
	int x, y;   /* -1: unknown */
	bool exact; /* false: x may differ, as terminals disagree about widths */
	enum { TERM_CURSOR_UNKNOWN, TERM_CURSOR_HIDDEN, TERM_CURSOR_SHOWN } visibility;
};

/* Makes the position unknown. */
void term_cursor_forget(struct term_cursor *cursor);
/* Appends the shortest way to (x, y), and sets the position. */
void term_cursor_move(struct term_cursor *cursor, const struct terminfo *terminfo, unsigned x,
		      unsigned y, struct text_buffer *bytes);
/* Returns about how many bytes the way to (x, y) has. */
unsigned term_cursor_estimate(const struct term_cursor *cursor, unsigned x, unsigned y);

#endif
