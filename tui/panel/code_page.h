// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_PAGE_H
#define PMCTOP_CODE_PAGE_H

#include "core/view/code_sum.h"
#include "core/view/code_view.h"
#include "core/view/view.h"
#include "tui/term/canvas.h"
#include "tui/term/keymap.h"
#include "tui/widget/widget_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The functions of a row, one a line: share, samples, metrics, module, name. Shares and metrics
 * have their standard errors. One event at a time, the tab, is what shares are of. With a baseline
 * shares and metrics are differences from it, and functions of the baseline that did not run again
 * are listed too.
 */
struct code_page_line {
	const struct code_function *function; /* borrowed from a sum */
	uint32_t id;                          /* in the profile of `sum`; UINT32_MAX: not there */
	struct code_share now, then;
	const struct figure *figures, *figures_then; /* NULL: it did not run */
	const double *errors, *errors_then;          /* of the figures, as in struct code_line */
};

enum { CODE_METRICS_MAX = 48 };

/* A zeroed page is empty. */
struct code_page {
	enum history_kind kind;    /* of the row */
	struct code_sum sum, then; /* owned; `then` empty: no baseline */
	struct code_view view, view_then;
	bool compares;  /* lines are differences from `then` */
	unsigned event; /* of the sum's profile */
	struct code_page_line *lines;
	size_t n;
	const char *hint; /* code_hint() of the sum */

	char event_name[64]; /* of the tab; "": time */
	char sort[64];       /* name of a column; "": the share */
	bool reverse;
	uint64_t followed; /* code_page_id() of the line that stays selected; 0: none */
	/*
	 * hash_text() of the names of metrics that are columns. A metric is one from the first
	 * figure of a function on, so columns come one by one and do not go.
	 */
	uint64_t metrics[CODE_METRICS_MAX];
	size_t n_metrics;
	struct table table;
};

void code_page_fini(struct code_page *page);

/* Shows a sum, which is moved into the page and left empty. */
void code_page_show(struct code_page *page, enum history_kind kind, struct code_sum *sum);
/* Compares with a sum, which is moved in and left empty; an empty one ends the comparison. */
void code_page_compare(struct code_page *page, struct code_sum *then);

/* The number of events, 0 without a sum, and their names. */
size_t code_page_events(const struct code_page *page);
const char *code_page_event(const struct code_page *page, size_t event);
/* Shows the next or the previous event, in a circle. */
void code_page_turn(struct code_page *page, bool next);

/* Shows that event, < code_page_events(). */
void code_page_show_event(struct code_page *page, size_t event);

/* Moves, sorts. Returns false for other actions. */
bool code_page_act(struct code_page *page, enum action action);
/*
 * Selects the next line whose function or module has the text (in any case of letters), from line
 * `from` on, in a circle, and follows it. Returns false if there is none.
 */
bool code_page_search(struct code_page *page, const char *text, size_t from);
/*
 * A click at a place of the last drawing: selects a line, sorts by a title, or reverses. Returns
 * whether it was on a line.
 */
bool code_page_click(struct code_page *page, unsigned x, unsigned y);
/* The selected line, or NULL. */
const struct code_page_line *code_page_selected(const struct code_page *page);
/* A number for the function that is the same in all profiles. */
uint64_t code_page_id(const struct code_function *function);

/* A text in place of the lines if there are none. */
void code_page_draw(struct code_page *page, struct canvas *canvas, struct rect rect,
		    const char *empty);

/* The columns of a page, in code_page_draw.c. */
enum code_column_kind {
	CODE_COLUMN_SHARE,
	CODE_COLUMN_BAR,
	CODE_COLUMN_SAMPLES,
	CODE_COLUMN_METRIC,
	CODE_COLUMN_MODULE,
	CODE_COLUMN_FUNCTION,
};

enum { CODE_COLUMNS_MAX = CODE_METRICS_MAX + 5 };

struct code_columns {
	const struct code_page *page;
	struct view_column items[CODE_COLUMNS_MAX];
	enum code_column_kind kinds[CODE_COLUMNS_MAX];
	size_t n;
};

/* The page as rows of a table of that width. They borrow *columns, which is filled. */
struct table_rows code_page_rows(const struct code_page *page, unsigned width,
				 struct code_columns *columns);
/* Whether lines are in the order of texts, which goes up unless it is reversed. */
bool code_page_sorts_by_text(const struct code_page *page);
/* Whether a metric of the sum's columns is a column. */
bool code_page_has_metric(const struct code_page *page, size_t metric);
/* What a column of a metric shows in a line: the figure, or the difference. */
struct figure code_page_figure(const struct code_page *page, const struct code_page_line *line,
			       int metric);
/* The standard error of that; 0: none, or unknown. */
double code_page_error(const struct code_page *page, const struct code_page_line *line, int metric);
/* What the column of shares shows in a line. */
struct code_share code_page_share(const struct code_page *page, const struct code_page_line *line);

#endif
