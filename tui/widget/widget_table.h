// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_TABLE_H
#define PMCTOP_WIDGET_TABLE_H

#include "core/view/view.h"
#include "tui/term/canvas.h"
#include "tui/term/keymap.h"
#include "tui/widget/row_ref.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A scrolling table over a view, with a selected line. As in top and htop, the selection stays on
 * its line number when rows come and go; on the last line it stays on the last line.
 */
#define TABLE_NO_LINE SIZE_MAX

struct table {
	size_t selected; /* TABLE_NO_LINE: none, until the next move up or down */
	size_t top;      /* the first line shown */
	size_t scroll;   /* columns scrolled off, between the first column and the others */
	const struct row_refs *tags; /* rows drawn as tagged; NULL: none */
	/* Of the last drawing, for paging and for sorting by shown columns. */
	size_t n;
	size_t page;
	unsigned width;
	bool more_right;
	/*
	 * Columns left free for the caller between the metrics and a last text column; 0: none.
	 * reserved_x is where they begin, of the last drawing.
	 */
	unsigned reserve;
	unsigned reserved_x;
	struct rect place;
};

/* Moves or scrolls. Returns false for other actions. */
bool table_act(struct table *table, enum action action);

/* Sets the number of lines and the lines of a page, and moves selection and top to fit. */
void table_settle(struct table *table, size_t n, size_t page);

/* Draws header and rows, or the text `empty` if there are none. */
void table_draw(struct table *table, struct canvas *canvas, struct rect rect,
		const struct view *view, const char *empty);

/* The order that a title shows. */
enum table_sort {
	TABLE_UNSORTED,
	TABLE_DOWN, /* the largest first */
	TABLE_UP,
};
/*
 * Draws the title of a column. The sort mark is behind it, within the place. A title that is too
 * wide is cut.
 */
void table_title_draw(struct canvas *canvas, struct rect place, bool left, const char *title,
		      enum table_sort sort);

/* The part of the last drawing at a place, for a click. */
enum table_part {
	TABLE_NOTHING,
	TABLE_TITLE, /* *at is a column */
	TABLE_LINE,  /* *at is a line of the view */
};
enum table_part table_at(const struct table *table, const struct view *view, unsigned x, unsigned y,
			 size_t *at);

/* Widths of view->n_columns columns; 0: not shown. */
void table_fit(const struct table *table, const struct view *view, unsigned width,
	       unsigned *widths);

#endif
