// SPDX-License-Identifier: MIT
/*
 * Columns are dealt out by the largest remainder. Parts below one column get theirs first, and the
 * others share the rest in proportion.
 */
#include "tui/widget/widget_parts.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Gives one column to each part that has less, and returns the columns that are left. */
static unsigned give_least(const struct part *parts, size_t n, unsigned width, unsigned *cells)
{
	unsigned left = width;
	bool more = true;

	while (more) {
		double sum = 0;

		more = false;
		for (size_t i = 0; i < n; i++)
			sum += cells[i] ? 0 : parts[i].value;
		for (size_t i = 0; i < n && left > 0; i++) {
			if (cells[i] || parts[i].value <= 0 || parts[i].value * left >= sum)
				continue;
			cells[i] = 1;
			left--;
			more = true;
			break; /* the others' shares have changed */
		}
	}
	return left;
}

/* The part with the largest rest of a column. */
static size_t largest_rest(const double *rests, size_t n)
{
	size_t largest = 0;

	for (size_t i = 1; i < n; i++)
		if (rests[i] > rests[largest])
			largest = i;
	return largest;
}

void parts_divide(const struct part *parts, size_t n, unsigned width, unsigned *cells)
{
	double *rests = xcalloc(n, sizeof(*rests)), sum = 0;
	unsigned left, dealt = 0;

	memset(cells, 0, n * sizeof(*cells));
	left = give_least(parts, n, width, cells);
	for (size_t i = 0; i < n; i++)
		sum += cells[i] ? 0 : parts[i].value;
	for (size_t i = 0; i < n; i++) {
		rests[i] = -1;
		if (cells[i] || parts[i].value <= 0)
			continue;
		double share = parts[i].value / sum * left;
		cells[i] = (unsigned)share;
		rests[i] = share - cells[i];
		dealt += cells[i];
	}
	for (; sum > 0 && dealt < left; dealt++) {
		size_t i = largest_rest(rests, n);

		cells[i]++;
		rests[i] = -1;
	}
	free(rests);
}

static void draw_part(const struct part *part, struct canvas *canvas, unsigned x, unsigned y,
		      unsigned width)
{
	const char letter[2] = {part->letter};
	const char *word = text_width(part->word) < width ? part->word : letter;

	for (unsigned i = 0; i < width; i++)
		canvas_text(canvas, x + i, y, 1, part->style,
			    canvas->ascii ? part->fill_ascii : part->fill);
	if (width > 1)
		canvas_text(canvas, x, y, width, part->style, word);
}

void parts_draw(const struct part *parts, size_t n, struct canvas *canvas, unsigned x, unsigned y,
		unsigned width)
{
	unsigned *cells = xcalloc(n, sizeof(*cells));

	if (width > 2) {
		parts_divide(parts, n, width - 2, cells);
		canvas_text(canvas, x++, y, 1, STYLE_METER_EMPTY, "[");
		canvas_text(canvas, x + width - 2, y, 1, STYLE_METER_EMPTY, "]");
	}
	for (size_t i = 0; i < n; x += cells[i++])
		draw_part(&parts[i], canvas, x, y, cells[i]);
	free(cells);
}
