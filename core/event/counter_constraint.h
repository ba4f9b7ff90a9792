// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTER_CONSTRAINT_H
#define PMCTOP_COUNTER_CONSTRAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where a core PMU can count a code, as far as it is known from the vendor's table, the terms of
 * the code and sysfs. It saves attempts: the kernel has the last word on a group that passes here.
 * All members are 0 if nothing is known.
 */

/* Registers beside the counters. One register has one value, attr.config1, for a whole group. */
enum counter_register {
	COUNTER_NO_REGISTER,
	COUNTER_OFFCORE, /* there are two, and the kernel takes either */
	COUNTER_FRONTEND,
	COUNTER_LOAD_LATENCY,
	COUNTER_REGISTERS, /* the number of values */
};

/* Intel's slots, and the metrics that count only in a group that slots leads. */
enum counter_topdown {
	COUNTER_NO_TOPDOWN,
	COUNTER_SLOTS,
	COUNTER_TOPDOWN_METRIC,
};

struct counter_constraint {
	/*
	 * The counters that can count the code: bit i is general counter i, bit 32 + i fixed
	 * counter i, bit 48 + i the metric of that number, which needs no counter. 0: unknown.
	 */
	uint64_t counters;
	uint64_t pmu_counters; /* all counters that the vendor has for the PMU; 0: unknown */
	enum counter_register extra;
	enum counter_topdown topdown;
	bool alone; /* no other code is on a general counter at the same time */
};

#define COUNTER_GENERAL UINT64_C(0xffffffff)
#define COUNTER_FIXED   UINT64_C(0xffff00000000)
enum {
	COUNTER_FIRST_FIXED = 32,
	COUNTER_FIRST_METRIC = 48,
	COUNTER_SLOTS_FIXED = 3,      /* the fixed counter of slots */
	COUNTER_SLOTS_CONFIG = 0x400, /* the attr.config of slots */
};

/*
 * Sets what is known of a code of that config on a PMU that has slots: whether it is slots, or one
 * of the metrics. Others do not change.
 */
void counter_constraint_set_topdown(struct counter_constraint *constraint, uint64_t config);

struct event_code;

/*
 * Whether a code must be in a group that the other leads: it is a metric, the other is slots, and
 * both count the same levels. Slots has the levels of the metrics beside it.
 */
bool counter_constraint_leads(const struct event_code *slots, const struct event_code *metric);

/*
 * Whether these codes of one core PMU can count at the same time: there is a different counter for
 * each, no register needs more values than it has, an event that is taken alone has the general
 * counters for itself, and metrics have slots. A code whose counters are unknown needs none here.
 * watchdog: the kernel counts cycles on each CPU beside them.
 */
bool counter_constraint_fits(const struct event_code *const *codes, size_t n, bool watchdog);

/*
 * Returns how scarce the counters of a code are: 0 if they are unknown, more for a code that fewer
 * counters can count. Codes and sums of them are compared.
 */
unsigned counter_constraint_scarcity(const struct event_code *code);

#endif
