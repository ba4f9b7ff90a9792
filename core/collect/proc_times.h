// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_TIMES_H
#define PMCTOP_PROC_TIMES_H

#include "core/attrib/interval.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/sys/proc.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * user_time and system_time (EVENT_PROC) beside counted CPUs: no event of the kernel's tells them.
 * One small file of /proc for each task that ran, where someone asks. In ticks: of short intervals
 * they say little.
 */
struct proc_times {
	const struct sys *sys;
	struct proc_cpus before; /* as of the last cut; none where nobody asked then */
	unsigned run;            /* of cuts in a row at which someone asked: 1, 2 ... */
	uint64_t since_ns;       /* when that began: older tasks are not known from their birth */
};

void proc_times_fini(struct proc_times *times); /* zeroed is fine */

/* Whether ticks say anything of who ran so long. */
bool proc_times_estimate(uint64_t ran_ns);

/* Which of these an event is, of what a task or a CPU was in user mode and in the kernel. */
uint64_t proc_times_of(const struct event *event, uint64_t user_ns, uint64_t system_ns);

/*
 * Adds them to an interval whose accounts are closed, its totals too. What no task answers for is
 * unattributed; of a task that is seen for the first time, or has ended, nothing is known.
 */
void proc_times_cut(struct proc_times *times, const struct event_set *events,
		    const struct plan *plan, struct interval *interval);

#endif
