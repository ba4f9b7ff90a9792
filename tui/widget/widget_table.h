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
 * A scrolling table over a view, with a selected line. The selection stays on its line while rows
 * come and go under it, as in top and htop; on the last line it stays on the last line.
 */
#define TABLE_NO_LINE SIZE_MAX

struct table {
	size_t selected;             /* TABLE_NO_LINE: none, until the next move up or down */
	size_t top;                  /* the first line shown */
	size_t scroll;               /* columns scrolled off between the first one and the rest */
	const struct row_refs *tags; /* the rows that stand out; NULL: none */
	/* What the last drawing showed, for paging and for the columns that can be sorted by. */
	size_t n;
	size_t page;
	unsigned width;
	bool more_right;
	/*
	 * Columns that are left to someone else, behind the metrics and before a text that is last;
	 * 0: none. Where they are then: of the last drawing.
	 */
	unsigned reserve;
	unsigned reserved_x;
	struct rect place;
};

/* Whether the action was one of moving. */
bool table_act(struct table *table, enum action action);

/* There are n lines now, of which a page can be shown: where the selection and the top are. */
void table_settle(struct table *table, size_t n, size_t page);

/* Header line and rows; `empty` is said where there are none. */
void table_draw(struct table *table, struct canvas *canvas, struct rect rect,
		const struct view *view, const char *empty);

/* What was drawn at a place, as a click means it. */
enum table_part {
	TABLE_NOTHING,
	TABLE_TITLE, /* *at is a column */
	TABLE_LINE,  /* *at is a line of the view */
};
enum table_part table_at(const struct table *table, const struct view *view, unsigned x, unsigned y,
			 size_t *at);

/* The columns' widths, 0 for those not shown: widths has view->n_columns items. */
void table_fit(const struct table *table, const struct view *view, unsigned width,
	       unsigned *widths);

#endif
