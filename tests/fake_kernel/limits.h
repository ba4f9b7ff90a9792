// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_LIMITS_H
#define PMCTOP_FAKE_KERNEL_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which events a core PMU can count at the same time, as Linux decides it: event_constraint and
 * extra_reg in arch/x86/events, the cycle counter in drivers/perf/arm_pmuv3.c. This shares nothing
 * with the code that packs groups (core/event/plan_pack.c): every assignment is tried.
 *
 * Sets of counters have bit 0 for general counter 0, bit 32 for fixed counter 0, and bit 48 for the
 * first of the top-down metrics, which are counters that slots must lead.
 */
#define FK_FIXED(n)  (1ull << (32 + (n)))
#define FK_METRIC(n) (1ull << (48 + (n)))

/* For events with first <= (config & mask) <= last; the first entry that matches is used. */
struct fk_constraint {
	uint64_t mask, first, last;
	uint64_t counters;
};

/* Registers beside the counter that an event needs; config1 is the value. */
enum fk_register {
	FK_NO_REGISTER,
	FK_OFFCORE, /* there are two */
	FK_FRONTEND,
	FK_LDLAT,
	FK_REGISTERS,
};

struct fk_register_use {
	uint64_t code; /* event and umask: the lower 16 bits of config */
	enum fk_register use;
	uint64_t valid; /* bits of config1; others are EINVAL */
};

struct fk_limits {
	const struct fk_constraint *constraints;
	size_t n_constraints;
	const struct fk_register_use *registers;
	size_t n_registers;
	unsigned metrics; /* top-down metrics: 0, 4 or 8 */
	unsigned width;   /* slots of a cycle, where there are metrics */
};

/* What one event needs. */
struct fk_need {
	uint64_t counters; /* any of them */
	enum fk_register use;
	uint64_t value; /* of that register */
};

/* `general`: the number of general counters. An event without an entry can be on each of them. */
struct fk_need fk_limits_need(const struct fk_limits *limits, unsigned general, uint64_t config,
			      uint64_t config1);
/* Whether so many events have a counter and their registers at the same time; n <= 64. */
bool fk_limits_fit(const struct fk_need *needs, size_t n);

/* Of a config: slots, and one of the metrics that it must lead. */
bool fk_limits_is_slots(const struct fk_limits *limits, uint64_t config);
bool fk_limits_is_metric(const struct fk_limits *limits, uint64_t config);
/* The register of an event, or FK_NO_REGISTER. *valid: see above. */
enum fk_register fk_limits_register(const struct fk_limits *limits, uint64_t config,
				    uint64_t *valid);
/*
 * Whether the vendor says that nothing else must be counted beside the event (TakenAlone of
 * Intel's files): events that need the registers FRONTEND and LDLAT. Linux counts them with others.
 */
bool fk_limits_is_alone(const struct fk_limits *limits, uint64_t config);

#endif
