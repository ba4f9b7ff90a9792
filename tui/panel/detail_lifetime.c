// SPDX-License-Identifier: MIT
/*
 * Where the time of the last interval went: a bar of the lifetime of all threads that ran or
 * waited, and the numbers of its parts. They are in percent of the interval, as in the
 * columns, so n threads have n times 100.
 */
#include "tui/panel/detail_internal.h"

#include "core/base/util.h"
#include "core/snapshot/lifetime.h"
#include "core/view/view.h"
#include "tui/widget/segments.h"
#include "tui/widget/widget_parts.h"

#include <stdio.h>

/* The looks of a part, and how long its number stays on a narrow line. */
struct part_look {
	const char *word;
	char letter;
	const char *fill, *fill_ascii;
	enum style style;
	unsigned weight;
	bool always; /* its number is shown even if it is 0 */
};

static const struct part_look looks[LIFETIME_PARTS] = {
	[LIFETIME_USER] = {"user", 'u', "█", "=", STYLE_METER_LOW, 9, true},
	[LIFETIME_KERNEL] = {"kernel", 'k', "▓", "#", STYLE_METER_LOW, 8, true},
	[LIFETIME_RUN] = {"run", 'r', "█", "=", STYLE_METER_LOW, 9, true},
	[LIFETIME_RUNQ] = {"runq", 'q', "▒", "-", STYLE_METER_MID, 7, true},
	[LIFETIME_THROTTLED] = {"throttled", 't', "▒", "-", STYLE_METER_HIGH, 7, false},
	[LIFETIME_DISK] = {"disk", 'd', "░", "~", STYLE_METER_HIGH, 6, false},
	[LIFETIME_PAGING] = {"paging", 'p', "░", "~", STYLE_METER_HIGH, 6, false},
	[LIFETIME_UNINTERRUPTIBLE] = {"D", 'D', "░", "~", STYLE_METER_HIGH, 6, true},
	[LIFETIME_LOCK] = {"lock", 'l', "░", "~", STYLE_METER_MID, 6, false},
	[LIFETIME_STOPPED] = {"stopped", 'T', "·", ".", STYLE_DIM, 6, false},
	[LIFETIME_SLEEP] = {"sleep", 's', "·", ".", STYLE_DIM, 5, true},
	[LIFETIME_BLOCKED] = {"blocked", 'b', "·", ".", STYLE_DIM, 5, true},
	[LIFETIME_UNKNOWN] = {"unknown", '?', "?", "?", STYLE_DIM, 4, false},
};

/* What is left of the lifetime by rounding of clocks is not worth a part. */
#define UNKNOWN_LEAST 0.001

static const struct metric_def percent = {.unit = "%", .width = 5, .decimals = 1};

static struct figure percent_of(const struct detail_pen *pen, struct figure ns)
{
	ns.value *= 100 / (double)pen->page->snapshot->interval_ns;
	return ns;
}

static bool has_time(const struct lifetime *lifetime, enum lifetime_part part)
{
	return figure_known(lifetime->parts[part]) && lifetime->parts[part].value > 0;
}

/* An unknown part is named if the whole that it may be a part of has taken time. */
static bool is_worth_a_gap(const struct lifetime *lifetime, size_t part)
{
	if (part == LIFETIME_RUNQ || part == LIFETIME_BLOCKED)
		return true;
	if (part == LIFETIME_THROTTLED)
		return has_time(lifetime, LIFETIME_RUNQ);
	if ((part == LIFETIME_DISK || part == LIFETIME_PAGING) &&
	    figure_known(lifetime->parts[LIFETIME_UNINTERRUPTIBLE]))
		return has_time(lifetime, LIFETIME_UNINTERRUPTIBLE);
	return has_time(lifetime, LIFETIME_SLEEP) || has_time(lifetime, LIFETIME_BLOCKED);
}

static bool is_worth_a_number(const struct lifetime *lifetime, size_t part)
{
	struct figure figure = lifetime->parts[part];

	if (figure.state == FIGURE_UNDEFINED)
		return false;
	if (!figure_known(figure))
		return is_worth_a_gap(lifetime, part);
	if (part == LIFETIME_UNKNOWN)
		return figure.value > UNKNOWN_LEAST * lifetime->ns;
	return looks[part].always || figure.value > 0;
}

static void draw_numbers(struct detail_pen *pen, const struct lifetime *lifetime)
{
	struct segments segments = {0};

	for (size_t i = 0; i < LIFETIME_PARTS; i++) {
		struct figure figure = lifetime->parts[i];
		struct cell cell;

		if (!is_worth_a_number(lifetime, i))
			continue;
		unsigned weight = looks[i].weight;
		if (!figure_known(figure))
			weight = 1;
		else if (figure.value >= lifetime->ns / 20)
			weight += 10;
		figure_format(&percent, percent_of(pen, figure), &cell);
		detail_add_segment(&segments, weight, looks[i].word, cell.text)->text_style =
			style_of_cell(cell.role);
	}
	segments_draw(&segments, pen->canvas,
		      (struct rect){pen->rect.x, pen->y++, pen->rect.width, 1});
}

static void draw_bar(struct detail_pen *pen, const struct lifetime *lifetime)
{
	struct part parts[LIFETIME_PARTS];

	for (size_t i = 0; i < LIFETIME_PARTS; i++) {
		const struct part_look *look = &looks[i];
		struct figure figure = lifetime->parts[i];
		bool shown = figure_known(figure) && is_worth_a_number(lifetime, i);

		parts[i] = (struct part){
			shown ? figure.value : 0, look->word, look->letter, look->fill,
			look->fill_ascii,         look->style};
	}
	parts_draw(parts, LIFETIME_PARTS, pen->canvas, pen->rect.x, pen->y++, pen->rect.width);
}

void detail_draw_lifetime(struct detail_pen *pen)
{
	const struct detail_page *page = pen->page;
	size_t threads = page->detail->n_threads;
	struct lifetime lifetime;
	struct cell cell;
	char text[sizeof(cell.text) + 64];

	if (page->subject->ended && page->detail->sum.n == 0)
		return;
	if (!lifetime_read(page->snapshot, page->detail, &lifetime))
		return;
	figure_format(&percent, percent_of(pen, figure_exact(lifetime.ns)), &cell);
	snprintf(text, sizeof(text), "in %% of the interval");
	if (threads > 1)
		snprintf(text, sizeof(text), "in %% of the interval: %s of %zu threads", cell.text,
			 threads);
	detail_pen_heading(pen, "Time", text);
	draw_bar(pen, &lifetime);
	draw_numbers(pen, &lifetime);
	pen->y++;
}
