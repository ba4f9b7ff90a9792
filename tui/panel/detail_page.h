// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_PAGE_H
#define PMCTOP_DETAIL_PAGE_H

#include "core/snapshot/detail.h"
#include "core/snapshot/event_totals.h"
#include "core/snapshot/history.h"
#include "core/snapshot/snapshot.h"
#include "tui/panel/detail_subject.h"
#include "tui/panel/graph_range.h"
#include "tui/term/canvas.h"

/*
 * What is told of one row: who it is, the past of its metrics, its threads (of a CPU, who ran
 * there), where it ran, and what was counted, in this order, as far as there is room.
 */
struct detail_page {
	const struct snapshot *snapshot;
	const struct graph_range *graph_range;
	const struct detail *detail; /* of the subject in that snapshot */
	const struct detail_subject *subject;
	unsigned step; /* how coarse the past is: graph_range_read */
	/* Since when it is looked at; NULL: that is only in passing, and keys are for others. */
	const struct event_totals *totals;
};

/* Returns how many lines the whole page has; what is drawn outside of the canvas is cut off. */
unsigned detail_page_draw(const struct detail_page *page, struct canvas *canvas, struct rect rect);

#endif
