// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_MODEL_H
#define PMCTOP_CPU_MODEL_H

#include "core/sys/pmu.h"
#include "core/sys/sys.h"

/*
 * What kinds of CPUs a machine has, as far as the formulas of metrics differ: a bit for each kind,
 * sets of them for metric_form.where. Most machines have one kind, some Arm machines have several.
 *
 * There is no bit for what sysfs tells better: that a CPU has the top-down counters (Intel since
 * Ice Lake, their second level since Sapphire Rapids) shows in its events.
 */
enum cpu_kind {
	CPU_INTEL_OTHER = 1 << 0, /* before Sandy Bridge, Atom, or not known yet */
	CPU_INTEL_SNB = 1 << 1,
	CPU_INTEL_IVB_BDW = 1 << 2, /* Ivy Bridge, Haswell, Broadwell */
	CPU_INTEL_SKL = 1 << 3,     /* Skylake to Comet Lake and Cannon Lake */
	CPU_INTEL_ICL = 1 << 4,     /* Ice Lake and later, whatever E-cores stand beside them */
	CPU_AMD_OTHER = 1 << 5,
	CPU_ZEN1 = 1 << 6, /* Hygon's too */
	CPU_ZEN2 = 1 << 7,
	CPU_ZEN3 = 1 << 8,
	CPU_ZEN4 = 1 << 9,
	CPU_ZEN5 = 1 << 10,
	CPU_ARM_OTHER = 1 << 11,
	CPU_NEOVERSE_N2_R0P0 = 1 << 12, /* to r0p2: stall_slot counts one too many a cycle */

	CPU_INTEL_SNB_SKL = CPU_INTEL_SNB | CPU_INTEL_IVB_BDW | CPU_INTEL_SKL,
	CPU_INTEL = CPU_INTEL_OTHER | CPU_INTEL_SNB_SKL | CPU_INTEL_ICL,
	CPU_ZEN = CPU_ZEN1 | CPU_ZEN2 | CPU_ZEN3 | CPU_ZEN4 | CPU_ZEN5,
	CPU_AMD = CPU_AMD_OTHER | CPU_ZEN,
	CPU_ARM = CPU_ARM_OTHER | CPU_NEOVERSE_N2_R0P0,
};

/* "Intel, AMD", "Zen 4, 5"; "any" for 0, which is a formula for all CPUs. */
void cpu_kinds_name(unsigned kinds, char *text, size_t size);

/* What formulas ask of the CPUs, where it is known already: of a machine elsewhere. */
struct cpu_facts {
	unsigned kinds; /* as cpu_model_read */
	unsigned slots_per_cycle;
};

/* From /proc/cpuinfo; 0 where it does not tell. */
unsigned cpu_model_read(const struct sys *sys);
/* From its text, of which only whole lines count: it may be cut off anywhere. */
unsigned cpu_model_parse(const char *cpuinfo);

/*
 * How many operations a CPU can begin in a cycle, as Arm's core PMUs tell in caps/slots; 0 where
 * they do not, or where a machine has CPUs that differ in it.
 */
unsigned cpu_slots_per_cycle(const struct sys *sys, const struct pmu_set *pmus);

#endif
