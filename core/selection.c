// SPDX-License-Identifier: MIT
#include "selection.h"

#include "cpu_model.h"
#include "event_list.h"
#include "explain.h"
#include "metric_event.h"
#include "probe.h"
#include "text.h"
#include "util.h"

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

void selection_init(struct selection *selection, const struct event_context *context,
		    struct notes *notes)
{
	*selection = (struct selection){
		.context = context,
		.notes = notes,
		.cpus = cpu_model_read(context->sys),
	};
	event_set_init(&selection->events, context);
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

static size_t find(const struct selection *selection, const char *name)
{
	size_t i = 0;

	while (i < selection->n && strcmp(selection->columns[i].def.name, name) != 0)
		i++;
	return i;
}

/* ---- forms */

static void probe_from(struct selection *selection, size_t first)
{
	struct event_set *events = &selection->events;

	for (size_t i = first; i < events->n; i++)
		event_probe(selection->context->sys, selection->context->pmus, &events->items[i]);
}

/* The first form from number `from` on: its number, whether all of it can be counted, or -errno. */
static int try_form(struct selection *selection, const struct metric_def *def, size_t from,
		    bool *counted, struct error *err)
{
	struct event_set *events = &selection->events;
	size_t known = events->n;
	struct metric metric;
	int form = metric_choose(def, selection->cpus, from, events, &metric, err);

	if (form < 0)
		return form;
	probe_from(selection, known);
	*counted = metric_state(&metric, events) == FIGURE_VALID;
	metric_fini(&metric);
	return form;
}

/* The form to take, with its events added to the set; or -errno where there is none. */
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

/* ---- notes */

static void note_event(struct selection *selection, struct event *event)
{
	struct error why;
	int answer;

	if (event->state == FIGURE_VALID)
		return;
	/* Without a PMU there is one thing to say, not one for each event. */
	if (selection->no_pmu && event->kind == EVENT_HARDWARE)
		return;
	answer = event_probe(selection->context->sys, selection->context->pmus, event);
	explain_perf_open(selection->context->sys, answer, event->name, &why);
	notes_add(selection->notes, "%s", why.text);
}

/* ---- wants */

static void want(struct selection *selection, const unsigned *events, size_t n)
{
	struct plan_wants *wants = &selection->wants;

	wants->items = xreallocarray(wants->items, wants->n + 1, sizeof(*wants->items));
	wants->items[wants->n++] = (struct plan_want){
		.events =
			n ? memcpy(xcalloc(n, sizeof(*events)), events, n * sizeof(*events)) : NULL,
		.n = n,
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
		want(selection, events, n);
	}
}

/* ---- columns */

/* What a socket counts is no task's, and so is what follows from it. */
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

static int add(struct selection *selection, const struct metric_def *def, unsigned together,
	       struct error *err)
{
	size_t known = selection->events.n;
	int form;

	if (find(selection, def->name) < selection->n)
		return 0;
	if (selection->n == SELECTION_MAX)
		return error_set(err, -E2BIG, "At most %d columns are shown at once.",
				 SELECTION_MAX);
	form = choose_form(selection, def, err);
	/* A built-in metric whose names this machine does not know is just not for it. */
	if (form < 0 && metric_def_find(def->name))
		form = METRIC_FORMS_MAX;
	if (form < 0)
		return form;
	for (size_t i = known; i < selection->events.n; i++)
		note_event(selection, &selection->events.items[i]);

	selection->columns = array_reserve(selection->columns, &selection->capacity,
					   selection->n + 1, sizeof(*selection->columns));
	struct selection_column *column = &selection->columns[selection->n++];
	*column = (struct selection_column){.form = (size_t)form, .together = together};
	metric_def_copy(&column->def, def);
	column->def.machine |= is_of_machine(selection, column);
	return 0;
}

int selection_add_metric(struct selection *selection, const struct metric_def *def,
			 struct error *err)
{
	int result = add(selection, def, 0, err);

	if (result == 0)
		make_wants(selection);
	return result;
}

/* The events that are still needed, as they are known to be. */
static void keep_needed(struct selection *selection)
{
	struct event_set old = selection->events;

	event_set_init(&selection->events, selection->context);
	for (size_t i = 0; i < selection->n; i++) {
		const struct selection_column *column = &selection->columns[i];
		struct metric metric;
		struct error impossible; /* it compiled before */
		if (column->form == METRIC_FORMS_MAX)
			continue;
		metric_compile(&column->def, column->form, &selection->events, &metric,
			       &impossible);
		metric_fini(&metric);
	}
	for (size_t i = 0; i < selection->events.n; i++) {
		struct event *event = &selection->events.items[i];
		int before = event_set_find(&old, event->name);
		if (before < 0)
			continue;
		event_fini(event);
		event_copy(event, &old.items[before]);
	}
	event_set_fini(&old);
	make_wants(selection);
}

/* pmu/event=1,name=x/ is to be seen as x. */
static int take_label(struct selection *selection, const char *name, struct metric_def *def,
		      struct error *err)
{
	size_t known = selection->events.n;
	int index = event_set_add(&selection->events, name, err);

	if (index < 0)
		return index;
	struct event *event = &selection->events.items[index];
	if ((size_t)index == known) {
		event_probe(selection->context->sys, selection->context->pmus, event);
		note_event(selection, event);
	}
	if (event->label)
		metric_def_rename(def, event->label);
	return 0;
}

int selection_add_events(struct selection *selection, const char *text, struct error *err)
{
	struct event_list list = {0};
	size_t before = selection->n;
	int result = event_list_parse(text, &list, err);

	for (size_t i = 0; i < list.n && result == 0; i++) {
		struct metric_def def;
		unsigned group = list.items[i].group;
		result = metric_def_of_event(list.items[i].name, &def, err);
		if (result < 0)
			break;
		result = take_label(selection, list.items[i].name, &def, err);
		if (result == 0)
			result = add(selection, &def, group ? selection->groups + group : 0, err);
		metric_def_fini(&def);
	}
	selection->groups += list.n_groups;
	event_list_fini(&list);
	if (result == 0) {
		make_wants(selection);
		return 0;
	}
	while (selection->n > before)
		metric_def_fini(&selection->columns[--selection->n].def);
	keep_needed(selection);
	return result;
}

static void drop(struct selection *selection, size_t at)
{
	metric_def_fini(&selection->columns[at].def);
	memmove(&selection->columns[at], &selection->columns[at + 1],
		(selection->n - at - 1) * sizeof(*selection->columns));
	selection->n--;
}

void selection_mark_preset(struct selection *selection, bool leave_out)
{
	size_t missing = 0;

	for (size_t i = 0; i < selection->n; i++) {
		selection->columns[i].preset = true;
		missing += selection->columns[i].form == METRIC_FORMS_MAX;
	}
	if (!leave_out || missing == selection->n)
		return;
	for (size_t i = selection->n; i-- > 0;)
		if (selection->columns[i].form == METRIC_FORMS_MAX)
			drop(selection, i);
	keep_needed(selection);
}

int selection_remove(struct selection *selection, const char *name)
{
	size_t at = find(selection, name);

	if (at == selection->n)
		return -ENOENT;
	drop(selection, at);
	keep_needed(selection);
	return 0;
}

void selection_compile(const struct selection_column *column, const struct metric_def *def,
		       const struct event_set *events, struct metric *metric)
{
	struct error impossible; /* it compiled when it was added */
	struct event_set same = *events;

	*metric = (struct metric){.def = def, .title = def->title};
	if (column->form < METRIC_FORMS_MAX)
		metric_compile(def, column->form, &same, metric, &impossible);
}
