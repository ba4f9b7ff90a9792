// SPDX-License-Identifier: MIT
/*
 * Lists metrics with the form that this machine uses. Forms are compiled with event sets of their
 * own, because a listed metric must not add events to the run.
 */
#include "core/metric/catalog.h"

#include "core/base/error.h"
#include "core/base/util.h"
#include "core/metric/catalog_source.h"
#include "core/metric/metric.h"
#include "core/metric/metric_constant.h"
#include "core/metric/metric_vendor.h"
#include "core/perf/perf_open_error.h"
#include "core/perf/probe.h"

#include <errno.h>

/* Metrics have events in common, so they share a set: each event is resolved and probed once. */
struct metric_walk {
	const struct event_context *context;
	unsigned cpus;
	const char *pattern;
	catalog_metric_fn *fn;
	void *arg;
	struct event_set events;
	size_t probed; /* the first of the events */
};

/* Returns whether the events of one form can be counted. */
static enum figure_state probe_form(struct metric_walk *walk, const struct metric_def *def,
				    size_t form)
{
	const struct event_context *context = walk->context;
	struct metric metric;
	struct error err;

	if (walk->events.n > EVENT_SET_MAX / 2) {
		event_set_fini(&walk->events);
		event_set_init(&walk->events, context);
		walk->probed = 0;
	}
	int result = metric_compile(def, form, &walk->events, &metric, &err);
	for (; walk->probed < walk->events.n; walk->probed++)
		event_probe(context->sys, context->pmus, &walk->events.items[walk->probed]);
	if (result < 0)
		return FIGURE_UNSUPPORTED;
	enum figure_state state = metric_state(&metric, &walk->events);
	metric_fini(&metric);
	return state;
}

/* The reason why the first event that is not counted is not. */
static void explain(const struct event_context *context, const struct perf_access *access,
		    const struct event_set *events, struct catalog_answer *answer)
{
	struct error why = {0};
	size_t i = 0;

	while (i < events->n && events->items[i].state == FIGURE_VALID)
		i++;
	if (i == events->n)
		return;
	const struct event *event = &events->items[i];
	if (perf_access_no_pmu(access) && event->kind == EVENT_HARDWARE)
		error_set(&why, -ENOENT, "%s", PERF_OPEN_NO_PMU);
	else if (event->answer == 0)
		perf_open_error_access(context->sys, access, &why);
	else
		perf_open_error_event(context->sys, event, &why);
	text_copy(answer->why, sizeof(answer->why), why.text);
}

void catalog_probe_metric(const struct event_context *context, const struct perf_access *access,
			  const struct metric_def *def, bool per_task,
			  struct catalog_answer *answer)
{
	unsigned cpus = metric_cpu_kinds(context);
	struct event_set events;
	struct metric metric;
	struct error err;
	int form = 0;

	*answer = (struct catalog_answer){.state = FIGURE_UNSUPPORTED};
	for (size_t from = 0;; from = (size_t)form + 1) {
		event_set_init(&events, context);
		form = metric_choose(def, cpus, from, &events, &metric, &err);
		if (form < 0)
			break;
		for (size_t i = 0; i < events.n; i++)
			catalog_probe_event(context, &events.items[i], per_task);
		enum figure_state state = metric_state(&metric, &events);
		metric_fini(&metric);
		if (state == FIGURE_VALID) {
			*answer = (struct catalog_answer){.state = state};
			break;
		}
		if (!answer->why[0] || answer->state == FIGURE_UNSUPPORTED) {
			answer->state = state;
			explain(context, access, &events, answer);
		}
		event_set_fini(&events);
	}
	event_set_fini(&events);
	if (answer->state != FIGURE_VALID && !answer->why[0])
		text_copy(answer->why, sizeof(answer->why), err.text);
}

static int offer_metric(struct metric_walk *walk, const struct metric_def *def)
{
	struct catalog_metric entry = {
		.def = def, .state = FIGURE_UNSUPPORTED, .why = def->refused};
	size_t first = metric_def_form(def, walk->cpus, 0), taken = first;

	if (!catalog_matches(walk->pattern, def->name, def->help))
		return 0;
	for (size_t form = first; form < METRIC_FORMS_MAX;
	     form = metric_def_form(def, walk->cpus, form + 1)) {
		enum figure_state state = probe_form(walk, def, form);

		if (state == FIGURE_VALID ||
		    (state == FIGURE_DENIED && entry.state == FIGURE_UNSUPPORTED)) {
			entry.state = state;
			taken = form;
		}
		if (state == FIGURE_VALID)
			break;
	}
	entry.title = taken < METRIC_FORMS_MAX ? def->forms[taken].title : NULL;
	entry.title = entry.title ? entry.title : def->title;
	entry.expression = taken < METRIC_FORMS_MAX ? def->forms[taken].expression : "";
	return walk->fn(walk->arg, &entry);
}

static int offer_all(struct metric_walk *walk, const struct metric_def *defs, size_t n)
{
	int result = 0;

	for (size_t i = 0; i < n && !result; i++)
		result = offer_metric(walk, &defs[i]);
	return result;
}

int catalog_metrics(const struct event_context *context, const struct metric_def *user,
		    size_t n_user, const char *pattern, catalog_metric_fn *fn, void *arg)
{
	struct metric_walk walk = {
		.context = context,
		.cpus = metric_cpu_kinds(context),
		.pattern = pattern,
		.fn = fn,
		.arg = arg,
	};
	struct metric_vendor_list *vendor = metric_vendor_list_new(context);

	event_set_init(&walk.events, context);
	int result = offer_all(&walk, metric_table, metric_table_n);
	if (!result)
		result = offer_all(&walk, user, n_user);
	if (!result)
		result = offer_all(&walk, vendor->defs, vendor->n);
	event_set_fini(&walk.events);
	metric_vendor_list_unref(vendor);
	return result;
}
