// SPDX-License-Identifier: MIT
/*
 * The keys P, M and T of top sort by a metric. Its column is added if there is none, and shown if
 * it is hidden: the engine's next snapshot has it, and the list is sorted by another one until
 * then.
 */
#include "tui/screen/sort_metric.h"

#include "core/base/util.h"
#include "core/metric/metric_def.h"
#include "tui/screen/app.h"

#include <stdio.h>

static const struct {
	enum action action;
	const char *metric;
	bool of_tasks; /* CPUs do not have it */
} keys[] = {
	{ACTION_SORT_CPU, "cpu_percent", false},
	{ACTION_SORT_MEMORY, "rss", true},
	{ACTION_SORT_TIME, "total_time", true},
};

/* T chose the theme before: its first use in a run names the place where that is done now. */
static bool themes_have_moved(struct app *app, enum action action)
{
	if (action != ACTION_SORT_TIME || app->key_notes.themes ||
	    app->keymap.keys[ACTION_THEME][0])
		return false;
	app->key_notes.themes = true;
	return true;
}

static void sort_by_metric(struct app *app, struct list *list, enum action action,
			   const struct metric_def *def, bool of_tasks)
{
	bool added = !columns_show(app->display.snapshot->columns, def->name);
	bool only_ran = of_tasks && !app->preferences.idle && !app->replay.active;
	bool themes = themes_have_moved(app, action);
	char all[32] = "", removal[32] = "", setup[32] = "";

	list_sort(list, def->name);
	if (column_choice_show(&app->preferences.columns, def->name))
		app_show_columns(app);
	if (added)
		app_request(app, REQUEST_ADD_METRIC, def->name, 0);
	added = added && !app->replay.active; /* there a note has the reason if it is unknown */
	if (!added && !only_ran && !themes)
		return;
	if (only_ran)
		keymap_phrase(&app->keymap, ACTION_IDLE, " (", ": all)", all, sizeof(all));
	if (added)
		keymap_phrase(&app->keymap, ACTION_REMOVE, " (", ": remove)", removal,
			      sizeof(removal));
	if (themes)
		keymap_phrase(&app->keymap, ACTION_SETUP, " (", ": setup)", setup, sizeof(setup));
	messages_show(&app->messages, "Sorted by %s%s%s.%s%s%s%s%s%s", def->title,
		      only_ran ? ", tasks that ran" : "", all, added ? " Column added" : "",
		      removal, added ? "." : "", themes ? " The theme has moved" : "", setup,
		      themes ? "." : "");
}

bool sort_metric_act(struct app *app, enum action action)
{
	const struct snapshot *snapshot = app->display.snapshot;
	struct list *list = app_list(app);
	char cpus[32];
	size_t i = 0;

	while (i < ARRAY_SIZE(keys) && keys[i].action != action)
		i++;
	if (i == ARRAY_SIZE(keys) || !list || !snapshot)
		return false;

	const struct metric_def *def = metric_def_find(keys[i].metric);
	if (columns_of_profile(snapshot->columns) && action == ACTION_SORT_CPU) {
		list_sort(list, ""); /* the share of samples */
		return true;
	}
	if (columns_of_profile(snapshot->columns)) {
		messages_show(&app->messages, "A profile has no %s to sort by.", def->title);
		return true;
	}
	if (rollup_is_of_cpus(list->spec.by) && keys[i].of_tasks) {
		keymap_phrase(&app->keymap, ACTION_CPUS, " (", ": tasks)", cpus, sizeof(cpus));
		messages_show(&app->messages, "CPUs have no %s to sort by%s.", def->title, cpus);
		return true;
	}
	sort_by_metric(app, list, action, def, keys[i].of_tasks);
	return true;
}
