// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PMU_H
#define PMCTOP_PMU_H

#include "core/sys/cpus.h"
#include "core/sys/sys.h"

#include <stddef.h>
#include <stdint.h>

#define PMU_DEVICES "/sys/bus/event_source/devices"

/* What counts events, as /sys/bus/event_source/devices tells of this machine. */
enum pmu_kind {
	PMU_CORE,     /* the counters of CPUs; machines with two kinds of CPUs have two */
	PMU_SOCKET,   /* shared by several CPUs (uncore, power): has a cpumask */
	PMU_SOFTWARE, /* counted by the kernel itself: software, tracepoint, msr ... */
	PMU_OTHER,    /* traces, or counts something else */
};

struct pmu {
	char name[64]; /* "cpu", "cpu_atom", "armv8_pmuv3_0", "uncore_imc_0" */
	uint32_t type; /* of perf_event_attr */
	enum pmu_kind kind;
	struct cpu_list cpus; /* CORE: whose counters these are; SOCKET: one CPU of each socket,
				 where its events are opened; else empty */
};

/* In the order of their names, the core ones first. */
struct pmu_set {
	struct pmu *items;
	size_t n;
	size_t n_core;
};

/*
 * Reads them. Where no core PMU shows (a virtual machine), or some CPUs belong to none, there is
 * one more at the end of the core ones with the name "", whose CPUs these are: so that there is at
 * least one, and every possible CPU has exactly one. Never fails: what cannot be read is not there.
 */
void pmu_set_read(const struct sys *sys, struct pmu_set *set);
void pmu_set_fini(struct pmu_set *set);

/* By name, NULL where there is none. */
const struct pmu *pmu_set_find(const struct pmu_set *set, const char *name);
/*
 * The CPUs of a PMU as they are now: where one went offline, another stands for its socket. To be
 * given up with cpu_list_fini.
 */
void pmu_read_cpus(const struct sys *sys, const struct pmu *pmu, struct cpu_list *cpus);
/* The index of the core PMU that a CPU belongs to. */
size_t pmu_set_core_of(const struct pmu_set *set, int cpu);
/*
 * What kind of CPU it is on a machine that has several: "P-core", "E-core", else the name of its
 * PMU; "" where all are alike, or nothing is known of them.
 */
void pmu_set_cpu_type(const struct pmu_set *set, int cpu, char *type, size_t size);

#endif
