// SPDX-License-Identifier: MIT
/*
 * The list of CPUs, the worst first. With many CPUs on a small screen a line is a socket (or a
 * node, if there is one socket), and its CPUs unfold below it.
 */
#include "tui/screen/app.h"

enum {
	FOLD_BEYOND = 32,
	LARGE_FROM = 40, /* lines of a screen that shows enough CPUs to scroll through them */
};

/* True if the CPUs are in several sockets or nodes. */
static bool cpus_differ(const struct snapshot *snapshot, enum rollup by)
{
	for (size_t i = 1; i < snapshot->n_cpus; i++) {
		const struct snapshot_cpu *a = &snapshot->cpus[i - 1], *b = &snapshot->cpus[i];

		if (by == ROLLUP_SOCKET ? a->socket != b->socket : a->node != b->node)
			return true;
	}
	return false;
}

static enum rollup choose_level(const struct snapshot *snapshot, unsigned lines)
{
	if (snapshot->n_cpus <= FOLD_BEYOND || lines >= LARGE_FROM)
		return ROLLUP_CPU;
	if (cpus_differ(snapshot, ROLLUP_SOCKET))
		return ROLLUP_SOCKET;
	return cpus_differ(snapshot, ROLLUP_NODE) ? ROLLUP_NODE : ROLLUP_CPU;
}

static void cpus_draw(struct app *app, struct canvas *canvas)
{
	if (app->display.snapshot && !app->cpus_level_chosen) {
		enum rollup by = choose_level(app->display.snapshot, canvas->height);

		if (by != app->cpus.spec.by)
			list_roll_up(&app->cpus, by);
	}
	const struct snapshot *snapshot = app->display.snapshot;
	app_draw_list(
		app, &app->cpus, canvas,
		snapshot && columns_of_profile(snapshot->columns)
			? "The samples have no CPU: they were recorded without -a or --sample-cpu."
			: "No CPU was counted.");
}

/*
 * Folds or unfolds the selected socket or node. Returns false if the line is neither, or is already
 * in that state.
 */
static bool fold_unit(struct list *list, const struct snapshot *snapshot, enum action action)
{
	const struct view *view = snapshot ? list_view(list, snapshot) : NULL;

	if (!view || list->table.selected >= view->n || !view_is_unit(view, list->table.selected))
		return false;
	int unit = view_cpu(view, list->table.selected)->cpu;
	if (unit < 0 || unit >= VIEW_UNITS)
		return false;
	bool *unfolded = &list->spec.unfolded[unit];
	if (action == ACTION_RIGHT ? *unfolded : action == ACTION_LEFT && !*unfolded)
		return false;
	*unfolded = !*unfolded;
	list->table.n++; /* lines follow the last line now, so the selection stays */
	list_invalidate(list);
	return true;
}

static bool cpus_act(struct app *app, enum action action)
{
	enum rollup by = app->cpus.spec.by;
	/* Left first scrolls back. */
	bool folds = action == ACTION_DETAIL || action == ACTION_RIGHT ||
		     (action == ACTION_LEFT && app->cpus.table.scroll == 0);

	if (folds && fold_unit(&app->cpus, app->display.snapshot, action)) {
		app->cpus_level_chosen = true;
		return true;
	}
	if (action == ACTION_ROLL_UP) {
		app->cpus_level_chosen = true;
		list_roll_up(&app->cpus, by == ROLLUP_NODE ? ROLLUP_CPU : by + 1);
		return true;
	}
	return list_act(&app->cpus, app->display.snapshot, action);
}

static bool cpus_click(struct app *app, unsigned x, unsigned y)
{
	return list_click(&app->cpus, app->display.snapshot, x, y);
}

static const enum action cpus_bar[] = {
	ACTION_HELP,      ACTION_DETAIL,  ACTION_CODE,     ACTION_NEXT_SCREEN,
	ACTION_SORT_NEXT, ACTION_REVERSE, ACTION_INTERVAL, ACTION_ROLL_UP,
	ACTION_PAUSE,     ACTION_QUIT,    ACTION_NONE,
};

const struct screen screen_cpus = {
	.name = "CPUs",
	.draw = cpus_draw,
	.act = cpus_act,
	.click = cpus_click,
	.bar = cpus_bar,
};
