// SPDX-License-Identifier: MIT
/*
 * A column is added in the best form that this machine can count: each form is compiled, its events
 * are probed, and are removed again if one cannot be counted. After each change the wants are made
 * anew: one for each column, or for each {a,b} of the user. Hidden columns are removed before a
 * change and added again after it, so that they and their events are always the last ones.
 */
#include "core/metric/selection.h"

#include "core/base/util.h"
#include "core/event/event_names.h"
#include "core/event/event_resolver.h"
#include "core/metric/metric_constant.h"
#include "core/metric/metric_event.h"
#include "core/metric/metric_user.h"
#include "core/perf/probe.h"
#include "core/sys/cpu_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void clear_wants(struct selection *selection)
{
	for (size_t i = 0; i < selection->wants.n; i++)
		free(selection->wants.items[i].events);
	free(selection->wants.items);
	selection->wants = (struct plan_wants){0};
}

void selection_init(struct selection *selection, const struct event_context *context)
{
	*selection = (struct selection){
		.context = context,
		.cpus = metric_cpu_kinds(context),
	};
	event_set_init(&selection->events, context);
}

void selection_init_recorded(struct selection *selection, const struct event_context *context,
			     const struct event_set *events)
{
	*selection = (struct selection){
		.context = context,
		.cpus = context->cpu ? cpu_facts_kinds(context->cpu) : 0,
	};
	event_set_copy(&selection->events, events);
	selection->events.context = context;
	selection->events.frozen = true;
}

void selection_fini(struct selection *selection)
{
	clear_wants(selection);
	for (size_t i = 0; i < selection->n; i++)
		metric_def_fini(&selection->columns[i].def);
	free(selection->columns);
	event_set_fini(&selection->events);
	*selection = (struct selection){0};
}

static size_t find_column(const struct selection *selection, const char *name)
{
	size_t i = 0;

	while (i < selection->n && strcmp(selection->columns[i].def.name, name) != 0)
		i++;
	return i;
}

static void probe_event(const struct selection *selection, struct event *event)
{
	const struct event_context *context = selection->context;

	if (selection->soon)
		event_probe_soon(context->sys, context->pmus, event);
	else
		event_probe(context->sys, context->pmus, event);
}

static void probe_from(struct selection *selection, size_t first)
{
	for (size_t i = first; i < selection->events.n; i++)
		probe_event(selection, &selection->events.items[i]);
}

/* Adds what must lead the groups of a metric's events. */
static void add_leaders(struct selection *selection, const struct metric *metric)
{
	unsigned events[METRIC_EVENTS_MAX];

	for (size_t n = metric_events(metric, events, METRIC_EVENTS_MAX); n-- > 0;)
		event_set_add_leaders(&selection->events, events[n]);
}

/* Tries the forms from `from` on. Returns a number, and whether it can be counted, or -errno. */
static int try_form(struct selection *selection, const struct metric_def *def, size_t from,
		    bool *counted, struct error *err)
{
	struct event_set *events = &selection->events;
	size_t known = events->n;
	struct metric metric;
	int form = metric_choose(def, selection->cpus, from, events, &metric, err);

	if (form < 0)
		return form;
	add_leaders(selection, &metric);
	probe_from(selection, known);
	*counted = metric_state(&metric, events) == FIGURE_VALID;
	metric_fini(&metric);
	return form;
}

/* Returns the form of the column and adds its events to the set, or returns -errno. */
static int choose_form(struct selection *selection, const struct metric_def *def, struct error *err)
{
	struct event_set *events = &selection->events;
	size_t known = events->n;
	struct error ignored;
	bool counted = false;
	int first = try_form(selection, def, 0, &counted, err), form = first;

	while (form >= 0 && !counted) {
		while (events->n > known)
			event_fini(&events->items[--events->n]);
		form = try_form(selection, def, (size_t)form + 1, &counted, &ignored);
	}
	return form >= 0 || first < 0 ? form
				      : try_form(selection, def, (size_t)first, &counted, err);
}

static void append_want(struct selection *selection, const unsigned *events, size_t n,
			bool optional)
{
	struct plan_wants *wants = &selection->wants;

	wants->items = xreallocarray(wants->items, wants->n + 1, sizeof(*wants->items));
	wants->items[wants->n++] = (struct plan_want){
		.events =
			n ? memcpy(xcalloc(n, sizeof(*events)), events, n * sizeof(*events)) : NULL,
		.n = n,
		.optional = optional,
	};
}

static size_t list_events(const struct selection *selection, size_t column, unsigned *events,
			  size_t n)
{
	const struct selection_column *what = &selection->columns[column];
	struct metric metric;

	selection_compile(what, &what->def, &selection->events, &metric);
	n += metric_events(&metric, events + n, SELECTION_MAX - n);
	metric_fini(&metric);
	return n;
}

static void make_wants(struct selection *selection)
{
	unsigned events[SELECTION_MAX];

	clear_wants(selection);
	for (size_t i = 0; i < selection->n; i++) {
		unsigned together = selection->columns[i].together;
		bool first = true;
		size_t n = 0;

		for (size_t k = 0; k < i && together; k++)
			first &= selection->columns[k].together != together;
		if (!first)
			continue;
		for (size_t k = i; k < selection->n; k++)
			if (k == i || (together && selection->columns[k].together == together))
				n = list_events(selection, k, events, n);
		append_want(selection, events, n, selection->columns[i].optional);
	}
}

/* Drops the events that no column needs. */
static void drop_unused_events(struct selection *selection)
{
	bool *needed = xcalloc(selection->events.n, sizeof(*needed));
	unsigned events[METRIC_EVENTS_MAX];

	for (size_t i = 0; i < selection->n; i++)
		for (size_t n = list_events(selection, i, events, 0); n-- > 0;)
			for (size_t k = 0; k < selection->events.n; k++)
				needed[k] |= event_set_needs(&selection->events, events[n], k);
	if (!selection->events.frozen)
		event_set_keep(&selection->events, needed);
	free(needed);
}

static void append_column(struct selection *selection, struct selection_column column,
			  const struct metric_def *def)
{
	selection->columns = array_reserve(selection->columns, &selection->capacity,
					   selection->n + 1, sizeof(*selection->columns));
	metric_def_copy(&column.def, def);
	selection->columns[selection->n++] = column;
}

static bool is_counted(const struct selection *selection, const struct metric_def *def, size_t form)
{
	const struct selection_column column = {.form = form};
	struct metric metric;

	selection_compile(&column, def, &selection->events, &metric);
	bool counted = metric_state(&metric, &selection->events) == FIGURE_VALID;
	metric_fini(&metric);
	return counted;
}

static void add_hidden(struct selection *selection, const char *name, bool optional)
{
	const struct metric_def *def = metric_def_find(name);
	size_t known = selection->events.n;
	struct error ignored;

	if (!def || selection->n == SELECTION_MAX || find_column(selection, name) < selection->n)
		return;
	int form = choose_form(selection, def, &ignored);
	if (form >= 0 && (!optional || is_counted(selection, def, (size_t)form))) {
		append_column(selection,
			      (struct selection_column){.form = (size_t)form, .optional = optional},
			      def);
		return;
	}
	while (selection->events.n > known)
		event_fini(&selection->events.items[--selection->events.n]);
}

static void add_all_hidden(struct selection *selection, const char *const *names, bool optional)
{
	for (const char *const *name = names; name && *name; name++)
		add_hidden(selection, *name, optional);
}

/* Returns whether a column of the preset is what the optional columns are beside. */
static bool has_reason_for_optional(const struct selection *selection)
{
	size_t at = selection->optional ? find_column(selection, selection->optional_beside)
					: selection->n;

	return at < selection->n && selection->columns[at].preset;
}

/* Call it before columns change: removes the hidden ones and their events. */
static void begin_change(struct selection *selection)
{
	if (selection->n == selection->n_shown)
		return;
	while (selection->n > selection->n_shown)
		metric_def_fini(&selection->columns[--selection->n].def);
	drop_unused_events(selection);
}

/* Call it after columns changed, also after a change that failed. */
static void end_change(struct selection *selection)
{
	selection->n_shown = selection->n;
	add_all_hidden(selection, selection->hidden, false);
	if (has_reason_for_optional(selection))
		add_all_hidden(selection, selection->optional, true);
	make_wants(selection);
}

void selection_hide(struct selection *selection, const char *const *names)
{
	begin_change(selection);
	selection->hidden = names;
	end_change(selection);
}

void selection_hide_optional(struct selection *selection, const char *const *names,
			     const char *beside)
{
	begin_change(selection);
	selection->optional = names;
	selection->optional_beside = beside;
	end_change(selection);
}

/* A metric with counts of sockets is not a metric of tasks. */
static bool is_of_machine(const struct selection *selection, const struct selection_column *column)
{
	unsigned events[METRIC_EVENTS_MAX];
	struct metric metric;
	bool found = false;

	selection_compile(column, &column->def, &selection->events, &metric);
	for (size_t n = metric_events(&metric, events, METRIC_EVENTS_MAX); n-- > 0;)
		found |= selection->events.items[events[n]].kind == EVENT_SOCKET;
	metric_fini(&metric);
	return found;
}

static bool lacks_facts(const struct selection *selection, const struct metric_def *def, int form)
{
	struct selection_column column = {.form = (size_t)form};
	struct metric metric;

	if (form < 0 || !selection->no_facts)
		return false;
	selection_compile(&column, def, &selection->events, &metric);
	bool lacks = metric_facts(&metric) != 0;
	metric_fini(&metric);
	return lacks;
}

/* A metric of a recording may have no formula. */
static bool has_same_formula(const struct metric_def *a, const struct metric_def *b)
{
	const char *formula_a = a->forms[0].expression, *formula_b = b->forms[0].expression;

	return formula_a && formula_b ? strcmp(formula_a, formula_b) == 0 : formula_a == formula_b;
}

static int add_column(struct selection *selection, const struct metric_def *def, unsigned together,
		      struct error *err)
{
	size_t same = find_column(selection, def->name);
	int form;

	if (same < selection->n && has_same_formula(&selection->columns[same].def, def)) {
		selection->columns[same].named = true;
		return 0;
	}
	if (same < selection->n)
		return error_set(err, -EEXIST, "Column '%s' exists already. Choose another name.",
				 event_quote(def->name, strlen(def->name)).text);
	if (selection->n == SELECTION_MAX)
		return error_set(err, -E2BIG, "At most %d columns are shown at once.",
				 SELECTION_MAX);
	form = choose_form(selection, def, err);
	/* A built-in metric with unknown events is unsupported here. */
	if ((form < 0 && metric_def_find(def->name)) || lacks_facts(selection, def, form))
		form = METRIC_FORMS_MAX;
	if (form < 0)
		return form;

	append_column(selection,
		      (struct selection_column){
			      .form = (size_t)form, .named = true, .together = together},
		      def);
	struct selection_column *column = &selection->columns[selection->n - 1];
	column->def.machine |= is_of_machine(selection, column);
	return 0;
}

static void add_recorded(struct selection *selection, const struct metric_def *def)
{
	struct metric metric;
	struct error ignored;

	if (selection->n == SELECTION_MAX || find_column(selection, def->name) < selection->n)
		return;
	bool compiles = def->forms[0].expression &&
			metric_compile(def, 0, &selection->events, &metric, &ignored) == 0;
	if (compiles)
		metric_fini(&metric);
	append_column(selection,
		      (struct selection_column){
			      .form = compiles ? 0 : METRIC_FORMS_MAX,
			      .named = true,
		      },
		      def);
}

void selection_add_recorded(struct selection *selection, const struct metric_def *defs, size_t n)
{
	begin_change(selection);
	for (size_t i = 0; i < n; i++)
		add_recorded(selection, &defs[i]);
	end_change(selection);
}

int selection_add_metric(struct selection *selection, const struct metric_def *def,
			 struct error *err)
{
	begin_change(selection);
	int result = add_column(selection, def, 0, err);
	end_change(selection);
	return result;
}

void selection_copy(struct selection *copy, const struct selection *selection)
{
	*copy = *selection;
	copy->soon = true;
	event_set_copy(&copy->events, &selection->events);
	copy->events.context = selection->context;
	copy->columns = xcalloc(selection->n, sizeof(*copy->columns));
	copy->capacity = selection->n;
	for (size_t i = 0; i < selection->n; i++) {
		copy->columns[i] = selection->columns[i];
		metric_def_copy(&copy->columns[i].def, &selection->columns[i].def);
	}
	copy->wants = (struct plan_wants){0};
	make_wants(copy);
}

/* Returns whether a label is ambiguous in lists, formulas or outputs. */
static bool is_label_taken(const struct selection *selection, size_t index)
{
	const struct event_set *events = &selection->events;
	const char *label = events->items[index].label;

	for (size_t i = 0; i < events->n; i++)
		if (i != index && strcmp(event_label(&events->items[i]), label) == 0)
			return true;
	return metric_name_is_taken(label);
}

/* Names the column of pmu/event=1,name=x/ x. */
static int apply_label(struct selection *selection, const char *name, struct metric_def *def,
		       struct error *err)
{
	size_t known = selection->events.n;
	int index = event_set_add(&selection->events, name, err);

	if (index < 0)
		return index;
	struct event *event = &selection->events.items[index];
	if ((size_t)index == known)
		probe_event(selection, event);
	if (event->unit[0])
		metric_def_measure(def, event->unit, event->scale < 1 ? 2 : 0);
	if (!event->label)
		return 0;
	if (is_label_taken(selection, (size_t)index))
		return error_set(err, -EEXIST,
				 "'%.60s' is in use already. Choose another name for the event.",
				 event_quote(event->label, strlen(event->label)).text);
	metric_def_rename(def, event->label);
	return 0;
}

int selection_add_events(struct selection *selection, const char *text, struct error *err)
{
	struct event_names list = {0};
	size_t before = selection->n_shown;

	begin_change(selection);
	int result = event_names_parse(text, &list, err);

	for (size_t i = 0; i < list.n && result == 0; i++) {
		struct metric_def def;
		unsigned group = list.items[i].group;
		result = metric_def_of_event(list.items[i].name, &def, err);
		if (result < 0)
			break;
		result = apply_label(selection, list.items[i].name, &def, err);
		if (result == 0)
			result = add_column(selection, &def, group ? selection->groups + group : 0,
					    err);
		metric_def_fini(&def);
	}
	selection->groups += list.n_groups;
	event_names_fini(&list);
	while (result < 0 && selection->n > before)
		metric_def_fini(&selection->columns[--selection->n].def);
	if (result < 0)
		drop_unused_events(selection);
	end_change(selection);
	return result;
}

static void drop_column(struct selection *selection, size_t at)
{
	metric_def_fini(&selection->columns[at].def);
	memmove(&selection->columns[at], &selection->columns[at + 1],
		(selection->n - at - 1) * sizeof(*selection->columns));
	selection->n--;
}

void selection_mark_preset(struct selection *selection, bool leave_out)
{
	size_t missing = 0;

	begin_change(selection);
	for (size_t i = 0; i < selection->n; i++) {
		selection->columns[i].preset = true;
		selection->columns[i].named = false;
		missing += selection->columns[i].form == METRIC_FORMS_MAX;
	}
	if (missing == selection->n)
		leave_out = false;
	for (size_t i = selection->n; leave_out && i-- > 0;)
		if (selection->columns[i].form == METRIC_FORMS_MAX)
			drop_column(selection, i);
	if (leave_out)
		drop_unused_events(selection);
	end_change(selection);
}

int selection_add_named(struct selection *selection, const struct selection *from,
			struct error *err)
{
	int result = 0;

	begin_change(selection);
	selection->groups = from->groups;
	for (size_t i = 0; i < from->n_shown && result == 0; i++)
		if (from->columns[i].named)
			result = add_column(selection, &from->columns[i].def,
					    from->columns[i].together, err);
	end_change(selection);
	return result;
}

int selection_renew(struct selection *selection, struct error *err)
{
	struct selection renewed;
	int result = 0;

	selection_init(&renewed, selection->context);
	renewed.no_pmu = selection->no_pmu;
	renewed.no_facts = selection->no_facts;
	renewed.groups = selection->groups;
	renewed.hidden = selection->hidden;
	renewed.optional = selection->optional;
	renewed.optional_beside = selection->optional_beside;
	for (size_t i = 0; i < selection->n_shown && result == 0; i++) {
		const struct selection_column *column = &selection->columns[i];
		result = add_column(&renewed, &column->def, column->together, err);
		if (result < 0)
			break;
		renewed.columns[renewed.n - 1].preset = column->preset;
		renewed.columns[renewed.n - 1].named = column->named;
	}
	if (result < 0) {
		selection_fini(&renewed);
		return result;
	}
	end_change(&renewed);
	selection_fini(selection);
	*selection = renewed;
	return 0;
}

int selection_remove(struct selection *selection, const char *name)
{
	size_t at = find_column(selection, name);

	if (at >= selection->n_shown)
		return -ENOENT;
	begin_change(selection);
	drop_column(selection, at);
	drop_unused_events(selection);
	end_change(selection);
	return 0;
}

void selection_compile(const struct selection_column *column, const struct metric_def *def,
		       const struct event_set *events, struct metric *metric)
{
	struct error impossible;         /* it compiled when it was added */
	struct event_set same = *events; /* find events, but do not add any */

	same.frozen = true;
	if (column->form == METRIC_FORMS_MAX ||
	    metric_compile(def, column->form, &same, metric, &impossible) < 0)
		*metric = (struct metric){.def = def, .title = def->title};
}
