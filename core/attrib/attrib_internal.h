// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ATTRIB_INTERNAL_H
#define PMCTOP_ATTRIB_INTERNAL_H

#include "core/attrib/attrib.h"
#include "core/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Private to core/attrib/attrib*.c:
 *   attrib.c         records end slices, and slices are credited to tallies
 *   attrib_stream.c  the streams of each CPU
 *   attrib_window.c  estimates for the time beside duty-cycle windows
 *   attrib_hidden.c  slices with switches that made no record
 *
 * All readings have the layout of enum record_reading, then the values of the group.
 */

/* A run of values that are consecutive in a reading and in a tally. */
struct value_run {
	uint32_t reading, tally, n;
};

/*
 * Estimates for the time beside the current window. An estimate has the layout of a reading, and
 * grows with the reading.
 */
struct window {
	uint64_t weight;  /* in 1/ATTRIB_WEIGHT_ONE */
	uint64_t *from;   /* the reading at which the window began */
	uint64_t *unseen; /* the estimate at that reading */
};

/* One counter group on one CPU. */
struct stream {
	size_t cpu;
	uint64_t tick_id, switch_id;
	const struct attrib_layout *layout;
	const struct switch_format *format; /* of a tracepoint's samples; NULL: software event */
	struct value_run *runs;
	size_t n_runs;
	size_t group_at, domain_at; /* places in a tally */
	bool on;                    /* false between its turns */
	uint64_t origin_ns;         /* time at which enabled ns was 0 */
	uint64_t *last;             /* the reading of the last sample */
	uint64_t *start;            /* the reading at the last cut */
	struct window window;
	uint64_t *start_unseen; /* the estimate at the last cut */
	uint64_t *slice_unseen; /* scratch: the estimates at the begin and the end of a slice */
	struct running_since since;
	struct stream *next; /* of the same CPU; streams that are on come first */
};

struct attrib {
	struct tasks *tasks;
	struct interval *interval;
	struct stream **streams;                   /* by CPU */
	struct running_task *running;              /* by CPU */
	uint64_t *slice;                           /* scratch: a tally */
	struct slice_log *log;                     /* NULL: none */
	const struct waking_format *waking_format; /* NULL: no wake-ups are logged */
};

/* What ends a slice: a sample, or the reading at the end of a turn. */
struct sample {
	const uint64_t *reading;
	uint64_t time_ns;
	struct attrib_runner runner; /* the task that ran until then */
	struct attrib_runner next;   /* the task that runs then; tid -1: unknown */
	bool tick;                   /* it is not a switch */
	const struct record *record; /* NULL: a reading */
};

/* attrib_stream.c */

/* Removes the stream of a group from the list of its CPU; NULL if there is none. */
struct stream *stream_remove(struct attrib *attrib, size_t cpu, unsigned group);
/* Inserts a stream into the list of its CPU: at the front if it is on. */
void stream_insert(struct attrib *attrib, struct stream *stream);
struct stream *stream_find(const struct attrib *attrib, size_t cpu, unsigned group);
/*
 * Adds the slice that a sample ends to the log. begin_ns 0: it began at the sample before, or with
 * the stream.
 */
void stream_log_slice(const struct attrib *attrib, const struct stream *stream, struct task *task,
		      uint64_t begin_ns, const struct sample *sample);
/*
 * Logs that the task which the last sample names began to run there. What it did since then is
 * unknown.
 */
void stream_log_begin(const struct attrib *attrib, const struct stream *stream);
/*
 * Logs the slice of a sample's task after a gap, in which several tasks may have run. What its task
 * did from the sample before to this one is unknown.
 */
void stream_log_gap(const struct attrib *attrib, const struct stream *stream, struct task *task,
		    const struct sample *sample);

/* The stream itself if it is on, else NULL: iterates over the streams of a CPU that are on. */
static inline struct stream *stream_if_on(struct stream *stream)
{
	return stream && stream->on ? stream : NULL;
}

/* The stream of the clock's group; NULL while that is off. */
static inline const struct stream *stream_of_clock(const struct attrib *attrib, size_t cpu)
{
	const struct stream *stream = stream_if_on(attrib->streams[cpu]);

	while (stream && !stream->layout->clock)
		stream = stream_if_on(stream->next);
	return stream;
}

static inline const struct running_task *stream_running(const struct attrib *attrib,
							const struct stream *stream)
{
	return &attrib->running[stream->cpu];
}

static inline size_t stream_values(const struct stream *stream)
{
	return READING_VALUES + stream->layout->n_values;
}

/* The switch counter N of a reading. */
static inline uint64_t stream_switches(const struct attrib_layout *layout, const uint64_t *reading)
{
	return reading[READING_VALUES + layout->switch_value];
}

/* Two values at once: a record has half a dozen, and there are millions of records. */
typedef uint64_t stream_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline void stream_add_run(uint64_t *sum, const uint64_t *from, const uint64_t *to, size_t n)
{
	size_t i = 0;

	for (; i + 1 < n; i += 2)
		*(stream_pair *)(sum + i) +=
			*(const stream_pair *)(to + i) - *(const stream_pair *)(from + i);
	if (i < n)
		sum[i] += to[i] - from[i];
}

/*
 * Adds the counts between two readings, or two estimates, and the group's ns. For estimates `tally`
 * is moved by tally_beside().
 */
static inline void stream_add_counts(const struct stream *stream, const uint64_t *from,
				     const uint64_t *to, uint64_t *tally)
{
	const struct value_run *end = stream->runs + stream->n_runs;

	for (const struct value_run *run = stream->runs; run < end; run++)
		stream_add_run(tally + run->tally, from + run->reading, to + run->reading, run->n);
	tally[stream->group_at] += to[READING_RUNNING_NS] - from[READING_RUNNING_NS];
}

/* Adds the time and the switches between two readings. Returns the ns; 0 if not the clock's group.
 */
static inline uint64_t stream_add_clock(const struct stream *stream, const uint64_t *from,
					const uint64_t *to, uint64_t *tally)
{
	uint64_t ns = to[READING_ENABLED_NS] - from[READING_ENABLED_NS];

	if (!stream->layout->clock)
		return 0;
	tally[TALLY_TASK_CLOCK] += ns;
	tally[stream->domain_at] += ns;
	tally[TALLY_SWITCHES] +=
		stream_switches(stream->layout, to) - stream_switches(stream->layout, from);
	return ns;
}

/* attrib_window.c */

/* Begins a window at the last reading. */
void window_begin(struct stream *stream, uint64_t weight);
/* The estimate beside the window for a quantity that was counted in the window. */
uint64_t window_unseen(const struct stream *stream, uint64_t seen);
/* The estimate at a reading. */
void window_estimate(const struct stream *stream, const uint64_t *reading, uint64_t *unseen);
/* Adds what was not counted between two estimates. Returns the ns of the clock. */
uint64_t window_add(const struct tally_shape *shape, const struct stream *stream,
		    const uint64_t *from, const uint64_t *to, uint64_t *tally);
/* The same between the last reading and this one. */
uint64_t window_add_slice(const struct attrib *attrib, const struct stream *stream,
			  const uint64_t *reading, uint64_t *tally);

/* A slice, from the last sample to this one. */

/* Adds all that a slice stands for to a tally. Returns the ns. */
static OFTEN uint64_t slice_add(const struct attrib *attrib, const struct stream *stream,
				const uint64_t *reading, uint64_t *tally)
{
	uint64_t ns = reading[READING_ENABLED_NS] - stream->last[READING_ENABLED_NS];

	stream_add_counts(stream, stream->last, reading, tally);
	stream_add_clock(stream, stream->last, reading, tally);
	if (stream->window.weight != ATTRIB_WEIGHT_ONE)
		ns += window_add_slice(attrib, stream, reading, tally);
	return ns;
}

/* The task that ran in the slice; NULL: the idle task, or unknown. */
static inline struct task *slice_task(struct attrib *attrib, const struct stream *stream,
				      const struct sample *sample)
{
	return running_find(stream_running(attrib, stream), &stream->since, attrib->tasks,
			    &sample->runner, sample->time_ns);
}

/* The tally to which the slice is credited. `task`: of slice_task(). */
static inline uint64_t *slice_tally(struct attrib *attrib, const struct stream *stream,
				    const struct sample *sample, struct task *task)
{
	if (task)
		return interval_task(attrib->interval, task);
	return running_is_idle(stream_running(attrib, stream), &stream->since, &sample->runner)
		       ? interval_idle(attrib->interval, stream->cpu)
		       : attrib->interval->unattributed;
}

/* attrib_hidden.c */

/* Whether a SWITCH record has the time at which the task of such a slice came. */
bool hidden_is_explained(const struct attrib *attrib, const struct stream *stream,
			 const struct sample *sample);
/* Credits such a slice. `missing`: switches that N counted and that made no sample. */
void hidden_credit_slice(struct attrib *attrib, const struct stream *stream,
			 const struct sample *sample, uint64_t missing);
/*
 * The task that ran at a reading, if `missing` switches between it and the next sample made no
 * sample; unknown unless a SWITCH record names it.
 */
struct attrib_runner hidden_runner(const struct attrib *attrib, const struct stream *stream,
				   const uint64_t *reading, uint64_t missing);
/*
 * N does not count them with the tracepoint. Whether a SWITCH record shows one after the reading.
 * *runner: the task of the last sample if that has left then, else unknown.
 */
bool hidden_since(const struct attrib *attrib, const struct stream *stream, const uint64_t *reading,
		  struct attrib_runner *runner);

/*
 * Logs the slice of the hidden task before the task of a SWITCH record that came: no SWITCH record
 * has that it left. It ran since the last task left the CPU. If others ran in between, that is
 * unknown for each of them.
 */
void hidden_log_slice(struct attrib *attrib, size_t cpu, const struct record *came);

#endif
