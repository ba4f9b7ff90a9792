// SPDX-License-Identifier: MIT
/*
 * Each sample ends a slice. The slice is credited to the task that ran in it if one task alone can
 * have run, else to `unattributed`, and the reading of the sample is where the next slice begins.
 *
 * attrib_record() runs for millions of records, so its path is inlined, and what is seldom needed
 * is kept out of it (SELDOM). `tests/bench` measures its instructions.
 */
#include "core/attrib/attrib_internal.h"

#include <string.h>

/*
 * The largest difference between the time of a sample and the group's own clock. The two clocks
 * drift between two samples, and pmctop may be preempted between the start of a window and the
 * reading of its time.
 */
#define SHIFT_NS (2 * NS_PER_MS)

/*
 * The stream of a sample; NULL if none. The id of a switch sample may be that of another event that
 * samples switches, also of another group of pmctop. So the stream is found by the number of values
 * in the reading, which differs between groups that are on together.
 */
static inline struct stream *stream_of_sample(const struct attrib *attrib, size_t cpu,
					      const struct record *record)
{
	struct stream *stream = stream_if_on(attrib->streams[cpu]);

	while (stream && stream->layout->n_values != record->sample.n_values)
		stream = stream_if_on(stream->next);
	return stream;
}

/* Whether a sample has the id of an event of pmctop. Events share samples: see record_decode(). */
static bool has_own_id(const struct attrib *attrib, size_t cpu, uint64_t id)
{
	const struct stream *stream = stream_if_on(attrib->streams[cpu]);

	for (; stream; stream = stream_if_on(stream->next))
		if (stream->switch_id == 0 || id == stream->switch_id || id == stream->tick_id)
			return true;
	return false;
}

/* Time that the group was off the PMU. */
static uint64_t off_ns(const uint64_t *reading)
{
	return reading[READING_ENABLED_NS] - reading[READING_RUNNING_NS];
}

/* Adds ns up to end_ns in which no record has what ran. Other groups than the clock's have none. */
static void add_gap(struct attrib *attrib, const struct stream *stream, uint64_t ns,
		    uint64_t end_ns)
{
	bool clock = stream->layout->clock;

	interval_add_gap(attrib->interval, stream->cpu, clock ? ns : 0, end_ns);
	if (attrib->log && clock)
		slice_log_add_gap(attrib->log, ns, end_ns);
}

/*
 * Marks a CPU where slices of unknown tasks are unattributed. The last of these slices belongs to
 * the task of the sample. That task gets a place in the interval, as it may have no other slice.
 */
static void mark_cpu_gap(struct attrib *attrib, const struct stream *stream,
			 const struct sample *sample, uint64_t ns)
{
	struct task *task = slice_task(attrib, stream, sample);

	add_gap(attrib, stream, ns, sample->time_ns);
	if (attrib->log && stream->layout->clock)
		stream_log_begin(attrib, stream);
	if (!task)
		return;
	interval_task(attrib->interval, task);
	interval_ran(attrib->interval, task, stream->cpu, 0);
	if (attrib->log && stream->layout->clock)
		stream_log_gap(attrib, stream, task, sample);
}

/* One task ran in the slice. */
static OFTEN void credit_slice(struct attrib *attrib, const struct stream *stream,
			       const struct sample *sample)
{
	struct task *task = slice_task(attrib, stream, sample);

	uint64_t ns = slice_add(attrib, stream, sample->reading,
				slice_tally(attrib, stream, sample, task));
	if (!task || !stream->layout->clock)
		return;
	interval_ran(attrib->interval, task, stream->cpu, ns);
	if (attrib->log)
		stream_log_slice(attrib, stream, task, 0, sample);
}

/*
 * Several tasks may have run in the slice: the group was off the PMU or throttled, or samples of
 * switches are missing. `missing`: how many, by N; 0 if N did not count them.
 */
SELDOM static void credit_doubtful_slice(struct attrib *attrib, const struct stream *stream,
					 const struct sample *sample, uint64_t missing)
{
	struct interval *interval = attrib->interval;
	const uint64_t *now = sample->reading, *last = stream->last;

	if (off_ns(now) != off_ns(last)) {
		uint64_t ns = slice_add(attrib, stream, now, interval->unattributed);
		interval->contended_ns += now[READING_ENABLED_NS] - last[READING_ENABLED_NS];
		if (stream->layout->clock) {
			mark_cpu_gap(attrib, stream, sample, ns);
			interval->coverage[stream->cpu].hidden_ns += ns;
		}
		return;
	}
	if (running_throttled(stream_running(attrib, stream), &stream->since)) {
		mark_cpu_gap(attrib, stream, sample,
			     slice_add(attrib, stream, now, interval->unattributed));
		return;
	}
	interval->gaps += missing ? missing : 1;
	/* After the end of a turn, a LOST record may still explain the gap. */
	interval->coverage[stream->cpu].unclear |=
		stream->on && !running_lost(stream_running(attrib, stream), &stream->since);
	if (hidden_is_explained(attrib, stream, sample)) {
		hidden_credit_slice(attrib, stream, sample, missing);
		return;
	}
	interval->unexplained += missing ? missing : 1;
	mark_cpu_gap(attrib, stream, sample,
		     slice_add(attrib, stream, now, interval->unattributed));
}

/*
 * Marks a CPU where no record names the task that ran until a reading. That may have been the idle
 * task, unless the group was off the PMU: then the counts of some task are too low.
 */
SELDOM static void mark_unnamed(struct attrib *attrib, const struct stream *stream,
				const uint64_t *reading)
{
	struct interval *interval = attrib->interval;
	uint64_t ns = reading[READING_ENABLED_NS] - stream->last[READING_ENABLED_NS];
	bool off = off_ns(reading) != off_ns(stream->last);

	if (running_exit(stream_running(attrib, stream), &stream->since) ||
	    !stream->layout->clock || stream->window.weight != ATTRIB_WEIGHT_ONE)
		return;
	/* Where it was off, credit_doubtful_slice() adds the gap. */
	interval->coverage[stream->cpu].unnamed |= !off;
	interval->coverage[stream->cpu].hidden_ns += off ? 0 : ns;
}

/*
 * Whether another task than `runner` ran since the last sample, without a sample of its own. If the
 * last one is a reading that names no task, a SWITCH record since then shows it.
 */
static inline bool is_broken(const struct attrib *attrib, const struct stream *stream,
			     const struct attrib_runner *runner)
{
	if (stream->since.runner.tid == -1)
		return stream->since.tick &&
		       running_came(stream_running(attrib, stream), &stream->since);
	return running_is_broken(&stream->since, attrib->tasks, runner);
}

/* Ends the slice of a stream at a sample, and begins the next one. */
static OFTEN void end_slice(struct attrib *attrib, struct stream *stream,
			    const struct sample *sample)
{
	const struct attrib_layout *layout = stream->layout;
	const uint64_t *now = sample->reading, *last = stream->last;
	uint64_t grown = stream_switches(layout, now) - stream_switches(layout, last);
	/* N of the reading before may include this switch. */
	uint64_t missing = grown > !sample->tick ? grown - !sample->tick : 0;
	bool throttled = running_throttled(stream_running(attrib, stream), &stream->since);

	if (sample->tick && sample->runner.tid == -1 && !throttled)
		mark_unnamed(attrib, stream, now);
	if (missing == 0 && off_ns(now) == off_ns(last) && !throttled &&
	    !is_broken(attrib, stream, &sample->runner))
		credit_slice(attrib, stream, sample);
	else
		credit_doubtful_slice(attrib, stream, sample, missing);
	memcpy(stream->last, now, (READING_VALUES + layout->n_values) * sizeof(*now));
	running_since_sample(&stream->since, stream_running(attrib, stream), &sample->next,
			     sample->time_ns, sample->tick, missing > 0);
}

/*
 * The task that runs at time_ns, by the records since the group's last sample. If they do not name
 * it, those since the last sample of the clock's group do, unless that sample is younger.
 */
static struct attrib_runner runner_at_time(const struct attrib *attrib, const struct stream *stream,
					   uint64_t time_ns)
{
	const struct running_task *running = stream_running(attrib, stream);
	const struct stream *clock = stream_of_clock(attrib, stream->cpu);
	struct attrib_runner runner = running_at(running, &stream->since, time_ns);

	if (runner.tid == -1 && clock && clock->since.time_ns <= stream->since.time_ns)
		runner = running_at(running, &clock->since, time_ns);
	return runner;
}

void attrib_pause(struct attrib *attrib, size_t cpu, unsigned group, const uint64_t *reading,
		  const struct attrib_runner *runner)
{
	struct stream *stream = stream_remove(attrib, cpu, group);

	if (!stream)
		return;
	uint64_t time_ns = stream->origin_ns + reading[READING_ENABLED_NS];
	const struct attrib_runner last =
		runner ? *runner : runner_at_time(attrib, stream, time_ns);
	const struct sample end = {
		.reading = reading,
		.time_ns = time_ns,
		.runner = last,
		.next = last,
		.tick = true,
	};
	stream->on = false;
	end_slice(attrib, stream, &end);
	stream_insert(attrib, stream);
}

void attrib_resume(struct attrib *attrib, size_t cpu, unsigned group, uint64_t start_ns,
		   uint64_t weight)
{
	struct stream *stream = stream_remove(attrib, cpu, group);

	if (!stream)
		return;
	window_begin(stream, weight);
	if (start_ns > 0) {
		const struct stream *clock = stream_of_clock(attrib, cpu);
		stream->on = true;
		stream->origin_ns = start_ns - stream->last[READING_ENABLED_NS];
		running_since_begin(&stream->since, stream_running(attrib, stream), start_ns);
		/*
		 * A task that was exiting may have its EXIT in the current slice of the clock's
		 * group. Without that group, a window begins: such a task has ended before it.
		 */
		if (clock)
			stream->since.slice_at = clock->since.slice_at;
	}
	stream_insert(attrib, stream);
}

/* Whether a sample that has no id of its stream has no id of pmctop either. */
SELDOM static bool is_foreign(const struct attrib *attrib, const struct stream *stream,
			      const struct record *record)
{
	return !has_own_id(attrib, stream->cpu, record->id);
}

/*
 * The task that ran until a sample which the kernel prepared for an event of another program. Its
 * pid and tid are not used: they are of that event's pid namespace, in which a task has another
 * number, or 0 if it is outside.
 */
SELDOM static struct attrib_runner runner_of_foreign(struct attrib *attrib,
						     const struct stream *stream,
						     const struct record *record)
{
	struct interval *interval = attrib->interval;
	uint64_t enabled_ns = record->sample.reading[READING_ENABLED_NS];
	const struct attrib_runner runner =
		running_expected(stream_running(attrib, stream), &stream->since);

	interval->coverage[stream->cpu].unclear = true;
	if (runner.tid == -1)
		add_gap(attrib, stream, enabled_ns - stream->last[READING_ENABLED_NS],
			stream->origin_ns + enabled_ns);
	return runner;
}

/*
 * Whether the tracepoint made the sample. Then each event has its own sample, with the fields that
 * it requested.
 */
static bool is_traced(const struct stream *stream, const struct record *record)
{
	return stream->format || record->sample.next != 0;
}

/*
 * Whether a sample has the time of another program's clock, if its time differs from the group's
 * clock. Only the clock's group is always on, so only its clock is reliable. Other groups use the
 * last sample of that group.
 */
SELDOM static bool has_foreign_time(const struct attrib *attrib, const struct stream *stream,
				    const struct record *record)
{
	if (!stream->layout->clock)
		return stream_running(attrib, stream)->shifted;
	return stream->switch_id && !is_traced(stream, record);
}

/*
 * Whether a switch sample with an id of pmctop's has the time of another program's clock: that
 * program requested no id, and the kernel filled in pmctop's.
 */
static OFTEN bool is_shifted(const struct attrib *attrib, const struct stream *stream,
			     const struct record *record)
{
	uint64_t time_ns = stream->origin_ns + record->sample.reading[READING_ENABLED_NS];

	return record->time_ns - time_ns + SHIFT_NS > 2 * SHIFT_NS &&
	       has_foreign_time(attrib, stream, record);
}

/*
 * The task that ran until a switch sample. A SWITCH since the last sample names it in pmctop's own
 * pid namespace.
 */
static OFTEN struct attrib_runner runner_of(struct attrib *attrib, const struct stream *stream,
					    const struct record *record, bool shifted)
{
	const struct record *came = running_came(stream_running(attrib, stream), &stream->since);

	if (shifted || (record->id != stream->switch_id && is_foreign(attrib, stream, record)))
		return runner_of_foreign(attrib, stream, record);
	if (came && !is_traced(stream, record))
		return (struct attrib_runner){came->pid, came->tid};
	pid_t tid = record->tid == -1 ? switch_raw_tid(stream->format, record) : record->tid;
	return (struct attrib_runner){record->pid, tid};
}

/* The thread that runs next. The tracepoint does not name its process. */
static inline struct attrib_runner next_runner(const struct stream *stream,
					       const struct record *record)
{
	uint32_t next = switch_raw_next(stream->format, record);

	return next == 0   ? attrib_unknown
	       : next == 1 ? (struct attrib_runner){0, 0}
			   : (struct attrib_runner){-1, (pid_t)(next - 1)};
}

static void clamp_value(uint64_t *value, uint64_t least, uint64_t most)
{
	if (*value < least)
		*value = least;
	if (*value > most)
		*value = most;
}

/* Limits values of a reading to those of the samples before and after it. `record`: NULL if none.
 */
static void clamp_reading(const struct stream *stream, const struct record *record,
			  uint64_t *reading)
{
	for (size_t i = 0; i < stream_values(stream); i++)
		clamp_value(&reading[i], stream->last[i],
			    record ? record->sample.reading[i] : UINT64_MAX);
}

bool attrib_reaches(const struct attrib *attrib, size_t cpu, unsigned group, uint64_t *reading)
{
	const struct stream *stream = stream_find(attrib, cpu, group);

	if (!stream || reading[READING_ENABLED_NS] <= stream->last[READING_ENABLED_NS])
		return true;
	clamp_reading(stream, NULL, reading);
	return false;
}

/* The same, with its process if that is known. */
static struct attrib_runner runner_with_pid(const struct attrib *attrib, const struct stream *clock,
					    uint64_t time_ns)
{
	struct attrib_runner runner = runner_at_time(attrib, clock, time_ns);

	if (runner.pid == -1 && runner.tid > 0) {
		const struct task *task = tasks_find(attrib->tasks, runner.tid, time_ns);
		runner.pid = task ? task->pid : -1;
	}
	return runner;
}

bool attrib_runner_now(const struct attrib *attrib, size_t cpu, const uint64_t *reading,
		       struct attrib_runner *runner)
{
	const struct stream *clock = stream_of_clock(attrib, cpu);

	if (!clock ||
	    stream_switches(clock->layout, reading) != stream_switches(clock->layout, clock->last))
		return false;
	*runner = runner_with_pid(attrib, clock, clock->origin_ns + reading[READING_ENABLED_NS]);
	return runner->pid != -1;
}

bool attrib_names_runner(const struct attrib *attrib, size_t cpu, struct attrib_runner *runner)
{
	const struct stream *clock = stream_of_clock(attrib, cpu);

	*runner = clock ? runner_with_pid(attrib, clock, UINT64_MAX) : attrib_unknown;
	return runner->tid != -1;
}

bool attrib_runner_is_old(const struct attrib *attrib, size_t cpu, uint64_t now_ns)
{
	const struct stream *clock = stream_of_clock(attrib, cpu);

	if (!clock)
		return false;
	const struct record *came = running_came(stream_running(attrib, clock), &clock->since);
	uint64_t since_ns = came ? came->time_ns : clock->since.time_ns;
	uint64_t begin_ns = clock->origin_ns + clock->start[READING_ENABLED_NS];
	double length_ns = (double)u64_growth(begin_ns, now_ns);

	return (double)u64_growth(since_ns, now_ns) > INTERVAL_UNSEEN * length_ns;
}

bool attrib_runner_at(struct attrib *attrib, size_t cpu, const struct record *record,
		      uint64_t *reading, struct attrib_runner *runner)
{
	const struct stream *stream = stream_of_sample(attrib, cpu, record);

	if (!stream || !stream->layout->clock ||
	    record->sample.reading[READING_ENABLED_NS] <= reading[READING_ENABLED_NS])
		return false;
	size_t n_at = READING_VALUES + stream->layout->switch_value;
	uint64_t n_before = record->sample.reading[n_at] - (record->id != stream->tick_id);
	clamp_reading(stream, record, reading);
	/* The kernel may read N a little later than the time, when N has one switch more. */
	if (reading[n_at] > n_before)
		reading[n_at] = n_before;
	uint64_t missing = n_before - reading[n_at];
	if (hidden_since(attrib, stream, reading, runner))
		return true;
	if (missing > 0)
		*runner = hidden_runner(attrib, stream, reading, missing);
	else if (record->id == stream->tick_id)
		*runner = (struct attrib_runner){record->pid, record->tid};
	else
		*runner = runner_of(attrib, stream, record, is_shifted(attrib, stream, record));
	return true;
}

static void log_waking(struct attrib *attrib, size_t cpu, pid_t tid, uint64_t time_ns)
{
	if (tid > 0 && attrib->log)
		slice_log_waking(attrib->log, cpu, tasks_at(attrib->tasks, 0, tid, time_ns),
				 time_ns);
}

/* A sample that belongs to no group: of a wake-up, or of a group that was closed. */
SELDOM static void apply_waking(struct attrib *attrib, size_t cpu, const struct record *record)
{
	if (attrib->waking_format && record->sample.n_values == 1)
		log_waking(attrib, cpu, waking_raw_tid(attrib->waking_format, record),
			   record->time_ns);
}

/*
 * Returns the group of which the sample is a tick, or -1. A tick names its own task, here as in
 * attrib_runner_at(): a function for both costs 14 instructions a record.
 */
static int attribute_sample(struct attrib *attrib, size_t cpu, const struct record *record)
{
	struct stream *stream = stream_of_sample(attrib, cpu, record);

	if (!stream) {
		apply_waking(attrib, cpu, record);
		return -1;
	}
	uint64_t enabled_ns = record->sample.reading[READING_ENABLED_NS];
	bool tick = record->id == stream->tick_id;
	bool shifted = !tick && is_shifted(attrib, stream, record);
	const struct attrib_runner runner = tick ? (struct attrib_runner){record->pid, record->tid}
						 : runner_of(attrib, stream, record, shifted);
	if (stream->layout->clock && !tick)
		attrib->running[cpu].shifted = shifted;
	/* The clock of enabled ns drifts against the clock of records. A sample with an id of
	 * pmctop has the time of pmctop's clock. */
	if (tick || (stream->switch_id && record->id == stream->switch_id && !shifted))
		stream->origin_ns = record->time_ns - enabled_ns;
	const struct sample sample = {
		.reading = record->sample.reading,
		.time_ns = stream->origin_ns + enabled_ns,
		.runner = runner,
		.next = tick ? runner : next_runner(stream, record),
		.tick = tick,
		.record = record,
	};
	end_slice(attrib, stream, &sample);
	return tick ? (int)stream->layout->group : -1;
}

static void apply_fork(struct attrib *attrib, const struct record *record)
{
	struct task *task = tasks_fork(attrib->tasks, record);

	if (attrib->log && task->start_ns)
		slice_log_fork(attrib->log, task);
}

SELDOM static void apply_record(struct attrib *attrib, size_t cpu, const struct record *record)
{
	bool named = record->tid > 0; /* tid 0: a task outside this pid namespace */

	running_note(&attrib->running[cpu], record);
	switch (record->kind) {
	case RECORD_COMM:
		if (named)
			tasks_comm(attrib->tasks, record);
		break;
	case RECORD_FORK:
		if (named)
			apply_fork(attrib, record);
		break;
	case RECORD_EXIT:
		if (named)
			tasks_exit(attrib->tasks, record);
		break;
	case RECORD_LOST:
		attrib->interval->lost_records += record->lost.records;
		tasks_records_lost(attrib->tasks);
		break;
	case RECORD_THROTTLE:
		attrib->interval->coverage[cpu].gaps = true;
		attrib->interval->coverage[cpu].throttled = true;
		break;
	case RECORD_WAKING:
		log_waking(attrib, cpu, record->tid, record->time_ns);
		break;
	case RECORD_SWITCH:
		if (attrib->log && record->change.out)
			slice_log_left(attrib->log, cpu, record->tid, record->change.preempted);
		else if (attrib->log)
			hidden_log_slice(attrib, cpu, record);
		break;
	case RECORD_SAMPLE:
	case RECORD_OTHER:
		break;
	}
}

int attrib_record(struct attrib *attrib, size_t cpu, const struct record *record)
{
	if (record->kind == RECORD_SAMPLE)
		return attribute_sample(attrib, cpu, record);
	apply_record(attrib, cpu, record);
	return -1;
}

bool attrib_cut(struct attrib *attrib, size_t cpu)
{
	struct interval *interval = attrib->interval;
	bool counted = false;

	for (struct stream *stream = attrib->streams[cpu]; stream; stream = stream->next) {
		size_t bytes = stream_values(stream) * sizeof(*stream->start);
		uint64_t *tally = interval_cpu(interval, cpu), *unseen = stream->slice_unseen;
		if (memcmp(stream->last, stream->start, bytes) == 0)
			continue;
		stream_add_counts(stream, stream->start, stream->last, tally);
		stream_add_clock(stream, stream->start, stream->last, tally);
		window_estimate(stream, stream->last, unseen);
		window_add(&interval->shape, stream, stream->start_unseen, unseen, tally);
		memcpy(stream->start_unseen, unseen, bytes);
		memcpy(stream->start, stream->last, bytes);
		counted = true;
	}
	interval->coverage[cpu].counted |= counted;
	return counted;
}
