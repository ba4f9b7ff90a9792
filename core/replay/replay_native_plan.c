// SPDX-License-Identifier: MIT
/*
 * NATIVE_PLAN announces how many events, groups and columns follow. They are collected in struct
 * native_plan, and become the columns of the replay once all were read. Sizes are bounded, since
 * the bytes are untrusted.
 */
#include "core/replay/replay_native.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Greater than on any machine. The memory of tallies is bounded too. */
enum {
	COUNTERS_MAX = 4096,
	GROUPS_MAX = 1024,
	DOMAINS_MAX = 1024,
	COLUMNS_MAX = 1024,
	NAMED_MAX = 4096, /* metrics that formulas name */
	MEMBERS_MAX = 256,
	CODES_MAX = 4096,
	WIDTH_MAX = 40,
	DECIMALS_MAX = 9,
	TALLIES_MAX = 8 << 20, /* words of the tallies of all CPUs */
};

void native_plan_fini(struct native_plan *plan)
{
	plan_unref(plan->plan);
	event_set_fini(&plan->events);
	for (size_t i = 0; i < plan->got_columns; i++)
		metric_def_fini(&plan->defs[i]);
	free(plan->defs);
	for (size_t i = 0; i < plan->n_named; i++)
		metric_def_fini(&plan->named[i]);
	free(plan->named);
	free(plan->preset);
	*plan = (struct native_plan){0};
}

static bool parse_shape(struct replay_native *native, struct native_words *words,
			struct tally_shape *shape)
{
	native->plan.n_events = native_number(words, EVENT_SET_MAX);
	shape->n_counters = (unsigned)native_number(words, COUNTERS_MAX);
	shape->n_groups = (unsigned)native_number(words, GROUPS_MAX);
	shape->n_domains = (unsigned)native_number(words, DOMAINS_MAX);
	native->plan.n_columns = native_number(words, COLUMNS_MAX);
	native->plan.n_preset = native_number(words, native->plan.n_columns);
	native->plan.levels = (enum event_levels)native_number(words, EVENT_LEVELS - 1);
	return native->plan.n_events >= TALLY_FIRST_COUNTED && shape->n_groups > 0 &&
	       tally_width(shape) * (native->state->interval.n_cpus + 1) <= TALLIES_MAX;
}

int native_parse_plan(struct replay_native *native, struct native_words *words)
{
	struct tally_shape shape = {0};

	if (native->pmus_left > 0 || native->cut)
		return -EBADMSG;
	native_plan_fini(&native->plan);
	if (!parse_shape(native, words, &shape) || words->broken)
		return -EBADMSG;
	struct plan *plan = native->plan.plan = xcalloc(1, sizeof(*plan));
	plan->references = 1;
	plan->shape = shape;
	plan->counters = xcalloc(shape.n_counters, sizeof(*plan->counters));
	plan->groups = xcalloc(shape.n_groups, sizeof(*plan->groups));
	plan->domains = xcalloc(shape.n_domains, sizeof(*plan->domains));
	int64_t times_group = (int64_t)native_word(words);
	plan->times_group = times_group < 0 || times_group > GROUPS_MAX ? -1 : (int)times_group;
	for (unsigned i = 0; i < shape.n_counters; i++) {
		plan->counters[i].event = (unsigned)native_number(words, EVENT_SET_MAX);
		plan->counters[i].code = (unsigned)native_number(words, CODES_MAX);
		plan->counters[i].group = (unsigned)native_number(words, GROUPS_MAX);
	}
	for (unsigned i = 0; i < shape.n_domains; i++) {
		plan->domains[i].pmu = native_word(words);
		plan->domains[i].socket = native_word(words);
		plan->domains[i].all_cpus = native_word(words);
		plan->domains[i].first_group = (unsigned)native_number(words, GROUPS_MAX);
		plan->domains[i].n_groups = (unsigned)native_number(words, GROUPS_MAX);
	}
	native->plan.preset = native_text(words);
	native->plan.events.items = xcalloc(native->plan.n_events, sizeof(struct event));
	native->plan.events.capacity = native->plan.n_events;
	native->plan.defs = xcalloc(native->plan.n_columns, sizeof(*native->plan.defs));
	return words->broken ? -EBADMSG : 0;
}

static char *text_or_null(char *text)
{
	if (text[0])
		return text;
	free(text);
	return NULL;
}

int native_parse_event(struct replay_native *native, struct native_words *words)
{
	struct native_plan *plan = &native->plan;

	if (!plan->plan || plan->got_events == plan->n_events)
		return -EBADMSG;
	struct event *event = &plan->events.items[plan->got_events++];
	plan->events.n = plan->got_events;
	event->kind = (enum event_kind)native_number(words, EVENT_WAIT);
	event->leads = native_word(words);
	event->state = (enum figure_state)native_number(words, FIGURE_DENIED);
	event->answer = (int)(int64_t)native_word(words);
	event->scale = native_double(words);
	event->n_codes = native_number(words, CODES_MAX);
	const uint64_t *codes = native_array(words, 2 * event->n_codes);
	if (!codes)
		event->n_codes = 0;
	event->codes = xcalloc(event->n_codes, sizeof(*event->codes));
	for (size_t i = 0; i < event->n_codes; i++) {
		if (codes[2 * i] >= native->state->pmus.n || codes[2 * i + 1] > FIGURE_DENIED)
			words->broken = true;
		event->codes[i].pmu = codes[2 * i];
		event->codes[i].state = (enum figure_state)codes[2 * i + 1];
	}
	event->name = native_text(words);
	event->label = text_or_null(native_text(words));
	native_text_to(words, event->unit, sizeof(event->unit));
	return words->broken ? -EBADMSG : 0;
}

int native_parse_group(struct replay_native *native, struct native_words *words)
{
	struct native_plan *plan = &native->plan;

	if (!plan->plan || plan->got_groups == plan->plan->shape.n_groups)
		return -EBADMSG;
	struct plan_group *group = &plan->plan->groups[plan->got_groups++];
	group->domain = (unsigned)native_number(words, DOMAINS_MAX);
	group->n_members = native_number(words, MEMBERS_MAX);
	const uint64_t *members = native_array(words, group->n_members);
	if (!members)
		group->n_members = 0;
	group->members = xcalloc(group->n_members, sizeof(*group->members));
	for (size_t i = 0; i < group->n_members; i++) {
		int64_t member = (int64_t)members[i];
		if (member < PLAN_PAD || member > COUNTERS_MAX)
			words->broken = true;
		else
			group->members[i] = (int)member;
	}
	return words->broken ? -EBADMSG : 0;
}

int native_parse_metric(struct replay_native *native, struct native_words *words)
{
	struct native_plan *plan = &native->plan;

	if (!plan->plan || plan->n_named == NAMED_MAX)
		return -EBADMSG;
	plan->named = array_reserve(plan->named, &plan->named_capacity, plan->n_named + 1,
				    sizeof(*plan->named));
	struct metric_def *def = &plan->named[plan->n_named++];
	*def = (struct metric_def){.name = native_text(words)};
	def->forms[0].expression = native_text(words);
	return words->broken ? -EBADMSG : 0;
}

int native_parse_column(struct replay_native *native, struct native_words *words)
{
	struct native_plan *plan = &native->plan;

	if (!plan->plan || plan->got_columns == plan->n_columns)
		return -EBADMSG;
	struct metric_def *def = &plan->defs[plan->got_columns++];
	def->kind = (enum metric_kind)native_number(words, METRIC_RATE);
	def->better = (enum metric_better)native_number(words, METRIC_LOWER);
	def->warn = native_double(words);
	def->bad = native_double(words);
	def->width = (unsigned)native_number(words, WIDTH_MAX);
	def->decimals = (unsigned)native_number(words, DECIMALS_MAX);
	def->machine = native_word(words);
	def->name = native_text(words);
	def->title = native_text(words);
	def->group = native_text(words);
	def->forms[0].expression = text_or_null(native_text(words));
	def->unit = native_text(words);
	def->help = native_text(words);
	if (words->at < words->end) {
		char *format = native_text(words);
		def->format = metric_format_of(format);
		free(format);
	}
	return words->broken ? -EBADMSG : 0;
}

/* Marks the values that switches do not have: counts of sockets, and of /proc. */
static void mark_apart(struct replay_native *native, const struct plan *plan)
{
	const struct tally_shape *shape = &plan->shape;

	free(native->apart);
	native->apart = xcalloc(tally_width(shape), sizeof(*native->apart));
	for (unsigned i = 0; i < shape->n_groups; i++) {
		const struct plan_domain *domain = &plan->domains[plan->groups[i].domain];
		if (!domain->socket && !domain->all_cpus)
			continue;
		native->apart[tally_group(shape, i)] = true;
		native->apart[tally_domain(shape, plan->groups[i].domain)] = true;
		for (unsigned k = TALLY_FIRST_COUNTED; k < shape->n_counters; k++)
			if (plan->counters[k].group == i)
				native->apart[k] = true;
	}
}

int native_end_plan(struct replay_native *native, struct error *err)
{
	struct native_plan *plan = &native->plan;
	struct replay_state *state = native->state;
	size_t most = 0;

	if (!plan->plan || plan->got_events < plan->n_events ||
	    plan->got_groups < plan->plan->shape.n_groups || plan->got_columns < plan->n_columns)
		return 0;
	if (plan_restore(plan->plan, &plan->events, state->pmus.n) < 0)
		return error_set(err, -EBADMSG,
				 "The recording is broken: its plan contradicts itself.");
	for (size_t i = 0; i < state->interval.n_cpus; i++)
		attrib_close(state->attrib, i);
	mark_apart(native, plan->plan);
	for (unsigned i = 0; i < plan->plan->shape.n_groups; i++)
		if (plan->plan->groups[i].n_members > most)
			most = plan->plan->groups[i].n_members;
	native->reading = xreallocarray(native->reading, READING_VALUES + most, sizeof(uint64_t));
	native->reading_max = most;

	struct replay_columns columns = {
		.events = plan->events,
		.plan = plan->plan,
		.defs = plan->defs,
		.n_defs = plan->n_columns,
		.named = plan->named,
		.n_named = plan->n_named,
		.n_preset = plan->n_preset,
		.preset = plan->preset,
		.levels = plan->levels,
	};
	*plan = (struct native_plan){0};
	int result = replay_state_columns(state, &columns, err);
	return result < 0 ? result : 1;
}
