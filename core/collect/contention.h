// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONTENTION_H
#define PMCTOP_CONTENTION_H

#include "core/attrib/interval.h"
#include "core/collect/collect.h"
#include "core/collect/cpu_counter_set.h"
#include "core/event/plan.h"
#include "core/perf/budget.h"

#include <stdbool.h>

/*
 * Counters held by the NMI watchdog or another profiler. They show when a group does not run, or at
 * a cut. The next plan does without them, and a later one tries them again. Both are noted.
 */
struct contention {
	const struct collect_context *context; /* borrowed */
	struct budget *budget;                 /* borrowed; counters that plans may use */
	unsigned much_cuts;                    /* consecutive cuts with much time off the PMU */
	bool separate_clock;                   /* the clock has a group of its own */
};

/* All counters are opened again: contention_reset() before removes the notes, contention_note()
 * after adds those that hold now. */
void contention_reset(struct contention *contention);
void contention_note(const struct contention *contention);

/*
 * Handles a group that opened on that CPU (-1: on the calling thread) and does not run: leaves out
 * events that have one counter, which is taken, or lowers the budget. The caller must make a new
 * plan.
 */
void contention_handle(struct contention *contention, const struct plan *plan, unsigned group,
		       int cpu);

/*
 * Tries the groups of a plan per task on the calling thread, which must have no counters. Returns
 * false if one did not run and was handled: the caller must make a new plan.
 */
bool contention_confirm(struct contention *contention, const struct plan *plan);

/* Evaluates an interval that has been cut. */
void contention_cut(struct contention *contention, const struct interval *interval);

/*
 * Between two intervals: returns whether a new plan is needed, since counters were taken meanwhile
 * or it is time to try them again.
 */
bool contention_renew(struct contention *contention, const struct plan *plan,
		      const struct interval *interval, const struct cpu_counter_set *cpus);

#endif
