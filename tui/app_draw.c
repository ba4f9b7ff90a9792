// SPDX-License-Identifier: MIT
/* What every screen has around its body. */
#include "app.h"

#include "frame.h"
#include "states.h"

void app_draw_bottom(struct app *app, struct canvas *canvas, struct rect rect)
{
	key_bar_clear(&app->key_bar);
	if (app->prompt.active)
		prompt_draw(&app->prompt, canvas, rect);
	else if (app->picker.ops)
		key_bar_draw_picker(&app->key_bar, canvas, rect);
	else
		key_bar_draw(&app->key_bar, &app->keymap, app->screen->bar, canvas, rect);
}

static struct layout draw_frame(struct app *app, struct canvas *canvas, bool large)
{
	struct segments states = {0};

	states_of(app, &states);
	struct frame frame = {
		.snapshot = app->snapshot,
		.interval_ns = app->interval_ns,
		.paused = app->paused,
		.notice = app->notice,
		.states = &states,
		.verdict = app->sentence,
		.loss = verdict_is_loss(app->verdict),
		.baseline = app->baseline,
		.unit = app->tasks.spec.unit,
	};
	struct layout_want want = {
		.prompt = app->prompt.active,
		.verdict = app->spoken,
		.history = app->snapshot != NULL,
		.more = large && app->snapshot,
	};

	if (app->screen != &screen_log) /* there they all are */
		want.banner = frame_banner_lines(&frame, canvas->width);
	if (app->snapshot && app->screen == &screen_tasks)
		want.cpu_lines = (unsigned)app->snapshot->n_cpus;

	struct layout layout = layout_screen(canvas->width, canvas->height, &want);

	frame_draw_title(&frame, canvas, layout.title);
	frame_draw_totals(&frame, canvas, layout.totals);
	frame_draw_verdict(&frame, canvas, layout.verdict);
	if (app->snapshot)
		frame_draw_history(app->snapshot, app->history, canvas, layout.history);
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
	canvas_clear(canvas);
	app->screen->draw(app, canvas);
	if (app->picker.ops)
		picker_draw(&app->picker, canvas);
}
