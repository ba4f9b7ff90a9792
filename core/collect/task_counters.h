// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TASK_COUNTERS_H
#define PMCTOP_TASK_COUNTERS_H

#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perf/group.h"
#include "core/sys/sys.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The counters of one thread, by a plan per task: every group of it that has members. The kernel
 * carries them from CPU to CPU and lets groups that do not fit together take turns. With them the
 * thread counts what it starts from then on, until that has counters of its own.
 */
struct task_counters {
	const struct plan *plan; /* borrowed */
	struct group *groups;    /* as many as the plan has; zeroed where nothing is to be opened */
	uint64_t **readings;     /* of each, at the last call */
};

/*
 * Opens them, not counting yet; on_exec: they begin by themselves when the task execs. What the
 * task starts from now on has them too, and begins with them. 0 or the kernel's -errno: -ESRCH
 * where the task has ended, -EACCES where it is not ours, -EMFILE ... *failed is the plan's counter
 * that was refused then, -1 where it is none in particular.
 */
int task_counters_open(struct task_counters *counters, const struct sys *sys,
		       const struct event_set *events, const struct plan *plan, pid_t tid,
		       bool on_exec, int *failed);
int task_counters_begin(const struct task_counters *counters); /* to count: 0 or -errno */
void task_counters_close(struct task_counters *counters);      /* zeroed is fine */

/*
 * Adds what was counted since the last call to a tally, the time that the task ran meanwhile too.
 * 0, or the -errno of a group that cannot be read, of which nothing is added.
 */
int task_counters_read(struct task_counters *counters, uint64_t *tally);

/* How many descriptors a thread takes. */
size_t task_counters_fds(const struct plan *plan);

#endif
