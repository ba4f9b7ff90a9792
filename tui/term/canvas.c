// SPDX-License-Identifier: MIT
/*
 * A wide character takes two cells: the character, then a cell with an empty text. A write that
 * hits one of them blanks the other, so that no half remains. All functions clip to the canvas.
 */
#include "tui/term/canvas.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct canvas_cell blank = {.text = " ", .style = STYLE_PLAIN};

void canvas_init(struct canvas *canvas, bool ascii)
{
	*canvas = (struct canvas){.ascii = ascii};
}

void canvas_fini(struct canvas *canvas)
{
	free(canvas->cells);
	canvas->cells = NULL;
	canvas->width = canvas->height = 0;
}

void canvas_resize(struct canvas *canvas, unsigned width, unsigned height)
{
	/* A terminal reports its size in 16 bits; more is an error. */
	canvas->width = width > UINT16_MAX ? UINT16_MAX : width;
	canvas->height = height > UINT16_MAX ? UINT16_MAX : height;
	canvas->cells = xreallocarray(canvas->cells, (size_t)canvas->width * canvas->height,
				      sizeof(*canvas->cells));
	canvas_clear(canvas);
}

void canvas_clear(struct canvas *canvas)
{
	size_t n = (size_t)canvas->width * canvas->height;

	for (size_t i = 0; i < n; i++)
		canvas->cells[i] = blank;
	canvas->cursor = false;
}

static struct canvas_cell *cell_at(struct canvas *canvas, unsigned x, unsigned y)
{
	return &canvas->cells[(size_t)y * canvas->width + x];
}

const struct canvas_cell *canvas_at(const struct canvas *canvas, unsigned x, unsigned y)
{
	return &canvas->cells[(size_t)y * canvas->width + x];
}

unsigned canvas_columns(const struct canvas *canvas, unsigned x, unsigned y)
{
	return x + 1 < canvas->width && !canvas_at(canvas, x + 1, y)->text[0] ? 2 : 1;
}

/* Blanks the other half of a wide character that is partly overwritten. */
static void break_wide(struct canvas *canvas, unsigned x, unsigned y)
{
	if (!cell_at(canvas, x, y)->text[0] && x > 0)
		strcpy(cell_at(canvas, x - 1, y)->text, " ");
	if (x + 1 < canvas->width && !cell_at(canvas, x + 1, y)->text[0])
		strcpy(cell_at(canvas, x + 1, y)->text, " ");
}

static void put_cell(struct canvas *canvas, unsigned x, unsigned y, enum style style,
		     const char *bytes, size_t length)
{
	break_wide(canvas, x, y);

	struct canvas_cell *cell = cell_at(canvas, x, y);

	memcpy(cell->text, bytes, length);
	cell->text[length] = '\0';
	cell->style = (unsigned char)style;
	cell->selected = false;
}

/* The number of columns from (x, y) on that are inside the canvas, at most `width`. */
static unsigned clip_width(const struct canvas *canvas, unsigned x, unsigned y, unsigned width)
{
	if (x >= canvas->width || y >= canvas->height)
		return 0;
	return width < canvas->width - x ? width : canvas->width - x;
}

/* Sets `shown` to the character as this canvas can show it. */
static void encode_shown(const struct canvas *canvas, const struct text_scan *scan, char shown[5])
{
	shown[text_scan_shown(scan, shown)] = '\0';
	if (canvas->ascii && (unsigned char)shown[0] >= 0x80)
		memcpy(shown, "?", 2);
}

/* Appends a combining mark to the cell before it. */
static void append_mark(struct canvas *canvas, unsigned x, unsigned y, const char *mark)
{
	char *text = cell_at(canvas, x, y)->text;

	if (!canvas->ascii)
		strcpy(text + strlen(text), mark);
}

unsigned canvas_text(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
		     enum style style, const char *text)
{
	unsigned used = 0, last = 0;
	char shown[5];

	width = clip_width(canvas, x, y, width);
	for (struct text_scan scan = {.at = text}; text_scan_next(&scan);) {
		if (used + scan.width > width)
			break;
		encode_shown(canvas, &scan, shown);
		if (scan.width == 0) {
			append_mark(canvas, x + used - last, y, shown);
			continue;
		}
		last = scan.width;
		put_cell(canvas, x + used, y, style, shown, strlen(shown));
		if (last == 2) /* the right half; in ASCII another "?" */
			put_cell(canvas, x + used + 1, y, style, shown, canvas->ascii ? 1 : 0);
		used += last;
	}
	return used;
}

unsigned canvas_text_ellipsis(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
			      enum style style, const char *text)
{
	const char *ellipsis = canvas->ascii ? "..." : "…";
	unsigned columns = text_width(ellipsis);

	width = clip_width(canvas, x, y, width);
	if (text_width(text) <= width || width <= columns)
		return canvas_text(canvas, x, y, width, style, text);

	unsigned used = canvas_text(canvas, x, y, width - columns, style, text);

	return used + canvas_text(canvas, x + used, y, columns, style, ellipsis);
}

void canvas_text_right(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
		       enum style style, const char *text)
{
	unsigned columns = text_width(text);
	unsigned pad = columns < width ? width - columns : 0;

	canvas_text(canvas, x + pad, y, width - pad, style, text);
}

void canvas_fill(struct canvas *canvas, struct rect rect, enum style style)
{
	unsigned width = clip_width(canvas, rect.x, rect.y, rect.width);

	for (unsigned y = rect.y; y < canvas->height && y - rect.y < rect.height; y++)
		for (unsigned i = 0; i < width; i++)
			put_cell(canvas, rect.x + i, y, style, " ", 1);
}

void canvas_select(struct canvas *canvas, struct rect rect)
{
	unsigned width = clip_width(canvas, rect.x, rect.y, rect.width);

	for (unsigned y = rect.y; y < canvas->height && y - rect.y < rect.height; y++)
		for (unsigned i = 0; i < width; i++)
			cell_at(canvas, rect.x + i, y)->selected = true;
}

/* Copies `width` cells, without halves of wide characters at the edges. */
static void copy_line(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
		      const struct canvas *from, unsigned line)
{
	break_wide(canvas, x, y);
	break_wide(canvas, x + width - 1, y);
	memcpy(cell_at(canvas, x, y), from->cells + (size_t)line * from->width,
	       width * sizeof(*from->cells));
	if (width < from->width && !canvas_at(from, width, line)->text[0])
		strcpy(cell_at(canvas, x + width - 1, y)->text, " ");
}

void canvas_copy(struct canvas *canvas, struct rect rect, const struct canvas *from, unsigned top)
{
	unsigned width = clip_width(canvas, rect.x, rect.y, rect.width);

	width = width < from->width ? width : from->width;
	for (unsigned y = 0; y < rect.height && rect.y + y < canvas->height; y++)
		if (top + y < from->height && width > 0)
			copy_line(canvas, rect.x, rect.y + y, width, from, top + y);
}

void canvas_cursor(struct canvas *canvas, unsigned x, unsigned y)
{
	canvas->cursor = x < canvas->width && y < canvas->height;
	canvas->cursor_x = x;
	canvas->cursor_y = y;
}
