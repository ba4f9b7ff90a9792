// SPDX-License-Identifier: MIT
/*
 * The table fits columns to a width and draws the lines around the selection. Narrow tables drop
 * the lightest columns. Scrolled sideways, they show columns in order instead, so that each can be
 * reached.
 */
#include "tui/widget/widget_table.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/widget/page.h"

#include <stdlib.h>
#include <string.h>

enum { MORE_WIDTH = 2 };

static void page_by(struct table *table, bool down)
{
	size_t last_top = table->n > table->page ? table->n - table->page : 0;

	page_move_selection(&table->selected, table->n, table->page, down);
	if (down)
		table->top = size_min(table->top + table->page, last_top);
	else
		table->top -= size_min(table->page, table->top);
}

bool table_act(struct table *table, enum action action)
{
	bool moves = action == ACTION_UP || action == ACTION_DOWN || action == ACTION_PAGE_UP ||
		     action == ACTION_PAGE_DOWN;

	if (moves && table->selected == TABLE_NO_LINE)
		table->selected = table->top;
	else if (action == ACTION_UP || action == ACTION_DOWN)
		page_move_selection(&table->selected, table->n, 1, action == ACTION_DOWN);
	else if (action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN)
		page_by(table, action == ACTION_PAGE_DOWN);
	else if (action == ACTION_HOME)
		table->selected = 0;
	else if (action == ACTION_END)
		table->selected = table->n ? table->n - 1 : 0;
	else if (action == ACTION_LEFT)
		table->scroll -= table->scroll > 0;
	else if (action == ACTION_RIGHT)
		table->scroll += table->more_right;
	else
		return false;
	return true;
}

void table_settle(struct table *table, size_t n, size_t page)
{
	bool none = table->selected == TABLE_NO_LINE;
	bool at_end = table->selected > 0 && table->selected + 1 == table->n;

	if (!none && (at_end || table->selected >= n))
		table->selected = n ? n - 1 : 0;
	table->n = n;
	table->page = page;
	if (table->top + page > n)
		table->top = n > page ? n - page : 0;
	if (none)
		return;
	if (table->selected < table->top)
		table->top = table->selected;
	else if (page > 0 && table->selected >= table->top + page)
		table->top = table->selected - page + 1;
}

/* The first column that scrolls: the first column stays, and a name behind it. */
static size_t first_scrolled(const struct table_rows *rows)
{
	bool name = rows->n_columns > 2 && rows->columns[1].left && rows->columns[1].least;

	return name ? 2 : 1;
}

/*
 * Fits a scrolled table: columns in order, none dropped by weight. The last column stays if it is a
 * name, as figures need one.
 */
static void fit_scrolled(const struct table *table, const struct table_rows *rows, unsigned width,
			 unsigned *widths)
{
	size_t end = rows->n_columns, first = first_scrolled(rows);
	const struct view_column *columns = rows->columns, *last = &columns[end - 1];
	unsigned used = 0;

	memset(widths, 0, end * sizeof(*widths));
	if (end > 1 && last->left && last->least && last->least + 1 + columns[0].width < width)
		width -= last->least + 1;
	else
		last = NULL;
	for (size_t i = 0; i < end - (last != NULL); i++) {
		unsigned gap = i ? 1 : 0, wanted = columns[i].width;

		if (i == 1 && i < first)
			wanted = columns[i].least;
		if (wanted == 0 || (i >= first && i < first + table->scroll))
			continue;
		if (used + gap >= width || (wanted > width - used - gap && i > 0))
			break;
		widths[i] = (unsigned)size_min(wanted, width - used - gap);
		used += gap + widths[i];
	}
	if (last)
		widths[end - 1] = last->least + width - used;
}

static bool any_dropped(const struct table *table, const struct table_rows *rows,
			const unsigned *widths)
{
	for (size_t i = table->scroll + first_scrolled(rows); i < rows->n_columns; i++)
		if (widths[i] == 0 && rows->columns[i].width > 0)
			return !rows->still;
	return false;
}

/* Whether the sign for more columns fits behind the last title and a sort mark. */
static bool has_room_for_sign(const struct table_rows *rows, const unsigned *widths)
{
	size_t last = rows->n_columns - 1;

	while (last > 0 && widths[last] == 0)
		last--;
	return rows->columns[last].left &&
	       widths[last] > text_width(rows->columns[last].title) + MORE_WIDTH;
}

/* If columns are left out, two places at the right edge show it. */
void table_fit(const struct table *table, const struct table_rows *rows, unsigned width,
	       unsigned *widths)
{
	if (rows->n_columns == 0)
		return;
	if (table->reserve)
		width -= table->reserve + 1;
	for (unsigned room = width;; room = width - MORE_WIDTH) {
		if (table->scroll > 0)
			fit_scrolled(table, rows, room, widths);
		else
			view_fit(rows->columns, rows->n_columns, rows->sorted, room, widths);
		if (room < width || width <= MORE_WIDTH || has_room_for_sign(rows, widths) ||
		    !any_dropped(table, rows, widths))
			return;
	}
}

size_t table_neighbour(const struct table *table, const struct table_rows *rows, bool next)
{
	size_t n = rows->n_columns, column = rows->sorted, left = n;
	unsigned *widths = xcalloc(n, sizeof(*widths));

	table_fit(table, rows, table->place.width, widths);
	do
		column = (column + (next ? 1 : n - 1)) % n;
	while ((widths[column] == 0 || !rows->columns[column].title[0]) && --left > 0);
	free(widths);
	return left > 0 ? column : rows->sorted;
}

/* The order that a title shows. */
enum table_sort {
	TABLE_UNSORTED,
	TABLE_DOWN, /* the largest first */
	TABLE_UP,
};

/* The sort mark is behind the title, within the place. A title that is too wide is cut. */
static void draw_title(struct canvas *canvas, struct rect place, bool left, const char *title,
		       enum table_sort sort)
{
	static const char *const marks[][2] = {
		[TABLE_UNSORTED] = {"", ""},
		[TABLE_DOWN] = {"▼", "v"}, /* not '-', which reads as the sign of a number */
		[TABLE_UP] = {"▲", "^"},
	};
	enum style style = sort == TABLE_UNSORTED ? STYLE_HEADER : STYLE_HEADER_SORT;
	unsigned mark = sort != TABLE_UNSORTED, width = text_width(title);

	if (place.width == 0 || place.height == 0)
		return;
	if (width > place.width - mark)
		width = place.width - mark; /* a cut title is readable without an ellipsis */
	if (!left)
		place.x += place.width - mark - width;
	canvas_text(canvas, place.x, place.y, width, style, title);
	canvas_text(canvas, place.x + width, place.y, mark, style, marks[sort][canvas->ascii]);
}

void table_text_draw(struct canvas *canvas, struct rect place, const struct view_column *column,
		     enum style style, const char *text)
{
	if (column->left)
		canvas_text_ellipsis(canvas, place.x, place.y, place.width, style, text);
	else
		canvas_text_right(canvas, place.x, place.y, place.width, style, text);
}

/* Width reserved in front of a column: see table->reserve. */
static unsigned reserved_before(const struct table *table, const struct table_rows *rows,
				size_t column)
{
	bool last_text = column > 0 && column + 1 == rows->n_columns && rows->columns[column].left;

	return table->reserve && last_text ? table->reserve + 1 : 0;
}

/* Where the columns are in a line of that rect. Those that are not shown have no width. */
static struct rect *place_columns(const struct table *table, const struct table_rows *rows,
				  struct rect rect, bool *more_right)
{
	unsigned *widths = xcalloc(rows->n_columns + 1, sizeof(*widths)), x = rect.x;
	struct rect *places = xcalloc(rows->n_columns + 1, sizeof(*places));

	table_fit(table, rows, rect.width, widths);
	for (size_t i = 0; i < rows->n_columns; i++) {
		x += widths[i] ? reserved_before(table, rows, i) : 0;
		places[i] = (struct rect){x, rect.y, widths[i], 1};
		x += widths[i] ? widths[i] + 1 : 0;
	}
	*more_right = any_dropped(table, rows, widths);
	free(widths);
	return places;
}

/* The next shown column; n_columns: none. */
static size_t next_shown(const struct table_rows *rows, const struct rect *places, size_t column)
{
	do
		column++;
	while (column < rows->n_columns && places[column].width == 0);
	return column;
}

/*
 * How many columns of the gap behind the sort column its mark takes: 0 or 1. None where the next
 * title would touch it and the mark has room in its own column.
 */
static unsigned mark_in_gap(const struct table *table, const struct table_rows *rows,
			    const struct rect *places)
{
	size_t at = rows->sorted, next = next_shown(rows, places, at);
	const struct view_column *columns = rows->columns;

	if (columns[at].left)
		return 0;
	if (next == rows->n_columns)
		return view_title_is_full(&columns[at], places[at].width) &&
		       places[at].x + places[at].width < table->place.x + table->place.width;
	if (reserved_before(table, rows, next) ||
	    view_title_is_full(&columns[next], places[next].width))
		return 0;
	return !columns[next].left || view_title_is_full(&columns[at], places[at].width);
}

/* A left-aligned title behind a mark in the gap is a column to the right. */
static void draw_header(const struct table *table, struct canvas *canvas,
			const struct table_rows *rows, const struct rect *places)
{
	unsigned mark = 0;

	for (size_t i = 0; i < rows->n_columns; i++) {
		const struct view_column *column = &rows->columns[i];
		enum table_sort sort = i != rows->sorted               ? TABLE_UNSORTED
				       : column->down != rows->reverse ? TABLE_DOWN
								       : TABLE_UP;
		struct rect place = places[i];

		if (place.width == 0)
			continue;
		if (mark > 0 && column->left) {
			place.x++;
			place.width--;
		}
		mark = sort == TABLE_UNSORTED ? 0 : mark_in_gap(table, rows, places);
		place.width += mark;
		draw_title(canvas, place, column->left, column->title, sort);
	}
}

/* The first reserved column. */
static unsigned find_reserved(const struct table *table, const struct table_rows *rows,
			      const struct rect *places)
{
	const struct rect *last = &places[rows->n_columns ? rows->n_columns - 1 : 0];
	bool before = rows->n_columns && reserved_before(table, rows, rows->n_columns - 1);

	if (last->width == 0)
		return last->x;
	return before ? last->x - table->reserve - 1 : last->x + last->width + 1;
}

/* The title or line at x. The gap behind a title belongs to it, as the mark can be there. */
static enum table_part column_at(const struct table *table, const struct table_rows *rows,
				 unsigned x, size_t *at)
{
	enum table_part part = TABLE_NOTHING;
	bool more_right;
	struct rect *places = place_columns(table, rows, table->place, &more_right);

	for (size_t i = 0; i < rows->n_columns; i++)
		if (places[i].width && x >= places[i].x && x <= places[i].x + places[i].width) {
			*at = i;
			part = TABLE_TITLE;
		}
	free(places);
	return part;
}

static unsigned header_lines(const struct table_rows *rows, struct rect place)
{
	return rows->n_columns > 0 && place.height > 1 ? 1 : 0;
}

enum table_part table_at(const struct table *table, const struct table_rows *rows, unsigned x,
			 unsigned y, size_t *at)
{
	struct rect place = table->place;
	unsigned header = header_lines(rows, place);

	if (!rect_has(place, x, y))
		return TABLE_NOTHING;
	if (y - place.y < header)
		return column_at(table, rows, x, at);
	*at = table->top + (y - place.y - header);
	return *at < rows->n ? TABLE_LINE : TABLE_NOTHING;
}

/* The sign for more columns to the right. */
static void draw_more_sign(struct canvas *canvas, struct rect rect)
{
	if (rect.width > MORE_WIDTH)
		canvas_text(canvas, rect.x + rect.width - MORE_WIDTH, rect.y, MORE_WIDTH,
			    STYLE_HEADER_SORT, canvas->ascii ? " >" : " »");
}

/* Draws the lines of a page, and moves places[] to each. */
static void draw_lines(const struct table *table, struct canvas *canvas, struct rect line,
		       const struct table_rows *rows, struct rect *places)
{
	for (size_t i = table->top; i < rows->n && i - table->top < table->page; i++, line.y++) {
		for (size_t k = 0; k < rows->n_columns; k++)
			places[k].y = line.y;
		rows->draw(rows->data, i, canvas, rows->n_columns ? places : &line);
		if (i == table->selected && !table->aside)
			canvas_select(canvas, line);
	}
}

void table_draw(struct table *table, struct canvas *canvas, struct rect rect,
		const struct table_rows *rows, const char *empty)
{
	unsigned header = header_lines(rows, rect);
	struct rect line = {rect.x, rect.y, rect.width, 1};

	table->place = rect;
	if (rect.width == 0 || rect.height == 0)
		return;
	canvas_fill(canvas, rect, STYLE_PLAIN);
	table->scroll = size_min(table->scroll, rows->n_columns ? rows->n_columns - 1 : 0);
	table_settle(table, rows->n, rect.height - header);

	struct rect *places = place_columns(table, rows, line, &table->more_right);
	table->reserved_x = find_reserved(table, rows, places);
	if (header) {
		canvas_fill(canvas, line, STYLE_HEADER);
		draw_header(table, canvas, rows, places);
	}
	if (header && table->more_right)
		draw_more_sign(canvas, line);
	line.y += header;
	draw_lines(table, canvas, line, rows, places);
	if (rows->n == 0) {
		rect.y += header;
		rect.height -= header;
		struct pen pen = {canvas, rect, 0, 0};

		pen_wrap(&pen, 0, STYLE_DIM, empty);
	}
	free(places);
}

struct rect table_cut_free(struct rect *body, size_t n, unsigned least)
{
	struct rect below = *body;

	if (n + 1 + least > body->height)
		return (struct rect){0};
	body->height = (unsigned)n + 1;
	below.y += body->height + 1;
	below.height -= body->height + 1;
	return below;
}
