// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_PARTS_H
#define PMCTOP_WIDGET_PARTS_H

#include "tui/term/canvas.h"

#include <stddef.h>

/*
 * A bar of one line that is divided into parts. A part has its word at its begin and is filled up,
 * so that it can be read without colours. A part that is too narrow for its word has a letter. In
 * one column a letter would look as if it began the next word, so it has only its fill.
 */
struct part {
	double value; /* >= 0; 0: the part is not drawn */
	const char *word;
	char letter;
	const char *fill, *fill_ascii; /* one column each */
	enum style style;
};

/*
 * Divides `width` columns: cells[n] add up to width, or are all 0 if all values are. Each differs
 * from its exact share by less than one column, but a value above 0 has at least one column, as
 * long as there are as many columns as such values.
 */
void parts_divide(const struct part *parts, size_t n, unsigned width, unsigned *cells);
void parts_draw(const struct part *parts, size_t n, struct canvas *canvas, unsigned x, unsigned y,
		unsigned width);

#endif
