// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WAITS_H
#define PMCTOP_WAITS_H

#include "core/attrib/interval.h"
#include "core/attrib/slice_log.h"
#include "core/attrib/target.h"
#include "core/event/event_wait.h"
#include "core/sys/sys.h"
#include "core/wait/looks.h"
#include "core/wait/throttling.h"
#include "core/wait/wait_watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Why tasks do not run, in one interval after the other, from the slices of all CPUs.
 *
 * A task is off its CPU between two slices. The switch at the end of the first one has the reason:
 * runnable (it was preempted), sleeping, uninterruptible, stopped. A new task is runnable from its
 * FORK on. From a wake-up to the next slice a blocked task is runnable too.
 *
 * A tracepoint has the time of each wake-up (slice_log_waking()), and such a wait is exact. A task
 * that gets a CPU without such a record is in doubt. A wake-up also has a record if its task is
 * runnable already, or still runs: the first one since the task left its CPU counts. A wake-up
 * latency counts in the interval in which the task gets a CPU.
 *
 * Without that tracepoint (`wakeups` is not set) the kernel has the sum of these waits, in
 * /proc/PID/task/TID/schedstat, which is read once an interval for tasks that woke up in it:
 * runq_time is the growth of that number, and blocked time is what is left of the lifetime.
 *
 * throttled_time of a task is its runq_time, at most the time in which its cgroup was throttled: an
 * estimate.
 *
 * Limits without it. The wake-up waits of a task that ends in the interval, or that is seen for the
 * first time, are unknown. A wake-up wait that lasts at the end of an interval is not in schedstat
 * yet: its part of that interval is unknown, if /proc shows such a task as runnable or was not
 * read, and the task has not got a CPU before schedstat was read. From then on the task is
 * runnable. A growth of schedstat that is longer than the time off the CPU is a sleep that the
 * kernel has counted, and is not used. A doubt of up to 1/100 of the lifetime is halved between
 * runnable and blocked. Figures with a greater one, and all those of an interval in which records
 * were lost, are FIGURE_LOST and lower bounds.
 *
 * Tasks without a record: wait_others.c. If none may wait for a CPU unseen, a blocked task that
 * does not run stays blocked, and no file is read. That is so if the threads that run are as many
 * as the kernel's runnable ones, and the records have none in a run queue; or if all wake-ups have
 * records, and its state was read since the run began.
 *
 * An interval of waiting ends at one time for all CPUs, just before their counters are read.
 */
struct waits {
	const struct sys *sys;   /* borrowed */
	struct tasks *all_tasks; /* borrowed */
	/* Set by the owner; borrowed. Its roots have times also if they did not run. NULL: none */
	const struct target *target;
	unsigned target_generation; /* its roots were read in this generation + 1; 0: they were not
				     */
	struct slice_log log;       /* attrib_log_slices() fills it */
	struct wait_places places;
	struct throttling throttling;
	struct looks *looks; /* set by the owner; borrowed; NULL: no thread is looked at */
	bool wakeups;        /* set by the owner: wake-ups have records */
	bool searched;  /* at the last end some thread may have waited unseen: /proc was read */
	bool hides;     /* set by the owner: the kernel hides some switches and wake-ups */
	bool untraced;  /* set by the owner: the tracepoint of switches is not sampled */
	bool recorded;  /* set by the owner: a recording of perf; no interval has its CPUs' ends */
	bool outside;   /* set by the owner: tasks outside of this pid namespace wait too */
	bool elsewhere; /* set by the owner: tasks may run on CPUs that are not to be counted */
	uint64_t run;   /* of intervals without a break between them: 1, 2 ... */
	uint64_t since_ns;      /* begin of the run, or end of its last interval with gaps */
	uint64_t interval;      /* number of the current interval */
	uint64_t lost_interval; /* the last one with gaps: older accounts are in doubt; 0: none ...
				 */
	uint64_t lost_until_ns; /* ... and its end: older states are in doubt */
	uint64_t gap_ns, gaps_until_ns; /* of the last interval: sum and end of its gaps; 0: none */
	bool idled;        /* in the last interval some CPU was idle: such switches may be hidden */
	bool anywhere;     /* of the last interval: any task may have run on some CPU at any time */
	uint64_t begin_ns; /* of the current interval */
	uint64_t end_ns;   /* its end, set by waits_end() */
	uint64_t checks_left; /* so many states may still be read for wait_check.c */
	uint64_t runnable;    /* threads that ran or waited for a CPU at runnable_ns; 0: unknown */
	uint64_t runnable_ns;
	bool scanning;       /* /proc has tasks that were not searched for those to show */
	bool states_known;   /* all slices have the state in which they ended */
	bool counts_sleeps;  /* the kernel may count sleeps as waits */
	struct task **tasks; /* with slices in it, or off their CPU for a reason to show */
	size_t n_tasks, capacity;
	const int *cpu_numbers; /* of the interval at its cut, borrowed */
	uint64_t *queued_ns;    /* by CPU: waits of the interval that ended there */
	pid_t *runners; /* by CPU, set by the owner: the thread that runs there; 0: unknown */
	size_t n_cpus;
	/* WAKEUP_RANGES for each of the tasks: its wake-ups by latency. NULL: not in the plan. */
	uint32_t *latencies;
	size_t latencies_capacity;
	struct wait_watch watch; /* of waits_watch(); the owner resets it before each interval */
};

void waits_init(struct waits *waits, const struct sys *sys, struct tasks *tasks, size_t n_cpus);
void waits_fini(struct waits *waits); /* zeroed is fine */

/*
 * Begins an interval with the events of a plan. It begins a run: what was known of tasks is
 * dropped. Call it after the CPUs were read.
 */
void waits_begin(struct waits *waits, const struct plan *plan, const struct event_set *events);
/* Whether the plan has events of waiting. If not, the functions below do nothing. */
static inline bool waits_wanted(const struct waits *waits)
{
	return waits->places.any;
}

/* Whether the plan has wake-ups by latency, which need `wakeups`. */
static inline bool waits_want_latencies(const struct waits *waits)
{
	return waits->places.any && waits->places.counts[WAIT_WAKEUPS] >= 0;
}

/* Watches the waits of a process or a thread that began after since_ns; both 0: none. */
void waits_watch(struct waits *waits, pid_t pid, pid_t tid, uint64_t since_ns);

/* Applies the slices up to a time before which all CPUs were drained. */
void waits_apply(struct waits *waits, uint64_t until_ns);

/* The interval ends now. Call it after the CPUs were drained, and before they are read. */
void waits_end(struct waits *waits);
/*
 * After all CPUs were drained: adds the times of each task to its tally, with a slot for each task
 * that waited, and to the totals. Reads one file for each task that woke up, and one for blocked
 * tasks if some thread of the machine waits for a CPU after a wake-up.
 */
void waits_cut(struct waits *waits, struct interval *interval);

/*
 * After the cut of an interval that began at begin_ns: whether its records end with the task
 * running or runnable.
 */
bool waits_end_runnable(const struct task *task, uint64_t begin_ns);
/*
 * Of the same interval: since when the task is in uninterruptible sleep or stopped, by its records,
 * or at least since when, by the first reading of its state. 0: it is not.
 */
uint64_t waits_held_since(const struct task *task, uint64_t begin_ns);
/* The same without records, from a scan of /proc at now_ns. */
void waits_set_held(struct task *task, uint64_t since_ns, uint64_t now_ns);

#endif
