// SPDX-License-Identifier: MIT
/*
 * The records in a CPU's ring are applied to core/attrib up to a point: the mark where all rings
 * ended, an awaited tick, or the end of the interval. The counters were read at that end, and the
 * first sample after it names the task that ran then. That sample stays in the ring.
 */
#include "core/collect/cpu_counters.h"

#include "core/base/util.h"
#include "core/perf/record.h"
#include "core/sys/proc.h"

static void note_tick(struct cpu_counters *cpu, unsigned group, uint64_t time_ns)
{
	for (size_t k = 0; k < cpu->n_groups; k++) {
		struct counted_group *counted = &cpu->groups[k];
		if (counted->index != group)
			continue;
		counted->off_readings = 0;
		if (counted->armed_ns && time_ns >= counted->armed_ns)
			counted_group_disarm(counted);
	}
}

/* Passes the records from `from` to the tail to the recorder, before they are released. */
static void record_consumed(struct cpu_counters *cpu, uint64_t from)
{
	struct perfdata_stream *const streams[PERFDATA_STREAMS] = {
		cpu->groups[0].stream.samples,
		cpu->turn > 0 ? cpu->groups[cpu->turn].stream.samples : NULL,
	};

	recorder_records(cpu->recorder, streams, &cpu->ring, from);
}

/* Changes the weight of the current window. */
static void weigh_group(struct cpu_counters *cpu, const struct counted_group *counted,
			uint64_t weight)
{
	attrib_resume(cpu->attrib, cpu->index, counted->index, 0, weight);
	if (cpu->recorder)
		recorder_resume(cpu->recorder, &counted->stream, 0, weight);
}

/*
 * Before the records of a window are applied: a window that lasts too long, since a CPU stood
 * still, gets less weight, so that it covers no more than its part.
 */
static void weigh_window(struct cpu_counters *cpu)
{
	struct duty_window *window = &cpu->window;
	uint64_t now_ns = sys_now_ns(cpu->sys), seen_ns = now_ns - window->weighed_ns;
	uint64_t left_ns =
		window->until_ns > window->covered_ns ? window->until_ns - window->covered_ns : 0;
	uint64_t weight = seen_ns ? left_ns * ATTRIB_WEIGHT_ONE / seen_ns : window->weight;

	if (weight < ATTRIB_WEIGHT_ONE)
		weight = ATTRIB_WEIGHT_ONE;
	if (weight < window->weight) {
		window->weight = weight;
		for (size_t k = 0; k <= cpu->turn; k += cpu->turn ? cpu->turn : 1)
			weigh_group(cpu, &cpu->groups[k], weight);
	}
	window->covered_ns += seen_ns * window->weight / ATTRIB_WEIGHT_ONE;
	window->weighed_ns = now_ns;
}

/* A reading and the task that ran are applied like a tick. */
static void end_part(struct cpu_counters *cpu, const struct counted_group *counted,
		     const struct attrib_runner *runner, uint64_t time_ns)
{
	if (attrib_reaches(cpu->attrib, cpu->index, counted->index, counted->end))
		return;
	const struct record tick = {
		.kind = RECORD_SAMPLE,
		.id = counted->group.tick_id,
		.time_ns = time_ns,
		.pid = runner->pid,
		.tid = runner->tid,
		.sample = {counted->end, counted->group.n},
	};
	attrib_record(cpu->attrib, cpu->index, &tick);
	if (cpu->recorder)
		recorder_tick(cpu->recorder, &counted->stream, &tick);
}

void cpu_counters_end(struct cpu_counters *cpu, const struct attrib_runner *runner)
{
	const struct counted_group *clock = &cpu->groups[0];
	struct attrib_state state;

	cpu->ending = false;
	cpu_counters_disarm(cpu);
	if (!attrib_state(cpu->attrib, cpu->index, clock->index, &state))
		return;
	/*
	 * One time for both groups, since they are read right after each other. It is kept between
	 * the times before and after the readings, in case the clocks have drifted apart.
	 */
	uint64_t time_ns = state.origin_ns + clock->end[READING_ENABLED_NS];
	if (time_ns < cpu->read_ns[0])
		time_ns = cpu->read_ns[0];
	if (time_ns > cpu->read_ns[1])
		time_ns = cpu->read_ns[1];
	end_part(cpu, clock, runner, time_ns);
	if (cpu->turn > 0)
		end_part(cpu, &cpu->groups[cpu->turn], runner, time_ns);
}

enum until {
	UNTIL_MARK,
	UNTIL_TICKS, /* the last awaited tick */
	UNTIL_END,   /* of the interval; the sample after it names the task */
};

/* Finds the task that ran at the end of the interval in the next sample, if there is one. */
static bool next_names(const struct cpu_counters *cpu, struct attrib_runner *runner)
{
	const struct perf_event_header *header;
	struct record record;
	struct ring ahead;
	bool named = false;

	ring_scan_ahead(&cpu->ring, 0, &ahead);
	for (bool decoded = false; !decoded; ring_consume(&ahead)) {
		ring_seek(&ahead, RING_TYPE(PERF_RECORD_SAMPLE));
		header = ring_peek(&ahead);
		if (!header)
			break;
		decoded = record_decode(header, &record) == 0 &&
			  record.sample.n_values == cpu->groups[0].group.n;
		named = decoded && attrib_runner_at(cpu->attrib, cpu->index, &record,
						    cpu->groups[0].end, runner);
	}
	ring_scan_ahead_end(&ahead);
	return named;
}

/*
 * Returns whether a record is after the end of the interval, and the task that ran then. A sample
 * names it. An EXIT may be the running task's, which then ends in the next interval, as its last
 * slice does.
 */
static bool find_runner(const struct cpu_counters *cpu, const struct record *record,
			struct attrib_runner *runner)
{
	if (record->kind == RECORD_EXIT && next_names(cpu, runner)) {
		/* The last sample of an exited task has pid and tid -1. */
		if (runner->tid == -1)
			*runner = (struct attrib_runner){record->pid, record->tid};
		return true;
	}
	return record->kind == RECORD_SAMPLE &&
	       attrib_runner_at(cpu->attrib, cpu->index, record, cpu->groups[0].end, runner);
}

static void drain_until(struct cpu_counters *cpu, enum until until, uint64_t end)
{
	struct ring *ring = &cpu->ring;
	const struct perf_event_header *header;
	struct record record;
	struct attrib_runner runner;
	uint64_t broken = ring->broken, from = ring->tail, records = 0, undecoded = 0;
	bool ended = false;

	if (cpu->window.share < 1 && !cpu->window.shut)
		weigh_window(cpu);
	while (!(until == UNTIL_TICKS && !cpu_counters_awaits(cpu)) && ring->tail < end &&
	       (header = ring_peek(ring))) {
		int group = -1;
		bool decoded = record_decode(header, &record) == 0;
		ended = until == UNTIL_END && decoded && find_runner(cpu, &record, &runner);
		if (ended)
			break;
		if (decoded)
			group = attrib_record(cpu->attrib, cpu->index, &record);
		else
			undecoded++;
		if (group >= 0)
			note_tick(cpu, (unsigned)group, record.time_ns);
		ring_consume(ring);
		records++;
	}
	cpu->records += records;
	if (cpu->recorder && ring->tail != from)
		record_consumed(cpu, from);
	ring_release(ring);
	/*
	 * A LOST record for what could not be decoded, or where the ring is broken. An EXIT may be
	 * among it.
	 */
	record = (struct record){.kind = RECORD_LOST,
				 .lost.records = ring->broken - broken + undecoded};
	if (record.lost.records > 0) {
		attrib_record(cpu->attrib, cpu->index, &record);
		if (cpu->recorder)
			recorder_lost(cpu->recorder, cpu->groups[0].stream.samples->switch_id,
				      record.lost.records);
	}
	if (ended)
		cpu_counters_end(cpu, &runner);
}

void cpu_counters_mark(struct cpu_counters *cpu)
{
	cpu->mark = ring_head(&cpu->ring);
}

void cpu_counters_scan_forks(struct cpu_counters *cpu, struct fork_scan *fork_scan)
{
	const uint32_t types = RING_TYPE(PERF_RECORD_FORK) | RING_TYPE(PERF_RECORD_COMM);
	const struct perf_event_header *header;
	struct ring ahead;

	ring_scan_ahead(&cpu->ring, cpu->forks_scanned_to, &ahead);
	for (; ring_seek(&ahead, types), (header = ring_peek(&ahead)); ring_consume(&ahead))
		fork_scan_add(fork_scan, cpu->index, header, ahead.tail < cpu->mark);
	cpu->forks_scanned_to = cpu->mark;
	ring_scan_ahead_end(&ahead);
}

void cpu_counters_apply_fork(struct cpu_counters *cpu, const struct fork_scan_item *item)
{
	const struct perf_event_header *header = (const struct perf_event_header *)item->raw;

	attrib_record(cpu->attrib, cpu->index, &item->record);
	if (cpu->recorder && header->size > 0)
		recorder_ahead(cpu->recorder, cpu->index, header);
}

void cpu_counters_drain_all(struct cpu_counters *cpu)
{
	drain_until(cpu, UNTIL_MARK, UINT64_MAX);
}

void cpu_counters_drain_to_mark(struct cpu_counters *cpu)
{
	drain_until(cpu, UNTIL_MARK, cpu->mark);
}

void cpu_counters_drain_to_ticks(struct cpu_counters *cpu)
{
	drain_until(cpu, UNTIL_TICKS, cpu->mark);
}

/*
 * Whether a task that an old record names may have left its CPU without a record. Where the kernel
 * hides switches, any task may; elsewhere one did that /proc does not show as runnable. The switch
 * counter of the software event counts such a switch, so there no record names a task.
 */
static bool may_have_left(const struct cpu_counters *cpu, const struct attrib_runner *runner,
			  uint64_t now_ns)
{
	struct proc_stat stat;

	if (runner->tid <= 0 || !switch_event_format(cpu->switches) ||
	    !attrib_runner_is_old(cpu->attrib, cpu->index, now_ns))
		return false;
	return cpu->needs_switches ||
	       proc_thread_brief(cpu->sys, runner->pid, runner->tid, &stat) < 0 ||
	       stat.state != 'R';
}

bool cpu_counters_names_runner(struct cpu_counters *cpu)
{
	struct attrib_runner runner;

	cpu_counters_drain_to_mark(cpu);
	return attrib_names_runner(cpu->attrib, cpu->index, &runner) &&
	       !may_have_left(cpu, &runner, sys_now_ns(cpu->sys));
}

static uint64_t off_ns(const uint64_t *reading)
{
	return reading[READING_ENABLED_NS] - reading[READING_RUNNING_NS];
}

/* Whether the group was off the PMU since its last record: it makes none until it is back. */
static bool is_off(const struct cpu_counters *cpu)
{
	const struct counted_group *clock = &cpu->groups[0];
	struct attrib_state state;

	return attrib_state(cpu->attrib, cpu->index, clock->index, &state) &&
	       off_ns(clock->end) != off_ns(state.reading);
}

void cpu_counters_drain_to_end(struct cpu_counters *cpu)
{
	struct attrib_runner runner;

	drain_until(cpu, UNTIL_END, cpu->mark);
	if (!cpu->ending || cpu->doubted)
		return;
	if (is_off(cpu)) {
		cpu_counters_end(cpu, &attrib_unknown);
		return;
	}
	if (!attrib_runner_now(cpu->attrib, cpu->index, cpu->groups[0].end, &runner))
		return;
	cpu->doubted = may_have_left(cpu, &runner, cpu->read_ns[1]);
	if (!cpu->doubted)
		cpu_counters_end(cpu, &runner);
}
