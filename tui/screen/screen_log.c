// SPDX-License-Identifier: MIT
/* The message log, the newest message first. Messages that still hold stand out. */
#include "core/base/util.h"
#include "tui/options/duration.h"
#include "tui/screen/app.h"

#include <stdio.h>

enum {
	TIME_WIDTH = 8,
	TIMES_WIDTH = 7,
	TEXT_FROM = 2 * (TIME_WIDTH + 1) + TIMES_WIDTH + 1,
	NARROW = 60, /* on a narrower screen a text is below its times */
	NARROW_FROM = 2,
};

static unsigned write_log(const struct messages *messages, struct canvas *canvas, struct rect rect,
			  unsigned top)
{
	struct pen pen = {canvas, rect, top, 0};

	for (size_t i = messages->n; i-- > 0;) {
		const struct message *message = &messages->items[i];
		enum style style =
			message_is_current(messages, message) ? STYLE_BANNER : STYLE_PLAIN;
		char first[16], last[16], line[64];

		duration_format_time_of_day(message->first_ns, "start", first, sizeof(first));
		duration_format_time_of_day(message->last_ns, "start", last, sizeof(last));
		snprintf(line, sizeof(line), "%-*s %-*s %*u", TIME_WIDTH, first, TIME_WIDTH, last,
			 TIMES_WIDTH, message->times);
		pen_put(&pen, 0, STYLE_LABEL, line);
		pen.line += rect.width < NARROW;
		pen_wrap(&pen, rect.width < NARROW ? NARROW_FROM : TEXT_FROM, style, message->text);
	}
	return pen.line;
}

static void log_draw(struct app *app, struct canvas *canvas)
{
	struct rect body = app_draw_frame(app, canvas);
	struct canvas stub = {0};
	char header[80];

	if (body.height > 1) {
		snprintf(header, sizeof(header), "%-*s %-*s %*s %s", TIME_WIDTH, "FIRST",
			 TIME_WIDTH, "LAST", TIMES_WIDTH, "TIMES",
			 body.width < NARROW ? "" : "MESSAGE");
		canvas_fill(canvas, (struct rect){body.x, body.y, body.width, 1}, STYLE_HEADER);
		canvas_text(canvas, body.x, body.y, body.width, STYLE_HEADER, header);
		body.y++;
		body.height--;
	}
	page_settle(&app->page, write_log(&app->messages, &stub, body, 0), body.height);
	write_log(&app->messages, canvas, body, app->page.top);
	if (app->messages.n == 0)
		canvas_text_ellipsis(canvas, body.x, body.y, body.width, STYLE_DIM,
				     "No messages yet.");
}

static bool log_act(struct app *app, enum action action)
{
	if (page_act(&app->page, action))
		return true;
	if (action != ACTION_LEAVE && action != ACTION_DETAIL && action != ACTION_QUIT &&
	    action != ACTION_LOG)
		return false;
	app_leave_to_below(app);
	return true;
}

static const enum action log_bar[] = {
	ACTION_LEAVE,
	ACTION_HELP,
	ACTION_PAGE_DOWN,
	ACTION_NONE,
};

const struct screen screen_log = {
	.draw = log_draw,
	.act = log_act,
	.bar = log_bar,
};
