// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CANVAS_H
#define PMCTOP_CANVAS_H

#include "core/base/text.h"
#include "tui/term/style.h"

#include <stdbool.h>

/*
 * A grid of cells in memory: everything is drawn here, term copies it to the terminal and tests
 * print it as text. Drawing outside the grid is cut off, never an error, so that no screen has to
 * know how small it is.
 */
struct canvas_cell {
	/* One printable UTF-8 character and its marks; "" in the right half of a wide one. */
	char text[4 + 4 * TEXT_MARKS_MAX + 1];
	unsigned char style;
	bool selected; /* drawn in the colours of STYLE_SELECTED with its own attributes */
};

struct canvas {
	unsigned width, height;
	bool ascii;                /* what is not ASCII becomes "?": for terminals without UTF-8 */
	struct canvas_cell *cells; /* width x height, by line; owned */
	bool cursor;               /* whether the terminal's cursor shows, and where */
	unsigned cursor_x, cursor_y;
};

struct rect {
	unsigned x, y, width, height; /* empty where width or height is 0 */
};

static inline bool rect_has(struct rect rect, unsigned x, unsigned y)
{
	return x >= rect.x && x - rect.x < rect.width && y >= rect.y && y - rect.y < rect.height;
}

void canvas_init(struct canvas *canvas, bool ascii);
void canvas_fini(struct canvas *canvas);
/* Another size, all blank. */
void canvas_resize(struct canvas *canvas, unsigned width, unsigned height);
void canvas_clear(struct canvas *canvas);

/*
 * Writes UTF-8 text from (x, y) on, at most `width` columns of it. A wide character that would be
 * cut in half is left out; what must not be shown (struct text_scan) becomes U+FFFD.
 * Returns the columns used.
 */
unsigned canvas_text(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
		     enum style style, const char *text);
/* The same, but text that does not fit ends in an ellipsis. */
unsigned canvas_text_ellipsis(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
			      enum style style, const char *text);
/* Flush right within `width`; text that does not fit is cut at its end. */
void canvas_text_right(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
		       enum style style, const char *text);

/* Blanks in a style. */
void canvas_fill(struct canvas *canvas, struct rect rect, enum style style);
/* Marks what stands there as the selected row. */
void canvas_select(struct canvas *canvas, struct rect rect);
/* Puts another canvas, from its line `top` on, into rect: as much of it as there is. */
void canvas_copy(struct canvas *canvas, struct rect rect, const struct canvas *from, unsigned top);
void canvas_cursor(struct canvas *canvas, unsigned x, unsigned y);

/* The cell, which must lie inside. */
const struct canvas_cell *canvas_at(const struct canvas *canvas, unsigned x, unsigned y);

#endif
