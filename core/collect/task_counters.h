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
 * The counters of one thread: the groups of a plan per task that have members. The kernel moves
 * them from CPU to CPU, and lets groups that do not fit together take turns. They also count the
 * tasks that the thread starts later, until those have counters of their own.
 */
struct task_counters {
	const struct plan *plan; /* borrowed */
	struct group *groups;    /* as in the plan; zeroed without members */
	uint64_t **readings;     /* of each group, at the last task_counters_read() */
};

/*
 * Opens the counters, disabled. on_exec: they start when the task execs. Tasks that it starts from
 * now on inherit them. Returns 0, or -errno: -ESRCH if the task has ended, -EACCES if it is another
 * user's, -EMFILE ... Then *failed is the counter of the plan that was refused, or -1.
 */
int task_counters_open(struct task_counters *counters, const struct sys *sys,
		       const struct event_set *events, const struct plan *plan, pid_t tid,
		       bool on_exec, int *failed);
int task_counters_begin(const struct task_counters *counters); /* starts them; 0 or -errno */
void task_counters_close(struct task_counters *counters);      /* zeroed is fine */

/*
 * Adds the counts and the run time since the last call to a tally. Returns 0, or the -errno of a
 * group that cannot be read; of that group nothing is added.
 */
int task_counters_read(struct task_counters *counters, uint64_t *tally);

/* Returns the number of descriptors per thread. */
size_t task_counters_fds(const struct plan *plan);

#endif
