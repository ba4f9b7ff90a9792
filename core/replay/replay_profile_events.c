// SPDX-License-Identifier: MIT
/*
 * The events and columns of a profile. Events of one name, for two kinds of CPUs for example, are
 * one. Events that cannot have samples are left out.
 */
#include "core/replay/replay_profile.h"

#include "core/base/util.h"
#include "core/event/sampled_event.h"
#include "core/metric/metric_event.h"
#include "core/replay/replay_plan.h"

#include <stdlib.h>
#include <string.h>

/*
 * Behind names of events whose samples are counted, and of events with the name of a slice's
 * measure (TALLY_TASK_CLOCK).
 */
#define SUFFIX "-samples"

static bool is_dummy(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

/* Samples at a frequency stand for unequal counts: without PERIOD their weights are unknown. */
static bool is_unweighted(const struct perf_event_attr *attr)
{
	return attr->freq && !(attr->sample_type & (PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ));
}

static bool is_derived(const struct event_set *events, const char *name)
{
	int known = event_set_find(events, name);

	return known >= 0 && known < TALLY_FIRST_COUNTED;
}

static void append_suffix(struct event *event)
{
	size_t size = strlen(event->name) + sizeof(SUFFIX);
	char *name = xmalloc(size);

	snprintf(name, size, "%s" SUFFIX, event->name);
	free(event->name);
	event->name = name;
}

static size_t add_event(struct replay_profile *profile, const struct perfdata_event *recorded)
{
	struct event event;

	replay_plan_event(recorded, EVENT_SAMPLED, &event);
	if (is_unweighted(&recorded->attr)) {
		event.scale = 1;
		event.unit[0] = '\0';
	}
	if (is_unweighted(&recorded->attr) || is_derived(&profile->shown, event.name))
		append_suffix(&event);
	int known = event_set_find(&profile->shown, event.name);
	if (known >= 0) {
		event_fini(&event);
		return (size_t)known;
	}
	int added = profile->plan ? -1 : replay_plan_append(&profile->shown, &event);
	if (profile->plan)
		event_fini(&event);
	return added < 0 ? SIZE_MAX : (size_t)added;
}

void replay_profile_map_events(struct replay_profile *profile)
{
	profile->map = xreallocarray(profile->map, profile->events.n, sizeof(*profile->map));
	for (; profile->n_map < profile->events.n; profile->n_map++) {
		const struct perfdata_event *recorded = &profile->events.items[profile->n_map];
		size_t event = is_dummy(&recorded->attr) ? SIZE_MAX : add_event(profile, recorded);

		profile->map[profile->n_map] = (struct profile_event){
			.event = event,
			.code = (uint32_t)(event - TALLY_FIRST_COUNTED),
			.unweighted = is_unweighted(&recorded->attr),
		};
	}
}

static void list_sampled(struct replay_profile *profile)
{
	profile->n_sampled = profile->shown.n - TALLY_FIRST_COUNTED;
	profile->sampled = xcalloc(profile->n_sampled, sizeof(*profile->sampled));
	for (size_t i = 0; i < profile->n_sampled; i++) {
		struct code_event *event = &profile->sampled[i];

		event->counted = (unsigned)(TALLY_FIRST_COUNTED + i);
		text_copy(event->name, sizeof(event->name),
			  profile->shown.items[event->counted].name);
	}
}

static void add_def(struct replay_columns *columns, const struct metric_def *def)
{
	columns->defs = xreallocarray(columns->defs, columns->n_defs + 1, sizeof(*columns->defs));
	metric_def_copy(&columns->defs[columns->n_defs++], def);
}

static void add_formula(struct replay_columns *columns, const struct metric_def *def,
			const char *format, const char *a, const char *b)
{
	struct metric_def made = *def;
	char expression[1200];

	if (strchr(a, '\'') || strchr(b, '\''))
		return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	int length = snprintf(expression, sizeof(expression), format, a, b);
#pragma GCC diagnostic pop
	made.forms[0].expression = expression;
	if (length < (int)sizeof(expression))
		add_def(columns, &made);
}

/* The event of that name without or with modifiers; NULL: none. */
static const char *find_event(const struct event_set *events, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = TALLY_FIRST_COUNTED; i < events->n; i++)
		if (strncmp(events->items[i].name, name, length) == 0 &&
		    (events->items[i].name[length] == '\0' || events->items[i].name[length] == ':'))
			return events->items[i].name;
	return NULL;
}

/* The event that stands for time: its samples show where the time goes. */
static const char *main_event(const struct event_set *events)
{
	static const char *const names[] = {"cycles", "cpu-cycles", "cpu-clock", "task-clock"};
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !found; i++)
		found = find_event(events, names[i]);
	return found ? found : events->items[TALLY_FIRST_COUNTED].name;
}

static void add_count(struct replay_columns *columns, const struct event *event)
{
	struct metric_def def;
	struct error ignored;

	if (metric_def_of_event(event->name, &def, &ignored) < 0)
		return;
	if (event->unit[0])
		metric_def_measure(&def, event->unit, 0);
	add_def(columns, &def);
	metric_def_fini(&def);
}

/* The count of the main event with its error first, then the others, then what they give together.
 */
static void add_columns(const struct event_set *events, struct replay_columns *columns)
{
	static const struct metric_def samples = {
		.name = "samples",
		.title = "SAMPLES",
		.group = "profile",
		.unit = "",
		.help = "samples of the event of time",
		.kind = METRIC_COUNT,
		.width = 7,
	};
	static const struct metric_def error = {
		.name = "sampling_error",
		.title = "+-%",
		.group = "profile",
		.unit = "%",
		.help = "standard error of the count of the event of time",
		.width = 5,
		.decimals = 1,
	};
	static const struct metric_def share = {
		.name = "share",
		.title = "SHARE",
		.group = "profile",
		.unit = "%",
		.help = "of all samples of the event of time, by weight",
		.width = 5,
		.decimals = 1,
	};
	const char *first = main_event(events);
	const char *instructions = find_event(events, "instructions");
	const char *cycles = find_event(events, "cycles");

	add_formula(columns, &share, "share('%s')", first, "");
	add_formula(columns, &error, "error('%s')", first, "");
	add_formula(columns, &samples, "samples('%s')", first, "");
	add_count(columns, &events->items[event_set_find(events, first)]);
	for (size_t i = TALLY_FIRST_COUNTED; i < events->n; i++)
		if (strcmp(events->items[i].name, first) != 0)
			add_count(columns, &events->items[i]);
	if (cycles && instructions && metric_def_find("ipc"))
		add_formula(columns, metric_def_find("ipc"), "'%s' / '%s'", instructions, cycles);
	columns->n_preset = columns->n_defs;
}

int replay_profile_columns(struct replay_profile *profile, struct error *err)
{
	struct replay_state *state = profile->kind.state;
	struct event_set *shown = &profile->shown;

	event_set_init(shown, NULL);
	for (size_t i = 0; i < TALLY_FIRST_COUNTED; i++)
		shown->items[i].state = FIGURE_NOT_COUNTED;
	replay_profile_map_events(profile);
	if (shown->n == TALLY_FIRST_COUNTED)
		return error_set(err, -EOPNOTSUPP, "The recording has no event with samples.");
	profile->plan = sampled_event_plan(shown);
	list_sampled(profile);
	struct replay_columns columns = {
		.plan = plan_ref(profile->plan),
		.preset = xstrdup("profile"),
		.no_facts = true,
	};
	event_set_copy(&columns.events, shown);
	add_columns(shown, &columns);
	return replay_state_columns(state, &columns, err);
}
