// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SEGMENTS_H
#define PMCTOP_SEGMENTS_H

#include "tui/term/canvas.h"

#include <stddef.h>

/*
 * A line of short segments, "IPC 1.23", two blanks apart. A narrow line leaves out whole segments,
 * so that each shown one can be read: the heaviest get the room first. A segment with a brief form
 * has it instead, and is left out only where the brief forms of heavier ones fill the line.
 */
struct segment {
	char label[24];
	char text[96];
	char brief[48]; /* instead of label and text, in the style of the text; "": none */
	enum style label_style, text_style;
	unsigned text_width; /* the text is right-aligned in so many columns; 0: its own width */
	unsigned weight;
	unsigned x, width; /* place of the last drawing; width 0: not drawn */
};

enum { SEGMENTS_MAX = 32 };

struct segments {
	struct segment items[SEGMENTS_MAX];
	size_t n;
};

/* Returns a new empty segment. If there are SEGMENTS_MAX, the last one is reused. */
struct segment *segments_add(struct segments *segments, unsigned weight);

/* Blanks the first line of rect and draws the segments that fit. */
void segments_draw(struct segments *segments, struct canvas *canvas, struct rect rect);

#endif
