// SPDX-License-Identifier: MIT
/*
 * A definition is made each time one is needed, because a table has hundreds of metrics and a run
 * needs a few. The vendor's sentences are not in the table, so `help` has facts of the metric: its
 * domain, its place in the tree, its threshold.
 */
#include "core/metric/metric_vendor.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/event_resolver.h"
#include "core/event/event_table_cache.h"
#include "core/metric/metric_event.h"
#include "core/metric/metric_user.h"
#include "core/metric/metric_vendor_formula.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 127, UNIT_MAX_BYTES = 8, TREE_MAX = 16 };

/* A unit or domain of the vendor. */
static const struct {
	const char *name, *unit;
	unsigned width, decimals;
} units[] = {
	{"per instruction", "/instr", 7, 4},
	{"per branch", "/branch", 6, 4},
	{"per cache access", "/access", 6, 4},
	{"per TLB access", "/access", 6, 4},
	{"per cycle", "/cycle", 6, 2},
	{"operations per cycle", "/cycle", 6, 2},
	{"per second", "/s", 7, 1},
	{"MPKI", "/ki", 6, 2},
	{"MB/sec", "MB/s", 7, 1},
	{"GB/sec", "GB/s", 7, 2},
	{"GHz", "GHz", 5, 2},
	{"ns", "ns", 7, 1},
	{"NanoSeconds", "ns", 7, 1},
	{"Seconds", "s", 7, 2},
};

/* Without the number that Linux' units begin with. */
static const char *unit_of(const struct event_table_metric *metric)
{
	double ignored;

	return metric->unit + (metric->formula[0] == '=' ? text_number(metric->unit, &ignored) : 0);
}

/* Sets unit, width and decimals. */
static void set_unit(const struct event_table_metric *metric, struct metric_def *def)
{
	const char *unit = unit_of(metric), *name = metric->unit[0] ? unit : metric->domain;

	/* Any short one of Linux'. */
	def->unit = unit > metric->unit && strlen(unit) <= UNIT_MAX_BYTES ? unit : "";
	def->width = 7;
	def->decimals = 2;
	if (metric_vendor_is_percent(metric) || strcmp(unit, "%") == 0) {
		def->unit = "%";
		def->width = 5;
		def->decimals = 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(units[i].name, name) == 0) {
			def->unit = units[i].unit;
			def->width = units[i].width;
			def->decimals = units[i].decimals;
		}
	def->unit = xstrdup(def->unit);
}

static const struct event_table *table_of(const struct event_context *context)
{
	return context && context->tables && context->pmus ? event_table_cache_get(context->tables)
							   : NULL;
}

/* The metric above, of the same cores, or NULL. */
static const struct event_table_metric *parent_of(const struct event_table *table,
						  const struct event_table_metric *metric)
{
	return metric_vendor_on_pmu(table, metric->pmu, metric->parent, strlen(metric->parent));
}

/* Whether the figure is useful work: more of it is better, and its threshold is no warning. */
static bool is_useful_work(const struct event_table *table, const struct event_table_metric *metric)
{
	if (event_same_name("Bottleneck_Useful_Work", strlen("Bottleneck_Useful_Work"),
			    metric->name))
		return true;
	for (unsigned i = 0; metric && i < TREE_MAX; i++) {
		if (strcmp(metric->name, "Retiring") == 0 ||
		    strcmp(metric->name, "Light_Operations") == 0)
			return true;
		if (strcmp(metric->name, "Heavy_Operations") == 0)
			return false;
		metric = parent_of(table, metric);
	}
	return false;
}

/* As for the built-in metrics, `bad` is twice as far as the one threshold of the source. */
static void set_colours(const struct event_table *table, const struct event_table_metric *metric,
			const struct metric_vendor_threshold *threshold, struct metric_def *def)
{
	if (!threshold->own || threshold->either || threshold->limit <= 0 ||
	    is_useful_work(table, metric))
		return;
	def->better = threshold->below ? METRIC_HIGHER : METRIC_LOWER;
	def->warn = threshold->limit;
	def->bad = threshold->below ? threshold->limit / 2 : threshold->limit * 2;
}

/* Domains that are no quantity. */
static bool is_no_quantity(const char *domain)
{
	static const char *const words[] = {"Metric",        "Core_Metric", "Inst_Metric",
					    "System_Metric", "Fraction",    "Count"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(domain, words[i]) == 0)
			return true;
	return domain[0] == '\0';
}

static void set_help(const struct event_table_metric *metric,
		     const struct metric_vendor_threshold *threshold, struct metric_def *def)
{
	const char *help = metric->help ? metric->help : "", *unit = unit_of(metric);
	bool percent = strcmp(unit, "percent") == 0,
	     named = strcmp(unit, def->unit) != 0 && !(help[0] && def->unit[0]);
	char text[1024] = "";
	int n = 0;

	if (percent && !is_no_quantity(metric->domain))
		n = snprintf(text, sizeof(text), "; share of %.40s", metric->domain);
	else if (unit[0] && !percent && named)
		n = snprintf(text, sizeof(text), "; %.40s", unit);
	else if (!unit[0] && !is_no_quantity(metric->domain))
		n = snprintf(text, sizeof(text), "; in %.40s", metric->domain);
	else if (!help[0])
		n = snprintf(text, sizeof(text), "; of the vendor");
	if (metric->parent[0])
		n += snprintf(text + n, sizeof(text) - (size_t)n, "; a part of %.60s",
			      metric->parent);
	double scale;
	if (threshold->text[0])
		snprintf(text + n, sizeof(text) - (size_t)n, "; threshold%s: %.800s",
			 metric_vendor_scale(metric, &scale) ? " before the factor" : "",
			 threshold->text);
	const char *facts = text + strspn(text, "; ");
	size_t size = strlen(help) + strlen(facts) + sizeof(" ()");
	char *whole = xmalloc(size);
	snprintf(whole, size, help[0] && facts[0] ? "%s (%s)" : "%s%s", help, facts);
	def->help = whole;
}

static bool is_here(const struct event_context *context, const struct event_table_metric *metric)
{
	for (size_t i = 0; i < event_core_pmus(context); i++)
		if (event_vendor_is_on(context, metric->pmu, i))
			return true;
	return false;
}

static void make_def(const struct event_context *context, const struct event_table *table,
		     const struct event_table_metric *metric, struct metric_def *def)
{
	struct metric_vendor_threshold threshold;
	char name[NAME_MAX_BYTES + 1], title[4 * METRIC_TITLE_MAX + 1];
	char full[sizeof(name) + sizeof(METRIC_VENDOR_PREFIX)];
	struct error why = {0};

	metric_vendor_name(table, metric, name, sizeof(name));
	snprintf(full, sizeof(full), "%s%s", metric_name_is_taken(name) ? METRIC_VENDOR_PREFIX : "",
		 name);
	metric_title_fit(metric->name, METRIC_TITLE_MAX, title, sizeof(title));
	metric_vendor_threshold(metric, &threshold);
	*def = (struct metric_def){
		.name = xstrdup(full),
		.title = xstrdup(title),
		.group = xstrdup("vendor"),
		.forms = {{.expression = metric_vendor_formula(context, table, metric, &why)}},
	};
	if (!def->forms[0].expression)
		def->refused = xstrdup(why.text);
	set_unit(metric, def);
	set_colours(table, metric, &threshold, def);
	set_help(metric, &threshold, def);
	free(threshold.text);
}

size_t metric_vendor_count(const struct event_context *context)
{
	const struct event_table *table = table_of(context);

	return table ? table->n_metrics : 0;
}

bool metric_vendor_def(const struct event_context *context, size_t i, struct metric_def *def)
{
	const struct event_table *table = table_of(context);

	if (!table || i >= table->n_metrics || !is_here(context, &table->metrics[i]))
		return false;
	make_def(context, table, &table->metrics[i], def);
	return true;
}

/* The rest of a name behind a prefix, or NULL. */
static const char *skip_prefix(const char *name, const char *prefix, size_t length)
{
	return strlen(name) > length && event_same_name(name, length, prefix) ? name + length
									      : NULL;
}

/* Of the PMU, or (NULL) of the best cores that have it. */
static const struct event_table_metric *find_on(const struct event_context *context,
						const struct event_table *table, const char *pmu,
						const char *name)
{
	const struct event_table_metric *found = NULL;
	size_t n = 0;
	const struct event_table_metric *metrics =
		event_table_find_metric(table, name, strlen(name), &n);

	for (size_t i = 0; i < n; i++) {
		if (!is_here(context, &metrics[i]) || (pmu && strcmp(metrics[i].pmu, pmu) != 0))
			continue;
		if (!found || strcmp(metrics[i].pmu, "cpu_core") == 0)
			found = &metrics[i];
	}
	return found;
}

int metric_vendor_find(const struct event_context *context, const char *name,
		       struct metric_def *def)
{
	static const char *const pmus[] = {"cpu_core", "cpu_atom", "cpu_lowpower"};
	const struct event_table *table = table_of(context);

	if (!table)
		return -ENOENT;
	const char *rest = skip_prefix(name, METRIC_VENDOR_PREFIX, strlen(METRIC_VENDOR_PREFIX));
	name = rest ? rest : name;
	const struct event_table_metric *metric = find_on(context, table, NULL, name);
	for (size_t i = 0; !metric && i < ARRAY_SIZE(pmus); i++) {
		rest = skip_prefix(name, pmus[i], strlen(pmus[i]));
		if (rest && rest[0] == '_')
			metric = find_on(context, table, pmus[i], rest + 1);
	}
	if (!metric)
		return -ENOENT;
	make_def(context, table, metric, def);
	return 0;
}

struct metric_vendor_list *metric_vendor_list_new(const struct event_context *context)
{
	struct metric_vendor_list *list = xcalloc(1, sizeof(*list));
	size_t n = metric_vendor_count(context);

	list->references = 1;
	list->defs = xcalloc(n, sizeof(*list->defs));
	for (size_t i = 0; i < n; i++)
		list->n += metric_vendor_def(context, i, &list->defs[list->n]);
	return list;
}

struct metric_vendor_list *metric_vendor_list_ref(struct metric_vendor_list *list)
{
	__atomic_add_fetch(&list->references, 1, __ATOMIC_RELAXED);
	return list;
}

void metric_vendor_list_unref(struct metric_vendor_list *list)
{
	/* As columns_unref(): the last owner acquires the uses of all other threads. */
	if (!list || __atomic_sub_fetch(&list->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (size_t i = 0; i < list->n; i++)
		metric_def_fini(&list->defs[i]);
	free(list->defs);
	free(list);
}

bool metric_vendor_same_name(const char *a, const char *b)
{
	const char *rest_a = skip_prefix(a, "tma_", strlen("tma_"));
	const char *rest_b = skip_prefix(b, "tma_", strlen("tma_"));

	a = rest_a ? rest_a : a;
	b = rest_b ? rest_b : b;
	return event_same_name(a, strlen(a), b);
}

bool metric_vendor_has_prefix(const char *name)
{
	static const char *const prefixes[] = {METRIC_VENDOR_PREFIX, "tma_"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (skip_prefix(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

void metric_vendor_suggest(const struct event_context *context, struct suggest *suggest)
{
	const struct event_table *table = table_of(context);

	for (size_t i = 0; table && i < table->n_metrics; i++)
		if (is_here(context, &table->metrics[i]))
			suggest_offer(suggest, table->metrics[i].name);
}
