// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_KIND_H
#define PMCTOP_CPU_KIND_H

#include "core/sys/pmu.h"
#include "core/sys/sys.h"

/*
 * The kinds of CPUs for which the formulas of metrics differ, one bit each. metric_form.where has
 * sets of them. Most machines have one kind, some Arm machines have several.
 *
 * Top-down counters (Intel since Ice Lake, their second level since Sapphire Rapids) have no bit,
 * because sysfs lists their events.
 */
enum cpu_kind {
	CPU_INTEL_OTHER = 1 << 0, /* before Sandy Bridge, Atom, or unknown */
	CPU_INTEL_SNB = 1 << 1,
	CPU_INTEL_IVB_BDW = 1 << 2, /* Ivy Bridge, Haswell, Broadwell */
	CPU_INTEL_SKL = 1 << 3,     /* Skylake to Comet Lake and Cannon Lake */
	CPU_INTEL_ICL = 1 << 4,     /* Ice Lake and later, with or without E-cores */
	CPU_AMD_OTHER = 1 << 5,
	CPU_ZEN1 = 1 << 6, /* also Hygon */
	CPU_ZEN2 = 1 << 7,
	CPU_ZEN3 = 1 << 8,
	CPU_ZEN4 = 1 << 9,
	CPU_ZEN5 = 1 << 10,
	CPU_ARM_OTHER = 1 << 11,
	CPU_NEOVERSE_N2_R0P0 = 1 << 12, /* up to r0p2: stall_slot is too high by one a cycle */

	CPU_INTEL_SNB_SKL = CPU_INTEL_SNB | CPU_INTEL_IVB_BDW | CPU_INTEL_SKL,
	CPU_INTEL = CPU_INTEL_OTHER | CPU_INTEL_SNB_SKL | CPU_INTEL_ICL,
	CPU_ZEN = CPU_ZEN1 | CPU_ZEN2 | CPU_ZEN3 | CPU_ZEN4 | CPU_ZEN5,
	CPU_AMD = CPU_AMD_OTHER | CPU_ZEN,
	CPU_ARM = CPU_ARM_OTHER | CPU_NEOVERSE_N2_R0P0,
};

/* Writes "Intel, AMD", "Zen 4, 5"; "any" for 0, a formula for all CPUs. */
void cpu_kinds_name(unsigned kinds, char *text, size_t size);

/* The kinds in /proc/cpuinfo; 0 if unknown. */
unsigned cpu_kind_read(const struct sys *sys);
/* The same from its text, which may be cut off: only complete lines count. */
unsigned cpu_kind_parse(const char *cpuinfo);

/*
 * Writes what identifies the CPUs in /proc/cpuinfo: vendor, family, model and stepping as
 * "GenuineIntel-6-55-4" (the family decimal, the others hexadecimal), on Arm implementer, part,
 * variant and revision as "ARM-41-D49-0-1" (hexadecimal). "" if unknown, or if CPUs differ. Xeon
 * Max has "-HBM" behind the numbers of Sapphire Rapids.
 */
void cpu_kind_id(const struct sys *sys, char *text, size_t size);
/* The same from its text, as in cpu_kind_parse(). */
void cpu_kind_parse_id(const char *cpuinfo, char *text, size_t size);

/* Operations that an Arm CPU can begin a cycle (caps/slots); 0 if unknown or CPUs differ. */
unsigned cpu_slots_per_cycle(const struct sys *sys, const struct pmu_set *pmus);

#endif
