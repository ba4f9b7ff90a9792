// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LOOK_H
#define PMCTOP_LOOK_H

#include "tui/term/canvas.h"
#include "tui/term/style.h"

#include <stdbool.h>

/* How a terminal shows a cell: the colours and attributes of a style at a colour depth. */
enum look_attribute {
	ATTRIBUTE_BOLD = 1 << 0,
	/* Attributes for roles that have the same colour. */
	ATTRIBUTE_UNDERLINE = 1 << 1,
	ATTRIBUTE_DIM = 1 << 2,
	ATTRIBUTE_REVERSE = 1 << 3,
};

struct look {
	int foreground, background; /* colour numbers (color_index()); -1: the terminal's own */
	unsigned attributes;        /* enum look_attribute */
};

/* The looks of all styles. */
struct looks {
	struct look of[STYLE_COUNT][2]; /* not selected, selected */
};

static inline const struct look *looks_of_cell(const struct looks *looks,
					       const struct canvas_cell *cell)
{
	return &looks->of[cell->style][cell->selected];
}

static inline bool look_equals(const struct look *a, const struct look *b)
{
	return a->foreground == b->foreground && a->background == b->background &&
	       a->attributes == b->attributes;
}

/* Whether blanks of this look show the background alone. */
static inline bool look_is_bare(const struct look *look)
{
	return !(look->attributes & (ATTRIBUTE_UNDERLINE | ATTRIBUTE_REVERSE));
}

/* Whether blanks show the background alone, and the same one. */
static inline bool look_has_blanks_of(const struct look *a, const struct look *b)
{
	return look_is_bare(a) && look_is_bare(b) && a->background == b->background;
}

#endif
