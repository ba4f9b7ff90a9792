// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SOCKET_COUNTER_H
#define PMCTOP_SOCKET_COUNTER_H

#include "core/attrib/interval.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Events that several CPUs share (memory controllers, energy). They are read once an interval.
 * Their counts are in the totals and unattributed.
 */
struct socket_counter {
	int fd; /* negative: refused, its socket is missing in the totals */
	unsigned counter, group, domain;        /* in tallies */
	uint64_t value, enabled_ns, running_ns; /* at the last reading */
	bool missed;                            /* it failed at the last cut */
};

struct socket_counters {
	const struct sys *sys;
	struct socket_counter *items;
	size_t n;
	size_t capacity;
	uint64_t cut_ns; /* time of the last cut */
};

/*
 * Opens every socket domain of the plan, on each CPU that its PMU names. An event that the kernel
 * refuses is left out: *failed is the last such event (index in the event set, or -1), *code the
 * -errno.
 */
void socket_counters_open(struct socket_counters *counters, const struct sys *sys,
			  const struct event_set *events, const struct pmu_set *pmus,
			  const struct plan *plan, int *failed, int *code);
void socket_counters_close(struct socket_counters *counters); /* zeroed is fine */

/* Adds the counts since the last cut to the totals and to unattributed. */
void socket_counters_cut(struct socket_counters *counters, struct interval *interval);

#endif
