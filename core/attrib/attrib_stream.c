// SPDX-License-Identifier: MIT
/*
 * The streams of each CPU: one per counter group, in a list in which those that are on come first.
 * Most CPUs have one stream that is on, so a sample finds its stream at once. Streams come and go
 * with their CPU, and are saved and restored for a recording.
 */
#include "core/attrib/attrib_internal.h"

#include <stdlib.h>
#include <string.h>

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

void attrib_log_slices(struct attrib *attrib, struct slice_log *log)
{
	attrib->log = log;
}

void attrib_log_wakings(struct attrib *attrib, const struct waking_format *format)
{
	attrib->waking_format = format;
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
	free(stream->window.from);
	free(stream->window.unseen);
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
	/* Until another is open, tasks may exit there without a record. */
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

struct stream *stream_find(const struct attrib *attrib, size_t cpu, unsigned group)
{
	struct stream *stream = attrib->streams[cpu];

	while (stream && stream->layout->group != group)
		stream = stream->next;
	return stream;
}

struct stream *stream_remove(struct attrib *attrib, size_t cpu, unsigned group)
{
	struct stream **link = &attrib->streams[cpu], *stream;

	while (*link && (*link)->layout->group != group)
		link = &(*link)->next;
	stream = *link;
	if (stream)
		*link = stream->next;
	return stream;
}

void stream_insert(struct attrib *attrib, struct stream *stream)
{
	struct stream **link = &attrib->streams[stream->cpu];

	while (*link && !stream->on)
		link = &(*link)->next;
	stream->next = *link;
	*link = stream;
}

/* Finds the runs of values that a tally has. */
static void map_values_to_tally(struct stream *stream, const struct tally_shape *shape)
{
	const struct attrib_layout *layout = stream->layout;
	struct value_run *run = NULL;

	stream->runs = xcalloc(layout->n_values, sizeof(*stream->runs));
	for (size_t i = 0; i < layout->n_values; i++) {
		if (layout->counter_of[i] < 0)
			continue;
		uint32_t reading = (uint32_t)(READING_VALUES + i);
		uint32_t tally = (uint32_t)layout->counter_of[i];
		if (!run || reading != run->reading + run->n || tally != run->tally + run->n) {
			run = &stream->runs[stream->n_runs++];
			*run = (struct value_run){reading, tally, 0};
		}
		run->n++;
	}
	stream->group_at = tally_group(shape, layout->group);
	stream->domain_at = tally_domain(shape, layout->domain);
}

/* Replaces the stream of the same group. The new one is not in the list yet. */
static struct stream *stream_new(struct attrib *attrib, const struct attrib_stream *spec,
				 const uint64_t *reading)
{
	size_t n = READING_VALUES + spec->layout->n_values;
	struct stream *old = stream_remove(attrib, spec->cpu, spec->layout->group);
	struct stream *stream = xcalloc(1, sizeof(*stream));

	*stream = (struct stream){
		.cpu = spec->cpu,
		.tick_id = spec->tick_id,
		.switch_id = spec->switch_id,
		.layout = spec->layout,
		.format = spec->format,
		.last = xcalloc(n, sizeof(uint64_t)),
		.start = xcalloc(n, sizeof(uint64_t)),
		.window = {.weight = ATTRIB_WEIGHT_ONE,
			   .from = xcalloc(n, sizeof(uint64_t)),
			   .unseen = xcalloc(n, sizeof(uint64_t))},
		.start_unseen = xcalloc(n, sizeof(uint64_t)),
		.slice_unseen = xcalloc(2 * n, sizeof(uint64_t)),
		.since = {.runner = attrib_unknown},
	};
	map_values_to_tally(stream, &attrib->interval->shape);
	if (reading) {
		memcpy(stream->last, reading, n * sizeof(uint64_t));
		memcpy(stream->start, reading, n * sizeof(uint64_t));
	}
	if (old)
		stream_free(old);
	return stream;
}

/* The time of the last sample, or that at which the stream was opened. */
static uint64_t slice_begin_ns(const struct stream *stream)
{
	return stream->since.time_ns ? stream->since.time_ns
				     : stream->origin_ns + stream->last[READING_ENABLED_NS];
}

void stream_log_slice(const struct attrib *attrib, const struct stream *stream, struct task *task,
		      uint64_t begin_ns, const struct sample *sample)
{
	struct slice slice = {.task = task, .begin_ns = begin_ns, .end_ns = sample->time_ns};

	if (begin_ns == 0)
		slice.begin_ns = slice_begin_ns(stream);
	if (!sample->tick) {
		slice.end = slice_end_of(switch_raw_state(stream->format, sample->record));
		slice.to_idle = sample->next.tid == 0;
	}
	slice_log_add(attrib->log, stream->cpu, &slice);
}

void stream_log_begin(const struct attrib *attrib, const struct stream *stream)
{
	const struct attrib_runner *runner = &stream->since.runner;
	uint64_t begin_ns = slice_begin_ns(stream);

	if (runner->tid <= 0)
		return;
	struct task *task =
		tasks_at(attrib->tasks, runner->pid > 0 ? runner->pid : 0, runner->tid, begin_ns);
	slice_log_add(attrib->log, stream->cpu,
		      &(struct slice){.task = task,
				      .begin_ns = begin_ns,
				      .end_ns = begin_ns,
				      .end = SLICE_HIDDEN});
}

void stream_log_gap(const struct attrib *attrib, const struct stream *stream, struct task *task,
		    const struct sample *sample)
{
	uint64_t begin_ns = slice_begin_ns(stream);

	slice_log_add(attrib->log, stream->cpu,
		      &(struct slice){.task = task,
				      .begin_ns = begin_ns,
				      .end_ns = begin_ns,
				      .end = SLICE_RUNS_ON});
	stream_log_slice(attrib, stream, task, sample->time_ns, sample);
}

void attrib_open(struct attrib *attrib, const struct attrib_stream *spec, uint64_t start_ns,
		 const uint64_t *reading)
{
	struct stream *stream = stream_new(attrib, spec, reading);

	/* There was no sample yet, so its time is 0. */
	running_since_begin(&stream->since, &attrib->running[spec->cpu], 0);
	stream->on = spec->layout->clock;
	stream->origin_ns = start_ns - stream->last[READING_ENABLED_NS];
	stream_insert(attrib, stream);
}

void attrib_restore(struct attrib *attrib, const struct attrib_stream *spec,
		    const struct attrib_state *state)
{
	struct stream *stream = stream_new(attrib, spec, state->reading);

	stream->on = state->on;
	stream->origin_ns = state->origin_ns;
	stream->since =
		running_restore(&attrib->running[spec->cpu], state->exit, state->came, state->lost);
	stream->since.runner = state->runner;
	stream->since.time_ns = state->last_ns;
	/* The EXIT record is older than these tasks. */
	if (state->exit->time_ns && state->exit->tid > 0)
		tasks_exit(attrib->tasks, state->exit);
	stream_insert(attrib, stream);
}

bool attrib_state(const struct attrib *attrib, size_t cpu, unsigned group,
		  struct attrib_state *state)
{
	static const struct record none;
	const struct stream *stream = stream_find(attrib, cpu, group);

	if (!stream)
		return false;
	const struct running_task *running = stream_running(attrib, stream);
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
