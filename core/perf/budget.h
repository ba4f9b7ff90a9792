// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BUDGET_H
#define PMCTOP_BUDGET_H

#include "core/event/event.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * How many hardware events a group may have, for each core PMU. No table knows: the NMI watchdog
 * and other profilers take counters, and some events can use only some of them. So it is probed by
 * opening (the kernel checks a group against an empty PMU) and lowered where a group that opens is
 * seen not to run. From time to time it is tried anew whether the counters have come free.
 */
struct budget {
	const struct sys *sys;             /* borrowed */
	const struct pmu_set *pmus;        /* borrowed */
	bool native;                       /* tried on the caller itself: CPUs are denied */
	size_t *most;                      /* by core PMU */
	bool *taken;                       /* not even one event runs: go on without asking */
	unsigned wait_cuts, patience_cuts; /* until the next try, and how long the next wait is */
};

enum { BUDGET_MOST = 64 }; /* no CPU has more counters */

void budget_init(struct budget *budget, const struct sys *sys, const struct pmu_set *pmus);
void budget_fini(struct budget *budget);

/*
 * Opens these codes as one group on a CPU (-1: on the caller itself, wherever it is), and closes
 * it: 0 or the kernel's -errno. Where it opens *runs says whether it counted, too.
 */
int budget_try(const struct sys *sys, int cpu, const struct event_code *const *codes, size_t n,
	       bool *runs);

/*
 * How many of that code one group has room for, on a CPU (-1: on the caller); *answer is the
 * kernel's to the first.
 */
unsigned budget_count(const struct sys *sys, int cpu, const struct event_code *code, int *answer);

/* Whether these codes make one group, as plan_request.fits asks (arg: the budget). */
bool budget_fits(void *arg, size_t pmu, const struct event_code *const *codes, size_t n);

/* Groups of more than n > 0 events are refused on the PMU, though they seemed to fit. */
void budget_lower(struct budget *budget, size_t pmu, size_t n);

/*
 * A group of these codes opened on that CPU and does not run, for want of counters that others
 * have: looks how many of them do.
 */
void budget_measure(struct budget *budget, size_t pmu, int cpu,
		    const struct event_code *const *codes, size_t n);

/* Counters that were ours are not now: they are asked for again in a while. */
void budget_doubt(struct budget *budget);

/*
 * Once a cut: true where it is time to try with all counters again; at once where they are seen to
 * be free.
 */
bool budget_retry(struct budget *budget, bool free);

#endif
