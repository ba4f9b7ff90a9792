// SPDX-License-Identifier: MIT
/* The columns of a replay: the recorded ones, or others of the recorded events. */
#include "core/replay/replay_state.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void recorded_fini(struct replay_columns *recorded)
{
	event_set_fini(&recorded->events);
	plan_unref(recorded->plan);
	for (size_t i = 0; i < recorded->n_defs; i++)
		metric_def_fini(&recorded->defs[i]);
	free(recorded->defs);
	for (size_t i = 0; i < recorded->n_named; i++)
		metric_def_fini(&recorded->named[i]);
	free(recorded->named);
	free(recorded->preset);
	*recorded = (struct replay_columns){0};
}

void replay_state_columns_fini(struct replay_state *state)
{
	selection_fini(&state->choice.selection);
	recorded_fini(&state->recorded);
	columns_unref(state->columns);
	state->columns = NULL;
}

static bool has_kind(const struct event_set *events, enum event_kind kind)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->items[i].kind == kind)
			return true;
	return false;
}

/* Sets the recorded preset, unless another is requested or none was recorded. */
static void choose_preset(struct replay_state *state, bool hardware)
{
	if (state->config->preset)
		state->choice.preset = state->config->preset;
	else if (state->known.preset.name)
		state->choice.preset = &state->known.preset;
	else
		state->choice.preset =
			preset_find(hardware                                        ? "overview"
				    : has_kind(&state->recorded.events, EVENT_WAIT) ? "waiting"
										    : "software");
}

static void begin_choice(struct replay_state *state)
{
	const struct replay_columns *recorded = &state->recorded;
	bool hardware = has_kind(&recorded->events, EVENT_HARDWARE) || state->pmu[0];

	state->known = (struct engine_recorded){
		.events = &recorded->events,
		.defs = recorded->defs,
		.n = recorded->n_defs,
		.n_preset = recorded->n_preset,
		.no_facts = recorded->no_facts,
		.preset.name = recorded->n_defs > 0 ? recorded->preset : NULL,
	};
	state->access = (struct perf_access){
		.level = PERF_ACCESS_SYSTEM,
		.hardware = hardware ? 0 : -ENOENT,
	};
	state->named = (struct metric_names){recorded->named, recorded->n_named};
	state->names = (struct event_context){
		.sys = state->sys,
		.pmus = &state->pmus,
		.cpu = &state->cpu,
		.metrics = &state->named,
		.levels = recorded->levels,
		.software_levels = recorded->levels,
	};
	state->choice.config = state->config;
	state->choice.names = &state->names;
	state->choice.access = &state->access;
	state->choice.notes = &state->replay_notes;
	state->choice.recorded = &state->known;
	choose_preset(state, hardware);
}

/* Whether a metric was recorded under this name, which may be unknown here. */
static bool is_recorded_metric(const struct engine_recorded *recorded, const char *name)
{
	for (size_t i = 0; i < recorded->n; i++)
		if (strcmp(recorded->defs[i].name, name) == 0)
			return true;
	return false;
}

static int add_metric(struct replay_state *state, const struct request *request, struct error *err)
{
	return engine_choice_add_metric(&state->choice, request->text, err);
}

static int add_events(struct replay_state *state, const struct request *request, struct error *err)
{
	if (is_recorded_metric(&state->known, request->text))
		return add_metric(state, request, err);
	return selection_add_events(&state->choice.selection, request->text, err);
}

static int remove_column(struct replay_state *state, const struct request *request,
			 struct error *err)
{
	return engine_choice_remove(&state->choice, request->text, err);
}

static int change_preset(struct replay_state *state, const struct request *request,
			 struct error *err)
{
	return engine_choice_preset(&state->choice, request->text, err);
}

static int show_command_lines(struct replay_state *state, const struct request *request,
			      struct error *err)
{
	if (request->number != COMMAND_LINES_SHOWN || state->command_lines)
		return 0;
	return error_set(err, -EOPNOTSUPP, "This recording has no command lines.");
}

static int show_idle_tasks(struct replay_state *state, const struct request *request,
			   struct error *err)
{
	if (!request->number || state->idle)
		return 0;
	return error_set(err, -EOPNOTSUPP, "This recording has no idle tasks.");
}

#define NOTHING           .act = NULL
#define PLACE(function)   .act = NULL /* for core/replay/replay_feed.c */
#define FIGURES(function) .act = function
#define REFUSED(why)      .refusal = why

static const struct {
	int (*act)(struct replay_state *state, const struct request *request, struct error *err);
	const char *refusal;
} rows[REQUEST_KINDS] = {
#define REQUEST(kind, when, live, replay) [REQUEST_##kind] = {replay},
#include "core/engine/request.def"
#undef REQUEST
};

static int do_request(struct replay_state *state, const struct request *request, struct error *err)
{
	if (rows[request->kind].refusal)
		return error_set(err, -EOPNOTSUPP, "%s", rows[request->kind].refusal);
	return rows[request->kind].act(state, request, err);
}

static void renew_columns(struct replay_state *state)
{
	columns_unref(state->columns);
	state->columns = engine_choice_columns(&state->choice, state->recorded.plan);
}

int replay_state_request(struct replay_state *state, struct request *request, struct error *err)
{
	int result = do_request(state, request, err);

	if (result < 0)
		return result;
	request_list_put(state->applied, request);
	renew_columns(state);
	return 0;
}

static bool is_shown(const struct selection *selection, unsigned event)
{
	unsigned events[METRIC_EVENTS_MAX];
	bool found = false;

	for (size_t i = 0; i < selection->n_shown && !found; i++) {
		struct metric metric;
		selection_compile(&selection->columns[i], &selection->columns[i].def,
				  &selection->events, &metric);
		for (size_t n = metric_events(&metric, events, METRIC_EVENTS_MAX); n-- > 0;)
			found |= events[n] == event;
		metric_fini(&metric);
	}
	return found;
}

/*
 * If neither the recording nor the user names a preset, every recorded event without a column gets
 * one: its user recorded it to see it. Events of waiting were not recorded by name.
 */
static void show_the_rest(struct replay_state *state)
{
	struct selection *selection = &state->choice.selection;
	const struct event_set *events = &state->recorded.events;
	struct error ignored; /* a name that -e refuses has no column */

	for (size_t i = TALLY_FIRST_COUNTED; i < events->n; i++)
		if (events->items[i].kind != EVENT_WAIT && !is_shown(selection, (unsigned)i))
			selection_add_events(selection, events->items[i].name, &ignored);
}

/* After the first plan, a column that cannot be built becomes a note. */
static int make_choice(struct replay_state *state, struct error *err)
{
	int result = engine_choice_make(&state->choice, err);

	if (result == 0 || !state->begun)
		return result < 0 ? err->code = -EINVAL : 0;
	notes_add_urgent(&state->replay_notes, "%s", err->text);
	state->choice.preset = &state->known.preset;
	result = state->known.preset.name ? engine_choice_make(&state->choice, err) : result;
	return result < 0 ? err->code = -EINVAL : 0;
}

int replay_state_columns(struct replay_state *state, struct replay_columns *columns,
			 struct error *err)
{
	struct error why;

	recorded_fini(&state->recorded);
	state->recorded = *columns;
	begin_choice(state);
	int result = make_choice(state, err);
	if (result < 0)
		return result;
	if (state->recorded.n_defs == 0 && !state->config->preset)
		show_the_rest(state);
	state->begun = true;
	for (size_t i = 0; i < state->config->n_columns; i++)
		state->config_columns[i].optional = true;
	for (size_t i = 0; i < state->applied->n; i++) {
		const struct request *request = &state->applied->items[i];

		if (do_request(state, request, &why) < 0)
			notes_add(&state->replay_notes, "%s", why.text);
	}
	renew_columns(state);
	interval_reshape(&state->interval, &state->recorded.plan->shape);
	attrib_reshape(state->attrib);
	return 0;
}
