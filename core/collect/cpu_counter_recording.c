// SPDX-License-Identifier: MIT
/*
 * perf.data has each event once, with one id per CPU. So all CPUs that become recorded at the same
 * time are passed to the recorder together. It stands apart from cpu_counter_set.c because nothing
 * here runs without a recording.
 */
#include "core/collect/cpu_counter_recording.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* CPUs that begin to be recorded, and memory for an id of an event on each of them. */
struct coming {
	struct cpu_counters **cpus;
	size_t n;
	uint64_t *ids;
	size_t n_ids;
};

static const struct counted_group *find_group(const struct cpu_counters *cpu, unsigned index)
{
	for (size_t k = 0; k < cpu->n_groups; k++)
		if (cpu->groups[k].index == index)
			return &cpu->groups[k];
	return NULL;
}

static const char *member_name(const struct event_set *events, const struct plan *plan, int member,
			       bool raw, const struct event **event)
{
	*event = NULL;
	switch (member) {
	case PLAN_SWITCH:
		return raw ? "sched:sched_switch" : "context-switches";
	case PLAN_TICK:
		return "tick";
	case PLAN_PAD:
		return "dummy";
	}
	*event = &events->items[plan->counters[member].event];
	return event_label(*event);
}

static void record_member(const struct event_set *events, const struct plan *plan,
			  size_t ring_bytes, unsigned index, size_t nth, struct coming *coming,
			  struct recorder *recorder)
{
	int member = plan->groups[index].members[nth];
	const struct switch_event *switches = coming->cpus[0]->switches;
	bool raw = recorder_has_raw(recorder) && switch_event_format(switches);
	const struct group_place place = {.ring_bytes = ring_bytes,
					  .switches = raw ? switches : NULL};
	struct perf_event_attr attr = group_member_attr(events, plan, index, member, &place);
	const struct event *event;
	const char *name = member_name(events, plan, member, raw, &event);
	size_t n = 0;

	if (raw && member == PLAN_TICK)
		attr.sample_type |= PERF_SAMPLE_RAW;

	for (size_t i = 0; i < coming->n; i++) {
		const struct counted_group *counted = find_group(coming->cpus[i], index);
		if (counted)
			coming->ids[n++] = counted->stream.samples->ids[nth];
	}
	recorder_event(recorder, &attr, event, name, coming->ids, n);
}

/* Adds the id of an event outside of the groups. It may have been opened later than the CPU. */
static void add_event_id(const struct sys *sys, int fd, uint64_t *id, struct coming *coming)
{
	if (fd >= 0 && !*id && sys_perf_ioctl(sys, fd, PERF_EVENT_IOC_ID, (uintptr_t)id) == 0)
		coming->ids[coming->n_ids++] = *id;
}

static void record_switch_records(struct cpu_counter_set *cpus, struct coming *coming,
				  struct recorder *recorder)
{
	struct perf_event_attr attr = group_switch_record_attr();

	coming->n_ids = 0;
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->items[i].recorder)
			add_event_id(cpus->sys, cpus->items[i].switches_fd,
				     &cpus->items[i].switches_id, coming);
	recorder_event(recorder, &attr, NULL, "switch", coming->ids, coming->n_ids);
}

static void record_life_records(struct cpu_counter_set *cpus, struct coming *coming,
				struct recorder *recorder)
{
	struct perf_event_attr attr = group_life_record_attr();

	coming->n_ids = 0;
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->items[i].recorder)
			add_event_id(cpus->sys, cpus->items[i].lives_fd, &cpus->items[i].lives_id,
				     coming);
	recorder_event(recorder, &attr, NULL, "lives", coming->ids, coming->n_ids);
}

static void unrecord_all(struct cpu_counter_set *cpus)
{
	for (size_t i = 0; i < cpus->n; i++)
		cpu_counters_unrecord(&cpus->items[i]);
}

static int record_group(struct cpu_counters *cpu, struct counted_group *counted)
{
	const struct group *group = &counted->group;
	struct recorder_stream *stream = &counted->stream;
	struct perfdata_stream *samples = xcalloc(1, sizeof(*samples));
	struct attrib_state state;

	*stream = (struct recorder_stream){.cpu = cpu->index,
					   .number = cpu->number,
					   .group = counted->index,
					   .samples = samples};
	samples->n_values = group->n;
	samples->ids = xcalloc(group->n, sizeof(uint64_t));
	samples->base = xcalloc(READING_VALUES + group->n, sizeof(uint64_t));
	samples->switch_id = group->switch_id;
	samples->tick_id = group->tick_id;
	const struct switch_format *format = switch_event_format(cpu->switches);
	if (format) {
		samples->traced = true;
		samples->recorded = recorder_has_raw(cpu->recorder);
		samples->format = *format;
	}
	samples->last_ns = sys_now_ns(cpu->sys);
	for (size_t i = 0; i < group->n; i++) {
		int result = group_id(group, i, &samples->ids[i]);
		if (result < 0)
			return result;
	}
	if (!attrib_state(cpu->attrib, cpu->index, counted->index, &state))
		return -ENOENT;
	memcpy(samples->base, state.reading, (READING_VALUES + group->n) * sizeof(uint64_t));
	recorder_open(cpu->recorder, stream, &state);
	return 0;
}

/* Returns 0, or -errno if the kernel does not return the ids. */
static int record_cpu(struct cpu_counters *cpu, struct recorder *recorder)
{
	int result = 0;

	cpu->recorder = recorder;
	cpu->forks_scanned_to = 0; /* the recorder needs the old ones too */
	for (size_t k = 0; result == 0 && k < cpu->n_groups; k++)
		result = record_group(cpu, &cpu->groups[k]);
	if (result < 0)
		cpu_counters_unrecord(cpu);
	return result;
}

void cpu_counter_set_record(struct cpu_counter_set *cpus, const struct event_set *events,
			    const struct plan *plan, size_t ring_bytes, struct recorder *recorder)
{
	struct coming coming = {
		.cpus = xcalloc(cpus->n, sizeof(*coming.cpus)),
		.ids = xcalloc(cpus->n, sizeof(*coming.ids)),
	};

	if (!recorder)
		unrecord_all(cpus);
	for (size_t i = 0; recorder && i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		if (cpu->open && !cpu->recorder && record_cpu(cpu, recorder) == 0)
			coming.cpus[coming.n++] = cpu;
	}
	for (unsigned k = 0; coming.n > 0 && k < plan->shape.n_groups; k++) {
		if (plan->domains[plan->groups[k].domain].socket)
			continue;
		for (size_t i = 0; i < plan->groups[k].n_members; i++)
			record_member(events, plan, ring_bytes, k, i, &coming, recorder);
	}
	if (recorder) {
		record_switch_records(cpus, &coming, recorder);
		record_life_records(cpus, &coming, recorder);
	}
	free(coming.cpus);
	free(coming.ids);
}

void cpu_counter_set_record_switches(struct cpu_counter_set *cpus)
{
	struct coming coming = {.ids = xcalloc(cpus->n, sizeof(*coming.ids))};
	struct recorder *recorder = NULL;

	for (size_t i = 0; i < cpus->n && !recorder; i++)
		recorder = cpus->items[i].recorder;
	if (recorder)
		record_switch_records(cpus, &coming, recorder);
	free(coming.ids);
}
