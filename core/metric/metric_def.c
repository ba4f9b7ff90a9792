// SPDX-License-Identifier: MIT
/*
 * The built-in metrics are data: one .def file for each subject. This file holds the table and what
 * finds, copies and frees definitions.
 *
 * Thresholds: one threshold from a source is `warn`, and `bad` is twice as far. Two thresholds from
 * a source are used as they are. Thresholds without a named source are heuristics.
 *
 * Forms go from the best to the last resort. A form names the vendor if it needs an event that only
 * some CPUs of that vendor have. If sysfs or the kernel does not have the event, the next form is
 * tried.
 */
#include "core/metric/metric_def.h"

#include "core/base/suggest.h"
#include "core/base/util.h"
#include "core/metric/metric_vendor.h"
#include "core/sys/cpu_kind.h"

#include <errno.h>
#include <string.h>

const struct metric_def metric_table[] = {
#include "core/metric/time.def"

#include "core/metric/work.def"

#include "core/metric/branch.def"

#include "core/metric/cache.def"

#include "core/metric/tlb.def"

#include "core/metric/topdown.def"

#include "core/metric/kernel.def"

#include "core/metric/wait.def"

#include "core/metric/task.def"

#include "core/metric/machine.def"
};

const size_t metric_table_n = ARRAY_SIZE(metric_table);

static const char *const format_names[] = {
	[METRIC_FORMAT_NUMBER] = "",
	[METRIC_FORMAT_LETTER] = "letter",
	[METRIC_FORMAT_TIME] = "time",
};

const char *metric_format_name(enum metric_format format)
{
	return format_names[format];
}

enum metric_format metric_format_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(format_names); i++)
		if (strcmp(format_names[i], name) == 0)
			return (enum metric_format)i;
	return METRIC_FORMAT_NUMBER;
}

const struct metric_def *metric_def_find(const char *name)
{
	for (size_t i = 0; i < metric_table_n; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return &metric_table[i];
	return NULL;
}

const struct metric_def *metric_def_lookup(const struct metric_def *user, size_t n_user,
					   const char *name)
{
	for (size_t i = 0; i < n_user; i++)
		if (strcmp(user[i].name, name) == 0)
			return &user[i];
	return metric_def_find(name);
}

int metric_def_unknown(const struct event_context *context, const struct metric_def *user,
		       size_t n_user, const char *name, struct error *err)
{
	struct suggest near = {.word = name};
	char hint[80];

	for (size_t i = 0; i < n_user; i++)
		suggest_offer(&near, user[i].name);
	for (size_t i = 0; i < metric_table_n; i++)
		suggest_offer(&near, metric_table[i].name);
	metric_vendor_suggest(context, &near);
	suggest_text(&near, hint, sizeof(hint));
	return error_set(err, -ENOENT, "Unknown metric '%.40s'%s. See 'pmctop --list metrics'.",
			 name, hint);
}

size_t metric_def_form(const struct metric_def *def, unsigned cpus, size_t from)
{
	for (size_t i = from; i < METRIC_FORMS_MAX && def->forms[i].expression; i++)
		if (def->forms[i].where == 0 || (def->forms[i].where & cpus))
			return i;
	return METRIC_FORMS_MAX;
}

static const char *copy_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

void metric_def_copy(struct metric_def *copy, const struct metric_def *def)
{
	*copy = *def;
	copy->name = copy_text(def->name);
	copy->title = copy_text(def->title);
	copy->group = copy_text(def->group);
	copy->refused = copy_text(def->refused);
	copy->unit = copy_text(def->unit);
	copy->help = copy_text(def->help);
	for (size_t i = 0; i < METRIC_FORMS_MAX; i++) {
		copy->forms[i].title = copy_text(def->forms[i].title);
		copy->forms[i].expression = copy_text(def->forms[i].expression);
	}
}

void metric_def_fini(struct metric_def *def)
{
	xfree(def->name);
	xfree(def->title);
	xfree(def->group);
	xfree(def->refused);
	xfree(def->unit);
	xfree(def->help);
	for (size_t i = 0; i < METRIC_FORMS_MAX; i++) {
		xfree(def->forms[i].title);
		xfree(def->forms[i].expression);
	}
	*def = (struct metric_def){0};
}
