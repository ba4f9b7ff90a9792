// SPDX-License-Identifier: MIT
/*
 * The clock of a slice is the best that its sample has: a task-clock in the group, else the enabled
 * time of the group, else the time of the sample. It is stored as the enabled time of the reading.
 */
#include "core/replay/replay_plan.h"

#include "core/base/util.h"
#include "core/event/event_resolver.h"
#include "core/event/event_wait.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_software(const struct perf_event_attr *attr, uint64_t config)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == config;
}

bool replay_plan_is_tracepoint(const struct perfdata_event *event, const char *name)
{
	size_t length = strlen(name);

	return event->attr.type == PERF_TYPE_TRACEPOINT &&
	       strncmp(event->name, name, length) == 0 &&
	       (event->name[length] == '\0' || event->name[length] == ':');
}

bool replay_plan_counts_switches(const struct perfdata_event *event)
{
	return is_software(&event->attr, PERF_COUNT_SW_CONTEXT_SWITCHES) ||
	       replay_plan_is_tracepoint(event, "sched:sched_switch");
}

bool replay_plan_samples_all(const struct perfdata_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return !attr->freq && attr->sample_period == 1 && !attr->exclude_kernel;
}

bool replay_plan_is_switch(const struct perfdata_event *event)
{
	return replay_plan_counts_switches(event) && replay_plan_samples_all(event);
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return is_software(attr, PERF_COUNT_SW_CPU_CLOCK) ||
	       is_software(attr, PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_pmu_software(const struct replay_facts *facts, const struct perf_event_attr *attr)
{
	static const char *const names[] = {"kprobe", "uprobe", "msr"};
	const char *pmu = replay_facts_pmu(facts, attr->type);

	if (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT ||
	    attr->type == PERF_TYPE_BREAKPOINT)
		return true;
	for (size_t i = 0; pmu && i < ARRAY_SIZE(names); i++)
		if (strcmp(pmu, names[i]) == 0)
			return true;
	return false;
}

/* Modifiers that do not change the count are no part of the name: precise, pinned, sampled. */
static char *plain_name(const char *name)
{
	const char *colon = strrchr(name, ':');
	const char *slash = strrchr(name, '/');
	char *plain = xstrdup(name);
	static const char modifiers[] = "ukhIGHpPSDeWb", ignored[] = "HpPSDeWb";

	if (!colon || colon == name || colon[-1] == ':' || (slash && slash > colon) ||
	    colon[1 + strspn(colon + 1, modifiers)] != '\0')
		return plain;
	char *to = plain + (colon - name) + 1;
	for (const char *from = colon + 1; *from; from++)
		if (!strchr(ignored, *from))
			*to++ = *from;
	if (to == plain + (colon - name) + 1)
		to--;
	*to = '\0';
	return plain;
}

/*
 * The name of an event. A kernel event has the name that metrics use, even if perf got it by PMU
 * and term. An event without a name in the recording gets its raw code.
 */
static char *name_of(const struct perfdata_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	const char *generic = event_generic_name(attr->type, (uint32_t)attr->config);
	bool all_levels = !attr->exclude_user && !attr->exclude_kernel;
	char code[64];

	if (generic && all_levels && (event->name[0] == '\0' || strchr(event->name, '/')))
		return xstrdup(generic);
	if (generic && event->name[0] == '\0') {
		snprintf(code, sizeof(code), "%s:%s%s", generic, attr->exclude_user ? "" : "u",
			 attr->exclude_kernel ? "" : "k");
		return xstrdup(code);
	}
	if (event->name[0] != '\0')
		return plain_name(event->name);
	snprintf(code, sizeof(code), "event/type=%u,config=0x%llx/", attr->type,
		 (unsigned long long)attr->config);
	return xstrdup(code);
}

int replay_plan_append(struct event_set *set, struct event *event)
{
	if (set->n == EVENT_SET_MAX || event_set_find(set, event->name) >= 0) {
		event_fini(event);
		return -1;
	}
	set->items = array_reserve(set->items, &set->capacity, set->n + 1, sizeof(*set->items));
	set->items[set->n] = *event;
	return (int)set->n++;
}

/* Adds the events of waiting that follow from the records of switches. */
static void add_waits(struct event_set *set)
{
	for (int i = 0; i < WAIT_EVENTS; i++) {
		enum event_wait wait = (enum event_wait)i;
		struct event event = {
			.name = xstrdup(event_wait_names[i]),
			.scale = 1,
			.kind = EVENT_WAIT,
			.state = FIGURE_VALID,
		};

		text_copy(event.unit, sizeof(event.unit), event_wait_unit(wait));
		if (event_wait_is_estimate(wait, false) || event_wait_is_part_estimate(wait))
			event_fini(&event);
		else
			replay_plan_append(set, &event);
	}
}

void replay_plan_event(const struct perfdata_event *recorded, enum event_kind kind,
		       struct event *event)
{
	*event = (struct event){
		.name = name_of(recorded),
		.scale = recorded->scale,
		.kind = kind,
		.codes = xcalloc(1, sizeof(struct event_code)),
		.n_codes = 1,
		.state = FIGURE_VALID,
	};
	event->codes[0] = (struct event_code){.attr = recorded->attr, .state = FIGURE_VALID};
	/* perf shows clocks in ms. They are shown as live ones are. */
	if (is_clock(&recorded->attr)) {
		event->scale = 1;
		text_copy(event->unit, sizeof(event->unit), "ns");
	} else {
		text_copy(event->unit, sizeof(event->unit), recorded->unit);
	}
}

/* Adds a member to the set: as replay_plan_append(). */
static int add_event(struct replay_plan *plan, const struct perfdata_event *member,
		     const struct replay_facts *facts)
{
	enum event_kind kind =
		is_pmu_software(facts, &member->attr) ? EVENT_SOFTWARE : EVENT_HARDWARE;
	struct event event;

	replay_plan_event(member, kind, &event);
	return replay_plan_append(&plan->events, &event);
}

static size_t index_of(const struct perfdata_events *events, const struct perfdata_event *event)
{
	return (size_t)(event - events->items);
}

const struct perfdata_event *replay_plan_leader(const struct perfdata_events *events,
						const struct perfdata_sample *sample)
{
	for (size_t i = 0; i < sample->n_values && sample->values[i].id; i++) {
		const struct perfdata_event *event =
			perfdata_events_find(events, sample->values[i].id);
		if (event && replay_plan_is_switch(event))
			return event;
	}
	return sample->event && replay_plan_is_switch(sample->event) ? sample->event : NULL;
}

/* The event of a value of a sample: by its id, or by the order of events. */
static size_t member_at(const struct perfdata_events *events, const struct perfdata_sample *sample,
			size_t leader, size_t at)
{
	const struct perfdata_event *event =
		sample->values[at].id ? perfdata_events_find(events, sample->values[at].id) : NULL;
	size_t index = event ? index_of(events, event) : leader + at;

	return index < events->n ? index : leader;
}

bool replay_plan_fits(const struct replay_plan *plan, const struct perfdata_events *events,
		      const struct perfdata_sample *sample)
{
	if (sample->n_values != plan->n_members)
		return false;
	for (size_t i = 0; i < sample->n_values; i++)
		if (member_at(events, sample, plan->leader, i) != plan->members[i])
			return false;
	return true;
}

/* Whether hardware events exist outside of the group, which may have been multiplexed with it. */
static bool has_other_hardware(const struct replay_plan *plan, const struct perfdata_events *events,
			       const struct replay_facts *facts)
{
	for (size_t i = 0; i < events->n; i++) {
		bool member = false;
		for (size_t k = 0; k < plan->n_members; k++)
			member |= plan->members[k] == i;
		if (!member && !is_pmu_software(facts, &events->items[i].attr))
			return true;
	}
	return false;
}

/* The whole group becomes one group of the plan. */
static struct plan *make_plan(const struct event_set *events, const struct pmu_set *pmus)
{
	unsigned *all = xcalloc(events->n, sizeof(*all));
	const size_t most = EVENT_SET_MAX;
	struct plan_want want = {.events = all};

	for (unsigned i = TALLY_FIRST_COUNTED; i < events->n; i++)
		all[want.n++] = i;
	const struct plan_wants wants = {.items = &want, .n = 1};
	struct plan *plan = plan_new(&(struct plan_request){
		.events = events,
		.pmus = pmus,
		.wants = &wants,
		.most = &most,
	});
	free(all);
	return plan;
}

int replay_plan_init(struct replay_plan *plan, const struct replay_plan_source *source,
		     struct error *err)
{
	const struct perfdata_events *events = source->events;
	const struct perfdata_sample *sample = source->sample;

	*plan = (struct replay_plan){
		.leader = index_of(events, replay_plan_leader(events, sample)),
		.n_members = sample->n_values,
		.members = xcalloc(sample->n_values, sizeof(*plan->members)),
		.switches_at = -1,
		.clock_at = -1,
	};
	event_set_init(&plan->events, NULL);
	/* Index of the value of each event of the set. */
	int *value = xcalloc(TALLY_FIRST_COUNTED + sample->n_values, sizeof(*value));
	for (size_t i = 0; i < sample->n_values; i++) {
		size_t member = plan->members[i] = member_at(events, sample, plan->leader, i);
		if (replay_plan_counts_switches(&events->items[member])) {
			if (member == plan->leader)
				plan->switches_at = (int)i;
		} else if (is_software(&events->items[member].attr, PERF_COUNT_SW_TASK_CLOCK)) {
			plan->clock_at = (int)i;
		} else {
			int event = add_event(plan, &events->items[member], source->facts);
			if (event >= 0)
				value[event] = (int)i;
		}
	}
	if (source->states)
		add_waits(&plan->events);
	plan->alone = !has_other_hardware(plan, events, source->facts);
	plan->plan = make_plan(&plan->events, source->pmus);
	const struct plan_group *group = &plan->plan->groups[0];
	plan->value_of = xcalloc(group->n_members, sizeof(*plan->value_of));
	for (size_t i = 0; i < group->n_members; i++)
		plan->value_of[i] = group->members[i] < 0
					    ? -1
					    : value[plan->plan->counters[group->members[i]].event];
	free(value);
	if (sample->n_values > 0 && plan->switches_at < 0) {
		replay_plan_fini(plan);
		return error_set(err, -EOPNOTSUPP,
				 "Its samples of context switches do not count them. Record with: "
				 "%s",
				 replay_plan_remedy(events, source->facts));
	}
	return 0;
}

void replay_plan_fini(struct replay_plan *plan)
{
	free(plan->members);
	free(plan->value_of);
	event_set_fini(&plan->events);
	plan_unref(plan->plan);
	*plan = (struct replay_plan){0};
}

void replay_plan_read(const struct replay_plan *plan, const struct perfdata_sample *sample,
		      uint64_t time_ns, uint64_t switches, uint64_t *reading)
{
	const struct attrib_layout *layout = &plan->plan->groups[0].layout;
	uint64_t clock_ns = time_ns, off_ns = 0;

	if (sample->times) {
		clock_ns = sample->enabled_ns;
		off_ns = sample->enabled_ns - sample->running_ns;
	}
	if (plan->clock_at >= 0)
		clock_ns = sample->values[plan->clock_at].value;
	reading[READING_ENABLED_NS] = clock_ns;
	reading[READING_RUNNING_NS] = clock_ns - off_ns;
	for (size_t i = 0; i < layout->n_values; i++)
		reading[READING_VALUES + i] =
			plan->value_of[i] < 0 ? 0 : sample->values[plan->value_of[i]].value;
	reading[READING_VALUES + layout->switch_value] =
		plan->switches_at < 0 ? switches : sample->values[plan->switches_at].value;
}

/* Name of the core PMU in the recording, or NULL. */
static const char *core_pmu(const struct replay_facts *facts)
{
	static const char *const cores[] = {"cpu", "cpu_core", "cpum_cf"};

	for (size_t i = 0; i < facts->n_pmus; i++) {
		const char *pmu = facts->pmus[i].name;
		for (size_t k = 0; k < ARRAY_SIZE(cores); k++)
			if (strcmp(pmu, cores[k]) == 0)
				return pmu;
		if (strncmp(pmu, "armv", 4) == 0 || strncmp(pmu, "arm_pmu", 7) == 0)
			return pmu;
	}
	return NULL;
}

void replay_plan_pmus(const struct perfdata_events *events, const struct replay_facts *facts,
		      struct pmu_set *pmus)
{
	const char *name = NULL;

	for (size_t i = 0; i < events->n && !name; i++)
		if (!is_pmu_software(facts, &events->items[i].attr) &&
		    events->items[i].attr.type > PERF_TYPE_BREAKPOINT)
			name = replay_facts_pmu(facts, events->items[i].attr.type);
	if (!name)
		name = core_pmu(facts);
	*pmus = (struct pmu_set){.items = xcalloc(1, sizeof(struct pmu)), .n = 1, .n_core = 1};
	pmus->items[0].kind = PMU_CORE;
	pmus->items[0].type = PERF_TYPE_RAW;
	text_copy(pmus->items[0].name, sizeof(pmus->items[0].name), name ? name : "");
}

const char *replay_plan_remedy(const struct perfdata_events *events,
			       const struct replay_facts *facts)
{
	bool hardware = core_pmu(facts);

	for (size_t i = 0; i < events->n; i++)
		hardware |= !is_pmu_software(facts, &events->items[i].attr);
	return hardware ? "perf record -a -e "
			  "'{context-switches,cycles,instructions,cache-misses}:S' -c 1"
			: "perf record -a -e '{context-switches,task-clock,page-faults}:S' -c 1";
}
