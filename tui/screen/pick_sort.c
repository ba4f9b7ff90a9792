// SPDX-License-Identifier: MIT
/*
 * Chooses the column to sort by. All columns of the list are offered, also columns that do not fit
 * on the screen.
 */
#include "core/base/util.h"
#include "tui/screen/app.h"
#include "tui/screen/pick.h"

#include <stdlib.h>
#include <string.h>

/* The list's columns at the opening. Their names belong to the snapshot's columns. */
struct sort_pick {
	struct columns *columns;
	struct view_column *items;
};

static void sort_item(void *data, size_t index, struct picker_item *item)
{
	const struct sort_pick *pick = data;
	const struct view_column *column = &pick->items[index];

	*item = (struct picker_item){
		.name = column->title,
		.id = column->name,
		.help = column->metric < 0 ? NULL
					   : pick->columns->metrics[column->metric].def->help,
		.style = STYLE_NAME,
	};
}

static bool sort_choose(void *owner, void *data, size_t index, const char *typed)
{
	const struct sort_pick *pick = data;
	struct app *app = owner;

	(void)typed;
	if (index == SIZE_MAX)
		return false;
	list_sort(app_list(app), pick->items[index].name);
	messages_show(&app->messages, "Sorted by %s.", pick->items[index].title);
	return true;
}

static void sort_close(void *owner, void *data, bool chosen)
{
	struct sort_pick *pick = data;

	(void)owner;
	(void)chosen;
	columns_unref(pick->columns);
	free(pick->items);
	free(pick);
}

void pick_sort(struct app *app)
{
	static const struct picker_ops ops = {
		.item = sort_item,
		.choose = sort_choose,
		.close = sort_close,
	};
	struct list *list = app_list(app);

	if (!list)
		messages_show(&app->messages, "This page has no order to choose.");
	if (!app->display.snapshot || !list)
		return;

	const struct view *view = list_view(list, app->display.snapshot);
	struct sort_pick *pick = xcalloc(1, sizeof(*pick));
	size_t size = view->n_columns * sizeof(*pick->items);

	pick->columns = columns_ref(app->display.snapshot->columns);
	pick->items = memcpy(xmalloc(size), view->columns, size);
	picker_open(&app->picker, &ops, "Sort by", pick, view->n_columns, app);
	picker_select(&app->picker, view->sort_column, app);
}
