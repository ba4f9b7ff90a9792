// SPDX-License-Identifier: MIT
#include "counted_cpu.h"

#include "record.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void counted_cpu_init(struct counted_cpu *cpu, const struct sys *sys, struct attrib *attrib,
		      int number, size_t index, unsigned domain)
{
	*cpu = (struct counted_cpu){
		.number = number,
		.index = index,
		.sys = sys,
		.attrib = attrib,
		.domain = domain,
		.switches_fd = -1,
	};
}

/* ---- opening */

static int open_groups(struct counted_cpu *cpu, const struct event_set *events,
		       const struct plan *plan, size_t ring_bytes, struct counted_failure *failure)
{
	const struct plan_domain *domain = &plan->domains[cpu->domain];
	size_t largest = 0;

	cpu->groups = xcalloc(domain->n_groups, sizeof(*cpu->groups));
	for (unsigned k = 0; k < domain->n_groups; k++) {
		struct counted_group *counted = &cpu->groups[k];
		counted->index = domain->first_group + k;
		failure->group = counted->index;
		const struct group_place place = {
			.tid = -1, .cpu = cpu->number, .ring_bytes = ring_bytes};
		int result = group_open(&counted->group, cpu->sys, events, plan, counted->index,
					&place, &failure->member);
		if (result < 0)
			return result;
		cpu->n_groups++;
		largest = counted->group.n > largest ? counted->group.n : largest;
	}
	cpu->reading = xcalloc(READING_VALUES + largest, sizeof(uint64_t));
	failure->group = domain->first_group;
	failure->member = plan->groups[domain->first_group].layout.switch_value;
	int result = ring_map(&cpu->ring, cpu->sys, counted_cpu_fd(cpu), ring_bytes);
	/* Told apart from a refusal of counters. */
	return result == -EPERM || result == -ENOMEM ? -ENOBUFS : result;
}

/*
 * The clock's group starts for good; the others only to see whether they run at all, and to know
 * where they begin.
 */
static int start_group(struct counted_cpu *cpu, struct counted_group *counted,
		       const struct attrib_layout *layout, bool confirm)
{
	const struct group *group = &counted->group;
	const struct attrib_stream stream = {cpu->index, group->tick_id, layout};
	uint64_t start_ns = sys_now_ns(cpu->sys);
	int result = layout->clock ? group_send(group, counted_cpu_fd(cpu)) : 0;

	if (layout->clock)
		attrib_open(cpu->attrib, &stream, start_ns, NULL);
	if (result == 0)
		result = group_enable(group);
	if (result < 0 || (layout->clock && !confirm))
		return result;
	uint64_t now_ns = sys_now_ns(cpu->sys);
	if (!layout->clock)
		result = group_disable(group);
	if (result == 0)
		result = group_read(group, cpu->reading);
	if (result < 0)
		return result;
	counted->enabled_ns = cpu->reading[READING_ENABLED_NS];
	counted->running_ns = cpu->reading[READING_RUNNING_NS];
	if (confirm && layout->n_hardware > 0 && counted->enabled_ns > 0 &&
	    counted->running_ns == 0)
		return -EUSERS;
	if (layout->clock)
		return 0;
	attrib_open(cpu->attrib, &stream, now_ns, cpu->reading);
	return group_send(group, counted_cpu_fd(cpu));
}

static int begin_turn(struct counted_cpu *cpu, size_t turn)
{
	const struct counted_group *counted = &cpu->groups[turn];
	int result = group_enable(&counted->group);
	uint64_t start_ns = sys_now_ns(cpu->sys);

	attrib_resume(cpu->attrib, cpu->index, counted->index, start_ns);
	if (cpu->recorder)
		recorder_resume(cpu->recorder, &counted->stream, start_ns);
	cpu->turn = turn;
	return result;
}

int counted_cpu_open(struct counted_cpu *cpu, const struct event_set *events,
		     const struct plan *plan, size_t ring_bytes, bool confirm,
		     struct counted_failure *failure)
{
	int result = open_groups(cpu, events, plan, ring_bytes, failure);

	for (size_t k = 0; result == 0 && k < cpu->n_groups; k++) {
		struct counted_group *counted = &cpu->groups[k];
		failure->group = counted->index;
		failure->member = plan->groups[counted->index].layout.switch_value;
		result = start_group(cpu, counted, &plan->groups[counted->index].layout, confirm);
	}
	/* Not all CPUs the same: at any time every group is on somewhere. */
	if (result == 0 && cpu->n_groups > 1)
		result = begin_turn(cpu, 1 + cpu->index % (cpu->n_groups - 1));
	if (result < 0) {
		counted_cpu_close(cpu);
		return result;
	}
	cpu->open = true;
	return 0;
}

/* ---- recording */

static int record_group(struct counted_cpu *cpu, struct counted_group *counted)
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
	samples->tick_id = group->tick_id;
	samples->last_ns = sys_now_ns(cpu->sys);
	for (size_t i = 0; i < group->n; i++) {
		int result = group_id(group, i, &samples->ids[i]);
		if (result < 0)
			return result;
		if (group->fds[i] == group->switch_fd)
			samples->switch_id = samples->ids[i];
	}
	if (!attrib_state(cpu->attrib, cpu->index, counted->index, &state))
		return -ENOENT;
	memcpy(samples->base, state.reading, (READING_VALUES + group->n) * sizeof(uint64_t));
	recorder_open(cpu->recorder, stream, &state);
	return 0;
}

int counted_cpu_record(struct counted_cpu *cpu, struct recorder *recorder)
{
	int result = 0;

	cpu->recorder = recorder;
	for (size_t k = 0; result == 0 && k < cpu->n_groups; k++)
		result = record_group(cpu, &cpu->groups[k]);
	if (result < 0)
		counted_cpu_unrecord(cpu);
	return result;
}

void counted_cpu_unrecord(struct counted_cpu *cpu)
{
	for (size_t k = 0; cpu->recorder && k < cpu->n_groups; k++)
		if (cpu->groups[k].stream.samples)
			recorder_drop(cpu->recorder, &cpu->groups[k].stream);
	cpu->recorder = NULL;
	cpu->switches_id = 0;
}

/* What has been read and is not released yet, since tail stood there. */
static void record_consumed(struct counted_cpu *cpu, uint64_t from)
{
	struct perfdata_stream *const streams[PERFDATA_STREAMS] = {
		cpu->groups[0].stream.samples,
		cpu->turn > 0 ? cpu->groups[cpu->turn].stream.samples : NULL,
	};
	struct ring_part parts[2];

	ring_consumed(&cpu->ring, from, parts);
	recorder_records(cpu->recorder, streams, parts);
}

void counted_cpu_close(struct counted_cpu *cpu)
{
	if (cpu->recorder)
		recorder_close(cpu->recorder, cpu->index);
	counted_cpu_unrecord(cpu);
	attrib_close(cpu->attrib, cpu->index);
	ring_unmap(&cpu->ring);
	if (cpu->switches_fd >= 0)
		sys_close(cpu->sys, cpu->switches_fd);
	/* What takes turns first: its output is the clock's ring. */
	while (cpu->n_groups > 0)
		group_close(&cpu->groups[--cpu->n_groups].group);
	free(cpu->groups);
	free(cpu->reading);
	counted_cpu_init(cpu, cpu->sys, cpu->attrib, cpu->number, cpu->index, cpu->domain);
}

/* ---- ticks */

static void arm(struct counted_cpu *cpu, size_t k)
{
	uint64_t now_ns = sys_now_ns(cpu->sys);

	if (group_arm_tick(&cpu->groups[k].group) == 0)
		cpu->groups[k].armed_ns = now_ns;
}

void counted_cpu_arm(struct counted_cpu *cpu, bool turn_only)
{
	if (!turn_only)
		arm(cpu, 0);
	if (cpu->turn > 0 && cpu->groups[cpu->turn].off_looks < COUNTED_OFF_LOOKS)
		arm(cpu, cpu->turn);
}

bool counted_cpu_awaits(const struct counted_cpu *cpu)
{
	return cpu->groups[0].armed_ns || cpu->groups[cpu->turn].armed_ns;
}

static void disarm(struct counted_group *counted)
{
	group_disarm_tick(&counted->group);
	counted->armed_ns = 0;
}

void counted_cpu_disarm(struct counted_cpu *cpu)
{
	if (cpu->groups[0].armed_ns)
		disarm(&cpu->groups[0]);
	if (cpu->groups[cpu->turn].armed_ns)
		disarm(&cpu->groups[cpu->turn]);
}

static void note_tick(struct counted_cpu *cpu, int group, uint64_t time_ns)
{
	for (size_t k = 0; group >= 0 && k < cpu->n_groups; k++) {
		struct counted_group *counted = &cpu->groups[k];
		if (counted->index != (unsigned)group)
			continue;
		counted->off_looks = 0;
		if (counted->armed_ns && time_ns >= counted->armed_ns)
			disarm(counted);
	}
}

int counted_cpu_ask_switches(struct counted_cpu *cpu)
{
	struct perf_event_attr attr = group_switch_record_attr();

	if (!cpu->open || cpu->switches_fd >= 0)
		return 0;
	int fd = sys_perf_open(cpu->sys, &attr, -1, cpu->number, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	int result = sys_perf_ioctl(cpu->sys, fd, PERF_EVENT_IOC_SET_OUTPUT,
				    (uintptr_t)counted_cpu_fd(cpu));
	if (result < 0)
		sys_close(cpu->sys, fd);
	else
		cpu->switches_fd = fd;
	return result;
}

/* ---- records */

static void drain(struct counted_cpu *cpu, bool to_ticks)
{
	struct ring *ring = &cpu->ring;
	const struct perf_event_header *header;
	struct record record;
	uint64_t broken = ring->broken, from = ring->tail;

	while (!(to_ticks && !counted_cpu_awaits(cpu)) && (header = ring_peek(ring))) {
		if (record_decode(header, &record) == 0)
			note_tick(cpu, attrib_record(cpu->attrib, cpu->index, &record),
				  record.time_ns);
		ring_consume(ring);
	}
	if (cpu->recorder && ring->tail != from)
		record_consumed(cpu, from);
	ring_release(ring);
	/* A LOST that the kernel did not write: whatever was there, an EXIT too, is not known. */
	record = (struct record){.kind = RECORD_LOST, .lost.records = ring->broken - broken};
	if (record.lost.records == 0)
		return;
	attrib_record(cpu->attrib, cpu->index, &record);
	if (cpu->recorder)
		recorder_lost(cpu->recorder, cpu->groups[0].stream.samples->switch_id,
			      record.lost.records);
}

void counted_cpu_foretell(struct counted_cpu *cpu)
{
	struct ring ahead = cpu->ring; /* read on, and nothing given back */
	const struct perf_event_header *header;
	struct record record;

	ahead.joined = NULL;
	for (; (header = ring_peek(&ahead)); ring_consume(&ahead))
		if (record_decode(header, &record) == 0 &&
		    (record.kind == RECORD_FORK || record.kind == RECORD_COMM)) {
			attrib_record(cpu->attrib, cpu->index, &record);
			if (cpu->recorder)
				recorder_ahead(cpu->recorder, cpu->index, header);
		}
	free(ahead.joined);
}

void counted_cpu_drain(struct counted_cpu *cpu)
{
	drain(cpu, false);
}

void counted_cpu_drain_to_ticks(struct counted_cpu *cpu)
{
	drain(cpu, true);
}

/* ---- turns and doubts */

static void note_times(struct counted_group *counted, const uint64_t *reading)
{
	bool off = reading[READING_ENABLED_NS] != counted->enabled_ns &&
		   reading[READING_RUNNING_NS] == counted->running_ns;

	counted->off_looks = off ? counted->off_looks + 1 : 0;
	counted->enabled_ns = reading[READING_ENABLED_NS];
	counted->running_ns = reading[READING_RUNNING_NS];
}

void counted_cpu_turn(struct counted_cpu *cpu, const struct attrib_runner *runner)
{
	struct counted_group *counted = &cpu->groups[cpu->turn];

	if (cpu->n_groups <= 2)
		return;
	if (group_disable(&counted->group) < 0 || group_read(&counted->group, cpu->reading) < 0) {
		cpu->dead = true;
		return;
	}
	counted_cpu_drain(cpu);
	note_times(counted, cpu->reading);
	/* Not there any more: who knows who was when the turn ended. */
	if (runner && sys_current_cpu(cpu->sys) != cpu->number)
		runner = &attrib_nobody;
	attrib_pause(cpu->attrib, cpu->index, counted->index, cpu->reading, runner);
	if (cpu->recorder)
		recorder_pause(cpu->recorder, &counted->stream, cpu->reading, runner);
	cpu->late_turns = 0;
	if (begin_turn(cpu, cpu->turn + 1 < cpu->n_groups ? cpu->turn + 1 : 1) < 0)
		cpu->dead = true;
}

void counted_cpu_check(struct counted_cpu *cpu)
{
	for (size_t k = 0; k <= cpu->turn; k += cpu->turn ? cpu->turn : 1) {
		struct counted_group *counted = &cpu->groups[k];
		int result = group_read(&counted->group, cpu->reading);

		/* The clock's group never stops. */
		cpu->dead |= result < 0 ||
			     (k == 0 && cpu->reading[READING_ENABLED_NS] == counted->enabled_ns);
		if (result == 0)
			note_times(counted, cpu->reading);
	}
}

unsigned counted_cpu_off(const struct counted_cpu *cpu)
{
	unsigned most = 0;

	for (size_t k = 0; k < cpu->n_groups; k++)
		if (cpu->groups[k].off_looks > most)
			most = cpu->groups[k].off_looks;
	return most;
}
