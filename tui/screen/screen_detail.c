// SPDX-License-Identifier: MIT
/*
 * The details of one row. The page stays with the row whether it runs or not. It is drawn on a
 * canvas of its own height, and the screen shows a part of that.
 */
#include "tui/screen/screen_detail.h"

#include "core/base/text.h"
#include "tui/panel/frame.h"
#include "tui/panel/playback_text.h"
#include "tui/screen/app.h"

#include <stdio.h>
#include <string.h>

int64_t watch_number(const struct watch *watch)
{
	int64_t number = watch->subject.key.number;

	if (!watch->on || !detail_subject_is_of_tasks(&watch->subject))
		return 0;
	return watch->subject.key.kind == HISTORY_THREAD ? -number : number;
}

static void begin_waits(struct watch *watch)
{
	int64_t number = watch_number(watch);

	detail_waits_begin(&watch->waits, number > 0 ? (pid_t)number : 0,
			   number < 0 ? (pid_t)-number : 0);
}

bool watch_choose(struct watch *watch, struct list *list, const struct display *display)
{
	const struct snapshot *snapshot = display->snapshot;

	if (!list_subject(list, snapshot, &watch->subject))
		return false;
	watch->step = graph_range_step(&display->graph_range);
	watch->on = true;
	event_totals_fini(&watch->totals);
	begin_waits(watch);
	watch->looks = (struct detail_looks){0};
	watch_update(watch, snapshot);
	return true;
}

void watch_zero(struct watch *watch)
{
	event_totals_zero(&watch->totals);
	begin_waits(watch);
}

void watch_update(struct watch *watch, const struct snapshot *snapshot)
{
	struct detail detail;

	if (!watch->on)
		return;
	detail_init(snapshot, &watch->subject.key, &detail);
	detail_subject_update(&watch->subject, snapshot, &detail);
	const struct metric_input input = {
		.events = &snapshot->columns->events,
		.plan = snapshot->columns->plan,
		.tally = detail.sum.tallies,
		.lost = detail.sum.n > 0 && (detail.sum.items[0].flags & ROW_LOST),
	};
	event_totals_add_row(&watch->totals, snapshot, &input);
	detail_waits_add(&watch->waits, snapshot);
	detail_looks_choose(&watch->looks, &watch->subject, snapshot, &detail);
	detail_fini(&detail);
}

typedef void draw_fn(const struct detail_page *page, struct canvas *canvas, struct rect rect);

static void draw_whole(const struct detail_page *page, struct canvas *canvas, struct rect rect)
{
	detail_page_draw(page, canvas, rect);
}

/* Draws a title (NULL: none) and a part of the page, cut at the end of the rect. */
static void draw_pane(const struct detail_page *page, const char *title, draw_fn *draw,
		      struct canvas *canvas, struct rect rect)
{
	unsigned above = title ? 1 : 0;
	struct rect body = {rect.x, rect.y + above, rect.width, rect.height - above};
	struct canvas panel;

	if (rect.height < 2)
		return;
	if (title) {
		canvas_fill(canvas, (struct rect){rect.x, rect.y, rect.width, 1}, STYLE_HEADER);
		canvas_text_ellipsis(canvas, rect.x, rect.y, rect.width, STYLE_HEADER_SORT, title);
	}
	canvas_init(&panel, canvas->ascii);
	canvas_resize(&panel, body.width, body.height);
	draw(page, &panel, (struct rect){0, 0, body.width, body.height});
	canvas_copy(canvas, body, &panel, 0);
	canvas_fini(&panel);
}

void screen_detail_draw_selected(const struct display *display, struct list *list,
				 struct canvas *canvas, const struct layout *layout)
{
	const struct snapshot *snapshot = display->snapshot;
	struct detail_subject subject;
	struct detail detail;

	if (layout->detail.height == 0 || !list_subject(list, snapshot, &subject))
		return;
	detail_init(snapshot, &subject.key, &detail);
	const struct detail_page page = {
		.snapshot = snapshot,
		.graph_range = &display->graph_range,
		.detail = &detail,
		.subject = &subject,
		.step = graph_range_step(&display->graph_range),
	};
	bool has_side = layout->side.height > 0;
	char title[320];
	detail_subject_title(&subject, title, sizeof(title));
	if (has_side) {
		draw_pane(&page, NULL, detail_page_draw_history, canvas, layout->detail);
		draw_pane(&page, title, detail_page_draw_side, canvas, layout->side);
	} else {
		draw_pane(&page, title, draw_whole, canvas, layout->detail);
	}
	detail_fini(&detail);
}

enum {
	TITLE_BEGINNINGS = 3,
	SUBJECT_LEAST = 12, /* columns of the name of a row */
};

/* What the title begins with, from the longest to the shortest. Each has the word REPLAY. */
static void write_beginnings(const struct app *app, char texts[TITLE_BEGINNINGS][240])
{
	const struct playback *playback = &app->replay.playback;
	const char *host = app->display.snapshot ? app->display.snapshot->host : "";
	const char *name = strcmp(playback->name, "-") == 0 ? "of a pipe" : playback->name;
	char position[64], state[32];
	size_t bytes = sizeof(texts[0]);

	if (!app->replay.active) {
		snprintf(texts[0], bytes, "pmctop %s  ", host);
		texts[1][0] = texts[2][0] = '\0';
		return;
	}
	playback_position_text(playback, position, sizeof(position));
	playback_state_text(playback, state, sizeof(state));
	if (app->display.snapshot && app->display.snapshot->whole) {
		playback_whole_text(playback, position, sizeof(position));
		state[0] = '\0';
	}
	const char *gap = state[0] ? "  " : "";
	snprintf(texts[0], bytes, "pmctop %s  REPLAY %s  %s%s%s  ", host, name, position, gap,
		 state);
	snprintf(texts[1], bytes, "pmctop %s  REPLAY %s%s%s  ", host, position, gap, state);
	snprintf(texts[2], bytes, "REPLAY %s%s%s  ", position, gap, state);
}

/* Copies a text, or its beginning and "..". */
static void shorten(char *to, size_t size, const char *text, unsigned width)
{
	if (text_width(text) <= width) {
		text_copy(to, size, text);
		return;
	}
	size_t length = text_printable(to, size - 2, text, width > 2 ? width - 2 : 0);
	text_copy(to + length, size - length, "..");
}

void screen_detail_draw_title(const struct app *app, struct canvas *canvas, struct rect rect,
			      const char *subject, const char *rest)
{
	const struct snapshot *snapshot = app->display.snapshot;
	bool records = !app->replay.active && snapshot && snapshot->recorded_bytes > 0;
	bool in_part = snapshot && snapshot->columns->levels != EVENT_LEVELS_ALL;
	bool pauses = !app->replay.active && app->display.paused; /* playback has the state */
	char begin[TITLE_BEGINNINGS][240], end[240], middle[640], title[1600];
	size_t i = 0;

	write_beginnings(app, begin);
	snprintf(end, sizeof(end), "%s%s%s%s%s%s", rest, in_part ? "  " : "",
		 in_part ? event_levels_name(snapshot->columns->levels) : "",
		 in_part ? " only" : "", records ? "  REC" : "", pauses ? "  PAUSED" : "");
	unsigned width = text_width(subject) + text_width(end);
	while (i + 1 < TITLE_BEGINNINGS && text_width(begin[i]) + width > rect.width)
		i++;
	unsigned used = text_width(begin[i]) + text_width(end);
	shorten(middle, sizeof(middle), subject,
		rect.width > used + SUBJECT_LEAST ? rect.width - used : SUBJECT_LEAST);
	snprintf(title, sizeof(title), "%s%s%s", begin[i], middle, end);
	canvas_text_ellipsis(canvas, rect.x, rect.y, rect.height ? rect.width : 0, STYLE_TITLE,
			     title);
}

static void detail_draw(struct app *app, struct canvas *canvas)
{
	const struct frame frame = {
		.snapshot = app->display.snapshot,
		.notice = app->messages.notice,
	};
	struct layout_want want = {
		.prompt = app->prompt.active,
		.banner = true,
	};
	struct layout layout = layout_screen(canvas->width, canvas->height, &want);
	/* This screen has no totals: the line of the note and the body begin there. */
	struct rect banner = layout.banner;
	banner.y = layout.totals.y;
	struct rect body = {0, banner.y + banner.height, layout.body.width,
			    layout.body.height + layout.totals.height};
	struct canvas measured = {.ascii = canvas->ascii}, whole;
	struct rect all = {0, 0, body.width, body.height};
	struct detail detail;
	char title[320];

	if (!app->display.snapshot)
		return;
	detail_init(app->display.snapshot, &app->watch.subject.key, &detail);
	const struct detail_page page = {
		.snapshot = app->display.snapshot,
		.graph_range = &app->display.graph_range,
		.detail = &detail,
		.subject = &app->watch.subject,
		.step = app->watch.step,
		.totals = &app->watch.totals,
		.waits = &app->watch.waits,
		.looks = &app->watch.looks,
	};
	unsigned lines = detail_page_draw(&page, &measured, all);
	canvas_init(&whole, canvas->ascii);
	canvas_resize(&whole, all.width, lines);
	detail_page_draw(&page, &whole, all);
	page_settle(&app->page, lines, body.height);
	canvas_copy(canvas, body, &whole, app->page.top);
	detail_subject_title(&app->watch.subject, title, sizeof(title));
	screen_detail_draw_title(app, canvas, layout.title, title, "");
	frame_draw_banner(&frame, canvas, banner);
	app_draw_bottom(app, canvas, layout.bottom);
	canvas_fini(&whole);
	detail_fini(&detail);
}

static bool detail_act(struct app *app, enum action action)
{
	unsigned *step = &app->watch.step;

	if (page_act(&app->page, action))
		return true;
	if (action == ACTION_LEFT) {
		*step = *step < GRAPH_RANGE_STEP_MAX ? 2 * *step : GRAPH_RANGE_STEP_MAX;
	} else if (action == ACTION_RIGHT) {
		*step = *step > 1 ? *step / 2 : 1;
	} else if (action == ACTION_LEAVE || action == ACTION_DETAIL || action == ACTION_QUIT) {
		app->watch.on = false; /* q leaves this screen */
		app_watch(app);
		app_leave(app);
	} else {
		return false;
	}
	return true;
}

static const enum action detail_bar[] = {
	ACTION_LEAVE, ACTION_HELP, ACTION_PAGE_DOWN, ACTION_CODE, ACTION_PAUSE, ACTION_NONE,
};

const struct screen screen_detail = {
	.draw = detail_draw,
	.act = detail_act,
	.bar = detail_bar,
};
