// SPDX-License-Identifier: MIT
/*
 * The list of tasks: processes, threads, a tree, users, cgroups or commands.
 */
#include "tui/screen/app.h"
#include "tui/screen/pick.h"
#include "tui/screen/search.h"

#include <stdio.h>

/* Why the list has no row, and the keys that bring some. */
static void explain_empty(const struct app *app, char *text, size_t size)
{
	const struct row_filter_spec *filter = &app->tasks.spec.filter;
	bool only_ran = !app->preferences.idle && !app->replay.active;
	char clear[48] = "", idle[48] = "";

	if (row_filter_is_set(filter))
		keymap_phrase(&app->keymap, ACTION_LEAVE, " ",
			      filter->text[0] ? " clears it." : " shows all users.", clear,
			      sizeof(clear));
	if (only_ran)
		keymap_phrase(&app->keymap, ACTION_IDLE, " ", " adds idle ones.", idle,
			      sizeof(idle));
	if (filter->text[0])
		snprintf(text, size, "No task matches '%.40s'.%s%s", filter->text, clear, idle);
	else if (filter->one_user)
		snprintf(text, size, "No task of this user ran.%s%s", clear, idle);
	else
		snprintf(text, size, "No task is known to have run.%s", idle);
}

static void tasks_draw(struct app *app, struct canvas *canvas)
{
	char empty[256];

	explain_empty(app, empty, sizeof(empty));
	app_draw_list(app, &app->tasks, canvas, empty);
}

/* Rolls up by `by`, or by processes if that is the roll-up already. */
static void toggle_roll_up(struct list *list, enum rollup by)
{
	list_roll_up(list, list->spec.by == by ? ROLLUP_PROCESS : by);
}

/* A profile has no users. */
static enum rollup next_group(const struct snapshot *snapshot, enum rollup by)
{
	if (!rollup_is_of_groups(by))
		return snapshot && columns_of_profile(snapshot->columns) ? ROLLUP_CGROUP
									 : ROLLUP_USER;
	return by == ROLLUP_COMMAND ? ROLLUP_PROCESS : by + 1;
}

/* Drops the text of the filter, or else its user. Returns false if there is no filter. */
static bool clear_filter(struct list *list)
{
	struct row_filter_spec *filter = &list->spec.filter;

	if (!filter->text[0] && !filter->one_user)
		return false;
	if (filter->text[0])
		filter->text[0] = '\0';
	else
		filter->one_user = false;
	list_invalidate(list);
	return true;
}

static bool tasks_act(struct app *app, enum action action)
{
	struct list *list = &app->tasks;

	if (action == ACTION_THREADS)
		toggle_roll_up(list, ROLLUP_THREAD);
	else if (action == ACTION_TREE)
		toggle_roll_up(list, ROLLUP_TREE);
	else if (action == ACTION_ROLL_UP)
		list_roll_up(list, next_group(app->display.snapshot, list->spec.by));
	else if (action == ACTION_FILTER)
		filter_open(app);
	else if (action == ACTION_USER)
		pick_user(app);
	else if (action != ACTION_LEAVE || !clear_filter(list))
		return list_act(list, app->display.snapshot, action);
	return true;
}

static bool tasks_click(struct app *app, unsigned x, unsigned y)
{
	return list_click(&app->tasks, app->display.snapshot, x, y);
}

static const enum action tasks_bar[] = {
	ACTION_HELP,      ACTION_DETAIL,  ACTION_CODE,   ACTION_NEXT_SCREEN, ACTION_THREADS,
	ACTION_TREE,      ACTION_FILTER,  ACTION_ADD,    ACTION_REMOVE,      ACTION_PRESET,
	ACTION_SORT_NEXT, ACTION_ROLL_UP, ACTION_ATTACH, ACTION_PAUSE,       ACTION_INTERVAL,
	ACTION_SETUP,     ACTION_QUIT,    ACTION_NONE,
};

const struct screen screen_tasks = {
	.name = "Tasks",
	.draw = tasks_draw,
	.act = tasks_act,
	.click = tasks_click,
	.bar = tasks_bar,
};
