// SPDX-License-Identifier: MIT
/*
 * The vendor's events for these CPUs (core/event/event_table.h) on PMUs that the kernel offers. The
 * built-in table has no descriptions, but libpfm4 has some: catalog_pfm.c offers those events by
 * the vendor's name, and this the others, with their terms. The user's files have descriptions.
 */
#include "core/event/event_resolver.h"
#include "core/metric/catalog_source.h"

#include <string.h>

static bool is_offered(const struct event_context *context, const char *pmu)
{
	for (size_t i = 0; i < context->pmus->n; i++)
		if (event_vendor_is_on(context, pmu, i))
			return true;
	return false;
}

int catalog_vendor(const struct catalog_walk *walk)
{
	const struct event_table *table = walk->table;
	const char *pmu = NULL;
	bool offered = false;
	int result = 0;

	for (size_t i = 0; table && i < table->n && !result; i++) {
		const struct event_table_item *item = &table->items[i];

		if (item->pmu != pmu) /* neighbours mostly have the same text */
			offered = is_offered(walk->context, item->pmu);
		pmu = item->pmu;
		if (!offered || item->deprecated || walk->listed[i])
			continue;
		catalog_vendor_list(walk, item->name);
		result = catalog_offer(walk, item->name, item->pmu,
				       item->help ? item->help : item->terms);
	}
	return result;
}

/* Marks all items of that name. */
const struct event_table_item *catalog_vendor_list(const struct catalog_walk *walk,
						   const char *name)
{
	const struct event_table_item *found = NULL;
	size_t n = 0;
	const struct event_table_item *items =
		walk->table ? event_table_find(walk->table, name, strlen(name), &n) : NULL;

	for (size_t i = 0; i < n; i++) {
		walk->listed[items + i - walk->table->items] = true;
		if (!found && is_offered(walk->context, items[i].pmu))
			found = &items[i];
	}
	return found;
}
