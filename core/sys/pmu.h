// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PMU_H
#define PMCTOP_PMU_H

#include "core/sys/cpus.h"
#include "core/sys/sys.h"

#include <stddef.h>
#include <stdint.h>

#define PMU_DEVICES "/sys/bus/event_source/devices"

/* The PMUs of this machine in /sys/bus/event_source/devices. */
enum pmu_kind {
	PMU_CORE,     /* counters of CPUs; two on machines with two kinds of CPUs */
	PMU_SOCKET,   /* shared by several CPUs (uncore, power); has a cpumask */
	PMU_SOFTWARE, /* counted by the kernel: software, tracepoint, msr ... */
	PMU_OTHER,    /* traces, or counts anything else */
};

struct pmu {
	char name[64]; /* "cpu", "cpu_atom", "armv8_pmuv3_0", "uncore_imc_0" */
	uint32_t type; /* of perf_event_attr */
	enum pmu_kind kind;
	struct cpu_list cpus; /* CORE: the CPUs with this PMU; SOCKET: one CPU of each socket,
				 on which events are opened; else empty */
};

/* Core PMUs first, then by name. */
struct pmu_set {
	struct pmu *items;
	size_t n;
	size_t n_core;
};

/*
 * Reads all PMUs. If there is no core PMU (a virtual machine), or some CPUs belong to none, the
 * last core PMU has the name "" and those CPUs. So there is at least one core PMU, and every
 * possible CPU belongs to exactly one. Never fails: a PMU that cannot be read is left out.
 */
void pmu_set_read(const struct sys *sys, struct pmu_set *set);
void pmu_set_fini(struct pmu_set *set);

/* The PMU of that name, or NULL. */
const struct pmu *pmu_set_find(const struct pmu_set *set, const char *name);
/*
 * Reads the present CPUs of a PMU: if a CPU of a cpumask went offline, the kernel replaces it by
 * another of its socket. The caller calls cpu_list_fini().
 */
void pmu_read_cpus(const struct sys *sys, const struct pmu *pmu, struct cpu_list *cpus);
/* The index of the core PMU that a CPU belongs to. */
size_t pmu_set_core_of(const struct pmu_set *set, int cpu);
/*
 * The kind of a CPU on a machine with several: "P-core", "E-core", else the name of its PMU. "" if
 * all CPUs are alike, or unknown.
 */
void pmu_set_cpu_type(const struct pmu_set *set, int cpu, char *type, size_t size);

#endif
