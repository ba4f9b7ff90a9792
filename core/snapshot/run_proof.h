// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RUN_PROOF_H
#define PMCTOP_RUN_PROOF_H

#include "core/attrib/interval.h"
#include "core/attrib/tasks.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a task ran beside the windows of a CPU (core/collect/duty_cycle.h), by the kernel's own
 * CPU time of the task. A task that windows show has an estimate. One that they do not show may
 * have run beside them, so its counts are lower bounds, except with this proof: its CPU time has
 * grown by no more than what was counted.
 *
 * Costs one file of /proc for each such task. The proof needs a reading since which the task was
 * not seen before the interval, so a task has none when it is met for the first time, unless it is
 * new.
 */
struct run_proofs {
	const struct sys *sys;
	uint64_t sequence; /* of the interval ... */
	uint64_t begin_ns; /* ... and its begin: a task that started later had no CPU time then */
	unsigned left;     /* readings that are still allowed */
};

/* What was counted of a task in an interval. */
struct run_counts {
	uint64_t ns, switches;
};

/* Returns whether it is proven that the task did no more, in an interval of length_ns. */
bool run_proof_holds(struct run_proofs *proofs, struct task *task, const struct run_counts *counted,
		     uint64_t length_ns);

#endif
