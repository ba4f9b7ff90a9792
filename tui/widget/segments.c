// SPDX-License-Identifier: MIT
/*
 * The heaviest segment is always shown, and cut if the line is narrow. Each further one, by weight,
 * is shown if it fits: a long segment without room does not keep a short, lighter one away.
 */
#include "tui/widget/segments.h"

#include "core/base/text.h"
#include "core/base/util.h"

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

enum segment_form { FORM_HIDDEN, FORM_BRIEF, FORM_FULL };

/* Brief forms first, so that each of them has room. The rest of the line is for full ones. */
static void choose_forms(const struct segments *segments, unsigned width, enum segment_form *forms)
{
	bool considered[SEGMENTS_MAX] = {false}, fits;
	size_t order[SEGMENTS_MAX] = {0};
	unsigned used = 0, n_shown = 0;

	for (size_t n = 0; n < segments->n; n++) {
		order[n] = heaviest_segment(segments, considered);
		considered[order[n]] = true;
	}
	for (size_t n = 0; n < segments->n; n++) {
		size_t i = order[n];
		unsigned brief = text_width(segments->items[i].brief);

		brief += n_shown ? SEGMENTS_GAP : 0;
		fits = segments->items[i].brief[0] && used + brief <= width;
		forms[i] = fits ? FORM_BRIEF : FORM_HIDDEN;
		used += fits ? brief : 0;
		n_shown += fits;
	}
	for (size_t n = 0; n < segments->n; n++) {
		const struct segment *segment = &segments->items[order[n]];
		unsigned more = segment_width(segment);

		if (forms[order[n]] == FORM_BRIEF)
			more -= (unsigned)size_min(more, text_width(segment->brief));
		else
			more += n_shown ? SEGMENTS_GAP : 0;
		fits = used + more <= width || n_shown == 0;
		n_shown += fits && forms[order[n]] == FORM_HIDDEN;
		used += fits ? more : 0;
		if (fits)
			forms[order[n]] = FORM_FULL;
	}
}

/* Returns the number of columns that were drawn. */
static unsigned draw_segment(const struct segment *segment, struct canvas *canvas, unsigned x,
			     unsigned y, unsigned room)
{
	unsigned label = canvas_text(canvas, x, y, room, segment->label_style, segment->label);

	if (segment->label[0] && segment->text[0])
		label++;
	if (label >= room)
		return room;

	unsigned width = (unsigned)size_min(segment_text_width(segment), room - label);

	canvas_text_right(canvas, x + label, y, width, segment->text_style, segment->text);
	return label + width;
}

void segments_draw(struct segments *segments, struct canvas *canvas, struct rect rect)
{
	enum segment_form forms[SEGMENTS_MAX];
	unsigned x = 0;

	if (rect.height == 0 || rect.width == 0)
		return;
	rect.height = 1;
	canvas_fill(canvas, rect, STYLE_PLAIN);
	choose_forms(segments, rect.width, forms);
	for (size_t i = 0; i < segments->n; i++) {
		struct segment *segment = &segments->items[i];

		if (forms[i] == FORM_HIDDEN)
			continue;
		if (x > 0)
			x += SEGMENTS_GAP;
		if (x >= rect.width)
			break;
		segment->x = rect.x + x;
		if (forms[i] == FORM_BRIEF)
			x += canvas_text(canvas, segment->x, rect.y, rect.width - x,
					 segment->text_style, segment->brief);
		else
			x += draw_segment(segment, canvas, segment->x, rect.y, rect.width - x);
		segment->width = rect.x + x - segment->x;
	}
}
