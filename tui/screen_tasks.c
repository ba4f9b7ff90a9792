// SPDX-License-Identifier: MIT
#include "app.h"

static void tasks_draw(struct app *app, struct canvas *canvas)
{
	struct rect body = app_draw_frame(app, canvas);

	list_draw(&app->tasks, app->snapshot, canvas, body,
		  "Of no task it is known that it ran in this interval.");
}

static bool tasks_act(struct app *app, enum action action)
{
	if (action == ACTION_THREADS) {
		app->tasks.spec.threads = !app->tasks.spec.threads;
		list_invalidate(&app->tasks);
		return true;
	}
	return list_act(&app->tasks, app->snapshot, action);
}

static const enum action tasks_bar[] = {
	ACTION_HELP,    ACTION_NEXT_SCREEN, ACTION_SORT_PREVIOUS, ACTION_REVERSE, ACTION_INTERVAL,
	ACTION_THREADS, ACTION_PAUSE,       ACTION_QUIT,          ACTION_NONE,
};

const struct screen screen_tasks = {
	.draw = tasks_draw,
	.act = tasks_act,
	.bar = tasks_bar,
};
