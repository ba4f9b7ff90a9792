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

/*
 * Fits a scrolled table: columns in order, none dropped by weight. The last column stays if it is a
 * name, as figures need one.
 */
static void fit_scrolled(const struct table *table, const struct view *view, unsigned width,
			 unsigned *widths)
{
	size_t end = view->n_columns;
	const struct view_column *last = &view->columns[end - 1];
	unsigned used = 0;

	memset(widths, 0, view->n_columns * sizeof(*widths));
	if (end > 1 && last->left && last->least &&
	    last->least + 1 + view->columns[0].width < width)
		width -= last->least + 1;
	else
		last = NULL;
	for (size_t i = 0; i < end - (last != NULL); i++) {
		unsigned gap = i ? 1 : 0, wanted = view->columns[i].width;

		if (i > 0 && i <= table->scroll)
			continue;
		if (used + gap >= width || (wanted > width - used - gap && i > 0))
			break;
		widths[i] = (unsigned)size_min(wanted, width - used - gap);
		used += gap + widths[i];
	}
	if (last)
		widths[end - 1] = last->least + width - used;
}

static bool any_dropped(const struct table *table, const struct view *view, const unsigned *widths)
{
	for (size_t i = table->scroll + 1; i < view->n_columns; i++)
		if (widths[i] == 0)
			return true;
	return false;
}

/* Whether the sign for more columns fits behind the last title and a sort mark. */
static bool has_room_for_sign(const struct view *view, const unsigned *widths)
{
	size_t last = view->n_columns - 1;

	return view->columns[last].left &&
	       widths[last] > text_width(view->columns[last].title) + MORE_WIDTH;
}

/* If columns are left out, two places at the right edge show it. */
void table_fit(const struct table *table, const struct view *view, unsigned width, unsigned *widths)
{
	if (view->n_columns == 0)
		return;
	if (table->reserve)
		width -= table->reserve + 1;
	for (unsigned room = width;; room = width - MORE_WIDTH) {
		if (table->scroll > 0)
			fit_scrolled(table, view, room, widths);
		else
			view_fit(view, room, widths);
		if (room < width || width <= MORE_WIDTH || has_room_for_sign(view, widths) ||
		    !any_dropped(table, view, widths))
			return;
	}
}

static void draw_text(struct canvas *canvas, unsigned x, unsigned y, unsigned width,
		      const struct view_column *column, enum style style, const char *text)
{
	if (column->left)
		canvas_text_ellipsis(canvas, x, y, width, style, text);
	else
		canvas_text_right(canvas, x, y, width, style, text);
}

void table_title_draw(struct canvas *canvas, struct rect place, bool left, const char *title,
		      enum table_sort sort)
{
	static const char *const marks[][2] = {
		[TABLE_UNSORTED] = {"", ""},
		[TABLE_DOWN] = {"▼", "-"}, /* in ASCII as htop's: letters could be of the title */
		[TABLE_UP] = {"▲", "+"},
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

/* Width reserved in front of a column: see table->reserve. */
static unsigned reserved_before(const struct table *table, const struct view *view, size_t column)
{
	bool last_text = column > 0 && column + 1 == view->n_columns && view->columns[column].left;

	return table->reserve && last_text ? table->reserve + 1 : 0;
}

/* The first reserved column. */
static unsigned find_reserved(const struct table *table, const struct view *view, struct rect rect,
			      const unsigned *widths)
{
	unsigned x = rect.x;

	for (size_t i = 0; i < view->n_columns && !reserved_before(table, view, i); i++)
		x += widths[i] ? widths[i] + 1 : 0;
	return x;
}

/* The next shown column; n_columns: none. */
static size_t next_shown(const struct view *view, const unsigned *widths, size_t column)
{
	do
		column++;
	while (column < view->n_columns && widths[column] == 0);
	return column;
}

/*
 * How many columns of the gap behind the sort column its mark takes: 0 or 1. None where the next
 * title would touch it and the mark has room in its own column.
 */
static unsigned mark_in_gap(const struct table *table, const struct view *view,
			    const unsigned *widths)
{
	size_t at = view->sort_column, next = next_shown(view, widths, at);
	const struct view_column *column = &view->columns[at];

	if (column->left || next == view->n_columns)
		return 0;
	if (reserved_before(table, view, next) ||
	    view_title_is_full(&view->columns[next], widths[next]))
		return 0;
	return !view->columns[next].left || view_title_is_full(column, widths[at]);
}

/* A left-aligned title behind a mark in the gap is a column to the right. */
static void draw_header(const struct table *table, struct canvas *canvas, struct rect rect,
			const struct view *view, const unsigned *widths)
{
	unsigned x = rect.x, mark = 0;

	canvas_fill(canvas, (struct rect){rect.x, rect.y, rect.width, 1}, STYLE_HEADER);
	for (size_t i = 0; i < view->n_columns; i++) {
		const struct view_column *column = &view->columns[i];
		enum table_sort sort = i != view->sort_column               ? TABLE_UNSORTED
				       : column->down != view->spec.reverse ? TABLE_DOWN
									    : TABLE_UP;
		struct rect place = {x, rect.y, widths[i], 1};

		if (widths[i] == 0)
			continue;
		place.x += reserved_before(table, view, i);
		x = place.x + widths[i] + 1;
		if (mark > 0 && column->left) {
			place.x++;
			place.width--;
		}
		mark = sort == TABLE_UNSORTED ? 0 : mark_in_gap(table, view, widths);
		place.width += mark;
		table_title_draw(canvas, place, column->left, column->title, sort);
	}
}

/* A tagged line has '*' between the first and the second column. */
static void draw_table_line(const struct table *table, struct canvas *canvas, unsigned y,
			    struct rect rect, const struct view *view, const unsigned *widths,
			    size_t line)
{
	bool tagged = table->tags && row_refs_at(table->tags, view, line);
	unsigned x = rect.x;

	if (tagged && x + widths[0] < rect.x + rect.width)
		canvas_text(canvas, x + widths[0], y, 1, STYLE_TAGGED, "*");
	for (size_t i = 0; i < view->n_columns; i++) {
		struct cell cell;

		if (widths[i] == 0)
			continue;
		x += reserved_before(table, view, i);
		view_cell(view, line, i, &cell);
		draw_text(canvas, x, y, widths[i], &view->columns[i],
			  tagged ? STYLE_TAGGED : style_of_cell(cell.role), cell.text);
		x += widths[i] + 1;
	}
}

/* The title or line at x. The gap behind a title belongs to it, as the mark can be there. */
static enum table_part column_at(const struct table *table, const struct view *view, unsigned x,
				 size_t *at)
{
	unsigned *widths = xcalloc(view->n_columns + 1, sizeof(*widths));
	enum table_part part = TABLE_NOTHING;
	unsigned end = 0;

	table_fit(table, view, table->place.width, widths);
	for (size_t i = 0; i < view->n_columns && x >= end; i++) {
		unsigned begin = end + reserved_before(table, view, i);

		if (widths[i] == 0)
			continue;
		end = begin + widths[i] + 1;
		if (x >= begin && x < end) {
			*at = i;
			part = TABLE_TITLE;
		}
	}
	free(widths);
	return part;
}

enum table_part table_at(const struct table *table, const struct view *view, unsigned x, unsigned y,
			 size_t *at)
{
	struct rect place = table->place;
	unsigned header = place.height > 1 ? 1 : 0;

	if (!rect_has(place, x, y))
		return TABLE_NOTHING;
	if (y - place.y < header)
		return column_at(table, view, x - place.x, at);
	*at = table->top + (y - place.y - header);
	return *at < view->n ? TABLE_LINE : TABLE_NOTHING;
}

/* The sign for more columns to the right. */
static void draw_more_sign(struct canvas *canvas, struct rect rect)
{
	if (rect.width > MORE_WIDTH)
		canvas_text(canvas, rect.x + rect.width - MORE_WIDTH, rect.y, MORE_WIDTH,
			    STYLE_HEADER_SORT, canvas->ascii ? " >" : " »");
}

void table_draw(struct table *table, struct canvas *canvas, struct rect rect,
		const struct view *view, const char *empty)
{
	table->place = rect;
	if (rect.width == 0 || rect.height == 0)
		return;

	unsigned header = rect.height > 1 ? 1 : 0;
	unsigned *widths = xcalloc(view->n_columns + 1, sizeof(*widths));

	canvas_fill(canvas, rect, STYLE_PLAIN);
	table->scroll = size_min(table->scroll, view->n_columns ? view->n_columns - 1 : 0);
	table->width = rect.width;
	table_settle(table, view->n, rect.height - header);
	table_fit(table, view, rect.width, widths);
	table->reserved_x = find_reserved(table, view, rect, widths);
	table->more_right = any_dropped(table, view, widths);
	if (header)
		draw_header(table, canvas, rect, view, widths);
	if (header && table->more_right)
		draw_more_sign(canvas, rect);
	for (size_t i = 0; i < table->page && table->top + i < view->n; i++) {
		unsigned y = rect.y + header + (unsigned)i;

		draw_table_line(table, canvas, y, rect, view, widths, table->top + i);
		if (table->top + i == table->selected)
			canvas_select(canvas, (struct rect){rect.x, y, rect.width, 1});
	}
	if (view->n == 0) {
		rect.y += header;
		rect.height -= header;
		struct pen pen = {canvas, rect, 0, 0};

		pen_wrap(&pen, 0, STYLE_DIM, empty);
	}
	free(widths);
}
