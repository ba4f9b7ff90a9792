// SPDX-License-Identifier: MIT
#include "event.h"

#include "event_pfm.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int event_resolve(const struct event_context *context, const char *name, struct event *event,
		  struct error *err)
{
	struct perf_event_attr attr;
	int result = event_pfm_resolve(name, &attr, err);

	(void)context;
	if (result < 0)
		return result;
	*event = (struct event){
		.name = xstrdup(name),
		.scale = 1,
		.kind = attr.type == PERF_TYPE_SOFTWARE ? EVENT_SOFTWARE : EVENT_HARDWARE,
		.codes = xcalloc(1, sizeof(*event->codes)),
		.n_codes = 1,
		.state = FIGURE_VALID,
	};
	event->codes[0] = (struct event_code){.attr = attr};
	return 0;
}

void event_copy(struct event *copy, const struct event *event)
{
	*copy = *event;
	copy->name = xstrdup(event->name);
	copy->codes = xcalloc(event->n_codes, sizeof(*copy->codes));
	if (event->n_codes > 0)
		memcpy(copy->codes, event->codes, event->n_codes * sizeof(*copy->codes));
}

void event_fini(struct event *event)
{
	free(event->name);
	free(event->codes);
	*event = (struct event){0};
}

static int append(struct event_set *set, struct event event)
{
	set->items = array_reserve(set->items, &set->capacity, set->n + 1, sizeof(*set->items));
	set->items[set->n] = event;
	return (int)set->n++;
}

void event_set_init(struct event_set *set, const struct event_context *context)
{
	*set = (struct event_set){.context = context};
	append(set, (struct event){.name = xstrdup("task-clock"), .unit = "ns", .scale = 1});
	append(set, (struct event){.name = xstrdup("context-switches"), .scale = 1});
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
		struct event event;

		event_copy(&event, &set->items[i]);
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
	int result = event_resolve(set->context, name, &event, err);
	return result < 0 ? result : append(set, event);
}
