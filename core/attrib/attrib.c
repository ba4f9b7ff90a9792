// SPDX-License-Identifier: MIT
#include "core/attrib/attrib.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

const struct attrib_runner attrib_nobody = {-1, -1};

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
	uint64_t last_ns;           /* when the last record was made */
	struct pace pace;
	uint64_t *start_unseen;      /* at the last cut */
	uint64_t *slice_unseen;      /* scratch: where a slice began, then where it ended */
	struct attrib_runner runner; /* who runs since the last record; tid -1: unknown */
	struct record exit;          /* the EXIT since the last switch record; time_ns 0: none */
	struct record came;          /* the SWITCH (in) since the last record; time_ns 0: none */
	bool lost;                   /* a LOST came since the last record */
	struct stream *next;         /* of the same CPU: those that are on come first */
};

struct attrib {
	struct tasks *tasks;
	struct interval *interval;
	struct stream **streams; /* by CPU */
	uint64_t *slice;         /* scratch: a tally, of which a stream uses its own numbers */
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
}

void attrib_free(struct attrib *attrib)
{
	if (!attrib)
		return;
	for (size_t cpu = 0; cpu < attrib->interval->n_cpus; cpu++)
		attrib_close(attrib, cpu);
	free(attrib->streams);
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
		.runner = attrib_nobody,
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

	stream->on = what->layout->clock;
	stream->origin_ns = start_ns - stream->last[READING_ENABLED_NS];
	put_in(attrib, stream);
}

void attrib_restore(struct attrib *attrib, const struct attrib_stream *what,
		    const struct attrib_state *state)
{
	struct stream *stream = stream_new(attrib, what, state->reading);

	stream->on = state->on;
	stream->lost = state->lost;
	stream->origin_ns = state->origin_ns;
	stream->last_ns = state->last_ns;
	stream->runner = state->runner;
	stream->exit = *state->exit;
	stream->came = *state->came;
	/* Who is about to end there has been told of, but not to these tasks. */
	if (stream->exit.time_ns && stream->exit.tid > 0)
		tasks_exit(attrib->tasks, &stream->exit);
	put_in(attrib, stream);
}

/*
 * The id of a switch sample may be that of another event that samples switches, our other group's
 * too. What cannot be another's is the size of its reading: groups that are on together differ.
 */
static struct stream *stream_of_sample(const struct attrib *attrib, size_t cpu,
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

/*
 * The task that ran until a sample which the kernel prepared for an event of another program. Pid
 * and tid are those of that event's pid namespace: a task outside it has tid 0, and others have
 * other numbers. So the SWITCH record of the task that came last decides, or the last tick.
 */
SELDOM static struct attrib_runner runner_of_foreign(const struct attrib *attrib,
						     const struct stream *stream)
{
	const struct record *came = &stream->came;

	attrib->interval->cpu_unclear[stream->cpu] = true;
	if (came->time_ns)
		return (struct attrib_runner){came->pid, came->tid};
	if (stream->runner.tid == -1)
		attrib->interval->cpu_gaps[stream->cpu] = true;
	return stream->runner;
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
static inline uint64_t add_slice(const struct attrib *attrib, const struct stream *stream,
				 const uint64_t *reading, uint64_t *tally)
{
	uint64_t ns = reading[READING_ENABLED_NS] - stream->last[READING_ENABLED_NS];

	add_counts(stream, stream->last, reading, tally);
	add_clock(stream, stream->last, reading, tally);
	if (stream->pace.weight != ATTRIB_WEIGHT_ONE)
		ns += add_unseen_slice(attrib, stream, reading, tally);
	return ns;
}

/*
 * Whether the idle task ran, or one outside this pid namespace: the kernel writes tid 0 for both,
 * and -1 in the last switch of the second one, after an EXIT of tid 0.
 */
static bool is_idle(const struct stream *stream, const struct sample *sample)
{
	if (sample->runner.tid == -1)
		return stream->exit.time_ns && stream->exit.tid == 0;
	return sample->runner.pid == 0 && sample->runner.tid == 0;
}

/*
 * Who ran in the slice that ends with this sample; NULL: no task that is known. A task that is past
 * its EXIT may lose its number before its last switch: the kernel then writes tid -1. If its EXIT
 * came in this very slice, it is that one. A tid without a pid is that of a known task, else of a
 * process with one thread.
 */
static inline struct task *task_of(const struct attrib *attrib, const struct stream *stream,
				   const struct sample *sample)
{
	const struct record *exit = &stream->exit;
	struct attrib_runner runner = sample->runner;

	if (exit->time_ns && (runner.tid == -1 || runner.tid == exit->tid))
		return tasks_find(attrib->tasks, exit->tid, exit->time_ns);
	if (runner.tid <= 0)
		return NULL;
	bool is_known = runner.pid != -1 || tasks_find(attrib->tasks, runner.tid, sample->time_ns);
	return tasks_at(attrib->tasks, is_known ? runner.pid : runner.tid, runner.tid,
			sample->time_ns);
}

/* The tally that the slice belongs to of which that is the task. */
static inline uint64_t *owner_of(const struct attrib *attrib, const struct stream *stream,
				 const struct sample *sample, struct task *task)
{
	if (task)
		return interval_task(attrib->interval, task);
	return is_idle(stream, sample) ? interval_idle(attrib->interval, stream->cpu)
				       : attrib->interval->unattributed;
}

/* A thread that execs takes the number of its process. */
SELDOM static bool has_execed(const struct attrib *attrib, const struct stream *stream,
			      const struct sample *sample)
{
	const struct attrib_runner now = sample->runner;
	const struct task *task = tasks_find(attrib->tasks, stream->runner.tid, stream->last_ns);

	return now.tid == now.pid && task && task->pid == now.pid;
}

/*
 * Whether another task ran than the last record said: some switch between left no record, and N
 * does not count it. An exiting thread may have lost its number.
 */
static inline bool is_broken(const struct attrib *attrib, const struct stream *stream,
			     const struct sample *sample)
{
	return stream->runner.tid != -1 && sample->runner.tid != -1 &&
	       stream->runner.tid != sample->runner.tid && !has_execed(attrib, stream, sample);
}

/* Whether a gap is told: nothing was lost, and a SWITCH says who came last. */
static bool silence_is_told(const struct stream *stream, const struct sample *sample)
{
	const struct record *came = &stream->came;

	return came->time_ns && stream->last_ns && !stream->lost &&
	       (came->tid == sample->runner.tid || sample->runner.tid == -1);
}

/*
 * Whose tally the silent time is: of one task the SWITCH tells, of several nobody does. If the last
 * record named who ran next, and that is not the one before, they were several.
 */
static uint64_t *silent_owner(const struct attrib *attrib, const struct stream *stream,
			      uint64_t missing, struct task **task)
{
	const struct record *came = &stream->came;
	bool several = missing > 1 ||
		       (stream->runner.tid != -1 && stream->runner.tid != came->change.other_tid);

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
	uint64_t silent_ns =
		stream->came.time_ns > stream->last_ns ? stream->came.time_ns - stream->last_ns : 0;

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
static inline void give_slice(const struct attrib *attrib, const struct stream *stream,
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
 * A slice that may be several tasks': the group was off the PMU, `missing` records are, or others
 * that N did not count.
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
	interval->gaps += missing ? missing : 1;
	interval->cpu_unclear[stream->cpu] |= !stream->lost;
	if (silence_is_told(stream, sample)) {
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
SELDOM static void mark_nobodys(const struct attrib *attrib, const struct stream *stream,
				const uint64_t *reading)
{
	struct interval *interval = attrib->interval;
	uint64_t ns = reading[READING_ENABLED_NS] - stream->last[READING_ENABLED_NS];
	bool off = off_ns(reading) != off_ns(stream->last);

	if (stream->exit.time_ns || !stream->layout->clock ||
	    stream->pace.weight != ATTRIB_WEIGHT_ONE)
		return;
	interval->cpu_gaps[stream->cpu] |= off;
	interval->cpu_unnamed[stream->cpu] |= !off;
	interval->silent_ns[stream->cpu] += off ? 0 : ns;
}

static inline void stream_sample(const struct attrib *attrib, struct stream *stream,
				 const struct sample *sample)
{
	const struct attrib_layout *layout = stream->layout;
	const uint64_t *now = sample->reading, *last = stream->last;
	uint64_t grown = switches(layout, now) - switches(layout, last);
	/* A reading may have had this switch in N already. */
	uint64_t missing = grown > !sample->tick ? grown - !sample->tick : 0;

	if (sample->tick && sample->runner.tid == -1)
		mark_nobodys(attrib, stream, now);
	if (missing == 0 && off_ns(now) == off_ns(last) && !is_broken(attrib, stream, sample))
		give_slice(attrib, stream, sample);
	else
		fold_doubtful(attrib, stream, sample, missing);
	memcpy(stream->last, now, (READING_VALUES + layout->n_values) * sizeof(*now));
	stream->last_ns = sample->time_ns;
	stream->runner = sample->next;
	/* A tick may be a reading, and these of after it. */
	if (!sample->tick || stream->came.time_ns <= sample->time_ns)
		stream->came.time_ns = 0;
	if (!sample->tick)
		stream->lost = false;
	if (!sample->tick || missing > 0)
		stream->exit.time_ns = 0;
}

void attrib_pause(struct attrib *attrib, size_t cpu, unsigned group, const uint64_t *reading,
		  const struct attrib_runner *runner)
{
	struct stream *stream = take_out(attrib, cpu, group);

	if (!stream)
		return;
	const struct sample end = {
		.reading = reading,
		.time_ns = stream->origin_ns + reading[READING_ENABLED_NS],
		.runner = runner ? *runner : stream->runner,
		.next = runner ? *runner : stream->runner,
		.tick = true,
	};
	stream_sample(attrib, stream, &end);
	stream->on = false;
	put_in(attrib, stream);
}

/* Who was about to end when the last window did has done so. */
static void forget_exit(struct stream *stream, uint64_t weight)
{
	if (weight != ATTRIB_WEIGHT_ONE || stream->pace.weight != ATTRIB_WEIGHT_ONE)
		stream->exit.time_ns = 0;
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
	bool goes_on = start_ns == 0;
	if (!goes_on)
		forget_exit(stream, weight);
	set_pace(stream, weight);
	if (goes_on) {
		put_in(attrib, stream);
		return;
	}
	stream->on = true;
	stream->origin_ns = start_ns - stream->last[READING_ENABLED_NS];
	stream->last_ns = start_ns;
	stream->runner = attrib_nobody;
	stream->came.time_ns = 0;
	stream->lost = false;
	/* Who is about to end there, as the one that is always on has heard. */
	for (struct stream *on = while_on(attrib->streams[cpu]); on; on = while_on(on->next))
		if (on->layout->clock)
			stream->exit = on->exit;
	put_in(attrib, stream);
}

bool attrib_state(const struct attrib *attrib, size_t cpu, unsigned group,
		  struct attrib_state *state)
{
	const struct stream *stream = attrib->streams[cpu];

	while (stream && stream->layout->group != group)
		stream = stream->next;
	if (!stream)
		return false;
	*state = (struct attrib_state){
		.reading = stream->last,
		.on = stream->on,
		.lost = stream->lost,
		.origin_ns = stream->origin_ns,
		.last_ns = stream->last_ns,
		.runner = stream->runner,
		.exit = &stream->exit,
		.came = &stream->came,
	};
	return true;
}

/* Of a sample that has neither id of its stream. */
SELDOM static bool is_foreign(const struct attrib *attrib, const struct stream *stream,
			      const struct record *record)
{
	return !is_ours(attrib, stream->cpu, record->id);
}

static inline struct attrib_runner runner_of(const struct attrib *attrib,
					     const struct stream *stream,
					     const struct record *record)
{
	bool tick = record->id == stream->tick_id;

	if (record->id != stream->switch_id && !tick && is_foreign(attrib, stream, record))
		return runner_of_foreign(attrib, stream);
	pid_t tid =
		record->tid == -1 && !tick ? switch_raw_tid(stream->format, record) : record->tid;
	return (struct attrib_runner){record->pid, tid};
}

/* The tracepoint names a thread alone: its process is found when it is asked for. */
static inline struct attrib_runner next_of(const struct stream *stream, const struct record *record)
{
	uint32_t next = switch_raw_next(stream->format, record);

	return next == 0   ? attrib_nobody
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
SELDOM static struct attrib_runner silent_runner(const struct stream *stream,
						 const uint64_t *reading, uint64_t missing)
{
	const struct record *came = &stream->came;

	if (missing > 1 || came->time_ns <= stream->origin_ns + reading[READING_ENABLED_NS])
		return attrib_nobody;
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
	const struct stream *stream = while_on(attrib->streams[cpu]);

	while (stream && !stream->layout->clock)
		stream = while_on(stream->next);
	if (!stream || switches(stream->layout, reading) != switches(stream->layout, stream->last))
		return false;
	uint64_t time_ns = stream->origin_ns + reading[READING_ENABLED_NS];
	const struct record *came = &stream->came;
	*runner = stream->runner;
	if (came->time_ns && came->time_ns <= time_ns)
		*runner = (struct attrib_runner){came->pid, came->tid};
	else if (came->time_ns)
		return false;
	if (runner->pid == -1 && runner->tid > 0) {
		const struct task *task = tasks_find(attrib->tasks, runner->tid, time_ns);
		runner->pid = task ? task->pid : -1;
	}
	return runner->pid != -1;
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
	*runner = missing == 0 ? runner_of(attrib, stream, record)
			       : silent_runner(stream, reading, missing);
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
	/* The clock of enabled ns drifts against that of records: with an id of ours comes our
	 * time. */
	if (tick || (stream->switch_id && record->id == stream->switch_id))
		stream->origin_ns = record->time_ns - enabled_ns;
	const struct attrib_runner runner = runner_of(attrib, stream, record);
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
	struct stream *first = while_on(attrib->streams[cpu]);
	bool named = record->tid > 0; /* tid 0: a task outside this pid namespace */

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
		for (struct stream *on = first; on; on = while_on(on->next))
			on->exit = *record;
		break;
	case RECORD_SWITCH:
		for (struct stream *on = first; on; on = while_on(on->next))
			if (!record->change.out)
				on->came = *record;
		break;
	case RECORD_LOST:
		attrib->interval->lost_records += record->lost.records;
		for (struct stream *on = first; on; on = while_on(on->next))
			on->lost = true;
		tasks_records_lost(attrib->tasks);
		break;
	case RECORD_THROTTLE:
		attrib->interval->cpu_gaps[cpu] = true;
		break;
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
