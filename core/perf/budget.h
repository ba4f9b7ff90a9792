// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BUDGET_H
#define PMCTOP_BUDGET_H

#include "core/event/event.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The number of hardware events that fit into a group, for each core PMU. No table has it: virtual
 * machines have fewer counters, and other profilers take some. So it is probed by opening groups.
 * The kernel checks a group against an empty PMU, so the number is lowered if a group opens and
 * does not run. From time to time all counters are tried again.
 */
struct budget {
	const struct sys *sys;      /* borrowed */
	const struct pmu_set *pmus; /* borrowed */
	bool self;                  /* probe on the caller itself, as CPUs are denied */
	size_t *most;               /* events a group, by core PMU */
	bool *taken;                /* by core PMU: not even one event runs */
	bool watchdog;              /* the NMI watchdog counts cycles on each CPU */
	unsigned wait_cuts,
		patience_cuts; /* cuts until the next try, and length of the next wait */
};

enum { BUDGET_MOST = 64 }; /* no CPU has more counters */

void budget_init(struct budget *budget, const struct sys *sys, const struct pmu_set *pmus);
void budget_fini(struct budget *budget);

/*
 * Opens these codes as one group on a CPU (-1: on the caller itself), and closes it. Returns 0 or
 * the kernel's -errno. If 0, *runs is whether the group counted.
 */
int budget_try(const struct sys *sys, int cpu, const struct event_code *const *codes, size_t n,
	       bool *runs);

/*
 * Returns how many events of that code fit into a group on a CPU (-1: on the caller). *answer: the
 * kernel's 0 or -errno for one event.
 */
unsigned budget_count(const struct sys *sys, int cpu, const struct event_code *code, int *answer);

/* Whether these codes fit into a group: for plan_request.fits, with the budget as arg. */
bool budget_fits(void *arg, size_t pmu, const struct event_code *const *codes, size_t n);

/* Lowers the number of events a group to n > 0, as the kernel refuses more. */
void budget_lower(struct budget *budget, size_t pmu, size_t n);

/*
 * Lowers the number of events a group to the number of these codes that run. Call it if a group of
 * them opened on that CPU and does not run, as other programs hold counters.
 */
void budget_measure(struct budget *budget, size_t pmu, int cpu,
		    const struct event_code *const *codes, size_t n);

/* Schedules a new try, as another program took counters. */
void budget_doubt(struct budget *budget);

/*
 * Call it once a cut. Returns true if all counters are to be tried again: after a wait, or at once
 * if they are `free`.
 */
bool budget_retry(struct budget *budget, bool free);

#endif
