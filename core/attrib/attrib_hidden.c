// SPDX-License-Identifier: MIT
/*
 * Hidden switches: the kernel makes no sample for the switches of some tasks, but N counts them. A
 * SWITCH record of the task that came last has the time at which it came, and the task that ran
 * before it. A slice with hidden switches then has two parts:
 *
 *   last sample          SWITCH          this sample
 *        |  hidden task(s)  |  task of this sample  |
 *
 * The time of the first part is credited to the hidden task, if there was only one. Counts cannot
 * be divided between the parts, so they are unattributed, with the ns in which they were counted.
 * An exception: the idle task makes no software events, so those belong to the other task.
 */
#include "core/attrib/attrib_internal.h"

#include <string.h>

/* The first part of the slice in attrib->slice. */
struct hidden_part {
	uint64_t *tally;   /* credited with its time */
	struct task *task; /* of that tally; NULL: none */
	bool idle;         /* the tally is that of the idle task */
	uint64_t ns;       /* counted in it */
	uint64_t missing;  /* switches that made no sample */
};

bool hidden_is_explained(const struct attrib *attrib, const struct stream *stream,
			 const struct sample *sample)
{
	const struct running_task *running = stream_running(attrib, stream);
	const struct record *came = running_came(running, &stream->since);

	return came && stream->since.time_ns && !running_lost(running, &stream->since) &&
	       (came->tid == sample->runner.tid || sample->runner.tid == -1);
}

/*
 * Fills in the tally and the task. There were several hidden tasks if several switches are missing,
 * or if the last sample and the SWITCH record name different tasks.
 */
static void find_hidden_task(struct attrib *attrib, const struct stream *stream,
			     struct hidden_part *part)
{
	const struct record *came = &stream_running(attrib, stream)->came;
	const pid_t pid = came->change.other_pid, tid = came->change.other_tid;
	pid_t expected = stream->since.runner.tid;
	bool several = part->missing > 1 || (expected != -1 && expected != tid);

	if (several || tid < 0) {
		part->tally = attrib->interval->unattributed;
	} else if (pid == 0 && tid == 0) {
		part->tally = interval_idle(attrib->interval, stream->cpu);
		part->idle = true;
	} else {
		part->task = tasks_at(attrib->tasks, pid, tid, came->time_ns);
		part->tally = interval_task(attrib->interval, part->task);
	}
}

static void move_amount(uint64_t *from, uint64_t n, uint64_t *to)
{
	*from -= n;
	*to += n;
}

static void move_counts(struct attrib *attrib, const struct stream *stream,
			const struct hidden_part *part)
{
	const struct attrib_layout *layout = stream->layout;
	uint64_t *slice = attrib->slice, *unattributed = attrib->interval->unattributed;

	for (size_t i = 0; i < layout->n_values; i++) {
		int counter = layout->counter_of[i];
		if (counter < 0 || (part->idle && i >= layout->n_hardware))
			continue;
		size_t beside = tally_beside(&attrib->interval->shape, (size_t)counter);
		move_amount(&slice[counter], slice[counter], &unattributed[counter]);
		move_amount(&slice[beside], slice[beside], &unattributed[beside]);
	}
}

/* Moves the ns of the group together with the counts. */
static void move_group_ns(struct attrib *attrib, const struct stream *stream,
			  const struct hidden_part *part)
{
	const size_t group = stream->group_at;
	const size_t beside = tally_beside(&attrib->interval->shape, group);
	bool exact = part->idle && stream->layout->n_hardware == 0;
	uint64_t *slice = attrib->slice;
	uint64_t *tally = exact ? part->tally : attrib->interval->unattributed;
	uint64_t ns = exact ? part->ns : slice[group];
	uint64_t beside_ns = window_unseen(stream, ns);

	move_amount(&slice[group], ns, &tally[group]);
	if (beside_ns > slice[beside]) /* both are rounded */
		beside_ns = slice[beside];
	move_amount(&slice[beside], beside_ns, &tally[beside]);
}

/* Moves the time and the switches, and their estimates beside the window. */
static void move_clock(struct attrib *attrib, const struct stream *stream,
		       const struct hidden_part *part)
{
	const size_t domain = stream->domain_at, unseen = tally_unseen(&attrib->interval->shape);
	uint64_t *slice = attrib->slice, *tally = part->tally;
	uint64_t unseen_ns = window_unseen(stream, part->ns), ns = part->ns + unseen_ns;

	move_amount(&slice[TALLY_TASK_CLOCK], ns, &tally[TALLY_TASK_CLOCK]);
	move_amount(&slice[domain], ns, &tally[domain]);
	move_amount(&slice[unseen], unseen_ns, &tally[unseen]);
	move_amount(&slice[TALLY_SWITCHES], part->missing + window_unseen(stream, part->missing),
		    &tally[TALLY_SWITCHES]);
	if (part->task)
		interval_ran(attrib->interval, part->task, stream->cpu, ns);
	if (tally == attrib->interval->unattributed)
		attrib->interval->coverage[stream->cpu].hidden_ns += ns;
}

/* Moves the first part out of attrib->slice. */
static void move_hidden_part(struct attrib *attrib, const struct stream *stream, uint64_t missing)
{
	struct hidden_part part = {.missing = missing};
	uint64_t came_ns = stream_running(attrib, stream)->came.time_ns;

	find_hidden_task(attrib, stream, &part);
	part.ns = u64_growth(stream->since.time_ns, came_ns);
	if (part.ns > attrib->slice[stream->group_at])
		part.ns = attrib->slice[stream->group_at];
	move_counts(attrib, stream, &part);
	move_group_ns(attrib, stream, &part);
	if (stream->layout->clock)
		move_clock(attrib, stream, &part);
}

void hidden_credit_slice(struct attrib *attrib, const struct stream *stream,
			 const struct sample *sample, uint64_t missing)
{
	const struct tally_shape *shape = &attrib->interval->shape;
	struct task *task = slice_task(attrib, stream, sample);

	memset(attrib->slice, 0, tally_width(shape) * sizeof(*attrib->slice));
	slice_add(attrib, stream, sample->reading, attrib->slice);
	move_hidden_part(attrib, stream, missing);
	tally_add(shape, slice_tally(attrib, stream, sample, task), attrib->slice);
	if (!task || !stream->layout->clock)
		return;
	interval_ran(attrib->interval, task, stream->cpu, attrib->slice[TALLY_TASK_CLOCK]);
	if (attrib->log)
		stream_log_slice(attrib, stream, task, stream_running(attrib, stream)->came.time_ns,
				 sample);
}

SELDOM struct attrib_runner hidden_runner(const struct attrib *attrib, const struct stream *stream,
					  const uint64_t *reading, uint64_t missing)
{
	const struct record *came = running_came(stream_running(attrib, stream), &stream->since);

	if (missing > 1 || !came ||
	    came->time_ns <= stream->origin_ns + reading[READING_ENABLED_NS])
		return attrib_unknown;
	return (struct attrib_runner){came->change.other_pid, came->change.other_tid};
}

SELDOM bool hidden_since(const struct attrib *attrib, const struct stream *stream,
			 const uint64_t *reading, struct attrib_runner *runner)
{
	const struct running_since *since = &stream->since;
	const struct record *came = running_came(stream_running(attrib, stream), since);
	pid_t expected = since->runner.tid;

	if (!came || came->time_ns <= stream->origin_ns + reading[READING_ENABLED_NS])
		return false;
	/* The SWITCH of the last sample's switch may be younger than the reading, too. */
	if (expected == -1 ? !since->tick : expected == came->tid)
		return false;
	*runner = expected == came->change.other_tid ? since->runner : attrib_unknown;
	return true;
}

static void log_hidden(struct attrib *attrib, size_t cpu, pid_t pid, pid_t tid,
		       const struct slice *slice)
{
	struct slice hidden = *slice;

	if (tid <= 0)
		return;
	hidden.task = tasks_at(attrib->tasks, pid, tid, slice->end_ns);
	slice_log_add(attrib->log, cpu, &hidden);
}

SELDOM void hidden_log_slice(struct attrib *attrib, size_t cpu, const struct record *came)
{
	const struct running_task *running = &attrib->running[cpu];
	const struct record *left = &running->left;
	pid_t first_tid = left->change.other_tid, last_tid = came->change.other_tid;
	uint64_t begin_ns = left->time_ns;

	if (last_tid == left->tid || running->left_at <= running->lost_at)
		return;
	if (first_tid != last_tid) {
		struct slice unknown = {
			.begin_ns = begin_ns, .end_ns = begin_ns, .end = SLICE_HIDDEN};
		log_hidden(attrib, cpu, left->change.other_pid, first_tid, &unknown);
		unknown.end = SLICE_RUNS_ON;
		log_hidden(attrib, cpu, came->change.other_pid, last_tid, &unknown);
		begin_ns = came->time_ns;
	}
	log_hidden(attrib, cpu, came->change.other_pid, last_tid,
		   &(struct slice){
			   .begin_ns = begin_ns, .end_ns = came->time_ns, .end = SLICE_UNKNOWN});
}
