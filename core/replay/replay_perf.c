// SPDX-License-Identifier: MIT
/*
 * Samples of context switches, used as live ones are: the difference of two readings of a CPU is
 * credited to the task that the second one names. The first slice of a CPU is unattributed.
 */
#include "core/replay/replay_perf.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS_MOST = 16 }; /* in a row; a CPU with the group has fewer */

#define OVERLAP_NS (60 * NS_PER_S) /* of two files of a recording, at most */

/* Whether such a record has nothing new: each file of a recording has one for all tasks. */
static bool is_known(const struct replay_perf *perf, const struct record *record)
{
	const struct task *task =
		tasks_find(perf->kind.state->tasks, record->tid, perf->slices.until_ns);

	return perf->later && task && (record->kind == RECORD_FORK || task->comm_ns);
}

/* A record that perf synthesizes for an existing task has no time. */
static void add_initial_task(struct replay_perf *perf, struct record *record)
{
	struct replay_state *state = perf->kind.state;

	/* tid 0: the idle task, or a task outside perf's pid namespace */
	if (record->tid <= 0 || is_known(perf, record))
		return;
	record->time_ns = perf->later && perf->slices.begin_ns ? perf->slices.begin_ns : 1;
	if (record->kind == RECORD_FORK) {
		tasks_fork(state->tasks, record)->start_ns = 0;
	} else if (record->kind == RECORD_COMM) {
		replay_state_comm(state, record);
	}
}

static void pass_other(struct replay_perf *perf, const struct perf_event_header *header,
		       struct record *record)
{
	const struct perfdata_sample *sample = &perf->sample;
	bool on_cpu = (sample->has & PERF_SAMPLE_CPU) && sample->cpu < perf->n_cpus;
	size_t cpu = on_cpu ? sample->cpu : 0;

	if (record->kind == RECORD_LOST) {
		/* perf reports the losses of LOST once more at the end, as LOST_SAMPLES. */
		if (header->type == PERF_RECORD_LOST_SAMPLES && perf->lost > 0)
			return;
		perf->lost += record->lost.records;
		for (size_t i = 0; i < perf->n_cpus; i++)
			if (!on_cpu || i == cpu)
				perf->cpus[i].switches++;
		if (record->time_ns == 0)
			record->time_ns = perf->slices.begin_ns;
	}
	if (record->time_ns == 0)
		add_initial_task(perf, record);
	else
		replay_slices_add(&perf->slices, cpu, record);
}

static int refuse_cpu(const struct replay_perf *perf, struct error *err)
{
	const struct perfdata_sample *sample = &perf->sample;

	if (perf->later)
		return error_set(err, -EOPNOTSUPP,
				 "%s was recorded with other events than the files before it. To "
				 "show it and those behind it, move them to another directory.",
				 replay_state_file(perf->kind.state));
	return error_set(err, -EOPNOTSUPP,
			 "CPU %u was recorded with other counters than the CPUs before it. Record "
			 "CPUs of one kind: perf record -C CPUS -e '{...}:S' -c 1",
			 sample->cpu);
}

/*
 * A sample of an event of another program, made in place of the group's sample. If samples have N,
 * N shows that one is missing.
 */
static void count_foreign_sample(struct replay_perf *perf)
{
	for (size_t i = 0; perf->plan.switches_at < 0 && i < perf->n_cpus; i++)
		perf->cpus[i].switches++;
}

/* A sample of another event at the same switch: one of the group must follow. */
static int count_second_sample(const struct replay_perf *perf, struct perf_cpu *cpu,
			       struct error *err)
{
	if (!cpu->id && cpu->others >= OTHERS_MOST)
		return refuse_cpu(perf, err);
	cpu->others++;
	return 0;
}

/*
 * 1: the sample is of the plan's group; 0: it is not; -errno: it should be, but it has other
 * events.
 */
static int is_of_plan(struct replay_perf *perf, struct perf_cpu *cpu, struct error *err)
{
	const struct perfdata_sample *sample = &perf->sample;
	const struct replay_plan *plan = &perf->plan;
	uint64_t id = sample->id;

	if (sample->n_values == plan->n_members && plan->switches_at >= 0)
		id = sample->values[plan->switches_at].id;
	if (id && id == cpu->id && sample->n_values == plan->n_members)
		return 1;
	const struct perfdata_event *leader = replay_plan_leader(&perf->events, sample);
	if (!leader)
		return 0;
	if ((size_t)(leader - perf->events.items) != plan->leader)
		return count_second_sample(perf, cpu, err);
	if (!replay_plan_fits(plan, &perf->events, sample))
		return refuse_cpu(perf, err);
	cpu->id = id;
	return 1;
}

const struct switch_format *replay_perf_switch_format(const struct replay_perf *perf)
{
	const struct perfdata_event *leader = replay_plan_leader(&perf->events, &perf->sample);
	const struct switch_format *format;

	if (!leader || leader->attr.type != PERF_TYPE_TRACEPOINT ||
	    !(leader->attr.sample_type & PERF_SAMPLE_RAW) ||
	    perfdata_reader_switch_format(perf->kind.state->reader, &format) < 0 ||
	    leader->attr.config != format->id)
		return NULL;
	return format;
}

void replay_perf_raw(struct replay_perf *perf, struct record *record)
{
	const struct switch_format *format = replay_perf_switch_format(perf);
	struct switch_raw raw;

	record->sample.state = RECORD_STATE_UNKNOWN;
	if (!format || switch_raw_read(format, record, &raw) < 0)
		return;
	record->sample.state = raw.prev_state;
	perf->other_numbers |= record->tid != -1 && record->tid != raw.prev_pid;
	if (perf->other_numbers)
		return;
	record->tid = raw.prev_pid;
	record->sample.next = (uint32_t)raw.next_pid + 1;
}

/* The format of the RAW part of the sample if it is one of a wake-up, or NULL. */
static const struct waking_format *waking_format(const struct replay_perf *perf)
{
	const struct perfdata_event *event = perf->sample.event;

	if (!event || event->attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	return perfdata_reader_waking_format(perf->kind.state->reader, event->attr.config);
}

static void pass_waking(struct replay_perf *perf, const struct record *record)
{
	const struct perfdata_sample *sample = &perf->sample;
	const struct waking_format *format = waking_format(perf);
	pid_t tid = format && !perf->other_numbers ? waking_raw_tid(format, record) : -1;

	if (tid > 0)
		replay_slices_add(&perf->slices, sample->cpu,
				  &(struct record){
					  .kind = RECORD_WAKING,
					  .time_ns = sample->time_ns,
					  .pid = -1,
					  .tid = tid,
				  });
}

/* Moves the task of a sample to the cgroup of the sample. */
static void move_to_cgroup(struct replay_perf *perf, const struct perf_event_header *header)
{
	const struct perfdata_sample *sample = &perf->sample;
	const char *path = replay_cgroups_of_sample(&perf->cgroups, header, sample);
	struct tasks *tasks = perf->kind.state->tasks;

	if (path && sample->tid > 0)
		tasks_move(tasks, tasks_at(tasks, sample->pid, sample->tid, sample->time_ns), path,
			   sample->time_ns);
}

/* Files of one recording follow each other in time, but for what the rings of CPUs overlap. */
static int check_order(struct replay_perf *perf, struct error *err)
{
	uint64_t latest_ns = replay_order_latest(perf->slices.order);

	perf->unordered = false;
	if (latest_ns < OVERLAP_NS || perf->sample.time_ns >= latest_ns - OVERLAP_NS)
		return 0;
	return error_set(err, -EOPNOTSUPP,
			 "%s began before the end of the file before it: it is another recording. "
			 "To show it and those behind it, move them to another directory.",
			 replay_state_file(perf->kind.state));
}

static int pass_switch(struct replay_perf *perf, const struct perf_event_header *header,
		       struct record *record, struct error *err)
{
	const struct perfdata_sample *sample = &perf->sample;
	const struct attrib_layout *layout = replay_perf_layout(perf);

	if (!sample->event || !(sample->has & PERF_SAMPLE_CPU)) {
		count_foreign_sample(perf);
		return 0;
	}
	if (sample->cpu >= perf->n_cpus) {
		notes_add(&perf->kind.state->notes,
			  "CPU %u and above are not shown: the header has fewer CPUs.",
			  sample->cpu);
		return 0;
	}
	struct perf_cpu *cpu = &perf->cpus[sample->cpu];
	int of_plan = is_of_plan(perf, cpu, err);
	if (of_plan == 0)
		pass_waking(perf, record);
	if (of_plan <= 0)
		return of_plan;
	if (perf->unordered && check_order(perf, err) < 0)
		return err->code;
	move_to_cgroup(perf, header);
	if (cpu->others > 1)
		cpu->missed += cpu->others - 1;
	cpu->others = 0;
	cpu->switches++;
	/* Two clocks may differ slightly after an interrupt; times must ascend. */
	if (sample->time_ns > cpu->seen_ns)
		cpu->seen_ns = sample->time_ns;
	replay_plan_read(&perf->plan, sample, cpu->seen_ns, cpu->switches, perf->reading);
	perf->reading[READING_VALUES + layout->switch_value] += cpu->missed;
	replay_perf_raw(perf, record);
	replay_slices_add(&perf->slices, sample->cpu,
			  &(struct record){
				  .kind = RECORD_SAMPLE,
				  .time_ns = cpu->seen_ns,
				  .pid = record->pid,
				  .tid = record->tid,
				  .sample = {.reading = perf->reading,
					     .n_values = layout->n_values,
					     .next = record->sample.next,
					     .state = record->sample.state},
			  });
	return 0;
}

/* Whether records of this type are used. */
static bool is_used(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_LOST:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_LOST_SAMPLES:
	case PERFDATA_ROUND:
		return true;
	}
	return false;
}

/* The ids of events may be others. Behind a gap, switches are missing on each CPU. */
static void begin_file(struct replay_perf *perf, const struct perf_event_header *header)
{
	perfdata_events_fini(&perf->events);
	perf->later = perf->unordered = true;
	for (size_t i = 0; i < perf->n_cpus; i++) {
		perf->cpus[i].id = 0;
		perf->cpus[i].others = 0;
		perf->cpus[i].switches += (header->misc & PERFDATA_MISC_GAP) != 0;
	}
	replay_slices_round(&perf->slices);
}

static int add_event(struct replay_perf *perf, const struct perf_event_header *header,
		     struct error *err)
{
	if (perfdata_events_add(&perf->events, header) == 0)
		return 0;
	return error_set(err, -EBADMSG, "%s is broken: the description of its events is invalid.",
			 replay_state_file(perf->kind.state));
}

static int pass_record(struct replay_perf *perf, const struct perf_event_header *header,
		       struct error *err)
{
	struct record record;

	if (header->type == PERFDATA_NEXT_FILE) {
		begin_file(perf, header);
		return 0;
	}
	if (perf->later && (header->type == PERFDATA_ATTR || header->type == PERFDATA_UPDATE))
		return add_event(perf, header, err);
	if (!is_used(header->type)) {
		replay_cgroups_parse(&perf->cgroups, header);
		return 0;
	}
	if (header->type == PERFDATA_ROUND) {
		replay_slices_round(&perf->slices);
		return 0;
	}
	if (perfdata_decode(&perf->events, header, &record, &perf->sample) < 0)
		return error_set(err, -EBADMSG,
				 "The recording is broken: a record does not fit "
				 "its kind.");
	if (header->type != PERF_RECORD_SAMPLE)
		pass_other(perf, header, &record);
	else
		return pass_switch(perf, header, &record, err);
	return 0;
}

static void note_interval(struct replay_perf *perf)
{
	const struct interval *interval = &perf->kind.state->interval;
	struct notes *notes = &perf->kind.state->notes;

	notes_remove(notes, NOTE_LOST_RECORDS);
	if (interval->lost_records > 0)
		notes_add_urgent_as(
			notes, NOTE_LOST_RECORDS,
			"perf lost records. Counts of that time are unattributed; ? marks "
			"affected figures. A larger buffer (perf record -m 4M) helps.");
	else if (interval->unexplained > 0)
		notes_add_as(notes, NOTE_LOST_RECORDS,
			     "Some context switches made no record; time around them is "
			     "unattributed (marked ?).");
	if (interval->contended_ns > 0)
		notes_add(notes, "Another profiler shared the counters during this recording. Time "
				 "while it held them is unattributed.");
}

/*
 * Adds the losses of switches that no sample counts. LOST counts records of all kinds, so the
 * number of lost switches is unknown.
 */
static void add_losses(struct replay_perf *perf)
{
	struct interval *interval = &perf->kind.state->interval;
	size_t at = tally_losses(&interval->shape);
	bool lost = perf->plan.switches_at < 0 && perf->lost > 0;

	for (size_t i = 0; lost && i < interval->n_cpus; i++) {
		interval_cpu(interval, i)[at] += interval->coverage[i].gaps;
		interval->unattributed[at] += interval->coverage[i].gaps;
	}
}

static void end_interval(struct replay_perf *perf)
{
	struct replay_state *state = perf->kind.state;
	const struct replay_facts *facts = &perf->facts;
	struct interval *interval = &state->interval;

	replay_slices_end(&perf->slices);
	uint64_t time_ns = perf->slices.until_ns;
	state->stub.now_ns = time_ns;
	waits_end(&perf->waits);
	add_losses(perf);
	interval_sum_cpus(interval);
	interval_set_wall(interval, time_ns - perf->slices.begin_ns);
	waits_cut(&perf->waits, interval);
	note_interval(perf);
	state->sequence++;
	state->time_ns = time_ns;
	state->realtime_ns =
		facts->realtime_ns ? facts->realtime_ns + (time_ns - facts->clock_ns) : 0;
	state->length_ns = interval_counted_ns(interval);
	state->lost_records = interval->lost_records;
	state->stub.realtime_ns = state->realtime_ns;
	perf->over = true;
}

static void begin_interval(struct replay_perf *perf)
{
	struct replay_state *state = perf->kind.state;

	tasks_free_exited(state->tasks, perf->slices.begin_ns);
	interval_reset(&state->interval);
	replay_slices_begin(&perf->slices, state->interval_ns);
	perf->over = false;
}

static int perf_advance(struct replay_kind *kind, struct error *err)
{
	struct replay_perf *perf = replay_perf_of(kind);
	const struct perf_event_header *header;

	if (perf->over)
		begin_interval(perf);
	for (;;) {
		if (replay_slices_are_over(&perf->slices)) {
			end_interval(perf);
			return 1;
		}
		if (perf->slices.ended) {
			*err = perf->failure;
			return perf->failure.code;
		}
		int result =
			replay_lead_read(&perf->lead, perf->kind.state, &header, &perf->failure);
		if (result == -EAGAIN)
			return result;
		if (result > 0 && pass_record(perf, header, &perf->failure) == 0)
			continue;
		perf->slices.ended = true;
		if (result <= 0)
			perf->failure.code = result;
	}
}

static void perf_free(struct replay_kind *kind)
{
	struct replay_perf *perf = replay_perf_of(kind);

	perfdata_events_fini(&perf->events);
	perfdata_build_ids_fini(&perf->build_ids);
	replay_facts_fini(&perf->facts);
	replay_cgroups_fini(&perf->cgroups);
	replay_plan_fini(&perf->plan);
	replay_slices_fini(&perf->slices);
	waits_fini(&perf->waits);
	free(perf->cpus);
	replay_lead_fini(&perf->lead);
	free(perf->reading);
	free(perf);
}

const struct replay_kind_ops replay_perf_ops = {
	.open = replay_perf_open,
	.begin = replay_perf_begin,
	.advance = perf_advance,
	.free = perf_free,
};
