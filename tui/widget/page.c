// SPDX-License-Identifier: MIT
/*
 * A page is drawn twice: first with a pen that only counts lines, then with `top` settled within
 * that number.
 */
#include "tui/widget/page.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

bool page_act(struct page *page, enum action action)
{
	if (action == ACTION_UP)
		page->top -= page->top > 0;
	else if (action == ACTION_DOWN)
		page->top++;
	else if (action == ACTION_PAGE_UP)
		page->top -= page->top < page->height ? page->top : page->height;
	else if (action == ACTION_PAGE_DOWN)
		page->top += page->height;
	else if (action == ACTION_HOME)
		page->top = 0;
	else if (action == ACTION_END)
		page->top = page->lines;
	else
		return false;
	return true;
}

void page_settle(struct page *page, unsigned lines, unsigned height)
{
	page->lines = lines;
	page->height = height;
	if (page->top + height > lines)
		page->top = lines > height ? lines - height : 0;
}

void page_move_selection(size_t *selected, size_t n, size_t lines, bool down)
{
	if (!down)
		*selected -= size_min(lines, *selected);
	else if (n > 0)
		*selected = size_min(*selected + lines, n - 1);
}

void pen_put(struct pen *pen, unsigned x, enum style style, const char *text)
{
	if (pen->line < pen->skip || pen->line - pen->skip >= pen->rect.height ||
	    x >= pen->rect.width)
		return;
	canvas_text_ellipsis(pen->canvas, pen->rect.x + x, pen->rect.y + pen->line - pen->skip,
			     pen->rect.width - x, style, text);
}

void pen_heading(struct pen *pen, const char *text)
{
	pen->line += pen->line > 0;
	pen_put(pen, 0, STYLE_TITLE, text);
	pen->line++;
}

void pen_wrap(struct pen *pen, unsigned x, enum style style, const char *text)
{
	unsigned width = pen->rect.width > x + 8 ? pen->rect.width - x : 8;

	while (*text) {
		size_t length = text_first_line(text, width);
		char *line = xstrndup(text, length);
		pen_put(pen, x, style, line);
		free(line);
		pen->line++;
		text += length;
		text += strspn(text, " ");
	}
}

void page_draw_border(struct canvas *canvas, struct rect box, enum style style, const char *title)
{
	bool ascii = canvas->ascii;
	const char *across = ascii ? "-" : "─", *up = ascii ? "|" : "│";
	unsigned right = box.x + box.width - 1, bottom = box.y + box.height - 1;

	for (unsigned x = box.x + 1; x < right; x++) {
		canvas_text(canvas, x, box.y, 1, style, across);
		canvas_text(canvas, x, bottom, 1, style, across);
	}
	for (unsigned y = box.y + 1; y < bottom; y++) {
		canvas_text(canvas, box.x, y, 1, style, up);
		canvas_text(canvas, right, y, 1, style, up);
	}
	canvas_text(canvas, box.x, box.y, 1, style, ascii ? "+" : "┌");
	canvas_text(canvas, right, box.y, 1, style, ascii ? "+" : "┐");
	canvas_text(canvas, box.x, bottom, 1, style, ascii ? "+" : "└");
	canvas_text(canvas, right, bottom, 1, style, ascii ? "+" : "┘");

	unsigned x = box.x + 2;
	if (!title[0])
		return;
	x += canvas_text(canvas, x, box.y, 1, STYLE_TITLE, " ");
	x += canvas_text_ellipsis(canvas, x, box.y, right - x - 1, STYLE_TITLE, title);
	canvas_text(canvas, x, box.y, 1, STYLE_TITLE, " ");
}
