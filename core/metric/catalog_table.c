// SPDX-License-Identifier: MIT
/* The table of a kind of CPU that this machine need not have: nothing can be probed. */
#include "core/metric/catalog.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/metric/metric_vendor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 4096 };

int catalog_table_events(const struct event_table *table, const char *pattern, catalog_table_fn *fn,
			 void *arg)
{
	int result = 0;

	for (size_t i = 0; i < table->n && !result; i++) {
		const struct event_table_item *item = &table->items[i];
		char text[TEXT_SIZE];

		snprintf(text, sizeof(text), "%s%s%s%s", item->help ? item->help : "",
			 item->help ? " (" : "", item->terms, item->help ? ")" : "");
		if (!item->deprecated && catalog_matches(pattern, item->name, text))
			result = fn(arg, item->name, item->pmu, text);
	}
	return result;
}

static void add_pmu(struct pmu_set *set, const char *name)
{
	if (strncmp(name, "cpu_", strlen("cpu_")) != 0)
		return;
	set->items = xreallocarray(set->items, set->n + 1, sizeof(*set->items));
	set->items[set->n] = (struct pmu){.kind = PMU_CORE};
	text_copy(set->items[set->n].name, sizeof(set->items[0].name), name);
	set->n_core = ++set->n;
}

/*
 * The core PMUs that Linux has on such a CPU: those whose events and metrics the table names, or
 * one. Names of several kinds of cores need the PMU in front (metric_vendor.h).
 */
static void core_pmus(const struct event_table *table, struct pmu_set *set)
{
	*set = (struct pmu_set){0};
	for (size_t i = 0; i < table->n_pmus; i++)
		add_pmu(set, table->pmus[i].name);
	if (set->n == 0) {
		set->items = xcalloc(1, sizeof(*set->items));
		set->items[0] = (struct pmu){.name = "cpu", .kind = PMU_CORE};
		set->n = set->n_core = 1;
	}
}

int catalog_table_metrics(struct event_table_cache *tables, const char *pattern,
			  catalog_metric_fn *fn, void *arg)
{
	const struct event_table *table = event_table_cache_get(tables);
	struct pmu_set pmus;
	int result = 0;

	if (!table)
		return 0;
	core_pmus(table, &pmus);
	const struct event_context context = {.pmus = &pmus, .tables = tables};
	struct metric_vendor_list *list = metric_vendor_list_new(&context);
	for (size_t i = 0; i < list->n && !result; i++) {
		const struct metric_def *def = &list->defs[i];
		const char *formula = def->forms[0].expression;

		if (catalog_matches(pattern, def->name, def->help))
			result = fn(arg, &(struct catalog_metric){
						 .def = def,
						 .title = def->title,
						 .expression = formula ? formula : "",
						 .state = FIGURE_UNSUPPORTED,
						 .why = def->refused,
					 });
	}
	metric_vendor_list_unref(list);
	pmu_set_fini(&pmus);
	return result;
}
