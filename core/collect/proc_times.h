// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_TIMES_H
#define PMCTOP_PROC_TIMES_H

#include "core/attrib/interval.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/sys/proc_machine.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * user_time and system_time (EVENT_PROC) in system mode: no perf event has them. If a column needs
 * them, one file of /proc is read for each task that ran for at least two ticks. They are in ticks,
 * so short intervals are coarse.
 */
struct proc_times {
	const struct sys *sys;
	bool outside;            /* tasks outside this pid namespace run on the CPUs too */
	struct proc_cpus before; /* as of the last cut; empty if no column needed it */
	unsigned run;            /* number of this series of cuts that needed it: 1, 2 ... */
	uint64_t since_ns;  /* begin of the series: a task that started later has no usage before */
	uint64_t cut_ns;    /* of the last cut that needed it ... */
	uint64_t passed_ns; /* ... and the time from the one before to it */
};

void proc_times_fini(struct proc_times *times); /* zeroed is fine */

/* Whether a time is long enough for ticks to divide it. */
bool proc_times_estimate(uint64_t ran_ns);

/* Returns user_ns for the event user_time, else system_ns. */
uint64_t proc_times_of(const struct event *event, uint64_t user_ns, uint64_t system_ns);

/*
 * Adds both to an interval that was cut, and to its totals. CPU time less the time of all tasks is
 * unattributed. A task that is read for the first time, or has ended, or ran for less than three
 * ticks, or whose times have grown by more than it ran, has no times.
 *
 * The times of CPUs include those of tasks outside this pid namespace. There the CPUs have no
 * times, and the totals are the sums of the tasks.
 */
void proc_times_cut(struct proc_times *times, const struct event_set *events,
		    const struct plan *plan, struct interval *interval);

#endif
