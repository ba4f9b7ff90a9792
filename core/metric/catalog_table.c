// SPDX-License-Identifier: MIT
/* The table of a kind of CPU that this machine need not have: nothing can be probed. */
#include "core/metric/catalog.h"

#include <stdio.h>

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

int catalog_table_metrics(const struct event_table *table, const char *pattern,
			  catalog_table_fn *fn, void *arg)
{
	int result = 0;

	for (size_t i = 0; i < table->n_metrics && !result; i++) {
		const struct event_table_metric *metric = &table->metrics[i];
		char text[TEXT_SIZE];

		snprintf(text, sizeof(text), "%s%s%s%s= %s%s%s%s%s",
			 metric->help ? metric->help : "", metric->help ? " " : "", metric->unit,
			 metric->unit[0] ? " " : "", metric->formula + (metric->formula[0] == '='),
			 metric->events[0] ? "; " : "", metric->events,
			 metric->constants[0] ? " " : "", metric->constants);
		if (catalog_matches(pattern, metric->name, metric->help ? metric->help : ""))
			result = fn(arg, metric->name, metric->pmu, text);
	}
	return result;
}
