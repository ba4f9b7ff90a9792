// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_TABLE_H
#define PMCTOP_WIDGET_TABLE_H

#include "core/view/view.h"
#include "tui/term/canvas.h"
#include "tui/term/keymap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A scrolling table of lines from any source, with a selected line. The selection stays on its line
 * number when lines come and go; on the last line it stays on the last line.
 */
#define TABLE_NO_LINE SIZE_MAX

struct table {
	size_t selected; /* TABLE_NO_LINE: none, until the next move up or down */
	size_t top;      /* the first line shown */
	size_t scroll;   /* columns scrolled off, between the first column and the others */
	bool aside;      /* keys go elsewhere: no line is drawn as selected */
	/* Of the last drawing, for paging, clicks, and sorting by shown columns. */
	size_t n;
	size_t page;
	bool more_right;
	/*
	 * Columns left free for the caller between the metrics and a last text column; 0: none.
	 * reserved_x is where they begin, of the last drawing.
	 */
	unsigned reserve;
	unsigned reserved_x;
	struct rect place;
};

/* What a table shows; borrowed. */
struct table_rows {
	/* Those without a width are not shown. One without a title is not sorted by. */
	const struct view_column *columns;
	size_t n_columns; /* 0: there are no titles */
	size_t n;         /* lines */
	size_t sorted;    /* the column of the order; n_columns: none */
	bool reverse;
	bool still; /* columns that do not fit are left out, and cannot be scrolled to */
	/*
	 * Draws a line: each column at its place, which has no width if it is not shown; without
	 * columns the place of the line.
	 */
	void (*draw)(const void *data, size_t line, struct canvas *canvas,
		     const struct rect *places);
	const void *data;
};

/* Moves or scrolls. Returns false for other actions. */
bool table_act(struct table *table, enum action action);

/* Sets the number of lines and the lines of a page, and moves selection and top to fit. */
void table_settle(struct table *table, size_t n, size_t page);

/* Draws titles and lines, or the text `empty` if there are none. */
void table_draw(struct table *table, struct canvas *canvas, struct rect rect,
		const struct table_rows *rows, const char *empty);

/*
 * Cuts what the titles and n lines do not need off the end of *body, with a blank line between, if
 * that is at least so many lines. Else returns an empty rect.
 */
struct rect table_cut_free(struct rect *body, size_t n, unsigned least);

/* Draws a text in a column. */
void table_text_draw(struct canvas *canvas, struct rect place, const struct view_column *column,
		     enum style style, const char *text);

/* The part of the last drawing at a place, for a click. */
enum table_part {
	TABLE_NOTHING,
	TABLE_TITLE, /* *at is a column */
	TABLE_LINE,  /* *at is a line */
};
enum table_part table_at(const struct table *table, const struct table_rows *rows, unsigned x,
			 unsigned y, size_t *at);

/* The shown column beside the sorted one, in a circle, of the last drawing. */
size_t table_neighbour(const struct table *table, const struct table_rows *rows, bool next);

/* Widths of the columns; 0: not shown. */
void table_fit(const struct table *table, const struct table_rows *rows, unsigned width,
	       unsigned *widths);

#endif
