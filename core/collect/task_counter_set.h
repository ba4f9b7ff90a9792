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
 * Which threads of a proc_scan have counters. A thread's counters also count the tasks that it
 * starts (children inherit them). When a scan finds a child and opens counters for it, the counters
 * of the processes that it may have inherited from (its cover) are opened again, else both would
 * count it.
 *
 * Descriptors are bounded: the busiest threads come first. The state of an entry is in the entry
 * (counters, counted, cover ...).
 */
struct task_counter_set {
	const struct sys *sys;          /* borrowed, as all pointers here */
	const struct event_set *events; /* of the plan */
	const struct target *target;
	struct proc_scan *proc_scan;
	struct interval *interval; /* gets the counts of counters that are closed */
	const struct plan *plan;   /* set between two intervals, while no thread has counters */
	size_t room;               /* threads within the limit of descriptors */
	size_t most;   /* threads that may have counters: fewer after descriptors ran out */
	size_t n;      /* threads that have counters */
	pid_t command; /* the command before its exec; 0: none */
	bool cramped;  /* some threads that ran have no counters, because no descriptor was free */
	int refusal;   /* -errno of an own thread without counters at the last scan; 0: none */
	int refused;   /* counter of the plan that is refused for every thread; -1: none */
	size_t given;  /* threads that got counters at the last scan */
};

/* After a scan: finds the covers of fresh entries. */
void task_counter_set_find_covers(const struct task_counter_set *tasks);

/*
 * After the growth of a scan was added, or with a new plan: closes counters of entries that are not
 * wanted any more, and opens counters of threads that ran. again: the scan was a moment after the
 * last one, so `cramped` and `refusal` are kept.
 */
void task_counter_set_renew(struct task_counter_set *tasks, bool again);

/* Closes counters. Their counts since the last reading are dropped. */
void task_counter_set_stop(struct task_counter_set *tasks, struct proc_scan_entry *entry);
void task_counter_set_stop_all(struct task_counter_set *tasks);

/* Returns the number of threads within the limit of descriptors. */
size_t task_counter_set_room(const struct task_counter_set *tasks);
/* Returns the number of descriptors within the limit that counters do not use now. */
size_t task_counter_set_free_fds(const struct task_counter_set *tasks);

#endif
