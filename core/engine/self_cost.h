// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SELF_COST_H
#define PMCTOP_SELF_COST_H

#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What pmctop itself costs in each interval: the CPU time of all its threads, and the cycles of the
 * thread that makes the calls here. Zeroed is valid until self_cost_begin().
 */
struct self_cost {
	const struct sys *sys;             /* borrowed */
	bool open;                         /* the cycle counter was opened, or cannot be */
	pid_t tid;                         /* the thread that it counts */
	int fd;                            /* of the cycle counter; -1: it cannot be opened */
	struct perf_event_mmap_page *page; /* of that counter; NULL: it cannot be mapped */
	bool in_user_mode;                 /* cycles are read in user mode, without a call */
	uint64_t cut_ns;                   /* time of the last cut */
	uint64_t cpu_ns, n_cycles;         /* up to the last cut; cycles 0: unknown */
};

/* The first interval begins. */
void self_cost_begin(struct self_cost *cost, const struct sys *sys, uint64_t now_ns);
void self_cost_fini(struct self_cost *cost);

/* Closes the cycle counter until the next cut. The cycles of the interval are then unknown (0). */
void self_cost_pause(struct self_cost *cost);

/*
 * Ends an interval: fills in cpu_ns, the time wall_ns since the last cut, cycles and reads_itself.
 * Opens the cycle counter if it is not open, or counts another thread than the caller's. The cycles
 * of that interval, and of the first one, are unknown (0). Never fails.
 */
void self_cost_cut(struct self_cost *cost, uint64_t now_ns, struct snapshot_cost *out);

/*
 * Computes a count from a counter's page and its register. Registers are numbered from 1, as in
 * page->index. The register's value has page->pmc_width bits, the highest is the sign.
 * Returns false if the counter is not in a register now, if the kernel does not permit the reading,
 * or if the page kept changing.
 */
typedef uint64_t self_register_fn(uint32_t index);
bool self_cost_count_of_page(const struct perf_event_mmap_page *page,
			     self_register_fn *read_register, uint64_t *count);

#endif
