// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TASK_COUNTER_SET_H
#define PMCTOP_TASK_COUNTER_SET_H

#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/collect/proc_scan.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Which threads of a census have counters of their own. A thread's counters also count what it
 * starts, until that is old enough to have been seen and gets its own; then those of whoever may
 * have started it are opened anew, or both would count it.
 *
 * Descriptors are bounded: the busiest threads come first. What this knows of an entry stands in
 * the entry (counters, counted, cover ...).
 */
struct task_counter_set {
	const struct sys *sys;          /* all borrowed */
	const struct event_set *events; /* of the plan */
	const struct target *target;
	struct proc_scan *proc_scan;
	struct interval *interval; /* what is closed is read into it */
	const struct plan *plan;   /* set between two intervals, while nobody has counters */
	size_t room;               /* threads that the limit of descriptors has room for */
	size_t most;               /* ... that may have counters: fewer where descriptors ran out */
	size_t n;                  /* ... and have some */
	pid_t command;             /* has still to exec; 0: none */
	bool cramped;              /* not all who ran could have counters */
	int refusal; /* -errno: why one that is ours got none at the last look; 0: none was */
	int refused; /* the counter of the plan that is refused to everybody, so that none gets any;
			-1: there is none */
	size_t given; /* how many got counters at the last look */
};

/* After a look: whose counters those who began since have inherited. */
void task_counter_set_find_covers(const struct task_counter_set *tasks);

/*
 * After a look whose accounts are closed, or with a new plan: closes those of who is not wanted any
 * more, and opens for who did something. Again: the look was a moment after the last one, and why
 * some had to go without counters then (cramped, refusal) holds still.
 */
void task_counter_set_renew(struct task_counter_set *tasks, bool again);

void task_counter_set_stop(struct task_counter_set *tasks, struct proc_scan_entry *entry);
void task_counter_set_stop_all(struct task_counter_set *tasks);

/* How many threads the limit of descriptors has room for now. */
size_t task_counter_set_room(const struct task_counter_set *tasks);

#endif
