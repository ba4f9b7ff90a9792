// SPDX-License-Identifier: MIT
#include "event.h"

#include "event_pfm.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int event_resolve(const char *name, struct event *event, struct error *err)
{
	struct perf_event_attr attr;
	int result = event_pfm_resolve(name, &attr, err);

	if (result < 0)
		return result;
	*event = (struct event){
		.name = xstrdup(name),
		.unit = "",
		.kind = attr.type == PERF_TYPE_SOFTWARE ? EVENT_SOFTWARE : EVENT_HARDWARE,
		.attr = attr,
		.state = FIGURE_VALID,
	};
	return 0;
}

void event_fini(struct event *event)
{
	free(event->name);
	*event = (struct event){0};
}

static int append(struct event_set *set, struct event event)
{
	set->items = array_reserve(set->items, &set->capacity, set->n + 1, sizeof(*set->items));
	set->items[set->n] = event;
	return (int)set->n++;
}

void event_set_init(struct event_set *set)
{
	*set = (struct event_set){0};
	append(set, (struct event){.name = xstrdup("task-clock"), .unit = "ns"});
	append(set, (struct event){.name = xstrdup("context-switches"), .unit = ""});
}

void event_set_fini(struct event_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		event_fini(&set->items[i]);
	free(set->items);
	*set = (struct event_set){0};
}

void event_set_copy(struct event_set *copy, const struct event_set *set)
{
	*copy = (struct event_set){0};
	for (size_t i = 0; i < set->n; i++) {
		struct event event = set->items[i];
		event.name = xstrdup(event.name);
		append(copy, event);
	}
}

int event_set_find(const struct event_set *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (!strcmp(set->items[i].name, name))
			return (int)i;
	return -ENOENT;
}

int event_set_add(struct event_set *set, const char *name, struct error *err)
{
	int index = event_set_find(set, name);
	struct event event;

	if (index >= 0)
		return index;
	int result = event_resolve(name, &event, err);
	return result < 0 ? result : append(set, event);
}
