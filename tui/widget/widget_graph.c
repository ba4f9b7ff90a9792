// SPDX-License-Identifier: MIT
/*
 * Columns are drawn from the newest at the right end. In UTF-8 a column of braille has two values
 * and four steps a line, a graph of one line has eighth blocks; in ASCII a column has one value and
 * the five steps of `ramp`.
 */
#include "tui/widget/widget_graph.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <math.h>
#include <string.h>

double graph_top(const float *values, size_t n, double least)
{
	double most = least;

	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]) && (double)values[i] > most)
			most = (double)values[i];

	double power = pow(10, floor(log10(most)));

	/* The history rounds its values, so a value can be above its round number by 1/256. */
	for (;; power *= 10)
		for (unsigned digit = 1; digit <= 5; digit = digit == 2 ? 5 : digit + 1)
			if (digit * power * (1 + 1.0 / 256) >= most)
				return digit * power;
}

double graph_least(const struct metric_def *def)
{
	return pow(10, 1 - (double)def->decimals);
}

unsigned graph_repeat(const float *values, size_t n)
{
	size_t unknown = 0;
	unsigned repeat = 1;

	while (unknown < n && isnan(values[unknown]))
		unknown++;
	while (repeat < GRAPH_REPEAT_MOST && 2 * repeat * (n - unknown) <= n)
		repeat *= 2;
	return unknown < n ? repeat : 0;
}

static unsigned repeat_of(const struct graph *graph)
{
	return graph->repeat ? graph->repeat : 1;
}

/* Number of filled steps: at least 1 for a known value, 0 for NAN. */
static unsigned filled_steps(const struct graph *graph, size_t i, unsigned steps)
{
	double share = (double)graph->values[i] / graph->top;

	if (isnan(share))
		return 0;
	share = share < 0 ? 0 : share > 1 ? 1 : share;

	unsigned n = (unsigned)(share * steps + 0.5);
	return n ? n : 1;
}

/* Index of the value drawn at `back` places from the right end; n if there is none. */
static size_t from_right(const struct graph *graph, size_t back)
{
	back /= repeat_of(graph);
	return back < graph->n ? graph->n - 1 - back : graph->n;
}

static unsigned filled_back(const struct graph *graph, size_t back, unsigned steps)
{
	size_t i = from_right(graph, back);

	return i < graph->n ? filled_steps(graph, i, steps) : 0;
}

static const char *const ramp[] = {" ", "_", ".", "-", "=", "#"};
enum { RAMP = ARRAY_SIZE(ramp) - 1 };

/*
 * Selects the marked column and draws a line in its empty cells. A graph of one line has the line
 * in any case: in a selected row, the selection alone cannot be seen.
 */
static void draw_mark(const struct graph *graph, unsigned values, struct canvas *canvas,
		      struct rect rect)
{
	unsigned back = (unsigned)(graph->n - 1 - graph->mark) * repeat_of(graph) / values;

	if (!graph->marked || back >= rect.width || rect.x + rect.width > canvas->width)
		return;
	rect.x += rect.width - 1 - back;
	rect.width = 1;
	for (unsigned y = rect.y; y < rect.y + rect.height && y < canvas->height; y++)
		if (rect.height == 1 || strcmp(canvas_at(canvas, rect.x, y)->text, " ") == 0)
			canvas_text(canvas, rect.x, y, 1, graph->style, canvas->ascii ? "|" : "│");
	canvas_select(canvas, rect);
}

void graph_draw_line(const struct graph *graph, struct canvas *canvas, unsigned x, unsigned y,
		     unsigned width)
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

	for (unsigned back = 0; back < width; back++) {
		unsigned steps = canvas->ascii ? RAMP : ARRAY_SIZE(blocks) - 1;
		unsigned n = filled_back(graph, back, steps);

		canvas_text(canvas, x + width - 1 - back, y, 1, graph->style,
			    canvas->ascii ? ramp[n] : blocks[n]);
	}
	draw_mark(graph, 1, canvas, (struct rect){x, y, width, 1});
}

size_t graph_values(const struct canvas *canvas, unsigned width)
{
	return canvas->ascii ? width : 2 * (size_t)width;
}

/* The filled steps of line `line`, counted from the lowest. */
static unsigned steps_in_line(unsigned n, unsigned line, unsigned steps)
{
	unsigned below = line * steps;

	return n <= below ? 0 : n - below < steps ? n - below : steps;
}

/* Bit masks of 0 to 4 braille dots from below. */
static void draw_braille(const struct graph *graph, struct canvas *canvas, struct rect rect)
{
	static const unsigned char left[] = {0, 0x40, 0x44, 0x46, 0x47};
	static const unsigned char right[] = {0, 0x80, 0xa0, 0xb0, 0xb8};
	enum { DOTS = 4 };

	for (unsigned column = 0; column < rect.width; column++) {
		size_t back = 2 * (size_t)(rect.width - 1 - column);
		unsigned n_right = filled_back(graph, back, rect.height * DOTS);
		unsigned n_left = filled_back(graph, back + 1, rect.height * DOTS);

		for (unsigned line = 0; line < rect.height; line++) {
			unsigned dots = left[steps_in_line(n_left, line, DOTS)] |
					right[steps_in_line(n_right, line, DOTS)];
			char text[5] = {0};

			if (!dots)
				break;
			text_encode(0x2800 + dots, text);
			canvas_text(canvas, rect.x + column, rect.y + rect.height - 1 - line, 1,
				    graph->style, text);
		}
	}
}

static void draw_ascii(const struct graph *graph, struct canvas *canvas, struct rect rect)
{
	for (unsigned column = 0; column < rect.width; column++) {
		unsigned n =
			filled_back(graph, rect.width - 1 - column, rect.height * (unsigned)RAMP);

		for (unsigned line = 0; line < rect.height; line++)
			canvas_text(canvas, rect.x + column, rect.y + rect.height - 1 - line, 1,
				    graph->style, ramp[steps_in_line(n, line, RAMP)]);
	}
}

void graph_draw(const struct graph *graph, struct canvas *canvas, struct rect rect)
{
	if (canvas->ascii)
		draw_ascii(graph, canvas, rect);
	else
		draw_braille(graph, canvas, rect);
	draw_mark(graph, canvas->ascii ? 1 : 2, canvas, rect);
}
