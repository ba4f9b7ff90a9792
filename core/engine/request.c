// SPDX-License-Identifier: MIT
#include "core/engine/request.h"

#include "core/base/util.h"

#include <stdlib.h>

void request_list_put(struct request_list *list, struct request *request)
{
	list->items =
		array_reserve(list->items, &list->capacity, list->n + 1, sizeof(*list->items));
	list->items[list->n++] = *request;
	*request = (struct request){0};
}

void request_list_add(struct request_list *list, const struct request *request)
{
	struct request copy = *request;

	copy.text = request->text ? xstrdup(request->text) : NULL;
	request_list_put(list, &copy);
}

void request_list_move(struct request_list *list, struct request_list *from)
{
	for (size_t i = 0; i < from->n; i++)
		request_list_put(list, &from->items[i]);
	request_list_clear(from);
}

void request_list_clear(struct request_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		xfree(list->items[i].text);
	free(list->items);
	*list = (struct request_list){0};
}
