// SPDX-License-Identifier: MIT
/*
 * Chooses a column to remove. The picker references the columns of the snapshot at its opening,
 * which can be replaced while it is open.
 */
#include "core/base/util.h"
#include "tui/screen/app.h"
#include "tui/screen/pick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct column_pick {
	struct columns *columns;
	char help[512]; /* of the last item */
};

void pick_metric_help(const struct metric_def *def, char *text, size_t size)
{
	bool same = strcasecmp(def->title, def->name) == 0;

	snprintf(text, size, "%s%s%s", same ? "" : def->name, same ? "" : ": ", def->help);
}

static void column_item(void *data, size_t index, struct picker_item *item)
{
	struct column_pick *pick = data;
	const struct metric *metric = &pick->columns->metrics[index];

	pick_metric_help(metric->def, pick->help, sizeof(pick->help));
	*item = (struct picker_item){.name = metric->title,
				     .id = metric->def->name,
				     .help = pick->help,
				     .mark = index < pick->columns->n_preset ? "preset" : "added",
				     .style = STYLE_NAME};
}

static bool column_choose(void *owner, void *data, size_t index, const char *typed)
{
	const struct column_pick *pick = data;
	struct app *app = owner;

	(void)typed;
	if (index == SIZE_MAX)
		return false;

	const struct metric *metric = &pick->columns->metrics[index];
	app_request(app, REQUEST_REMOVE, metric->def->name, 0);
	messages_show(&app->messages, "Column %s is removed.", metric->title);
	return true;
}

static void column_close(void *owner, void *data, bool chosen)
{
	struct column_pick *pick = data;

	(void)owner;
	(void)chosen;
	columns_unref(pick->columns);
	free(pick);
}

/* The sort column of the list if it is a figure, else the column added last. list may be NULL. */
static size_t first_choice(struct list *list, const struct snapshot *snapshot)
{
	int sorted = -1;

	if (list) {
		const struct view *view = list_view(list, snapshot);

		sorted = view->columns[view->sort_column].metric;
	}
	return sorted >= 0 ? (size_t)sorted : snapshot->columns->n_shown - 1;
}

void pick_column(struct app *app)
{
	static const struct picker_ops ops = {
		.item = column_item,
		.choose = column_choose,
		.close = column_close,
	};

	const struct snapshot *snapshot = app->display.snapshot;

	if (!snapshot || snapshot->columns->n_shown == 0)
		return;

	struct column_pick *pick = xcalloc(1, sizeof(*pick));
	size_t selected = first_choice(app_list(app), snapshot);

	pick->columns = columns_ref(snapshot->columns);
	picker_open(&app->picker, &ops, "Remove a column", pick, pick->columns->n_shown, app);
	picker_select(&app->picker, selected, app);
}
