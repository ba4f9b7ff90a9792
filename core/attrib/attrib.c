// SPDX-License-Identifier: MIT
#include "core/attrib/attrib.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Counters that stand beside each other, in readings and in a tally. */
struct counters_run {
	uint32_t reading, tally, n;
};

/*
 * What a window stands for beside itself, since it began: `unseen` is a reading of what was not
 * counted, estimated up to the reading `from`. All have the layout of readings.
 */
struct pace {
	uint64_t weight;
	uint64_t *from, *unseen;
};

/*
 * By so much the time of a sample may differ from the group's own clock: the two clocks drift
 * between two samples, and pmctop may be preempted between the start of a window and the reading of
 * its time.
 */
#define SHIFT_NS (2 * NS_PER_MS)

/* Readings have the layout of enum record_reading. */
struct stream {
	size_t cpu;
	uint64_t tick_id, switch_id;
	const struct attrib_layout *layout;
	const struct switch_format *format; /* of a tracepoint's samples; NULL: there are none */
	struct counters_run *runs;
	size_t n_runs;
	size_t group_at, domain_at; /* in a tally */
	bool on;                    /* not between its turns */
	uint64_t origin_ns;         /* the time at which enabled ns was 0, as the ticks tell */
	uint64_t *last;             /* the reading of the last record */
	uint64_t *start;            /* the reading at the last cut */
	struct pace pace;
	uint64_t *start_unseen; /* at the last cut */
	uint64_t *slice_unseen; /* scratch: where a slice began, then where it ended */
	struct running_since since;
	struct stream *next; /* of the same CPU: those that are on come first */
};

struct attrib {
	struct tasks *tasks;
	struct interval *interval;
	struct stream **streams;      /* by CPU */
	struct running_task *running; /* by CPU */
	uint64_t *slice;              /* scratch: a tally, of which a stream uses its own numbers */
};

/* A record that ends a slice: what was counted by then, and who ran. */
struct sample {
	const uint64_t *reading;
	uint64_t time_ns;
	struct attrib_runner runner;
	struct attrib_runner next; /* who runs on; tid -1: not told */
	bool tick;
};

struct attrib *attrib_new(struct tasks *tasks, struct interval *interval)
{
	struct attrib *attrib = xcalloc(1, sizeof(*attrib));

	attrib->tasks = tasks;
	attrib->interval = interval;
	attrib->streams = xcalloc(interval->n_cpus, sizeof(struct stream *));
	attrib->running = xcalloc(interval->n_cpus, sizeof(*attrib->running));
	attrib_reshape(attrib);
	return attrib;
}

void attrib_reshape(struct attrib *attrib)
{
	free(attrib->slice);
	attrib->slice = xcalloc(tally_width(&attrib->interval->shape), sizeof(uint64_t));
}

static void stream_free(struct stream *stream)
{
	free(stream->last);
	free(stream->start);
	free(stream->pace.from);
	free(stream->pace.unseen);
	free(stream->start_unseen);
	free(stream->slice_unseen);
	free(stream->runs);
	free(stream);
}

void attrib_close(struct attrib *attrib, size_t cpu)
{
	for (struct stream *stream = attrib->streams[cpu], *next; stream; stream = next) {
		next = stream->next;
		stream_free(stream);
	}
	/* Until another is open, tasks end there and nobody hears of it. */
	if (attrib->streams[cpu])
		tasks_records_lost(attrib->tasks);
	attrib->streams[cpu] = NULL;
	attrib->running[cpu] = (struct running_task){0};
}

void attrib_free(struct attrib *attrib)
{
	if (!attrib)
		return;
	for (size_t cpu = 0; cpu < attrib->interval->n_cpus; cpu++)
		attrib_close(attrib, cpu);
	free(attrib->streams);
	free(attrib->running);
	free(attrib->slice);
	free(attrib);
}

/* Takes the stream of a group out of its CPU's list; NULL where there is none. */
static struct stream *take_out(const struct attrib *attrib, size_t cpu, unsigned group)
{
	struct stream **link = &attrib->streams[cpu], *stream;

	while (*link && (*link)->layout->group != group)
		link = &(*link)->next;
	stream = *link;
	if (stream)
		*link = stream->next;
	return stream;
}

static void put_in(const struct attrib *attrib, struct stream *stream)
{
	struct stream **link = &attrib->streams[stream->cpu];

	while (*link && !stream->on)
		link = &(*link)->next;
	stream->next = *link;
	*link = stream;
}

/* The next of a CPU's streams that are on: records come by the million, and groups by the dozen. */
static struct stream *while_on(struct stream *stream)
{
	return stream && stream->on ? stream : NULL;
}

/* Of a layout's counters those that a tally has. */
static void find_counters(struct stream *stream, const struct tally_shape *shape)
{
	const struct attrib_layout *layout = stream->layout;
	struct counters_run *run = NULL;

	stream->runs = xcalloc(layout->n_values, sizeof(*stream->runs));
	for (size_t i = 0; i < layout->n_values; i++) {
		if (layout->counter_of[i] < 0)
			continue;
		uint32_t reading = (uint32_t)(READING_VALUES + i);
		uint32_t tally = (uint32_t)layout->counter_of[i];
		if (!run || reading != run->reading + run->n || tally != run->tally + run->n) {
			run = &stream->runs[stream->n_runs++];
			*run = (struct counters_run){reading, tally, 0};
		}
		run->n++;
	}
	stream->group_at = tally_group(shape, layout->group);
	stream->domain_at = tally_domain(shape, layout->domain);
}

/* In the place of the one that was there before, if there was; it is not in its list yet. */
static struct stream *stream_new(struct attrib *attrib, const struct attrib_stream *what,
				 const uint64_t *reading)
{
	size_t n = READING_VALUES + what->layout->n_values;
	struct stream *old = take_out(attrib, what->cpu, what->layout->group);
	struct stream *stream = xcalloc(1, sizeof(*stream));

	*stream = (struct stream){
		.cpu = what->cpu,
		.tick_id = what->tick_id,
		.switch_id = what->switch_id,
		.layout = what->layout,
		.format = what->format,
		.last = xcalloc(n, sizeof(uint64_t)),
		.start = xcalloc(n, sizeof(uint64_t)),
		.pace = {.weight = ATTRIB_WEIGHT_ONE,
			 .from = xcalloc(n, sizeof(uint64_t)),
			 .unseen = xcalloc(n, sizeof(uint64_t))},
		.start_unseen = xcalloc(n, sizeof(uint64_t)),
		.slice_unseen = xcalloc(2 * n, sizeof(uint64_t)),
		.since = {.runner = attrib_unknown},
	};
	find_counters(stream, &attrib->interval->shape);
	if (reading) {
		memcpy(stream->last, reading, n * sizeof(uint64_t));
		memcpy(stream->start, reading, n * sizeof(uint64_t));
	}
	if (old)
		stream_free(old);
	return stream;
}

void attrib_open(struct attrib *attrib, const struct attrib_stream *what, uint64_t start_ns,
		 const uint64_t *reading)
{
	struct stream *stream = stream_new(attrib, what, reading);

	/* There was no sample yet: its time is 0. */
	running_since_begin(&stream->since, &attrib->running[what->cpu], 0);
	stream->on = what->layout->clock;
	stream->origin_ns = start_ns - stream->last[READING_ENABLED_NS];
	put_in(attrib, stream);
}

void attrib_restore(struct attrib *attrib, const struct attrib_stream *what,
		    const struct attrib_state *state)
{
	struct stream *stream = stream_new(attrib, what, state->reading);

	stream->on = state->on;
	stream->origin_ns = state->origin_ns;
	stream->since =
		running_restore(&attrib->running[what->cpu], state->exit, state->came, state->lost);
	stream->since.runner = state->runner;
	stream->since.time_ns = state->last_ns;
	/* Who is about to end there has been told of, but not to these tasks. */
	if (state->exit->time_ns && state->exit->tid > 0)
		tasks_exit(attrib->tasks, state->exit);
	put_in(attrib, stream);
}

/*
 * The id of a switch sample may be that of another event that samples switches, our other group's
 * too. What cannot be another's is the size of its reading: groups that are on together differ.
 */
static inline struct stream *stream_of_sample(const struct attrib *attrib, size_t cpu,
					      const struct record *record)
{
	struct stream *stream = while_on(attrib->streams[cpu]);

	while (stream && stream->layout->n_values != record->sample.n_values)
		stream = while_on(stream->next);
	return stream;
}

/* Whether the kernel prepared a sample for one of our events: they share one, see record_decode. */
static bool is_ours(const struct attrib *attrib, size_t cpu, uint64_t id)
{
	const struct stream *stream = while_on(attrib->streams[cpu]);

	for (; stream; stream = while_on(stream->next))
		if (stream->switch_id == 0 || id == stream->switch_id || id == stream->tick_id)
			return true;
	return false;
}

/* The switch counter N of a reading. */
static uint64_t switches(const struct attrib_layout *layout, const uint64_t *reading)
{
	return reading[READING_VALUES + layout->switch_value];
}

/* How long the group was not on the PMU. */
static uint64_t off_ns(const uint64_t *reading)
{
	return reading[READING_ENABLED_NS] - reading[READING_RUNNING_NS];
}

/* Two at once, as a record has half a dozen and there are millions of records. */
typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline void add_counters(uint64_t *sum, const uint64_t *from, const uint64_t *to, size_t n)
{
	size_t i = 0;

	for (; i + 1 < n; i += 2)
		*(pair *)(sum + i) += *(const pair *)(to + i) - *(const pair *)(from + i);
	if (i < n)
		sum[i] += to[i] - from[i];
}

/* Adds to a tally, or to the estimates in it, how much the counts of a reading grew. */
static inline void add_counts(const struct stream *stream, const uint64_t *from, const uint64_t *to,
			      uint64_t *tally)
{
	const struct counters_run *end = stream->runs + stream->n_runs;

	for (const struct counters_run *run = stream->runs; run < end; run++)
		add_counters(tally + run->tally, from + run->reading, to + run->reading, run->n);
	tally[stream->group_at] += to[READING_RUNNING_NS] - from[READING_RUNNING_NS];
}

/* Adds the time and the switches, if the group keeps the clock: returns the ns. */
static inline uint64_t add_clock(const struct stream *stream, const uint64_t *from,
				 const uint64_t *to, uint64_t *tally)
{
	uint64_t ns = to[READING_ENABLED_NS] - from[READING_ENABLED_NS];

	if (!stream->layout->clock)
		return 0;
	tally[TALLY_TASK_CLOCK] += ns;
	tally[stream->domain_at] += ns;
	tally[TALLY_SWITCHES] += switches(stream->layout, to) - switches(stream->layout, from);
	return ns;
}

/* Of so much that was counted in the window. */
static uint64_t unseen_of(const struct stream *stream, uint64_t seen)
{
	return seen * (stream->pace.weight - ATTRIB_WEIGHT_ONE) / ATTRIB_WEIGHT_ONE;
}

static size_t reading_size(const struct stream *stream)
{
	return READING_VALUES + stream->layout->n_values;
}

/* Grows with the reading: so what was not seen of slices adds up to that of their ends. */
static void unseen_at(const struct stream *stream, const uint64_t *reading, uint64_t *unseen)
{
	const struct pace *pace = &stream->pace;

	for (size_t i = 0; i < reading_size(stream); i++)
		unseen[i] = pace->unseen[i] + unseen_of(stream, reading[i] - pace->from[i]);
}

/* Adds what was not seen, between two of its readings: returns the ns of the clock. */
static uint64_t add_unseen(const struct tally_shape *shape, const struct stream *stream,
			   const uint64_t *from, const uint64_t *to, uint64_t *tally)
{
	uint64_t ns = add_clock(stream, from, to, tally);

	tally[tally_unseen(shape)] += ns;
	add_counts(stream, from, to, tally + tally_beside(shape, 0));
	return ns;
}

/* What nobody saw beside a slice: returns its ns. */
SELDOM static uint64_t add_unseen_slice(const struct attrib *attrib, const struct stream *stream,
					const uint64_t *reading, uint64_t *tally)
{
	uint64_t *from = stream->slice_unseen, *to = from + reading_size(stream);

	unseen_at(stream, stream->last, from);
	unseen_at(stream, reading, to);
	return add_unseen(&attrib->interval->shape, stream, from, to, tally);
}

/* Adds to a tally all that a slice stands for, which ends with this reading: returns its ns. */
static OFTEN uint64_t add_slice(const struct attrib *attrib, const struct stream *stream,
				const uint64_t *reading, uint64_t *tally)
{
	uint64_t ns = reading[READING_ENABLED_NS] - stream->last[READING_ENABLED_NS];

	add_counts(stream, stream->last, reading, tally);
	add_clock(stream, stream->last, reading, tally);
	if (stream->pace.weight != ATTRIB_WEIGHT_ONE)
		ns += add_unseen_slice(attrib, stream, reading, tally);
	return ns;
}

static const struct running_task *running_on(const struct attrib *attrib,
					     const struct stream *stream)
{
	return &attrib->running[stream->cpu];
}

/* The task that ran in the slice that ends with this sample; NULL: unknown. */
static inline struct task *task_of(const struct attrib *attrib, const struct stream *stream,
				   const struct sample *sample)
{
	return running_find(running_on(attrib, stream), &stream->since, attrib->tasks,
			    &sample->runner, sample->time_ns);
}

/* The tally that the slice belongs to of which that is the task. */
static inline uint64_t *owner_of(const struct attrib *attrib, const struct stream *stream,
				 const struct sample *sample, struct task *task)
{
	if (task)
		return interval_task(attrib->interval, task);
	return running_is_idle(running_on(attrib, stream), &stream->since, &sample->runner)
		       ? interval_idle(attrib->interval, stream->cpu)
		       : attrib->interval->unattributed;
}

/* Whether a gap is told: nothing was lost, and a SWITCH says who came last. */
static bool hidden_switches_is_told(const struct attrib *attrib, const struct stream *stream,
				    const struct sample *sample)
{
	const struct running_task *running = running_on(attrib, stream);
	const struct record *came = running_came(running, &stream->since);

	return came && stream->since.time_ns && !running_lost(running, &stream->since) &&
	       (came->tid == sample->runner.tid || sample->runner.tid == -1);
}

/*
 * Whose tally the silent time is: of one task the SWITCH tells, of several nobody does. If the last
 * record named who ran next, and that is not the one before, they were several.
 */
static uint64_t *silent_owner(const struct attrib *attrib, const struct stream *stream,
			      uint64_t missing, struct task **task)
{
	const struct record *came = &running_on(attrib, stream)->came;
	pid_t named = stream->since.runner.tid;
	bool several = missing > 1 || (named != -1 && named != came->change.other_tid);

	*task = NULL;
	if (several || came->change.other_tid < 0)
		return attrib->interval->unattributed;
	if (came->change.other_pid == 0 && came->change.other_tid == 0)
		return interval_idle(attrib->interval, stream->cpu);
	*task = tasks_at(attrib->tasks, came->change.other_pid, came->change.other_tid,
			 came->time_ns);
	return interval_task(attrib->interval, *task);
}

static void move(uint64_t *from, uint64_t n, uint64_t *to)
{
	*from -= n;
	*to += n;
}

/*
 * `missing` switches in this slice made no record, but the SWITCH record of the task that came
 * last says when that was and who had run. Takes the silent time out of attrib->slice. Counts that
 * both may have made go to nobody, with the time that they were counted in, so that neither seems
 * to have made none; only software events beside the idle task, which makes none, are surely the
 * other's.
 */
static void take_silent_part(const struct attrib *attrib, const struct stream *stream,
			     uint64_t missing)
{
	const struct attrib_layout *layout = stream->layout;
	const struct tally_shape *shape = &attrib->interval->shape;
	uint64_t *slice = attrib->slice, *nobody = attrib->interval->unattributed;
	struct task *task;
	uint64_t *silent = silent_owner(attrib, stream, missing, &task);
	bool idle = silent == interval_idle(attrib->interval, stream->cpu);
	uint64_t came_ns = running_on(attrib, stream)->came.time_ns,
		 last_ns = stream->since.time_ns;
	uint64_t silent_ns = came_ns > last_ns ? came_ns - last_ns : 0;

	for (size_t i = 0; i < layout->n_values; i++) {
		int counter = layout->counter_of[i];
		if (counter < 0 || (idle && i >= layout->n_hardware))
			continue;
		size_t beside = tally_beside(shape, (size_t)counter);
		move(&slice[counter], slice[counter], &nobody[counter]);
		move(&slice[beside], slice[beside], &nobody[beside]);
	}
	size_t group = tally_group(shape, layout->group),
	       domain = tally_domain(shape, layout->domain);
	uint64_t slice_ns = slice[group];
	if (silent_ns > slice_ns)
		silent_ns = slice_ns;
	bool told_apart = idle && layout->n_hardware == 0;
	uint64_t mixed_ns = told_apart ? silent_ns : slice_ns;
	uint64_t *mixed = told_apart ? silent : nobody;
	size_t beside_group = tally_beside(shape, group);
	move(&slice[group], mixed_ns, &mixed[group]);
	uint64_t beside_ns = unseen_of(stream, mixed_ns);
	if (beside_ns > slice[beside_group]) /* both are rounded */
		beside_ns = slice[beside_group];
	move(&slice[beside_group], beside_ns, &mixed[beside_group]);
	if (!layout->clock)
		return;
	/* And as much of what was not seen. */
	uint64_t unseen_ns = unseen_of(stream, silent_ns), clock_ns = silent_ns + unseen_ns;
	move(&slice[TALLY_TASK_CLOCK], clock_ns, &silent[TALLY_TASK_CLOCK]);
	if (task)
		interval_ran(attrib->interval, task, stream->cpu, clock_ns);
	move(&slice[domain], clock_ns, &silent[domain]);
	move(&slice[tally_unseen(shape)], unseen_ns, &silent[tally_unseen(shape)]);
	move(&slice[TALLY_SWITCHES], missing + unseen_of(stream, missing), &silent[TALLY_SWITCHES]);
	if (silent == nobody)
		attrib->interval->silent_ns[stream->cpu] += clock_ns;
}

/*
 * The slices in a gap may belong to any task of this CPU. The last of them belongs to the task of
 * the sample, which may have no other slice in this interval.
 */
static void mark_gap(const struct attrib *attrib, const struct stream *stream,
		     const struct sample *sample)
{
	struct task *task = task_of(attrib, stream, sample);

	attrib->interval->cpu_gaps[stream->cpu] = true;
	if (!task)
		return;
	interval_task(attrib->interval, task);
	interval_ran(attrib->interval, task, stream->cpu, 0);
}

/* What ran is this sample's task, which takes it all. */
static OFTEN void give_slice(const struct attrib *attrib, const struct stream *stream,
			     const struct sample *sample)
{
	struct task *task = task_of(attrib, stream, sample);

	uint64_t ns =
		add_slice(attrib, stream, sample->reading, owner_of(attrib, stream, sample, task));
	if (task && stream->layout->clock)
		interval_ran(attrib->interval, task, stream->cpu, ns);
}

/* A gap in N that a SWITCH tells of: who came last takes what is left. */
static void share_slice(const struct attrib *attrib, const struct stream *stream,
			const struct sample *sample, uint64_t missing)
{
	const struct tally_shape *shape = &attrib->interval->shape;
	struct task *task = task_of(attrib, stream, sample);

	memset(attrib->slice, 0, tally_width(shape) * sizeof(*attrib->slice));
	add_slice(attrib, stream, sample->reading, attrib->slice);
	take_silent_part(attrib, stream, missing);
	tally_add(shape, owner_of(attrib, stream, sample, task), attrib->slice);
	if (task && stream->layout->clock)
		interval_ran(attrib->interval, task, stream->cpu, attrib->slice[TALLY_TASK_CLOCK]);
}

/*
 * A slice in which several tasks may have run. The group was off the PMU or throttled, or the
 * samples of switches are missing: of `missing` that N counted, or of others.
 */
SELDOM static void fold_doubtful(const struct attrib *attrib, const struct stream *stream,
				 const struct sample *sample, uint64_t missing)
{
	struct interval *interval = attrib->interval;
	const uint64_t *now = sample->reading, *last = stream->last;

	if (off_ns(now) != off_ns(last)) {
		add_slice(attrib, stream, now, interval->unattributed);
		interval->contended_ns += now[READING_ENABLED_NS] - last[READING_ENABLED_NS];
		return;
	}
	if (running_throttled(running_on(attrib, stream), &stream->since)) {
		add_slice(attrib, stream, now, interval->unattributed);
		mark_gap(attrib, stream, sample);
		return;
	}
	interval->gaps += missing ? missing : 1;
	/* After the end of a turn, a LOST record may still explain the gap. */
	interval->cpu_unclear[stream->cpu] |=
		stream->on && !running_lost(running_on(attrib, stream), &stream->since);
	if (hidden_switches_is_told(attrib, stream, sample)) {
		share_slice(attrib, stream, sample, missing);
		return;
	}
	interval->untold += missing ? missing : 1;
	add_slice(attrib, stream, now, interval->unattributed);
	mark_gap(attrib, stream, sample);
}

/*
 * Nobody knows who ran up to a reading. Where no record came meanwhile it may have been the idle
 * task; else some task's counts are too low.
 */
SELDOM static void mark_unattributed(const struct attrib *attrib, const struct stream *stream,
				     const uint64_t *reading)
{
	struct interval *interval = attrib->interval;
	uint64_t ns = reading[READING_ENABLED_NS] - stream->last[READING_ENABLED_NS];
	bool off = off_ns(reading) != off_ns(stream->last);

	if (running_exit(running_on(attrib, stream), &stream->since) || !stream->layout->clock ||
	    stream->pace.weight != ATTRIB_WEIGHT_ONE)
		return;
	interval->cpu_gaps[stream->cpu] |= off;
	interval->cpu_unnamed[stream->cpu] |= !off;
	interval->silent_ns[stream->cpu] += off ? 0 : ns;
}

static OFTEN void stream_sample(const struct attrib *attrib, struct stream *stream,
				const struct sample *sample)
{
	const struct attrib_layout *layout = stream->layout;
	const uint64_t *now = sample->reading, *last = stream->last;
	uint64_t grown = switches(layout, now) - switches(layout, last);
	/* A reading may have had this switch in N already. */
	uint64_t missing = grown > !sample->tick ? grown - !sample->tick : 0;
	bool throttled = running_throttled(running_on(attrib, stream), &stream->since);

	if (sample->tick && sample->runner.tid == -1 && !throttled)
		mark_unattributed(attrib, stream, now);
	if (missing == 0 && off_ns(now) == off_ns(last) && !throttled &&
	    !running_is_broken(&stream->since, attrib->tasks, &sample->runner))
		give_slice(attrib, stream, sample);
	else
		fold_doubtful(attrib, stream, sample, missing);
	memcpy(stream->last, now, (READING_VALUES + layout->n_values) * sizeof(*now));
	running_since_sample(&stream->since, running_on(attrib, stream), &sample->next,
			     sample->time_ns, sample->tick, missing > 0);
}

/* The stream of the clock's group; NULL while that is off. */
static const struct stream *clock_of(const struct attrib *attrib, size_t cpu)
{
	const struct stream *stream = while_on(attrib->streams[cpu]);

	while (stream && !stream->layout->clock)
		stream = while_on(stream->next);
	return stream;
}

/*
 * The task that runs at time_ns, after the group's last sample. A group that has had no sample in
 * its turn takes it from the clock's group, unless that has had a sample in this turn.
 */
static struct attrib_runner runs_at(const struct attrib *attrib, const struct stream *stream,
				    uint64_t time_ns)
{
	const struct running_task *running = running_on(attrib, stream);
	const struct stream *clock = clock_of(attrib, stream->cpu);
	struct attrib_runner runner = running_at(running, &stream->since, time_ns);

	if (runner.tid == -1 && clock && clock->since.time_ns <= stream->since.time_ns)
		runner = running_at(running, &clock->since, time_ns);
	return runner;
}

void attrib_pause(struct attrib *attrib, size_t cpu, unsigned group, const uint64_t *reading,
		  const struct attrib_runner *runner)
{
	struct stream *stream = take_out(attrib, cpu, group);

	if (!stream)
		return;
	uint64_t time_ns = stream->origin_ns + reading[READING_ENABLED_NS];
	const struct attrib_runner last = runner ? *runner : runs_at(attrib, stream, time_ns);
	const struct sample end = {
		.reading = reading,
		.time_ns = time_ns,
		.runner = last,
		.next = last,
		.tick = true,
	};
	stream->on = false;
	stream_sample(attrib, stream, &end);
	put_in(attrib, stream);
}

static void set_pace(struct stream *stream, uint64_t weight)
{
	unseen_at(stream, stream->last, stream->pace.unseen);
	memcpy(stream->pace.from, stream->last, reading_size(stream) * sizeof(uint64_t));
	stream->pace.weight = weight;
}

void attrib_resume(struct attrib *attrib, size_t cpu, unsigned group, uint64_t start_ns,
		   uint64_t weight)
{
	struct stream *stream = take_out(attrib, cpu, group);

	if (!stream)
		return;
	set_pace(stream, weight);
	if (start_ns > 0) {
		const struct stream *clock = clock_of(attrib, cpu);
		stream->on = true;
		stream->origin_ns = start_ns - stream->last[READING_ENABLED_NS];
		running_since_begin(&stream->since, running_on(attrib, stream), start_ns);
		/*
		 * The slice of the clock's group may have an EXIT already. Without such a slice a
		 * window begins: a task that was exiting before it has exited.
		 */
		if (clock)
			stream->since.slice_at = clock->since.slice_at;
	}
	put_in(attrib, stream);
}

bool attrib_state(const struct attrib *attrib, size_t cpu, unsigned group,
		  struct attrib_state *state)
{
	static const struct record none;
	const struct stream *stream = attrib->streams[cpu];

	while (stream && stream->layout->group != group)
		stream = stream->next;
	if (!stream)
		return false;
	const struct running_task *running = running_on(attrib, stream);
	const struct record *exit = running_exit(running, &stream->since);
	const struct record *came = running_came(running, &stream->since);
	*state = (struct attrib_state){
		.reading = stream->last,
		.on = stream->on,
		.lost = running_lost(running, &stream->since),
		.origin_ns = stream->origin_ns,
		.last_ns = stream->since.time_ns,
		.runner = stream->since.runner,
		.exit = exit ? exit : &none,
		.came = came ? came : &none,
	};
	return true;
}

/* Of a sample that has neither id of its stream. */
SELDOM static bool is_foreign(const struct attrib *attrib, const struct stream *stream,
			      const struct record *record)
{
	return !is_ours(attrib, stream->cpu, record->id);
}

/*
 * The task that ran until a sample which the kernel prepared for an event of another program. Its
 * pid and tid are not used: they are of that event's pid namespace, in which a task has another
 * number, or 0 if it is outside.
 */
SELDOM static struct attrib_runner runner_of_foreign(const struct attrib *attrib,
						     const struct stream *stream)
{
	struct interval *interval = attrib->interval;
	const struct attrib_runner runner =
		running_expected(running_on(attrib, stream), &stream->since);

	interval->cpu_unclear[stream->cpu] = true;
	interval->cpu_gaps[stream->cpu] |= runner.tid == -1;
	return runner;
}

/* Whether the tracepoint made a sample: each event then has one with the fields it requested. */
static bool is_traced(const struct stream *stream, const struct record *record)
{
	return stream->format || record->sample.next != 0;
}

/*
 * Whether the time of a sample, which differs from the group's clock, is another program's. Only
 * the clock's group is always on, so only its clock can be relied on; the other groups go by its
 * last sample.
 */
SELDOM static bool has_foreign_time(const struct attrib *attrib, const struct stream *stream,
				    const struct record *record)
{
	if (!stream->layout->clock)
		return running_on(attrib, stream)->shifted;
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
static OFTEN struct attrib_runner runner_of(const struct attrib *attrib,
					    const struct stream *stream,
					    const struct record *record, bool shifted)
{
	const struct record *came = running_came(running_on(attrib, stream), &stream->since);

	if (shifted || (record->id != stream->switch_id && is_foreign(attrib, stream, record)))
		return runner_of_foreign(attrib, stream);
	if (came && !is_traced(stream, record))
		return (struct attrib_runner){came->pid, came->tid};
	pid_t tid = record->tid == -1 ? switch_raw_tid(stream->format, record) : record->tid;
	return (struct attrib_runner){record->pid, tid};
}

/* The tracepoint names a thread alone: its process is found when it is asked for. */
static inline struct attrib_runner next_of(const struct stream *stream, const struct record *record)
{
	uint32_t next = switch_raw_next(stream->format, record);

	return next == 0   ? attrib_unknown
	       : next == 1 ? (struct attrib_runner){0, 0}
			   : (struct attrib_runner){-1, (pid_t)(next - 1)};
}

/* Keeps a value of a reading between those of two records. */
static void bound(uint64_t *value, uint64_t least, uint64_t most)
{
	if (*value < least)
		*value = least;
	if (*value > most)
		*value = most;
}

/* `record`: NULL where there is none after it. */
static void bound_reading(const struct stream *stream, const struct record *record,
			  uint64_t *reading)
{
	size_t n = READING_VALUES + stream->layout->n_values;

	for (size_t i = 0; i < n; i++)
		bound(&reading[i], stream->last[i],
		      record ? record->sample.reading[i] : UINT64_MAX);
}

/*
 * `missing` switches between a reading and the sample made no record: who ran then was silent, and
 * only a SWITCH record may say who it was.
 */
SELDOM static struct attrib_runner silent_runner(const struct attrib *attrib,
						 const struct stream *stream,
						 const uint64_t *reading, uint64_t missing)
{
	const struct record *came = running_came(running_on(attrib, stream), &stream->since);

	if (missing > 1 || !came ||
	    came->time_ns <= stream->origin_ns + reading[READING_ENABLED_NS])
		return attrib_unknown;
	return (struct attrib_runner){came->change.other_pid, came->change.other_tid};
}

bool attrib_reaches(const struct attrib *attrib, size_t cpu, unsigned group, uint64_t *reading)
{
	const struct stream *stream = attrib->streams[cpu];

	while (stream && stream->layout->group != group)
		stream = stream->next;
	if (!stream || reading[READING_ENABLED_NS] <= stream->last[READING_ENABLED_NS])
		return true;
	bound_reading(stream, NULL, reading);
	return false;
}

bool attrib_runner_now(const struct attrib *attrib, size_t cpu, const uint64_t *reading,
		       struct attrib_runner *runner)
{
	const struct stream *clock = clock_of(attrib, cpu);

	if (!clock || switches(clock->layout, reading) != switches(clock->layout, clock->last))
		return false;
	uint64_t time_ns = clock->origin_ns + reading[READING_ENABLED_NS];
	*runner = runs_at(attrib, clock, time_ns);
	if (runner->pid == -1 && runner->tid > 0) {
		const struct task *task = tasks_find(attrib->tasks, runner->tid, time_ns);
		runner->pid = task ? task->pid : -1;
	}
	return runner->pid != -1;
}

bool attrib_names_runner(const struct attrib *attrib, size_t cpu)
{
	const struct stream *clock = clock_of(attrib, cpu);

	return clock && runs_at(attrib, clock, UINT64_MAX).tid != -1;
}

bool attrib_runner_at(const struct attrib *attrib, size_t cpu, const struct record *record,
		      uint64_t *reading, struct attrib_runner *runner)
{
	const struct stream *stream = stream_of_sample(attrib, cpu, record);

	if (!stream || !stream->layout->clock ||
	    record->sample.reading[READING_ENABLED_NS] <= reading[READING_ENABLED_NS])
		return false;
	size_t n_at = READING_VALUES + stream->layout->switch_value;
	uint64_t n_before = record->sample.reading[n_at] - (record->id != stream->tick_id);
	bound_reading(stream, record, reading);
	/* N may be read a moment later than the time. */
	if (reading[n_at] > n_before)
		reading[n_at] = n_before;
	uint64_t missing = n_before - reading[n_at];
	if (missing > 0)
		*runner = silent_runner(attrib, stream, reading, missing);
	else if (record->id == stream->tick_id)
		*runner = (struct attrib_runner){record->pid, record->tid};
	else
		*runner = runner_of(attrib, stream, record, is_shifted(attrib, stream, record));
	return true;
}

/* Which group's tick it was, or -1. */
static int fold_sample(struct attrib *attrib, size_t cpu, const struct record *record)
{
	struct stream *stream = stream_of_sample(attrib, cpu, record);

	if (!stream)
		return -1;
	uint64_t enabled_ns = record->sample.reading[READING_ENABLED_NS];
	bool tick = record->id == stream->tick_id;
	bool shifted = !tick && is_shifted(attrib, stream, record);
	const struct attrib_runner runner = tick ? (struct attrib_runner){record->pid, record->tid}
						 : runner_of(attrib, stream, record, shifted);
	if (stream->layout->clock && !tick)
		attrib->running[cpu].shifted = shifted;
	/* The clock of enabled ns drifts against that of records: with an id of ours comes our
	 * time. */
	if (tick || (stream->switch_id && record->id == stream->switch_id && !shifted))
		stream->origin_ns = record->time_ns - enabled_ns;
	const struct sample sample = {
		.reading = record->sample.reading,
		.time_ns = stream->origin_ns + enabled_ns,
		.runner = runner,
		.next = tick ? runner : next_of(stream, record),
		.tick = tick,
	};
	stream_sample(attrib, stream, &sample);
	return tick ? (int)stream->layout->group : -1;
}

SELDOM static void tell(struct attrib *attrib, size_t cpu, const struct record *record)
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
			tasks_fork(attrib->tasks, record);
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
		attrib->interval->cpu_gaps[cpu] = true;
		break;
	case RECORD_SWITCH:
	case RECORD_SAMPLE:
	case RECORD_OTHER:
		break;
	}
}

int attrib_record(struct attrib *attrib, size_t cpu, const struct record *record)
{
	if (record->kind == RECORD_SAMPLE)
		return fold_sample(attrib, cpu, record);
	tell(attrib, cpu, record);
	return -1;
}

bool attrib_cut(struct attrib *attrib, size_t cpu)
{
	struct interval *interval = attrib->interval;
	bool counted = false;

	for (struct stream *stream = attrib->streams[cpu]; stream; stream = stream->next) {
		size_t bytes = reading_size(stream) * sizeof(*stream->start);
		uint64_t *tally = interval_cpu(interval, cpu), *unseen = stream->slice_unseen;
		if (memcmp(stream->last, stream->start, bytes) == 0)
			continue;
		add_counts(stream, stream->start, stream->last, tally);
		add_clock(stream, stream->start, stream->last, tally);
		unseen_at(stream, stream->last, unseen);
		add_unseen(&interval->shape, stream, stream->start_unseen, unseen, tally);
		memcpy(stream->start_unseen, unseen, bytes);
		memcpy(stream->start, stream->last, bytes);
		counted = true;
	}
	interval->cpu_counted[cpu] |= counted;
	return counted;
}
