// SPDX-License-Identifier: MIT
/*
 * A merge of sorted queues by a heap of their heads. If only one queue has items the heap has one
 * entry, and a slice costs a copy.
 */
#include "core/attrib/slice_log.h"

#include <stdlib.h>
#include <string.h>

void slice_log_init(struct slice_log *log, size_t n_cpus)
{
	*log = (struct slice_log){
		.queues = xcalloc(2 * n_cpus + 1, sizeof(*log->queues)),
		.n_cpus = n_cpus,
		.n_queues = 2 * n_cpus + 1,
		.heap = xcalloc(2 * n_cpus + 1, sizeof(*log->heap)),
	};
}

void slice_log_fini(struct slice_log *log)
{
	for (size_t i = 0; i < log->n_queues; i++)
		free(log->queues[i].items);
	free(log->queues);
	free(log->heap);
	*log = (struct slice_log){0};
}

void slice_log_clear(struct slice_log *log)
{
	for (size_t i = 0; i < log->n_queues; i++)
		log->queues[i].first = log->queues[i].n = 0;
	log->n_gaps = 0;
	log->gaps_ns = log->late_ns = log->late_from_ns = log->applied_ns = 0;
}

static void extend_gap(struct slice_gap *gap, uint64_t begin_ns, uint64_t end_ns)
{
	gap->begin_ns = u64_min(gap->begin_ns, begin_ns);
	gap->end_ns = gap->end_ns > end_ns ? gap->end_ns : end_ns;
}

void slice_log_add_gap(struct slice_log *log, uint64_t ns, uint64_t end_ns)
{
	uint64_t begin_ns = u64_growth(ns, end_ns);

	log->gaps_ns += ns;
	if (begin_ns < log->applied_ns) {
		log->late_from_ns =
			log->late_ns > 0 ? u64_min(log->late_from_ns, begin_ns) : begin_ns;
		log->late_ns += u64_min(end_ns, log->applied_ns) - begin_ns;
	}
	for (size_t i = 0; i < log->n_gaps; i++) {
		struct slice_gap *gap = &log->gaps[i];
		if (begin_ns > gap->end_ns || gap->begin_ns > end_ns)
			continue;
		extend_gap(gap, begin_ns, end_ns);
		return;
	}
	if (log->n_gaps < SLICE_GAPS_MOST)
		log->gaps[log->n_gaps++] = (struct slice_gap){begin_ns, end_ns};
	else
		extend_gap(&log->gaps[SLICE_GAPS_MOST - 1], begin_ns, end_ns);
}

uint64_t slice_log_unseen_from(const struct slice_log *log, uint64_t since_ns, uint64_t until_ns)
{
	uint64_t from_ns = until_ns;

	for (size_t i = 0; i < log->n_gaps; i++) {
		const struct slice_gap *gap = &log->gaps[i];
		if (gap->end_ns > since_ns)
			from_ns = u64_min(from_ns, gap->begin_ns);
	}
	return from_ns > since_ns ? from_ns : u64_min(since_ns, until_ns);
}

void slice_log_drop_gaps(struct slice_log *log)
{
	log->n_gaps = 0;
	log->gaps_ns = log->late_ns = log->late_from_ns = 0;
}

void slice_log_fork(struct slice_log *log, struct task *task)
{
	const struct slice_queue *forks = &log->queues[log->n_queues - 1];
	const struct slice fork = {.task = task,
				   .begin_ns = task->start_ns,
				   .end_ns = task->start_ns,
				   .end = SLICE_FORKED};

	/* FORKs are applied in their order first, and again with the records of their CPU. */
	if (forks->n == 0 || forks->items[forks->n - 1].end_ns < fork.end_ns)
		slice_log_add(log, log->n_queues - 1, &fork);
}

void slice_log_left(struct slice_log *log, size_t cpu, pid_t tid, bool preempted)
{
	const struct slice_queue *queue = &log->queues[cpu];
	struct slice *last = queue->n > queue->first ? &queue->items[queue->n - 1] : NULL;

	if (last && last->end == SLICE_UNKNOWN && last->task->tid == tid)
		last->end = preempted ? SLICE_RUNNABLE : SLICE_BLOCKED;
}

/*
 * The states are those of the kernel (include/linux/sched.h, the same from 5.10 to 7.3).
 * 0x100 marks a preemption within the kernel.
 */
enum slice_end slice_end_of(uint64_t state)
{
	static const unsigned char ends[] = {
		[0] = SLICE_RUNNABLE, [1] = SLICE_SLEEPS,  [2] = SLICE_UNINTERRUPTIBLE,
		[4] = SLICE_STOPPED,  [8] = SLICE_STOPPED,
	};

	if (state == RECORD_STATE_UNKNOWN)
		return SLICE_UNKNOWN;
	if (state & 0x30) /* EXIT_DEAD, EXIT_ZOMBIE */
		return SLICE_EXITED;
	if ((state & 0xff) >= ARRAY_SIZE(ends)) /* parked, or an idle kernel thread */
		return SLICE_SLEEPS;
	return (enum slice_end)ends[state & 0xff];
}

static const struct slice *head(const struct slice_log *log, size_t at)
{
	const struct slice_queue *queue = &log->queues[log->heap[at]];

	return &queue->items[queue->first];
}

static void sift_down(struct slice_log *log, size_t at)
{
	for (;;) {
		size_t least = at, left = 2 * at + 1;

		for (size_t child = left; child < log->n_heap && child <= left + 1; child++)
			if (head(log, child)->end_ns < head(log, least)->end_ns)
				least = child;
		if (least == at)
			return;
		size_t queue = log->heap[at];
		log->heap[at] = log->heap[least];
		log->heap[least] = queue;
		at = least;
	}
}

void slice_log_drop_exited(struct slice_log *log, uint64_t time_ns)
{
	for (size_t i = 0; i < log->n_queues; i++) {
		struct slice_queue *queue = &log->queues[i];
		size_t kept = queue->first;

		for (size_t k = queue->first; k < queue->n; k++) {
			const struct task *task = queue->items[k].task;
			if (!task->exit_ns || task->exit_ns + TASKS_REUSE_NS >= time_ns)
				queue->items[kept++] = queue->items[k];
		}
		queue->n = kept;
	}
}

void slice_log_merge(struct slice_log *log)
{
	log->n_heap = 0;
	for (size_t i = 0; i < log->n_queues; i++) {
		struct slice_queue *queue = &log->queues[i];
		queue->n -= queue->first;
		if (queue->first > 0 && queue->n > 0)
			memmove(queue->items, queue->items + queue->first,
				queue->n * sizeof(*queue->items));
		queue->first = 0;
		if (queue->n > 0)
			log->heap[log->n_heap++] = i;
	}
	for (size_t i = log->n_heap / 2; i-- > 0;)
		sift_down(log, i);
}

static void drop_root(struct slice_log *log)
{
	log->heap[0] = log->heap[--log->n_heap];
	sift_down(log, 0);
}

/* The rest of a slice stays in its queue, which leaves the heap. */
static bool split_root(struct slice_log *log, uint64_t at_ns, struct slice *slice)
{
	struct slice_queue *queue = &log->queues[log->heap[0]];
	struct slice *rest = &queue->items[queue->first];
	bool begun = rest->begin_ns < at_ns;

	if (begun) {
		*slice = *rest;
		slice->end_ns = rest->begin_ns = at_ns;
		slice->end = SLICE_RUNS_ON;
	}
	drop_root(log);
	return begun;
}

bool slice_log_pop(struct slice_log *log, uint64_t until_ns, bool split, struct slice *slice)
{
	while (log->n_heap > 0) {
		struct slice_queue *queue = &log->queues[log->heap[0]];
		if (queue->items[queue->first].end_ns > until_ns) {
			if (!split)
				return false;
			if (split_root(log, until_ns, slice))
				return true;
			continue;
		}
		*slice = queue->items[queue->first++];
		if (queue->first == queue->n)
			drop_root(log);
		else
			sift_down(log, 0);
		return true;
	}
	return false;
}
