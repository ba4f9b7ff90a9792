// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_PAGE_H
#define PMCTOP_DETAIL_PAGE_H

#include "core/snapshot/detail.h"
#include "core/snapshot/event_totals.h"
#include "core/snapshot/history.h"
#include "core/snapshot/snapshot.h"
#include "tui/panel/detail_looks.h"
#include "tui/panel/detail_subject.h"
#include "tui/panel/detail_waits.h"
#include "tui/panel/graph_range.h"
#include "tui/term/canvas.h"

/*
 * The details of one row, in this order, as far as there is room: identity, its hottest functions
 * if code was sampled, where its time went (unknown in a profile), why it is blocked now, its
 * single waits, the limits of its cgroup, the processes that ran while it waited for a CPU, history
 * of its metrics, its ancestors and children, its threads (for a CPU: the threads that ran there),
 * the CPUs where it ran, its counts.
 */
struct detail_page {
	const struct snapshot *snapshot;
	const struct graph_range *graph_range;
	const struct detail *detail; /* the row's sums in that snapshot */
	const struct detail_subject *subject;
	unsigned step; /* graph_range_read() */
	/* totals since the page was opened; NULL: the page is below a list, without totals */
	const struct event_totals *totals;
	const struct detail_waits *waits; /* since then; NULL: as totals */
	const struct detail_looks *looks; /* the latest ones; NULL: none */
};

/*
 * Returns the number of lines of the whole page. Cells outside of the canvas are not drawn.
 * rect.height: the lines that the user sees at once, which the graphs can fill.
 */
unsigned detail_page_draw(const struct detail_page *page, struct canvas *canvas, struct rect rect);

/*
 * A page beside and below a list: all but the history, in one column, cut at the end of the canvas;
 * and the history, of as many metrics as fit.
 */
void detail_page_draw_side(const struct detail_page *page, struct canvas *canvas, struct rect rect);
void detail_page_draw_history(const struct detail_page *page, struct canvas *canvas,
			      struct rect rect);

#endif
