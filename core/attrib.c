// SPDX-License-Identifier: MIT
#include "attrib.h"

#include "util.h"

#include <stdlib.h>
#include <string.h>

const struct attrib_runner attrib_nobody = {-1, -1};

/* Readings have the layout of enum record_reading. */
struct stream {
	size_t cpu;
	uint64_t tick_id;
	const struct attrib_layout *layout;
	bool on;                     /* not between its turns */
	uint64_t origin_ns;          /* the time at which enabled ns was 0, as the ticks tell */
	uint64_t *last;              /* the reading of the last record */
	uint64_t *start;             /* the reading at the last cut */
	uint64_t last_ns;            /* when the last record was made */
	struct attrib_runner runner; /* whom the last record found running; tid -1: unknown */
	struct record exit;          /* the EXIT since the last switch record; time_ns 0: none */
	struct record came;          /* the SWITCH (in) since the last record; time_ns 0: none */
	bool lost;                   /* a LOST came since the last record */
	struct stream *next;         /* of the same CPU: those that are on come first */
};

struct attrib {
	struct tasks *tasks;
	struct interval *interval;
	struct stream **streams; /* by CPU */
	uint64_t *slice;         /* scratch: a tally, of which a layout uses its own numbers */
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

void attrib_open(struct attrib *attrib, const struct attrib_stream *what, uint64_t start_ns,
		 const uint64_t *reading)
{
	size_t n = READING_VALUES + what->layout->n_values;
	struct stream *old = take_out(attrib, what->cpu, what->layout->group);
	struct stream *stream = xcalloc(1, sizeof(*stream));

	*stream = (struct stream){
		.cpu = what->cpu,
		.tick_id = what->tick_id,
		.layout = what->layout,
		.on = what->layout->clock,
		.origin_ns = start_ns - (reading ? reading[READING_ENABLED_NS] : 0),
		.last = xcalloc(n, sizeof(uint64_t)),
		.start = xcalloc(n, sizeof(uint64_t)),
		.runner = attrib_nobody,
	};
	if (reading) {
		memcpy(stream->last, reading, n * sizeof(uint64_t));
		memcpy(stream->start, reading, n * sizeof(uint64_t));
	}
	if (old)
		stream_free(old);
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

/* The switch counter N of a reading. */
static uint64_t switches(const struct attrib_layout *layout, const uint64_t *reading)
{
	return reading[READING_VALUES + layout->switch_value];
}

/* The difference of two readings, in those numbers of a tally that are the layout's own. */
static void slice_between(const struct tally_shape *shape, const struct attrib_layout *layout,
			  const uint64_t *from, const uint64_t *to, uint64_t *tally)
{
	for (size_t i = 0; i < layout->n_values; i++)
		if (layout->counter_of[i] >= 0)
			tally[layout->counter_of[i]] =
				to[READING_VALUES + i] - from[READING_VALUES + i];
	if (layout->clock) {
		uint64_t clock_ns = to[READING_ENABLED_NS] - from[READING_ENABLED_NS];

		tally[TALLY_TASK_CLOCK] = clock_ns;
		tally[TALLY_SWITCHES] = switches(layout, to) - switches(layout, from);
		tally[tally_domain(shape, layout->domain)] = clock_ns;
	}
	tally[tally_group(shape, layout->group)] =
		to[READING_RUNNING_NS] - from[READING_RUNNING_NS];
}

static void slice_add(const struct tally_shape *shape, const struct attrib_layout *layout,
		      uint64_t *sum, const uint64_t *slice)
{
	size_t group = tally_group(shape, layout->group),
	       domain = tally_domain(shape, layout->domain);

	for (size_t i = 0; i < layout->n_values; i++)
		if (layout->counter_of[i] >= 0)
			sum[layout->counter_of[i]] += slice[layout->counter_of[i]];
	sum[group] += slice[group];
	if (!layout->clock)
		return;
	sum[TALLY_TASK_CLOCK] += slice[TALLY_TASK_CLOCK];
	sum[TALLY_SWITCHES] += slice[TALLY_SWITCHES];
	sum[domain] += slice[domain];
}

/*
 * A task that is past its EXIT may lose its number before its last switch: the kernel then writes
 * tid -1. If its EXIT came in this very slice, it is that one.
 */
static struct task *task_of(const struct attrib *attrib, const struct stream *stream,
			    const struct record *record)
{
	const struct record *exit = &stream->exit;

	if (exit->time_ns && (record->tid == -1 || record->tid == exit->tid))
		return tasks_find(attrib->tasks, exit->tid, exit->time_ns);
	if (record->tid <= 0)
		return NULL;
	return tasks_at(attrib->tasks, record->pid, record->tid, record->time_ns);
}

/* The tally that the slice which ends with this record belongs to; *task is NULL: to no task. */
static uint64_t *owner_of(const struct attrib *attrib, const struct stream *stream,
			  const struct record *record, struct task **task)
{
	*task = NULL;
	/* pid 0: the idle task, or one that this pid namespace cannot see. */
	if (record->pid == 0 && record->tid == 0)
		return interval_idle(attrib->interval, stream->cpu);
	*task = task_of(attrib, stream, record);
	return *task ? interval_task(attrib->interval, *task) : attrib->interval->unattributed;
}

/* Whether a gap in N is told: nothing was lost, and a SWITCH says who came last. */
static bool silence_is_told(const struct stream *stream, const struct record *record)
{
	const struct record *came = &stream->came;

	return came->time_ns && stream->last_ns && !stream->lost &&
	       (came->tid == record->tid || record->tid == -1);
}

/* Whose tally the silent time is: of one task the SWITCH tells, of several nobody does. */
static uint64_t *silent_owner(const struct attrib *attrib, const struct stream *stream,
			      uint64_t missing, struct task **task)
{
	const struct record *came = &stream->came;

	*task = NULL;
	if (missing > 1 || came->change.other_tid < 0)
		return attrib->interval->unattributed;
	if (came->change.other_pid == 0 && came->change.other_tid == 0)
		return interval_idle(attrib->interval, stream->cpu);
	*task = tasks_at(attrib->tasks, came->change.other_pid, came->change.other_tid,
			 came->time_ns);
	return interval_task(attrib->interval, *task);
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
	/* Two clocks: the sample's time is by enabled ns, which drifts against the SWITCH's. */
	uint64_t silent_ns =
		stream->came.time_ns > stream->last_ns ? stream->came.time_ns - stream->last_ns : 0;

	for (size_t i = 0; i < layout->n_values; i++) {
		int counter = layout->counter_of[i];
		if (counter < 0 || (idle && i >= layout->n_hardware))
			continue;
		nobody[counter] += slice[counter];
		slice[counter] = 0;
	}
	size_t group = tally_group(shape, layout->group),
	       domain = tally_domain(shape, layout->domain);
	uint64_t slice_ns = slice[group];
	if (silent_ns > slice_ns)
		silent_ns = slice_ns;
	bool told_apart = idle && layout->n_hardware == 0;
	uint64_t mixed_ns = told_apart ? silent_ns : slice_ns;
	slice[group] -= mixed_ns;
	(told_apart ? silent : nobody)[group] += mixed_ns;
	if (!layout->clock)
		return;
	slice[TALLY_TASK_CLOCK] -= silent_ns;
	silent[TALLY_TASK_CLOCK] += silent_ns;
	if (task)
		interval_ran(attrib->interval, task, stream->cpu, silent_ns);
	slice[domain] -= silent_ns;
	silent[domain] += silent_ns;
	slice[TALLY_SWITCHES] -= missing;
	silent[TALLY_SWITCHES] += missing;
	if (silent == nobody)
		attrib->interval->silent_ns[stream->cpu] += silent_ns;
}

/* The last of the slices in a gap was this task's: how much of it, nobody can tell. */
static void mark_incomplete(const struct attrib *attrib, const struct stream *stream,
			    const struct record *record)
{
	struct task *task = record->tid ? task_of(attrib, stream, record) : NULL;

	if (!task)
		return;
	interval_task(attrib->interval, task);
	task->lost = attrib->interval->sequence;
}

static void stream_sample(struct attrib *attrib, struct stream *stream, const struct record *record,
			  bool tick)
{
	const struct attrib_layout *layout = stream->layout;
	const struct tally_shape *shape = &attrib->interval->shape;
	const uint64_t *now = record->sample.reading;
	uint64_t expected = switches(layout, stream->last) + (tick ? 0 : 1);
	uint64_t missing = switches(layout, now) - expected;
	uint64_t off_ns = now[READING_ENABLED_NS] - now[READING_RUNNING_NS];
	uint64_t off_before_ns =
		stream->last[READING_ENABLED_NS] - stream->last[READING_RUNNING_NS];
	uint64_t *owner = attrib->interval->unattributed;
	struct task *task = NULL;

	slice_between(shape, layout, stream->last, now, attrib->slice);
	if (off_ns == off_before_ns) {
		bool told = missing > 0 && silence_is_told(stream, record);
		if (told)
			take_silent_part(attrib, stream, missing);
		if (missing == 0 || told)
			owner = owner_of(attrib, stream, record, &task);
		else
			mark_incomplete(attrib, stream, record);
		attrib->interval->gaps += missing;
		attrib->interval->untold += told ? 0 : missing;
	} else {
		attrib->interval->contended_ns +=
			now[READING_ENABLED_NS] - stream->last[READING_ENABLED_NS];
	}
	slice_add(shape, layout, owner, attrib->slice);
	if (task && layout->clock)
		interval_ran(attrib->interval, task, stream->cpu, attrib->slice[TALLY_TASK_CLOCK]);
	memcpy(stream->last, now, (READING_VALUES + layout->n_values) * sizeof(*now));
	stream->last_ns = record->time_ns;
	stream->runner = tick ? (struct attrib_runner){record->pid, record->tid} : attrib_nobody;
	stream->came.time_ns = 0;
	stream->lost = false;
	if (!tick || missing > 0)
		stream->exit.time_ns = 0;
}

void attrib_pause(struct attrib *attrib, size_t cpu, unsigned group, const uint64_t *reading,
		  const struct attrib_runner *runner)
{
	struct stream *stream = take_out(attrib, cpu, group);

	if (!stream)
		return;
	const struct record end = {
		.kind = RECORD_SAMPLE,
		.time_ns = stream->origin_ns + reading[READING_ENABLED_NS],
		.pid = runner ? runner->pid : stream->runner.pid,
		.tid = runner ? runner->tid : stream->runner.tid,
		.sample = {.reading = reading, .n_values = stream->layout->n_values},
	};
	stream_sample(attrib, stream, &end, true);
	stream->on = false;
	put_in(attrib, stream);
}

void attrib_resume(struct attrib *attrib, size_t cpu, unsigned group, uint64_t start_ns)
{
	struct stream *stream = take_out(attrib, cpu, group);

	if (!stream)
		return;
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

int attrib_record(struct attrib *attrib, size_t cpu, const struct record *record)
{
	struct stream *first = attrib->streams[cpu];

	switch (record->kind) {
	case RECORD_SAMPLE: {
		struct stream *stream = stream_of_sample(attrib, cpu, record);
		if (!stream)
			return -1;
		bool tick = record->id == stream->tick_id;
		uint64_t enabled_ns = record->sample.reading[READING_ENABLED_NS];
		if (tick)
			stream->origin_ns = record->time_ns - enabled_ns;
		struct record own = *record;
		own.time_ns = stream->origin_ns + enabled_ns;
		stream_sample(attrib, stream, &own, tick);
		return tick ? (int)stream->layout->group : -1;
	}
	case RECORD_COMM:
		tasks_comm(attrib->tasks, record);
		return -1;
	case RECORD_FORK:
		tasks_fork(attrib->tasks, record);
		return -1;
	case RECORD_EXIT:
		tasks_exit(attrib->tasks, record);
		for (struct stream *on = while_on(first); on; on = while_on(on->next))
			on->exit = *record;
		return -1;
	case RECORD_SWITCH:
		for (struct stream *on = while_on(first); on; on = while_on(on->next))
			if (!record->change.out)
				on->came = *record;
		return -1;
	case RECORD_LOST:
		attrib->interval->lost_records += record->lost.records;
		for (struct stream *on = while_on(first); on; on = while_on(on->next))
			on->lost = true;
		tasks_records_lost(attrib->tasks);
		return -1;
	case RECORD_OTHER:
		return -1;
	}
	return -1;
}

bool attrib_cut(struct attrib *attrib, size_t cpu)
{
	struct interval *interval = attrib->interval;
	bool counted = false;

	for (struct stream *stream = attrib->streams[cpu]; stream; stream = stream->next) {
		size_t bytes = (READING_VALUES + stream->layout->n_values) * sizeof(*stream->start);
		if (memcmp(stream->last, stream->start, bytes) == 0)
			continue;
		slice_between(&interval->shape, stream->layout, stream->start, stream->last,
			      attrib->slice);
		slice_add(&interval->shape, stream->layout, interval_cpu(interval, cpu),
			  attrib->slice);
		memcpy(stream->start, stream->last, bytes);
		counted = true;
	}
	interval->cpu_counted[cpu] |= counted;
	return counted;
}
