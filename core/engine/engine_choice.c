// SPDX-License-Identifier: MIT
/*
 * A new selection is made beside the current one and replaces it only if all of it makes sense. So
 * a request that fails changes nothing. In a replay names of recorded metrics come first.
 */
#include "core/engine/engine_choice.h"

#include "core/base/util.h"
#include "core/event/event_names.h"
#include "core/metric/metric_user.h"
#include "core/metric/metric_vendor.h"

#include <errno.h>
#include <string.h>

static int add_metric(const struct engine_choice *choice, struct selection *selection,
		      const char *text, struct error *err)
{
	const struct engine_config *config = choice->config;
	const struct metric_def *known =
		metric_def_lookup(config->user_metrics, config->n_user_metrics, text);
	struct metric_def def;

	for (size_t i = 0; choice->recorded && i < choice->recorded->n; i++)
		if (strcmp(choice->recorded->defs[i].name, text) == 0) {
			selection_add_recorded(selection, &choice->recorded->defs[i], 1);
			return 0;
		}
	if (known)
		return selection_add_metric(selection, known, err);
	bool formula = strchr(text, '=') != NULL;
	int result = formula ? metric_def_parse(text, &def, err)
			     : metric_vendor_find(choice->names, text, &def);
	if (result < 0)
		return formula ? result
			       : metric_def_unknown(choice->names, config->user_metrics,
						    config->n_user_metrics, text, err);
	result = selection_add_metric(selection, &def, err);
	metric_def_fini(&def);
	return result;
}

/* Refuses a metric if its events or facts were not recorded. */
static int add_recorded_metric(const struct engine_choice *choice, struct selection *selection,
			       const char *text, struct error *err)
{
	size_t n = selection->n_shown;
	int result = add_metric(choice, selection, text, err);

	if (result < 0 || !choice->recorded || selection->n_shown == n ||
	    selection->columns[n].form < METRIC_FORMS_MAX)
		return result;
	selection_remove(selection, selection->columns[n].def.name);
	return error_set(err, -ENOENT, "The events of %.60s were not recorded.", text);
}

static int add_column(const struct engine_choice *choice, struct selection *selection,
		      const struct engine_column *column, struct error *err)
{
	switch (column->kind) {
	case ENGINE_EVENTS:
		return selection_add_events(selection, column->text, err);
	case ENGINE_METRIC:
		return add_recorded_metric(choice, selection, column->text, err);
	}
	return -EINVAL;
}

/* Adds the events of a failed list one by one, with a note for each that fails. */
static void add_known_events(struct engine_choice *choice, struct selection *selection,
			     const char *text)
{
	struct event_names list = {0};
	struct error err;

	if (event_names_parse(text, &list, &err))
		notes_add(choice->notes, "%s", err.text);
	for (size_t i = 0; i < list.n; i++)
		if (selection_add_events(selection, list.items[i].name, &err))
			notes_add(choice->notes, "%s", err.text);
	event_names_fini(&list);
}

static int add_optional_column(struct engine_choice *choice, struct selection *selection,
			       const struct engine_column *column, struct error *err)
{
	int result = add_column(choice, selection, column, err);

	if (result == 0 || !column->optional)
		return result;
	if (column->kind == ENGINE_EVENTS)
		add_known_events(choice, selection, column->text);
	else
		notes_add(choice->notes, "%s", err->text);
	return 0;
}

/*
 * Returns whether a name that is no metric of pmctop or of the user is one of the vendor. Events
 * come first, because the vendor's table is not read for events of the kernel.
 */
static bool is_of_vendor(const struct event_context *context, const char *name)
{
	struct metric_def def;
	struct event event;

	if (strpbrk(name, "{}:/,-"))
		return false;
	if (event_resolve(context, name, &event, NULL) == 0) {
		event_fini(&event);
		return false;
	}
	if (metric_vendor_find(context, name, &def) < 0)
		return false;
	metric_def_fini(&def);
	return true;
}

/* A preset is shown without the events that this machine lacks. */
static int add_of_preset(struct engine_choice *choice, struct selection *selection,
			 const char *name, struct error *err)
{
	const struct engine_config *config = choice->config;
	bool known = metric_def_lookup(config->user_metrics, config->n_user_metrics, name) != NULL;

	if (known)
		return add_metric(choice, selection, name, err);
	if (is_of_vendor(choice->names, name))
		return add_optional_column(choice, selection,
					   &(struct engine_column){ENGINE_METRIC, name, true}, err);
	return add_optional_column(choice, selection,
				   &(struct engine_column){ENGINE_EVENTS, name, true}, err);
}

/* Makes a selection of the preset's columns. */
static int begin_columns(struct engine_choice *choice, struct selection *selection,
			 struct error *err)
{
	static const char *const none[] = {NULL};
	const struct engine_recorded *recorded = choice->recorded;
	bool as_recorded = recorded && choice->preset == &recorded->preset;
	int result = 0;

	if (recorded)
		selection_init_recorded(selection, choice->names, recorded->events);
	else
		selection_init(selection, choice->names);
	selection->no_pmu = perf_access_no_pmu(choice->access);
	selection->no_facts = recorded && recorded->no_facts;
	if (as_recorded)
		selection_add_recorded(selection, recorded->defs, recorded->n_preset);
	for (const char *const *name = as_recorded ? none : choice->preset->metrics;
	     *name && result == 0; name++)
		result = add_of_preset(choice, selection, *name, err);
	selection_mark_preset(selection, !as_recorded && (recorded || choice->preset->leaves_out));
	return result;
}

/* Replaces the current selection by this one, or frees it if `result` is an error. */
static int end_columns(struct engine_choice *choice, struct selection *selection, int result,
		       struct error *err)
{
	if (result == 0 && selection->n_shown == 0)
		result = error_set(err, -EINVAL, "No columns to show: preset %s needs -e or -m.",
				   choice->preset->name);
	if (result < 0) {
		selection_fini(selection);
		return result;
	}
	selection_hide(selection, verdict_metrics);
	selection_hide_optional(selection, verdict_counters, "ipc");
	selection_fini(&choice->selection);
	choice->selection = *selection;
	return 0;
}

int engine_choice_make(struct engine_choice *choice, struct error *err)
{
	const struct engine_config *config = choice->config;
	struct selection selection;
	int result = begin_columns(choice, &selection, err);
	const struct engine_recorded *recorded = choice->recorded;

	if (result == 0 && recorded && choice->preset == &recorded->preset)
		selection_add_recorded(&selection, recorded->defs + recorded->n_preset,
				       recorded->n - recorded->n_preset);
	for (size_t i = 0; i < config->n_columns && result == 0; i++)
		result = add_optional_column(choice, &selection, &config->columns[i], err);
	return end_columns(choice, &selection, result, err);
}

int engine_choice_preset(struct engine_choice *choice, const char *name, struct error *err)
{
	const struct preset *before = choice->preset, *preset;
	struct selection selection;
	const struct engine_recorded *recorded = choice->recorded;
	int result = 0;

	if (recorded && recorded->preset.name && strcmp(recorded->preset.name, name) == 0)
		preset = &recorded->preset;
	else
		result = preset_choose(name, choice->config->presets, choice->config->n_presets,
				       &preset, err);
	if (result < 0)
		return result;
	choice->preset = preset;
	result = begin_columns(choice, &selection, err);
	if (result == 0)
		result = selection_add_named(&selection, &choice->selection, err);
	result = end_columns(choice, &selection, result, err);
	if (result < 0)
		choice->preset = before;
	return result;
}

int engine_choice_add_metric(struct engine_choice *choice, const char *text, struct error *err)
{
	return add_recorded_metric(choice, &choice->selection, text, err);
}

int engine_choice_remove(struct engine_choice *choice, const char *name, struct error *err)
{
	if (selection_remove(&choice->selection, name) == 0)
		return 0;
	return error_set(err, -ENOENT, "There is no column '%.40s'.", name);
}

/* Returns whether one of these metrics needs the event. */
static bool is_needed(const struct event_set *set, const struct metric *metrics, size_t n,
		      size_t event)
{
	unsigned events[METRIC_EVENTS_MAX];

	for (size_t i = 0; i < n; i++)
		for (size_t k = metric_events(&metrics[i], events, METRIC_EVENTS_MAX); k-- > 0;)
			if (event_set_needs(set, events[k], event))
				return true;
	return false;
}

/*
 * Returns whether only hidden columns need an event. A recording does not have what needs a leader,
 * which was added behind the events that do.
 */
static bool is_hidden(const struct columns *columns, size_t event)
{
	const struct event_set *set = &columns->events;
	size_t n_hidden = columns->n_metrics - columns->n_shown;

	if (is_needed(set, columns->metrics, columns->n_shown, event))
		return false;
	if (is_needed(set, columns->metrics + columns->n_shown, n_hidden, event))
		return true;
	return set->items[event].leads && event > TALLY_FIRST_COUNTED &&
	       is_hidden(columns, event - 1);
}

/* The last events, of hidden columns alone. */
static size_t count_hidden_events(const struct columns *columns)
{
	size_t n_shown = columns->events.n;

	while (n_shown > TALLY_FIRST_COUNTED && is_hidden(columns, n_shown - 1))
		n_shown--;
	return columns->events.n - n_shown;
}

struct columns *engine_choice_columns(const struct engine_choice *choice, struct plan *plan)
{
	const struct selection *selection = &choice->selection;
	const struct pmu_set *pmus = choice->names->pmus;
	struct columns *columns = xcalloc(1, sizeof(*columns));

	columns->references = 1;
	columns->preset = xstrdup(choice->preset->name);
	columns->levels =
		perf_access_no_pmu(choice->access) ? EVENT_LEVELS_ALL : choice->names->levels;
	columns->has_topdown = metric_def_form(metric_def_find("topdown_backend"), selection->cpus,
					       0) < METRIC_FORMS_MAX;
	columns->plan = plan_ref(plan);
	columns->defs = xcalloc(selection->n, sizeof(*columns->defs));
	columns->metrics = xcalloc(selection->n, sizeof(*columns->metrics));
	columns->n_metrics = selection->n;
	columns->n_shown = selection->n_shown;
	columns->pmus = xcalloc(pmus->n, sizeof(*columns->pmus));
	for (; columns->n_pmus < pmus->n; columns->n_pmus++)
		columns->pmus[columns->n_pmus] = xstrdup(pmus->items[columns->n_pmus].name);
	event_set_copy(&columns->events, &selection->events);
	metric_read_events(&columns->event_readings, &columns->events, columns->plan);
	columns->events.context = choice->names; /* for the formulas */
	for (size_t i = 0; i < selection->n; i++) {
		columns->n_preset += selection->columns[i].preset;
		metric_def_copy(&columns->defs[i], &selection->columns[i].def);
		selection_compile(&selection->columns[i], &columns->defs[i], &columns->events,
				  &columns->metrics[i]);
		metric_bind(&columns->metrics[i], &columns->events, columns->plan,
			    &columns->readings);
	}
	columns->events.context = NULL;
	columns->events.n_hidden = count_hidden_events(columns);
	return columns;
}
