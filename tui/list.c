// SPDX-License-Identifier: MIT
#include "list.h"

#include "core/util.h"

#include <stdlib.h>

void list_init(struct list *list, enum rollup by)
{
	*list = (struct list){.spec = {.by = by}};
}

void list_fini(struct list *list)
{
	list_invalidate(list);
}

void list_invalidate(struct list *list)
{
	if (list->built)
		view_fini(&list->view);
	list->built = false;
}

void list_roll_up(struct list *list, enum rollup by)
{
	list->spec.by = by;
	list->table.selected = list->table.top = 0;
	list_invalidate(list);
}

const struct view *list_view(struct list *list, const struct snapshot *snapshot)
{
	if (!list->built) {
		view_init(snapshot, &list->spec, &list->view);
		list->built = true;
	}
	return &list->view;
}

/* The next column that is shown, round the edge; a new column starts in its natural order. */
static void sort_by_neighbour(struct list *list, const struct view *view, bool next)
{
	size_t n = view->n_columns, column = view->sort_column;
	unsigned *widths = xcalloc(n, sizeof(*widths));

	table_fit(&list->table, view, list->table.width, widths);
	do
		column = (column + (next ? 1 : n - 1)) % n;
	while (widths[column] == 0 && column != view->sort_column);
	free(widths);
	text_copy(list->spec.sort, sizeof(list->spec.sort), view->columns[column].name);
	list->spec.reverse = false;
	list_invalidate(list);
}

bool list_act(struct list *list, const struct snapshot *snapshot, enum action action)
{
	if (table_act(&list->table, action))
		return true;
	if (action == ACTION_REVERSE) {
		list->spec.reverse = !list->spec.reverse;
		list_invalidate(list);
		return true;
	}
	if (action == ACTION_SORT_NEXT || action == ACTION_SORT_PREVIOUS) {
		if (snapshot)
			sort_by_neighbour(list, list_view(list, snapshot),
					  action == ACTION_SORT_NEXT);
		return true;
	}
	return false;
}

void list_draw(struct list *list, const struct snapshot *snapshot, struct canvas *canvas,
	       struct rect rect, const char *empty)
{
	if (list->spec.ascii != canvas->ascii) {
		list->spec.ascii = canvas->ascii;
		list_invalidate(list);
	}
	if (snapshot)
		table_draw(&list->table, canvas, rect, list_view(list, snapshot), empty);
}
