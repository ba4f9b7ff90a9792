// SPDX-License-Identifier: MIT
/*
 * Chooses a column to remove. The picker references the columns of the snapshot at its opening,
 * which can be replaced while it is open.
 */
#include "core/base/util.h"
#include "tui/screen/app.h"
#include "tui/screen/pick.h"

#include <string.h>

static const struct metric *column_metric(const void *data, size_t index)
{
	const struct columns *columns = data;

	return &columns->metrics[index];
}

static void column_item(void *data, size_t index, struct picker_item *item)
{
	const struct columns *columns = data;
	const struct metric *metric = column_metric(data, index);

	*item = (struct picker_item){.name = metric->def->name,
				     .help = metric->def->help,
				     .mark = index < columns->n_preset ? "preset" : "added",
				     .style = STYLE_NAME};
}

static bool column_choose(void *owner, void *data, size_t index, const char *typed)
{
	struct app *app = owner;

	(void)typed;
	if (index == SIZE_MAX)
		return false;

	const struct metric *metric = column_metric(data, index);
	app_request(app, REQUEST_REMOVE, metric->def->name, 0);
	messages_show(&app->messages, "Column %s is removed.", metric->title);
	return true;
}

static void column_close(void *owner, void *data, bool chosen)
{
	(void)owner;
	(void)chosen;
	columns_unref(data);
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

	struct columns *columns = columns_ref(snapshot->columns);
	size_t selected = first_choice(app_list(app), snapshot);

	picker_open(&app->picker, &ops, "Remove a column", columns, columns->n_shown, app);
	picker_select(&app->picker, selected, app);
}
