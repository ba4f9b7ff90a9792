// SPDX-License-Identifier: MIT
/*
 * The lines around the body of a screen, and one whole drawing of the app. During a drawing of a
 * replay the lock of its history is held.
 */
#include "tui/screen/app.h"

#include "core/replay/replay_index.h"
#include "tui/panel/frame.h"
#include "tui/screen/action_blocked.h"
#include "tui/screen/title_flags.h"

/* Key bar of the lists in a replay. */
static const enum action replay_bar[] = {
	ACTION_HELP,   ACTION_DETAIL,  ACTION_NEXT_SCREEN, ACTION_PAUSE,  ACTION_STEP_BACK,
	ACTION_STEP,   ACTION_GO,      ACTION_FASTER,      ACTION_SLOWER, ACTION_MINUTE,
	ACTION_FILTER, ACTION_ROLL_UP, ACTION_QUIT,        ACTION_NONE,
};

/* Draws the key bar without blocked actions. */
static void draw_key_bar(struct app *app, struct canvas *canvas, struct rect rect)
{
	const enum action *usual =
		app->replay.active && app_list(app) ? replay_bar : app->screen->bar;
	enum action actions[ACTIONS];
	size_t n = 0;

	for (; *usual != ACTION_NONE; usual++)
		if (!action_blocked(app->config.readonly, &app->replay, *usual))
			actions[n++] = *usual;
	actions[n] = ACTION_NONE;
	key_bar_draw(&app->key_bar, &app->keymap, actions, canvas, rect);
}

void app_draw_bottom(struct app *app, struct canvas *canvas, struct rect rect)
{
	key_bar_clear(&app->key_bar);
	if (app->prompt.active)
		prompt_draw(&app->prompt, canvas, rect);
	else if (app->picker.ops)
		key_bar_draw_picker(&app->key_bar, canvas, rect);
	else
		draw_key_bar(app, canvas, rect);
}

static struct layout draw_frame(struct app *app, struct canvas *canvas, bool large)
{
	struct segments flags = {0};

	title_flags_add(app, &flags);
	struct frame frame = {
		.snapshot = app->display.snapshot,
		.interval_ns = app->preferences.interval_ns,
		.paused = app->display.paused,
		.playback = app->replay.active ? &app->replay.playback : NULL,
		.notice = app->messages.notice,
		.flags = &flags,
		.verdict = app->display.verdict_text,
		.loss = verdict_is_loss(app->display.verdict),
		.alarm = app->display.verdict == VERDICT_NONE,
		.baseline = app->display.baseline,
		.unit = app->tasks.spec.unit,
	};
	struct layout_want want = {
		.prompt = app->prompt.active,
		.verdict = app->display.has_verdict_line,
		.history = app->display.snapshot != NULL,
		.more = large && app->display.snapshot,
	};

	if (app->screen != &screen_log) /* this screen shows all notes */
		want.banner = frame_banner_lines(&frame, canvas->width);
	if (app->display.snapshot && app->screen == &screen_tasks)
		want.cpu_lines = (unsigned)app->display.snapshot->n_cpus;

	struct layout layout = layout_screen(canvas->width, canvas->height, &want);

	frame_draw_title(&frame, canvas, layout.title);
	frame_draw_totals(&frame, canvas, layout.totals);
	frame_draw_verdict(&frame, canvas, layout.verdict);
	if (app->display.snapshot)
		frame_draw_history(app->display.snapshot, &app->display.graph_range, canvas,
				   layout.history);
	frame_draw_cpus(&frame, canvas, layout.cpus);
	frame_draw_banner(&frame, canvas, layout.banner);
	app_draw_bottom(app, canvas, layout.bottom);
	return layout;
}

struct rect app_draw_frame(struct app *app, struct canvas *canvas)
{
	return draw_frame(app, canvas, false).body;
}

struct layout app_draw_large_frame(struct app *app, struct canvas *canvas)
{
	return draw_frame(app, canvas, true);
}

void app_draw(struct app *app, struct canvas *canvas)
{
	struct graph_range *graph_range = &app->display.graph_range;

	if (app->replay.index) {
		graph_range->history = replay_index_lock_history(app->replay.index);
		history_reach(graph_range->history, &graph_range->begin_ns, &graph_range->end_ns);
		graph_range->now_ns = app->display.snapshot ? app->display.snapshot->time_ns : 0;
	}
	canvas_clear(canvas);
	app->screen->draw(app, canvas);
	if (app->replay.index)
		replay_index_unlock_history(app->replay.index);
	if (app->picker.ops)
		picker_draw(&app->picker, canvas);
}
