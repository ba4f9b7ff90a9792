// SPDX-License-Identifier: MIT
/*
 * How long single waits of a thread or process took: in the last interval, and since the page was
 * opened. Percentiles are at most a quarter too high (core/wait/wait_watch.h).
 */
#include "tui/panel/detail_waits.h"

#include "core/base/figure_mark.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/options/duration.h"
#include "tui/panel/detail_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	KIND_WIDTH = 15,
	WAIT_WIDTH = 7,
	SIDE_WIDTH = 4 * (WAIT_WIDTH + 1),
};

void detail_waits_begin(struct detail_waits *waits, pid_t pid, pid_t tid)
{
	*waits = (struct detail_waits){.sum = {.pid = pid, .tid = tid}};
}

/* The waits of a snapshot, or NULL: the engine may still have watched the subject before. */
static const struct wait_watch *waits_of(const struct detail_waits *waits,
					 const struct snapshot *snapshot)
{
	const struct wait_watch *watch = snapshot->waits;
	bool same = watch && watch->pid == waits->sum.pid && watch->tid == waits->sum.tid;

	return same ? watch : NULL;
}

void detail_waits_add(struct detail_waits *waits, const struct snapshot *snapshot)
{
	const struct wait_watch *more = waits_of(waits, snapshot);

	if (!more)
		return;
	for (size_t i = 0; i < WAIT_KINDS; i++)
		wait_histogram_merge(&waits->sum.kinds[i], &more->kinds[i]);
	waits->sum.lost |= more->lost;
	waits->time_ns += snapshot->interval_ns;
}

/* "999ns", "12.3us", "4.56ms", "1.23s", "123s" */
static void format_wait(uint64_t ns, char *text, size_t size)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	double value = (double)ns;
	size_t unit = 0;

	for (; unit + 1 < ARRAY_SIZE(units) && value >= 999.5; unit++)
		value /= 1000;
	unsigned decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	size_t length = text_fixed(text, size, value, decimals);
	text_copy(text + length, size - length, units[unit]);
}

/* A cell that is empty if there are no waits. */
static void put_wait(struct detail_pen *pen, unsigned *x, const struct wait_histogram *histogram,
		     uint64_t ns)
{
	char text[48] = "-";

	if (histogram->n > 0)
		format_wait(ns, text, sizeof(text));
	detail_pen_right(pen, x, WAIT_WIDTH, histogram->n ? STYLE_PLAIN : STYLE_DIM, text);
}

static void put_count(struct detail_pen *pen, unsigned *x, uint64_t n, bool lost)
{
	const char *mark = figure_mark(lost ? FIGURE_LOST : FIGURE_VALID);
	char text[32];

	if (n < 100000)
		snprintf(text, sizeof(text), "%s%" PRIu64, mark, n);
	else
		snprintf(text, sizeof(text), "%s%" PRIu64 "k", mark, n / 1000);
	detail_pen_right(pen, x, WAIT_WIDTH, n && !lost ? STYLE_PLAIN : STYLE_DIM, text);
}

static void put_histogram(struct detail_pen *pen, unsigned *x, const struct wait_watch *watch,
			  enum wait_kind kind)
{
	const struct wait_histogram *histogram = &watch->kinds[kind];

	put_count(pen, x, histogram->n, watch->lost);
	put_wait(pen, x, histogram, wait_histogram_percentile(histogram, 0.5));
	put_wait(pen, x, histogram, wait_histogram_percentile(histogram, 0.99));
	put_wait(pen, x, histogram, histogram->max_ns);
}

static void draw_header(struct detail_pen *pen, uint64_t time_ns)
{
	static const char *const titles[] = {"COUNT", "P50", "P99", "MAX"};
	unsigned x = pen->rect.x, after = x + KIND_WIDTH + 1;
	char age[24], text[48];

	canvas_text(pen->canvas, x, pen->y, KIND_WIDTH, STYLE_TITLE, "Waits");
	canvas_text_right(pen->canvas, after, pen->y, SIDE_WIDTH - 1, STYLE_DIM,
			  "that ended in this interval");
	duration_format_age(time_ns, age, sizeof(age));
	snprintf(text, sizeof(text), "in the last %s", age);
	canvas_text_right(pen->canvas, after + SIDE_WIDTH, pen->y++, SIDE_WIDTH - 1, STYLE_DIM,
			  text);
	canvas_fill(pen->canvas, (struct rect){x, pen->y, pen->rect.width, 1}, STYLE_HEADER);
	detail_pen_left(pen, &x, KIND_WIDTH, STYLE_HEADER, "KIND");
	for (size_t i = 0; i < 2 * ARRAY_SIZE(titles); i++)
		detail_pen_right(pen, &x, WAIT_WIDTH, STYLE_HEADER, titles[i % ARRAY_SIZE(titles)]);
	pen->y++;
}

/* Why there are no single waits of this interval. */
static const char *why_unknown(const struct detail_page *page)
{
	if (page->graph_range->recorded)
		return "not recorded one by one";
	if (page->snapshot->mode != COUNT_MODE_SYSTEM)
		return "unknown unless whole CPUs are counted: pmctop --doctor";
	return "counted from the next interval on";
}

/* Whether a wait has ended since the page was opened. */
static bool has_waits(const struct detail_waits *waits)
{
	for (size_t i = 0; i < WAIT_KINDS; i++)
		if (waits->sum.kinds[i].n > 0)
			return true;
	return false;
}

/* Waits without a reason stand in place of both kinds. */
static void draw_kind(struct detail_pen *pen, const struct wait_watch *watch, enum wait_kind kind)
{
	static const char *const names[WAIT_KINDS] = {
		[WAIT_KIND_PREEMPTED] = "preempted",
		[WAIT_KIND_BLOCKED] = "blocked+wake-up",
		[WAIT_KIND_OFF] = "off its CPU",
	};
	const struct wait_watch *sum = &pen->page->waits->sum;
	bool unknown = sum->kinds[WAIT_KIND_OFF].n > 0;
	unsigned x = pen->rect.x;

	if (sum->kinds[kind].n == 0 && unknown == (kind != WAIT_KIND_OFF))
		return;
	detail_pen_left(pen, &x, KIND_WIDTH, STYLE_PLAIN, names[kind]);
	put_histogram(pen, &x, watch, kind);
	put_histogram(pen, &x, sum, kind);
	pen->y++;
}

void detail_draw_waits(struct detail_pen *pen)
{
	const struct detail_page *page = pen->page;

	if (!page->waits || !detail_subject_is_of_tasks(page->subject))
		return;
	const struct wait_watch *watch =
		page->graph_range->recorded ? NULL : waits_of(page->waits, page->snapshot);
	if (!watch) {
		detail_pen_heading(pen, "Waits", why_unknown(page));
	} else if (!has_waits(page->waits)) {
		detail_pen_heading(pen, "Waits", "none has ended since the page was opened");
	} else {
		draw_header(pen, page->waits->time_ns);
		for (size_t i = 0; i < WAIT_KINDS; i++)
			draw_kind(pen, watch, (enum wait_kind)i);
	}
	pen->y++;
}
