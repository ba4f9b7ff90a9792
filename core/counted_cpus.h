// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTED_CPUS_H
#define PMCTOP_COUNTED_CPUS_H

#include "counted_cpu.h"
#include "sys.h"

#include <stddef.h>
#include <stdint.h>

/*
 * All CPUs of a machine as they are counted: what is done to all of them at once, by ticks. A tick
 * says who runs on a CPU now and what its groups have counted: there an interval can end, or a
 * turn.
 */
struct counted_cpus {
	const struct sys *sys;
	struct counted_cpu *items; /* by index in the interval: every possible CPU */
	size_t n;
	uint64_t turn_due_ns;  /* when the next turn begins; UINT64_MAX: nobody waits for one */
	uint64_t turn_cost_ns; /* what a turn takes of our time, smoothed */
};

/* Folds in what there is. */
void counted_cpus_drain(struct counted_cpus *cpus);

/*
 * Brings every CPU up to now: to a tick, or, on the CPU that we run on, to its last record. Where a
 * tick does not come in time, counted_cpu_awaits is still true after.
 */
void counted_cpus_catch_up(struct counted_cpus *cpus);

/* Learns what is told of tasks beyond what was folded in. */
void counted_cpus_foretell(struct counted_cpus *cpus);

/* Says when the next turn is due, where `turns` groups take turns in intervals of that length. */
void counted_cpus_schedule(struct counted_cpus *cpus, unsigned turns, uint64_t interval_ns);
/* Gives the turn to the next group on every CPU where several wait for it. */
void counted_cpus_turn(struct counted_cpus *cpus);

#endif
