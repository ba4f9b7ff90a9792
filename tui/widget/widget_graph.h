// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_GRAPH_H
#define PMCTOP_WIDGET_GRAPH_H

#include "core/metric/metric_def.h"
#include "tui/term/canvas.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Values over time, the newest at the right end. NAN is a gap and drawn as nothing; what is known
 * is drawn, however small it is. Columns are filled from below: in UTF-8 with eighth blocks or
 * braille, in ASCII with a ramp.
 */
struct graph {
	const float *values; /* the newest at the end */
	size_t n;
	double top; /* what a full column is: > 0, as of graph_top */
	enum style style;
	bool marked; /* the column of value `mark` stands out: selected, and with a line in it */
	size_t mark;
};

/*
 * A round number, 1, 2 or 5 times a power of ten, that no value exceeds; at least `least`, which is
 * > 0: what is the top of a scale when there is nothing to see.
 */
double graph_top(const float *values, size_t n, double least);
/* The least top that makes sense for a metric: below, one would look at its last digit. */
double graph_least(const struct metric_def *def);

/* One line high: a value a column. */
void graph_draw_line(const struct graph *graph, struct canvas *canvas, unsigned x, unsigned y,
		     unsigned width);

/* How many values a graph so wide shows: two a column in braille. */
size_t graph_values(const struct canvas *canvas, unsigned width);
/* Any height. */
void graph_draw(const struct graph *graph, struct canvas *canvas, struct rect rect);

#endif
