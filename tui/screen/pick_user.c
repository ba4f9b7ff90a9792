// SPDX-License-Identifier: MIT
/*
 * Chooses the only user with shown tasks: "all users", then the users with tasks that ran, the
 * busiest first.
 */
#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/screen/app.h"
#include "tui/screen/pick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct users_list {
	struct user_entry {
		uid_t uid;
		char name[24];
		char help[80];
	} * items;
	size_t n;
};

static void user_item(void *data, size_t index, struct picker_item *item)
{
	const struct users_list *list = data;

	*item = (struct picker_item){.name = "all users", .style = STYLE_NAME};
	if (index > 0)
		*item = (struct picker_item){.name = list->items[index - 1].name,
					     .help = list->items[index - 1].help,
					     .style = STYLE_NAME};
}

static bool user_choose(void *owner, void *data, size_t index, const char *typed)
{
	const struct users_list *list = data;
	struct app *app = owner;
	struct row_filter_spec *filter = &app->tasks.spec.filter;

	(void)typed;
	if (index == SIZE_MAX)
		return false;
	list_release(&app->tasks);
	filter->one_user = index > 0;
	if (index > 0) {
		filter->uid = list->items[index - 1].uid;
		text_copy(app->search.user, sizeof(app->search.user), list->items[index - 1].name);
	}
	list_invalidate(&app->tasks);
	return true;
}

static void user_close(void *owner, void *data, bool chosen)
{
	struct users_list *list = data;

	(void)owner;
	(void)chosen;
	free(list->items);
	free(list);
}

static void describe_user(const struct view *view, size_t line, struct user_entry *entry)
{
	const struct columns *columns = view->snapshot->columns;
	const struct row *row = view_row(view, line);
	int percent = columns_metric(columns, "cpu_percent");
	struct cell cell = {.text = ""};
	size_t length = 0;

	entry->uid = row->uid;
	text_printable(entry->name, sizeof(entry->name), row->user[0] ? row->user : "-", 20);
	if (percent >= 0) {
		figure_format(columns->metrics[percent].def,
			      view_figure(view, view->order[line], percent), &cell);
		length = (size_t)snprintf(entry->help, sizeof(entry->help), "%6.10s %%CPU, ",
					  cell.text);
	}
	snprintf(entry->help + length, sizeof(entry->help) - length, "%u process%s", row->processes,
		 row->processes == 1 ? "" : "es");
}

void pick_user(struct app *app)
{
	static const struct picker_ops ops = {
		.item = user_item,
		.choose = user_choose,
		.close = user_close,
	};
	const struct row_filter_spec *filter = &app->tasks.spec.filter;
	const struct view_spec by_user = {.by = ROLLUP_USER};
	struct view view;

	if (!app->display.snapshot)
		return;

	struct users_list *list = xcalloc(1, sizeof(*list));
	size_t selected = 0;

	view_init(app->display.snapshot, &by_user, &view);
	list->items = xcalloc(view.n, sizeof(*list->items));
	for (; list->n < view.n; list->n++) {
		describe_user(&view, list->n, &list->items[list->n]);
		if (filter->one_user && list->items[list->n].uid == filter->uid)
			selected = list->n + 1;
	}
	view_fini(&view);
	picker_open(&app->picker, &ops, "Show tasks of", list, list->n + 1, app);
	picker_select(&app->picker, selected, app);
}
