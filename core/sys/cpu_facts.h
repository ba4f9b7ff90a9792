// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_FACTS_H
#define PMCTOP_CPU_FACTS_H

#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <stdint.h>

/*
 * Facts about the CPUs that formulas need. On a running machine they are read when they are first
 * needed, and kept; CPUs that come and go later do not change them. A recording has the facts of
 * its machine.
 *
 * The topology has the online CPUs, from /sys/devices/system/cpu/cpuN/topology. The frequency of
 * the time stamp counter follows from the kernel's conversion to ns, in the control page of a perf
 * event: 10^9 * 2^time_shift / time_mult; not if the kernel has another clock, as in most virtual
 * machines.
 */
enum cpu_fact {
	CPU_FACT_SLOTS,  /* operations that an Arm CPU can start in a cycle */
	CPU_FACT_TSC_HZ, /* of the time stamp counter of x86 */
	CPU_FACT_CPUS,   /* present ones: the last number and one */
	CPU_FACT_CPUS_ONLINE,
	CPU_FACT_CORES,
	CPU_FACT_DIES,
	CPU_FACT_SOCKETS,
	CPU_FACT_THREADS_PER_CORE, /* of the core with most */
	CPU_FACTS,
};

struct cpu_facts {
	const struct sys *sys; /* NULL: of a recording; borrowed */
	const struct pmu_set *pmus;
	unsigned kinds;             /* of cpu_kind.h, if `read` has the bit CPU_FACTS */
	uint64_t values[CPU_FACTS]; /* 0: unknown */
	unsigned read;              /* bits of enum cpu_fact */
};

/* Of the running machine; reads nothing. Zeroed: nothing is known. */
void cpu_facts_init(struct cpu_facts *facts, const struct sys *sys, const struct pmu_set *pmus);

/* Returns the bits of enum cpu_kind; 0: unknown. */
unsigned cpu_facts_kinds(struct cpu_facts *facts);
/* Returns the value; 0: unknown. */
uint64_t cpu_facts_get(struct cpu_facts *facts, enum cpu_fact fact);

#endif
