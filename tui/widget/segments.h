// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SEGMENTS_H
#define PMCTOP_SEGMENTS_H

#include "tui/term/canvas.h"

#include <stddef.h>

/*
 * A line of short pieces, "IPC 1.23", two blanks apart. A line that is too narrow leaves out whole
 * pieces, those of the least weight first, so that what is shown can always be read.
 */
struct segment {
	char label[24];
	char text[80];
	enum style label_style, text_style;
	unsigned text_width; /* the text is flush right in so many columns; 0: as long as it is */
	unsigned weight;
	unsigned x, width; /* where it was drawn; 0 wide where it was left out */
};

enum { SEGMENTS_MAX = 32 };

struct segments {
	struct segment items[SEGMENTS_MAX];
	size_t n;
};

/* A new piece of that weight, else empty; the last one anew where there are SEGMENTS_MAX. */
struct segment *segments_add(struct segments *segments, unsigned weight);

/* Draws what fits into the first line of rect, which it blanks first. */
void segments_draw(struct segments *segments, struct canvas *canvas, struct rect rect);

#endif
