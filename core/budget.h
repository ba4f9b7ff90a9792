// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BUDGET_H
#define PMCTOP_BUDGET_H

#include "event.h"
#include "pmu.h"
#include "sys.h"

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
	size_t *most;                      /* by core PMU */
	bool *taken;                       /* not even one event runs: go on without asking */
	unsigned wait_cuts, patience_cuts; /* until the next try, and how long that was at first */
};

enum { BUDGET_MOST = 64 }; /* no CPU has more counters */

void budget_init(struct budget *budget, const struct sys *sys, const struct pmu_set *pmus);
void budget_fini(struct budget *budget);

/* Whether these codes make one group, as plan_request.fits asks (arg: the budget). */
bool budget_fits(void *arg, size_t pmu, const struct event_code *const *codes, size_t n);

/* A group of n events opened on the PMU and did not run: the next ones are smaller. */
void budget_lower(struct budget *budget, size_t pmu, size_t n);

/* Once a cut: true where it is time to try with all counters again. */
bool budget_retry(struct budget *budget);

#endif
