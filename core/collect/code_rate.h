// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_RATE_H
#define PMCTOP_CODE_RATE_H

#include "core/base/notes.h"
#include "core/base/util.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * How often code is sampled: the requested rate, or less where that costs too much.
 *
 * Cost: pmctop's own is measured as CPU time. The kernel's is taken as CODE_SAMPLE_NS for each
 * sample; it cannot be measured from outside. Where both exceed CODE_COST_MOST of a CPU in
 * CODE_COSTLY_INTERVALS successive intervals, the rate is halved, and a note states it.
 *
 * Limit: half of perf_event_max_sample_rate, which the kernel lowers where interrupts take long.
 * Beyond it the kernel drops samples without a record of how many.
 */
#define CODE_SAMPLE_NS (10 * NS_PER_US) /* 12 to 18 us in a virtual machine, 2 to 5 us outside */
#define CODE_COST_MOST 0.01
enum { CODE_COSTLY_INTERVALS = 3, CODE_HZ_LEAST = 10 };
/* Tasks that ran for less time have no rate that is worth a new period. */
#define CODE_RATE_LEAST_NS (10 * NS_PER_MS)

struct code_rate {
	const struct sys *sys; /* borrowed, as is the next */
	struct notes *notes;
	unsigned requested_hz;
	unsigned hz;             /* the same, or less: the cost, the limit */
	uint64_t max_hz;         /* perf_event_max_sample_rate; 0: unknown */
	unsigned costly;         /* successive intervals in which it cost too much */
	uint64_t own_ns, cut_ns; /* CPU time since the last judgement, and when that was */
};

/* Begins with the requested rate. */
void code_rate_begin(struct code_rate *rate, unsigned hz);
/*
 * Judges the interval that has ended. `samples`: of the CPU with the most; other_ns: CPU time that
 * they cost pmctop beside own_ns. Not `open`: nothing was sampled, and nothing is halved.
 */
void code_rate_judge(struct code_rate *rate, bool open, uint64_t samples, uint64_t other_ns);
/* Returns the next period of page-faults, after `samples` with the present one in ran_ns. */
uint64_t code_rate_faults_period(const struct code_rate *rate, uint64_t period, uint64_t samples,
				 uint64_t ran_ns);

#endif
