// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SLICE_LOG_H
#define PMCTOP_SLICE_LOG_H

#include "core/attrib/tasks.h"
#include "core/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The slices of all CPUs in the order of time, with forks and wake-ups. Rings are drained one CPU
 * after the other, so the log has queues for each CPU, and slice_log_pop() merges them. A task's
 * times off the CPU are the gaps between its slices, on whichever CPUs they were.
 */

/* How a slice ended, by prev_state of the switch, or by its SWITCH record. */
enum slice_end {
	SLICE_RUNS_ON, /* at a tick: no switch */
	SLICE_RUNNABLE,
	SLICE_SLEEPS,          /* interruptible */
	SLICE_UNINTERRUPTIBLE, /* D */
	SLICE_STOPPED,         /* T or t */
	SLICE_EXITED,
	SLICE_BLOCKED, /* one of the four above: no record has which */
	SLICE_UNKNOWN, /* no record has the state */
	SLICE_HIDDEN,  /* no record has the time either: it began, and may have ended */
	SLICE_FORKED,  /* no slice: a task begins at that time, runnable */
	SLICE_WOKEN,   /* no slice: a task is woken up at that time */
	SLICE_ENDS,
};

struct slice {
	struct task *task; /* borrowed; never the idle task */
	uint64_t begin_ns, end_ns;
	enum slice_end end;
	bool to_idle; /* the CPU ran the idle task next */
	uint32_t cpu; /* set by slice_log_add(); of SLICE_FORKED and SLICE_WOKEN: no CPU */
};

struct slice_queue {
	struct slice *items; /* by end_ns, ascending */
	size_t first, n, capacity;
};

/* Time of a CPU in which no record has which tasks ran. */
struct slice_gap {
	uint64_t begin_ns, end_ns;
};

enum { SLICE_GAPS_MOST = 64 };

struct slice_log {
	/*
	 * Slices by CPU, wake-ups by CPU, and the forks of all CPUs. A tick at the end of an
	 * interval may be applied after wake-ups that are younger.
	 */
	struct slice_queue *queues;
	size_t n_cpus, n_queues;
	size_t *heap; /* indices of queues with items, the one with the earliest end first */
	size_t n_heap;
	struct slice_gap gaps[SLICE_GAPS_MOST]; /* of all CPUs; they may overlap */
	size_t n_gaps;
	/* Since the last slice_log_drop_gaps(): their sum, and the sum and the earliest begin of
	 * parts that were older than applied_ns when they were added. */
	uint64_t gaps_ns, late_ns, late_from_ns;
	uint64_t applied_ns; /* set by the reader: slices up to this time were popped for good */
};

void slice_log_init(struct slice_log *log, size_t n_cpus);
void slice_log_fini(struct slice_log *log); /* zeroed is fine */
/* Drops all that it has. */
void slice_log_clear(struct slice_log *log);

static inline void slice_log_add(struct slice_log *log, size_t cpu, const struct slice *slice)
{
	struct slice_queue *queue = &log->queues[cpu];

	if (queue->n == queue->capacity)
		queue->items = array_reserve(queue->items, &queue->capacity, queue->n + 1,
					     sizeof(*queue->items));
	queue->items[queue->n] = *slice;
	queue->items[queue->n++].cpu = (uint32_t)cpu;
}

/* A task that a CPU wakes up. */
static inline void slice_log_waking(struct slice_log *log, size_t cpu, struct task *task,
				    uint64_t time_ns)
{
	slice_log_add(
		log, log->n_cpus + cpu,
		&(struct slice){
			.task = task, .begin_ns = time_ns, .end_ns = time_ns, .end = SLICE_WOKEN});
}

/* Adds ns that end at end_ns as a gap. Too many gaps are merged. */
void slice_log_add_gap(struct slice_log *log, uint64_t ns, uint64_t end_ns);
/*
 * The time between two others from which on a task that is off its CPU by the records may have run:
 * the begin of the first gap. until_ns: there is none.
 */
uint64_t slice_log_unseen_from(const struct slice_log *log, uint64_t since_ns, uint64_t until_ns);
void slice_log_drop_gaps(struct slice_log *log);

/* Drops the slices of tasks whose EXIT is older by TASKS_REUSE_NS: the table may free them. */
void slice_log_drop_exited(struct slice_log *log, uint64_t time_ns);

/*
 * A SWITCH record of the thread that left the CPU. It follows the sample of that switch, which may
 * not have the state.
 */
void slice_log_left(struct slice_log *log, size_t cpu, pid_t tid, bool preempted);

/* A new task, also if its FORK is applied a second time. */
void slice_log_fork(struct slice_log *log, struct task *task);

/* How a slice ends if the task leaves its CPU with that prev_state (struct record.sample). */
enum slice_end slice_end_of(uint64_t prev_state);

/*
 * Call slice_log_merge() first, then slice_log_pop() until it returns false. It takes the slice
 * with the earliest end out of the log. Slices that end after until_ns stay. If `split`, it then
 * returns the parts of these before until_ns, with SLICE_RUNS_ON.
 */
void slice_log_merge(struct slice_log *log);
bool slice_log_pop(struct slice_log *log, uint64_t until_ns, bool split, struct slice *slice);

#endif
