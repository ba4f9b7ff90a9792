// SPDX-License-Identifier: MIT
/*
 * Names that the vendor has for the events of these CPUs (event_table.h): LONGEST_LAT_CACHE.MISS,
 * also with a colon. An event of several kinds of cores, or of every memory controller, is counted
 * on each. If the kernel offers no core PMU, or not the PMU of the event, libpfm4 is asked.
 */
#include "core/base/util.h"
#include "core/event/event_modifier.h"
#include "core/event/event_resolver.h"
#include "core/event/event_table.h"

#include <errno.h>
#include <string.h>

static size_t length_without_modifiers(const char *name)
{
	size_t length = strlen(name);
	const char *colon;

	while ((colon = memrchr(name, ':', length)) &&
	       event_is_modifier(colon + 1, length - (size_t)(colon + 1 - name)))
		length = (size_t)(colon - name);
	return length;
}

bool event_vendor_is_on(const struct event_context *context, const char *pmu, size_t i)
{
	const char *name = context->pmus->items[i].name;
	bool core = i < event_core_pmus(context);

	if (strcmp(pmu, "cpu") == 0)
		return core;
	/* Without E-cores the PMU of the P-cores has the old name. */
	if (strcmp(pmu, "cpu_core") == 0 && core && strcmp(name, "cpu") == 0)
		return true;
	return name[0] && event_pmu_matches(pmu, name);
}

/* The items of that name, and the length of the name without modifiers. *n: how many. */
static const struct event_table_item *find_items(const struct event_context *context,
						 const char *name, size_t *length, size_t *n)
{
	const struct event_table *table =
		context->tables && context->pmus ? event_table_cache_get(context->tables) : NULL;

	*n = 0;
	*length = length_without_modifiers(name);
	return table ? event_table_find(table, name, *length, n) : NULL;
}

int event_vendor_resolve(const struct event_context *context, const char *name, struct event *event,
			 const char **rest, struct error *err)
{
	size_t length, n;
	const struct event_table_item *items = find_items(context, name, &length, &n);

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < context->pmus->n; i++) {
			if (!event_vendor_is_on(context, items[k].pmu, i))
				continue;
			int result = event_encode_on_pmu(context, i, items[k].terms,
							 strlen(items[k].terms), event, err);
			if (result < 0)
				return result;
		}
	*rest = name + length;
	return event->n_codes > 0 ? 0 : EVENT_NOT_MINE;
}

int event_vendor_explain(const struct event_context *context, const char *name, struct error *err)
{
	size_t length, n;
	const struct event_table_item *items = find_items(context, name, &length, &n);

	if (n == 0)
		return 0;
	return error_set(err, -ENODEV,
			 "'%s' is an event of %s, a PMU that this kernel does not offer.",
			 event_quote(name, strlen(name)).text, items[0].pmu);
}

void event_vendor_suggest(const struct event_context *context, struct suggest *suggest)
{
	const struct event_table *table =
		context->tables ? event_table_cache_get(context->tables) : NULL;

	for (size_t i = 0; table && i < table->n; i++)
		if (!table->items[i].deprecated)
			suggest_offer(suggest, table->items[i].name);
}
