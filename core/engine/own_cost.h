// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OWN_COST_H
#define PMCTOP_OWN_COST_H

#include "core/perf/self_count.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"

#include <stdint.h>

/* What pmctop itself took in each interval. Zeroed is fine until it begins. */
struct own_cost {
	const struct sys *sys;     /* borrowed */
	struct self_count cycles;  /* of the thread that cuts; opened by its first cut */
	uint64_t cpu_ns, n_cycles; /* up to the last cut */
};

/* The first interval begins. */
void own_cost_begin(struct own_cost *cost, const struct sys *sys);
void own_cost_fini(struct own_cost *cost);

/* Gives its counter back until the next cut, from which on it counts anew. By the thread that cuts.
 */
void own_cost_pause(struct own_cost *cost);

/*
 * An interval is over: the CPU time of all threads since the last one, and this thread's cycles. In
 * the first interval nobody counted these.
 */
void own_cost_cut(struct own_cost *cost, struct snapshot_cost *told);

#endif
