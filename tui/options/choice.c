// SPDX-License-Identifier: MIT
/*
 * Checks names of columns after the command line and the configuration have been read, because each
 * may define metrics that the other one names.
 */
#include "tui/options/choice.h"

#include "core/base/suggest.h"
#include "core/base/util.h"
#include "core/event/event_names.h"
#include "core/metric/metric_user.h"
#include "core/metric/metric_vendor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Names are left to the engine, which has the metrics of the vendor or of a recording. */
static int check_metric(const char *text, struct error *err)
{
	struct metric_def def;

	if (!strchr(text, '='))
		return 0;
	if (metric_def_parse(text, &def, err) < 0)
		return err->code = -EINVAL;
	metric_def_fini(&def);
	return 0;
}

int choice_check_columns(const struct engine_config *config, struct error *err)
{
	struct event_names list = {0}; /* one list: its limits hold for all -e together */
	int result = 0;

	for (size_t i = 0; i < config->n_columns && !result; i++)
		result = config->columns[i].optional ? 0
			 : config->columns[i].kind == ENGINE_EVENTS
				 ? event_names_parse(config->columns[i].text, &list, err)
				 : check_metric(config->columns[i].text, err);
	event_names_fini(&list);
	return result;
}

typedef int column_fn(void *arg, const char *name, const char *help);

static int each_fixed_column(column_fn *fn, void *arg)
{
	static const struct {
		const char *name, *help;
	} fixed[] = {
		{"pid", "process"},
		{"tid", "thread, with -H"},
		{"user", "user that it runs as"},
		{"command", "name of the program"},
		{"verdict", "main reason of slowness, from the counts"},
		{"hottest", "function that it runs most; only with --columns hottest"},
		{"processes", "number that ran, with --by user, cgroup or command"},
		{"threads", "number that ran, with --by user, cgroup or command"},
		{"cgroup", "container or service, with --by cgroup"},
		{"cpu", "number, with --by cpu"},
		{"socket", "number, with --by socket"},
		{"node", "number, with --by node"},
		{"cpus", "number of counted CPUs, with --by socket or node"},
		{"stall", "time that CPUs stall, at least"},
		{"type", "kind of CPU, where there are several"},
		{"worst", "CPUs that stall most, then the busiest"},
	};
	int result = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fixed) && !result; i++)
		result = fn(arg, fixed[i].name, fixed[i].help);
	return result;
}

static int each_metric(const struct metric_def *metrics, size_t n, column_fn *fn, void *arg)
{
	int result = 0;

	for (size_t i = 0; i < n && !result; i++)
		result = fn(arg, metrics[i].name, metrics[i].help);
	return result;
}

/* The label of an event: its term name=, else its name. The caller frees it. */
static char *copy_label(const char *name)
{
	const char *label = strstr(name, "name=");

	if (!label || label == name || !strchr("/,", label[-1]))
		return xstrdup(name);
	label += strlen("name=");
	return xstrndup(label, strcspn(label, ",/"));
}

/* An invalid list has no columns; the engine reports it. */
static int each_event(const char *text, column_fn *fn, void *arg)
{
	struct event_names list = {0};
	struct error err;
	int result = 0;

	if (event_names_parse(text, &list, &err) == 0)
		for (size_t i = 0; i < list.n && !result; i++) {
			char *label = copy_label(list.items[i].name);
			result = fn(arg, label, "the event");
			free(label);
		}
	event_names_fini(&list);
	return result;
}

static int each_requested(const struct engine_column *column, column_fn *fn, void *arg)
{
	if (column->kind == ENGINE_EVENTS)
		return each_event(column->text, fn, arg);

	struct metric_def def;
	struct error err;
	if (metric_def_parse(column->text, &def, &err) < 0)
		return 0; /* a plain name: a metric that is known already, or the vendor's */
	int result = fn(arg, def.name, def.help);
	metric_def_fini(&def);
	return result;
}

int choice_each_column(const struct engine_config *config, column_fn *fn, void *arg)
{
	int result = each_fixed_column(fn, arg);

	if (!result)
		result = each_metric(metric_table, metric_table_n, fn, arg);
	if (!result)
		result = each_metric(config->user_metrics, config->n_user_metrics, fn, arg);
	for (size_t i = 0; i < config->n_columns && !result; i++)
		result = each_requested(&config->columns[i], fn, arg);
	return result;
}

struct sort_search {
	struct suggest near;
	char nearest[48]; /* copied: names of -e are freed after the call */
};

static int compare_column(void *arg, const char *name, const char *help)
{
	struct sort_search *search = arg;
	const char *before = search->near.nearest;

	(void)help;
	if (strcmp(search->near.word, name) == 0)
		return 1;
	suggest_offer(&search->near, name);
	if (search->near.nearest != before) {
		text_copy(search->nearest, sizeof(search->nearest), name);
		search->near.nearest = search->nearest;
	}
	return 0;
}

/* Whether -m has the name, perhaps of a metric of the vendor, which may be spelt in several ways.
 */
static bool is_requested(const struct engine_config *config, const char *name)
{
	for (size_t i = 0; i < config->n_columns; i++)
		if (config->columns[i].kind == ENGINE_METRIC &&
		    metric_vendor_same_name(config->columns[i].text, name))
			return true;
	return false;
}

/* Returns the name of the metric with that title, or NULL. */
static const char *name_of_title(const struct metric_def *metrics, size_t n, const char *title)
{
	for (size_t i = 0; i < n; i++)
		if (metrics[i].title && strcmp(metrics[i].title, title) == 0)
			return metrics[i].name;
	return NULL;
}

int choice_sort(const char *name, const struct engine_config *config, struct error *err)
{
	struct sort_search search = {.near = {.word = name}};
	char hint[80];

	if (!name[0] || choice_each_column(config, compare_column, &search) ||
	    is_requested(config, name))
		return 0;
	const char *titled = name_of_title(metric_table, metric_table_n, name);
	if (!titled)
		titled = name_of_title(config->user_metrics, config->n_user_metrics, name);
	if (titled)
		search.near.nearest = titled;
	suggest_text(&search.near, hint, sizeof(hint));
	return error_set(err, -EINVAL, "Unknown column '%.40s'%s. See 'pmctop -s help'.%s", name,
			 hint, hint[0] ? "" : " A metric of the CPU's vendor needs -m, too.");
}

const char *choice_renamed_column(const char *name)
{
	static const struct {
		const char *name, *renamed;
	} columns[] = {{"lost", "stall"}};

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (strcmp(columns[i].name, name) == 0)
			return columns[i].renamed;
	return NULL;
}
