// SPDX-License-Identifier: MIT
#include "app.h"

static void cpus_draw(struct app *app, struct canvas *canvas)
{
	struct rect body = app_draw_frame(app, canvas);

	list_draw(&app->cpus, app->snapshot, canvas, body, "No CPU was counted.");
}

static bool cpus_act(struct app *app, enum action action)
{
	enum rollup by = app->cpus.spec.by;

	if (action == ACTION_ROLL_UP) {
		list_roll_up(&app->cpus, by == ROLLUP_NODE ? ROLLUP_CPU : by + 1);
		return true;
	}
	return list_act(&app->cpus, app->snapshot, action);
}

static const enum action cpus_bar[] = {
	ACTION_HELP,    ACTION_NEXT_SCREEN, ACTION_SORT_NEXT, ACTION_REVERSE, ACTION_INTERVAL,
	ACTION_ROLL_UP, ACTION_PAUSE,       ACTION_QUIT,      ACTION_NONE,
};

const struct screen screen_cpus = {
	.draw = cpus_draw,
	.act = cpus_act,
	.bar = cpus_bar,
};
