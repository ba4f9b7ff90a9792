// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CANVAS_H
#define PMCTOP_CANVAS_H

#include "core/base/text.h"
#include "tui/term/style.h"

#include <stdbool.h>

/*
 * A grid of cells in memory. Screens draw on it, term.c copies it to the terminal, and tests print
 * it as text. Drawing outside the grid is cut off and is no error.
 */
struct canvas_cell {
	/* One printable UTF-8 character with its marks; "" in the right half of a wide one. */
	char text[4 + 4 * TEXT_MARKS_MAX + 1];
	unsigned char style;
	bool selected; /* drawn in the colours of STYLE_SELECTED with its own attributes */
};

struct canvas {
	unsigned width, height;
	bool ascii; /* other characters than ASCII become "?", for terminals without UTF-8 */
	struct canvas_cell *cells; /* width x height, by line; owned */
	bool cursor;               /* the terminal's cursor is visible, at: */
	unsigned cursor_x, cursor_y;
};

struct rect {
	unsigned x, y, width, height; /* empty if width or height is 0 */
};

static inline bool rect_has(struct rect rect, unsigned x, unsigned y)
{
	return x >= rect.x && x - rect.x < rect.width && y >= rect.y && y - rect.y < rect.height;
}

void canvas_init(struct canvas *canvas, bool ascii);
void canvas_fini(struct canvas *canvas);
/* Changes the size and blanks all cells. */
void canvas_resize(struct canvas *canvas, unsigned width, unsigned height);
void canvas_clear(struct canvas *canvas);

/*
 * Writes at most `width` columns of UTF-8 text from (x, y) on. A wide character that does not fit
 * is left out. Unprintable characters (struct text_scan) become U+FFFD. Returns the columns used.
 */
unsigned canvas_text(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
		     enum style style, const char *text);
/* The same, with an ellipsis at the end of a text that does not fit. */
unsigned canvas_text_ellipsis(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
			      enum style style, const char *text);
/* Right-aligned within `width`; a text that does not fit is cut at its end. */
void canvas_text_right(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
		       enum style style, const char *text);

/* Fills with blanks of a style. */
void canvas_fill(struct canvas *canvas, struct rect rect, enum style style);
/* Marks the cells as part of the selected row. */
void canvas_select(struct canvas *canvas, struct rect rect);
/* Copies the lines of another canvas, from `top` on, into rect, as far as both reach. */
void canvas_copy(struct canvas *canvas, struct rect rect, const struct canvas *from, unsigned top);
void canvas_cursor(struct canvas *canvas, unsigned x, unsigned y);

/* The cell at (x, y), which must be inside. */
const struct canvas_cell *canvas_at(const struct canvas *canvas, unsigned x, unsigned y);
/* The columns of the character at (x, y): 2 if it is wide, else 1. */
unsigned canvas_columns(const struct canvas *canvas, unsigned x, unsigned y);

static inline bool canvas_cell_is_blank(const struct canvas_cell *cell)
{
	return cell->text[0] == ' ' && !cell->text[1];
}

#endif
