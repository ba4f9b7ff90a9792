// SPDX-License-Identifier: MIT
/*
 * The counts of a detail page: one line per counter, with the total since the page was opened and
 * the times of the counter's group. A total can grow for days, so it is cut to thousands, millions
 * and so on when its column is full.
 */
#include "tui/panel/detail_internal.h"

#include "core/base/figure_mark.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/sampled_event.h"
#include "tui/options/duration.h"

#include <stdio.h>
#include <string.h>

enum {
	EVENT_WIDTH = 44, /* at most */
	NUMBER_WIDTH = 15,
	TIME_WIDTH = 10,
};

/* Writes the total with its mark into NUMBER_WIDTH columns. */
static void format_total(const struct event_sum *sum, char *text, size_t size)
{
	static const char units[] = " kMGTPE";
	double value = sum->total.value;

	for (const char *unit = units; *unit; unit++, value /= 1000) {
		char number[40];

		text_grouped(number, sizeof(number), (uint64_t)value);
		snprintf(text, size, "%s%s%.1s", figure_mark(sum->total.state), number,
			 *unit == ' ' ? "" : unit);
		if (strlen(text) <= NUMBER_WIDTH)
			return;
	}
}

static void format_ms(uint64_t ns, char *text, size_t size)
{
	size_t length = text_fixed(text, size - 3, (double)ns / (double)NS_PER_MS, 1);

	memcpy(text + length, " ms", 4);
}

static unsigned event_width(const struct detail_pen *pen)
{
	unsigned others = NUMBER_WIDTH + 2 * TIME_WIDTH + DETAIL_SHARE_WIDTH + 4 +
			  (pen->page->totals ? NUMBER_WIDTH + 1 : 0);
	unsigned width = pen->rect.width > others ? pen->rect.width - others : 0;

	return width < EVENT_WIDTH ? width : EVENT_WIDTH;
}

/* A counter that did not run, although there was something to count, has no count: "-". */
static void put_count(struct detail_pen *pen, unsigned *x, uint64_t count, bool missed)
{
	char text[48] = "-";

	if (!missed)
		text_grouped(text, sizeof(text), count);
	detail_pen_right(pen, x, NUMBER_WIDTH, count ? STYLE_PLAIN : STYLE_DIM, text);
}

/* Counters of software that always run (before TALLY_FIRST_COUNTED) have no times. */
static void draw_count(struct detail_pen *pen, const char *name, unsigned index,
		       const struct event_sum *sum)
{
	const struct plan *plan = pen->page->snapshot->columns->plan;
	const uint64_t *tally = pen->page->detail->sum.tallies;
	const struct plan_group *group = &plan->groups[plan->counters[index].group];
	bool timed = index >= TALLY_FIRST_COUNTED;
	uint64_t enabled_ns = timed ? tally[tally_domain(&plan->shape, group->domain)] : 0;
	uint64_t running_ns =
		timed ? tally[tally_group(&plan->shape, plan->counters[index].group)] : 0;
	uint64_t count = 0;
	unsigned x = pen->rect.x;
	char text[48] = "";

	for (unsigned i = index; i < plan_next_counter(plan, index); i++)
		count += tally[i];
	detail_pen_left(pen, &x, event_width(pen), STYLE_NAME, name);
	put_count(pen, &x, count, enabled_ns > 0 && running_ns == 0);
	if (sum)
		format_total(sum, text, sizeof(text));
	if (pen->page->totals)
		detail_pen_right(pen, &x, NUMBER_WIDTH, STYLE_PLAIN, text);
	if (timed) {
		format_ms(enabled_ns, text, sizeof(text));
		detail_pen_right(pen, &x, TIME_WIDTH, STYLE_PLAIN, text);
		format_ms(running_ns, text, sizeof(text));
		detail_pen_right(pen, &x, TIME_WIDTH, STYLE_PLAIN, text);
		text_copy(text, sizeof(text), "-");
		if (enabled_ns)
			text_percent(text, sizeof(text), (double)running_ns / (double)enabled_ns);
		detail_pen_right(pen, &x, DETAIL_SHARE_WIDTH, STYLE_PLAIN, text);
	}
	pen->y++;
}

/* Of a profile: an estimate. */
static void draw_sampled(struct detail_pen *pen, const struct event *event, unsigned counter)
{
	const struct plan *plan = pen->page->snapshot->columns->plan;
	const uint64_t *tally = pen->page->detail->sum.tallies;
	uint64_t samples = sampled_event_samples(&plan->shape, tally, counter);
	size_t group = tally_group(&plan->shape, plan->counters[counter].group);
	unsigned x = pen->rect.x;
	char text[48] = "-", number[40];

	detail_pen_left(pen, &x, event_width(pen), STYLE_NAME, event_label(event));
	if (samples > 0) {
		text_grouped(number, sizeof(number), tally[counter]);
		snprintf(text, sizeof(text), "%s%s", figure_mark(FIGURE_SCALED), number);
	}
	detail_pen_right(pen, &x, NUMBER_WIDTH, samples ? STYLE_PLAIN : STYLE_DIM, text);
	if (pen->page->totals)
		x += NUMBER_WIDTH + 1;
	text_grouped(text, sizeof(text), samples);
	detail_pen_right(pen, &x, TIME_WIDTH, STYLE_PLAIN, text);
	text_copy(text, sizeof(text), "-");
	if (samples > 0)
		text_percent(text, sizeof(text),
			     sampled_event_error(&plan->shape, tally, counter, group));
	detail_pen_right(pen, &x, TIME_WIDTH, STYLE_PLAIN, text);
	pen->y++;
}

static void draw_counts_header(struct detail_pen *pen)
{
	const struct event_totals *totals = pen->page->totals;
	unsigned x = pen->rect.x;
	char since[24], text[96];

	duration_format_age(totals ? totals->time_ns : 0, since, sizeof(since));
	bool of_profile = columns_of_profile(pen->page->snapshot->columns);
	if (of_profile)
		text_copy(text, sizeof(text), "estimated from samples");
	else
		snprintf(text, sizeof(text), "in this interval%s%s%s",
			 detail_subject_is_of_cpus(pen->page->subject) ? ", with idle time" : "",
			 totals ? "; TOTAL covers the last " : "", totals ? since : "");
	detail_pen_heading(pen, "Counts", text);
	canvas_fill(pen->canvas, (struct rect){x, pen->y, pen->rect.width, 1}, STYLE_HEADER);
	detail_pen_left(pen, &x, event_width(pen), STYLE_HEADER, "EVENT");
	detail_pen_right(pen, &x, NUMBER_WIDTH, STYLE_HEADER, "COUNT");
	if (totals)
		detail_pen_right(pen, &x, NUMBER_WIDTH, STYLE_HEADER, of_profile ? "" : "TOTAL");
	detail_pen_right(pen, &x, TIME_WIDTH, STYLE_HEADER, of_profile ? "SAMPLES" : "ENABLED");
	detail_pen_right(pen, &x, TIME_WIDTH, STYLE_HEADER, of_profile ? "ERROR" : "RUNNING");
	if (!of_profile)
		detail_pen_right(pen, &x, DETAIL_SHARE_WIDTH, STYLE_HEADER, "SHARE");
	pen->y++;
}

/* One line per event and group. The total is per event and is in the event's first line. */
void detail_draw_counts(struct detail_pen *pen)
{
	const struct columns *columns = pen->page->snapshot->columns;
	const struct event_totals *totals = pen->page->totals;
	const struct plan *plan = columns->plan;

	if (pen->page->detail->sum.n == 0 && !totals)
		return;
	draw_counts_header(pen);
	size_t n_events = size_min(plan->n_events, event_set_shown(&columns->events));
	for (size_t event = 0; event < n_events; event++) {
		const char *name = columns->events.items[event].name;
		unsigned first = plan->first_counter[event];

		if (columns->events.items[event].state != FIGURE_VALID)
			continue;
		if (columns->events.items[event].kind == EVENT_SAMPLED) {
			draw_sampled(pen, &columns->events.items[event], first);
			continue;
		}
		for (unsigned i = first; i < plan->first_counter[event + 1];
		     i = plan_next_counter(plan, i))
			draw_count(pen, name, i,
				   totals && i == first ? event_totals_find(totals, name) : NULL);
	}
	pen->y++;
}
