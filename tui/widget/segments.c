// SPDX-License-Identifier: MIT
/*
 * The heaviest segment is always shown, and cut if the line is narrow. Each further one, by weight,
 * is shown if it fits: a long segment without room does not keep a short, lighter one away.
 */
#include "tui/widget/segments.h"

#include "core/base/text.h"

#include <stdbool.h>

enum { SEGMENTS_GAP = 2 };

struct segment *segments_add(struct segments *segments, unsigned weight)
{
	if (segments->n < SEGMENTS_MAX)
		segments->n++;

	struct segment *segment = &segments->items[segments->n - 1];

	*segment = (struct segment){.label_style = STYLE_LABEL, .weight = weight};
	return segment;
}

static unsigned segment_text_width(const struct segment *segment)
{
	unsigned width = text_width(segment->text);

	return width > segment->text_width ? width : segment->text_width;
}

static unsigned segment_width(const struct segment *segment)
{
	unsigned label = text_width(segment->label), text = segment_text_width(segment);

	return label + text + (label && text);
}

/* Returns the heaviest segment that is not yet considered, the first of equal ones. */
static size_t heaviest_segment(const struct segments *segments, const bool *considered)
{
	size_t heaviest = SEGMENTS_MAX;

	for (size_t i = 0; i < segments->n; i++)
		if (!considered[i] &&
		    (heaviest == SEGMENTS_MAX ||
		     segments->items[i].weight > segments->items[heaviest].weight))
			heaviest = i;
	return heaviest;
}

static void choose_segments(const struct segments *segments, unsigned width, bool *shown)
{
	bool considered[SEGMENTS_MAX] = {false};
	unsigned used = 0;

	for (size_t n = 0; n < segments->n; n++) {
		size_t i = heaviest_segment(segments, considered);
		unsigned more = segment_width(&segments->items[i]) + (n ? SEGMENTS_GAP : 0);

		considered[i] = true;
		shown[i] = n == 0 || used + more <= width;
		used += shown[i] ? more : 0;
	}
}

void segments_draw(struct segments *segments, struct canvas *canvas, struct rect rect)
{
	bool shown[SEGMENTS_MAX], first = true;
	unsigned x = 0;

	if (rect.height == 0 || rect.width == 0)
		return;
	rect.height = 1;
	canvas_fill(canvas, rect, STYLE_PLAIN);
	choose_segments(segments, rect.width, shown);
	for (size_t i = 0; i < segments->n; i++) {
		struct segment *segment = &segments->items[i];

		if (!shown[i])
			continue;
		if (!first)
			x += SEGMENTS_GAP;
		first = false;
		if (x >= rect.width)
			break;
		segment->x = rect.x + x;
		segment->width = segment_width(segment);
		x += canvas_text(canvas, rect.x + x, rect.y, rect.width - x, segment->label_style,
				 segment->label);
		if (segment->label[0] && segment->text[0])
			x++;
		if (x >= rect.width)
			break;

		unsigned width = segment_text_width(segment);

		canvas_text_right(canvas, rect.x + x, rect.y,
				  width < rect.width - x ? width : rect.width - x,
				  segment->text_style, segment->text);
		x += width;
	}
}
