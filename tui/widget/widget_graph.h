// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_GRAPH_H
#define PMCTOP_WIDGET_GRAPH_H

#include "core/metric/metric_def.h"
#include "tui/term/canvas.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Values over time, the newest at the right end. NAN is a gap. A known value always fills at least
 * one step. UTF-8 has eighth blocks or braille, ASCII a ramp.
 */
struct graph {
	const float *values; /* the newest last */
	size_t n;
	double top; /* value of a full column, > 0: graph_top() */
	enum style style;
	unsigned repeat; /* each value is drawn so many times, 0 is 1: graph_repeat() */
	bool marked;     /* the column of value `mark` is selected and has a line */
	size_t mark;
};

/*
 * Returns the least of 1, 2 or 5 times a power of ten that is not below any value and not below
 * `least` (> 0).
 */
double graph_top(const float *values, size_t n, double least);
/* The least top for a metric: a smaller one would only enlarge its last digit. */
double graph_least(const struct metric_def *def);

/*
 * Returns how often each value is drawn so that the values from the first known one on fill at
 * least half of a graph of n values: a power of two up to GRAPH_REPEAT_MOST. 0: none is known.
 */
enum { GRAPH_REPEAT_MOST = 16 };
unsigned graph_repeat(const float *values, size_t n);

/* Draws one line, with one value per column. */
void graph_draw_line(const struct graph *graph, struct canvas *canvas, unsigned x, unsigned y,
		     unsigned width);

/* Number of values for a graph of that width: two per column in braille. */
size_t graph_values(const struct canvas *canvas, unsigned width);
/* Draws a graph of any height. */
void graph_draw(const struct graph *graph, struct canvas *canvas, struct rect rect);

#endif
