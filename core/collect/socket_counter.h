// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SOCKET_COUNTER_H
#define PMCTOP_SOCKET_COUNTER_H

#include "core/attrib/interval.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Events that several CPUs share (memory controllers, energy): read once an interval, for the
 * machine as a whole. What they count is nobody's: it stands in totals and in unattributed.
 */
struct socket_counter {
	int fd; /* negative: refused, so that what its socket does is missing */
	unsigned counter, group, domain;        /* in tallies */
	uint64_t value, enabled_ns, running_ns; /* at the last cut */
};

struct socket_counters {
	const struct sys *sys;
	struct socket_counter *items;
	size_t n;
	size_t capacity;
	uint64_t cut_ns; /* when it was last read */
};

/*
 * Opens every socket domain of the plan, on each CPU that its PMU names. One that the kernel
 * refuses is left out: *failed (an index in the event set, or -1) is the last such event, *code
 * what the kernel said.
 */
void socket_counters_open(struct socket_counters *counters, const struct sys *sys,
			  const struct event_set *events, const struct pmu_set *pmus,
			  const struct plan *plan, int *failed, int *code);
void socket_counters_close(struct socket_counters *counters); /* zeroed is fine */

/* Adds what was counted since the last cut. */
void socket_counters_cut(struct socket_counters *counters, struct interval *interval);

#endif
