// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_INTERNAL_H
#define PMCTOP_DETAIL_INTERNAL_H

#include "tui/panel/detail_page.h"
#include "tui/widget/segments.h"

#include <stddef.h>

/* Shared by the parts of a detail page. */

/* Writes the lines of a page into one column of the canvas. */
struct detail_pen {
	const struct detail_page *page;
	struct canvas *canvas;
	struct rect rect;
	unsigned y;
	unsigned graph_lines; /* of each graph, without its title */
	size_t *graphs;       /* metrics with a graph, and a column of the threads */
	size_t n_graphs;
};

enum { DETAIL_SHARE_WIDTH = 6 };

/* A line with a title and a dim text behind it. */
void detail_pen_heading(struct detail_pen *pen, const char *title, const char *rest);
/*
 * Writes a cell of `width` columns at *x, and moves *x behind it and a blank. Text right of the
 * rect is cut.
 */
void detail_pen_right(struct detail_pen *pen, unsigned *x, unsigned width, enum style style,
		      const char *text);
void detail_pen_left(struct detail_pen *pen, unsigned *x, unsigned width, enum style style,
		     const char *text);

/* A segment in the usual styles, which the caller may change. */
struct segment *detail_add_segment(struct segments *segments, unsigned weight, const char *label,
				   const char *text);

/* The parts. Each begins at pen->y and ends with a blank line. */
void detail_draw_functions(struct detail_pen *pen);
void detail_draw_lifetime(struct detail_pen *pen);
void detail_draw_looks(struct detail_pen *pen);
void detail_draw_waits(struct detail_pen *pen);
void detail_draw_cgroup(struct detail_pen *pen);
void detail_draw_competitors(struct detail_pen *pen);
void detail_draw_tree(struct detail_pen *pen);
void detail_draw_threads(struct detail_pen *pen);
void detail_draw_counts(struct detail_pen *pen);

#endif
