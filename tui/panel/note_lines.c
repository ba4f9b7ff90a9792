// SPDX-License-Identifier: MIT
#include "tui/panel/note_lines.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_LEAST = 20 }; /* columns; on a narrower line the hint is left out */

/* Writes the hint at the end of the last line, "" if there is none. */
static void write_hint(const char *last_line, size_t further, unsigned width, char *text,
		       size_t size)
{
	text[0] = '\0';
	if (further > 0)
		snprintf(text, size, " (+%zu more: L)", further);
	else if (text_width(last_line) > width)
		text_copy(text, size, " (more: L)");
}

/* Whether the rest of a note and its hint fit on a line. */
static bool note_fits(const char *rest, size_t further, unsigned width)
{
	char hint[40];

	write_hint(rest, further, width, hint, sizeof(hint));
	return !rest[0] || text_width(rest) + text_width(hint) <= width;
}

static size_t length_with_blanks(const char *rest, size_t length)
{
	return length + strspn(rest + length, " ");
}

unsigned note_lines(const char *note, size_t further, unsigned width, unsigned most)
{
	unsigned n = 1;

	for (; n < most && !note_fits(note, further, width); n++)
		note += length_with_blanks(note, text_first_line(note, width));
	return n;
}

/* Draws the last line. A longer one ends with a whole word and an ellipsis. */
static void draw_last_line(struct canvas *canvas, struct rect line, const char *rest)
{
	const char *ellipsis = canvas->ascii ? "..." : "…";
	unsigned columns = text_width(ellipsis);

	if (text_width(rest) <= line.width || line.width <= columns) {
		canvas_text(canvas, line.x, line.y, line.width, STYLE_BANNER, rest);
		return;
	}
	char *words = xstrndup(rest, text_first_line(rest, line.width - columns));
	unsigned used =
		canvas_text(canvas, line.x, line.y, line.width - columns, STYLE_BANNER, words);
	canvas_text(canvas, line.x + used, line.y, columns, STYLE_BANNER, ellipsis);
	free(words);
}

void note_lines_draw(const char *note, size_t further, struct canvas *canvas, struct rect rect)
{
	struct rect line = {rect.x, rect.y, rect.width, 1};
	char hint[40];

	if (rect.height == 0)
		return;
	unsigned last_y = rect.y + rect.height - 1;
	for (; line.y < last_y && !note_fits(note, further, line.width); line.y++) {
		size_t length = text_first_line(note, line.width);
		char *words = xstrndup(note, length);

		canvas_text_ellipsis(canvas, line.x, line.y, line.width, STYLE_BANNER, words);
		free(words);
		note += length_with_blanks(note, length);
	}
	write_hint(note, further, line.width, hint, sizeof(hint));
	unsigned n = text_width(hint);
	if (n + NOTE_LEAST < line.width)
		line.width -= n;
	draw_last_line(canvas, line, note);
	if (line.width < rect.width)
		canvas_text(canvas, line.x + line.width, line.y, n, STYLE_LABEL, hint);
}
