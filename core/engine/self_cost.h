// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SELF_COST_H
#define PMCTOP_SELF_COST_H

#include "core/perf/self_count.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"

#include <stdint.h>

/* What pmctop itself took in each interval. Zeroed is fine until it begins. */
struct self_cost {
	const struct sys *sys;     /* borrowed */
	struct self_count cycles;  /* of the thread that cuts; opened by its first cut */
	uint64_t cpu_ns, n_cycles; /* up to the last cut */
};

/* The first interval begins. */
void self_cost_begin(struct self_cost *cost, const struct sys *sys);
void self_cost_fini(struct self_cost *cost);

/* Gives its counter back until the next cut, from which on it counts anew. By the thread that cuts.
 */
void self_cost_pause(struct self_cost *cost);

/*
 * An interval is over: the CPU time of all threads since the last one, and this thread's cycles. In
 * the first interval nobody counted these.
 */
void self_cost_cut(struct self_cost *cost, struct snapshot_cost *told);

#endif
