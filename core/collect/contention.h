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
 * Counters that are somebody else's: the NMI watchdog's, another profiler's. What is seen of them
 * when a group does not run, and at each cut, decides what the next plan does without, and when
 * all is asked for again; notes tell.
 */
struct contention {
	const struct collect_context *context; /* borrowed */
	struct budget *budget;                 /* borrowed: what plans are made for */
	unsigned much_cuts;                    /* cuts in a row in which much was shared */
	bool separate_clock;                   /* keep CPU time apart from the counters */
};

/* Everything is opened anew: what was told of before is not any more; and what is so now is. */
void contention_reset(struct contention *contention);
void contention_note(const struct contention *contention);

/*
 * A group of the plan opened on that CPU (-1: on the caller itself) and does not run: events that
 * have no other counter than one that is taken are left out, or the budget is lowered. Then there
 * must be another plan.
 */
void contention_handle(struct contention *contention, const struct plan *plan, unsigned group,
		       int cpu);

/*
 * For a plan per task, while nothing is counted of the caller: tries its groups on the caller.
 * False where one does not run, which has been met: there must be another plan.
 */
bool contention_confirm(struct contention *contention, const struct plan *plan);

/* An interval has been cut. */
void contention_cut(struct contention *contention, const struct interval *interval);

/*
 * Between two intervals: whether there must be another plan, since counters were taken meanwhile,
 * or it is time to ask for them again.
 */
bool contention_renew(struct contention *contention, const struct plan *plan,
		      const struct interval *interval, const struct cpu_counter_set *cpus);

#endif
