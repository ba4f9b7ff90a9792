// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PAINT_H
#define PMCTOP_PAINT_H

#include "tui/term/canvas.h"
#include "tui/term/style.h"

#include <stdbool.h>

/* How a terminal shows a cell: the colours and attributes of a style at a colour depth. */
enum paint_attribute {
	ATTRIBUTE_BOLD = 1 << 0,
	/* Attributes for roles that have the same colour. */
	ATTRIBUTE_UNDERLINE = 1 << 1,
	ATTRIBUTE_DIM = 1 << 2,
	ATTRIBUTE_REVERSE = 1 << 3,
};

struct paint {
	int foreground, background; /* colour numbers (color_index()); -1: the terminal's own */
	unsigned attributes;        /* enum paint_attribute */
};

/* The paints of all styles. */
struct paints {
	struct paint of[STYLE_COUNT][2]; /* not selected, selected */
};

static inline const struct paint *paints_of_cell(const struct paints *paints,
						 const struct canvas_cell *cell)
{
	return &paints->of[cell->style][cell->selected];
}

static inline bool paint_equals(const struct paint *a, const struct paint *b)
{
	return a->foreground == b->foreground && a->background == b->background &&
	       a->attributes == b->attributes;
}

/* Whether blanks of this paint show the background alone. */
static inline bool paint_is_bare(const struct paint *paint)
{
	return !(paint->attributes & (ATTRIBUTE_UNDERLINE | ATTRIBUTE_REVERSE));
}

/* Whether blanks show the background alone, and the same one. */
static inline bool paint_has_blanks_of(const struct paint *a, const struct paint *b)
{
	return paint_is_bare(a) && paint_is_bare(b) && a->background == b->background;
}

#endif
