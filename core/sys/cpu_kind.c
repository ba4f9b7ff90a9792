// SPDX-License-Identifier: MIT
/*
 * Model numbers: Intel's as in the kernel's asm/intel-family.h, Arm's as in asm/cputype.h, and the
 * ranges of AMD's Zens as in bsp_init_amd() of arch/x86/kernel/cpu/amd.c.
 */
#include "core/sys/cpu_kind.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough for any machine with several kinds of CPUs. On others the first CPU is enough. */
#define CPUINFO_BYTES ((size_t)64 << 10)

/* The numbers in the lines of one CPU; -1: absent. */
struct cpu_lines {
	enum { VENDOR_UNKNOWN, VENDOR_INTEL, VENDOR_AMD, VENDOR_HYGON } vendor;
	long family, model, stepping;
	long implementer, part, variant, revision;
	bool hbm; /* Xeon Max: Sapphire Rapids with memory in the package, in its name alone */
};

static const struct cpu_lines no_lines = {VENDOR_UNKNOWN, -1, -1, -1, -1, -1, -1, -1, false};

static unsigned intel_kind(const struct cpu_lines *cpu)
{
	static const struct {
		unsigned char model;
		unsigned short kind;
	} models[] = {
		{0x2A, CPU_INTEL_SNB},     {0x2D, CPU_INTEL_SNB},

		{0x3A, CPU_INTEL_IVB_BDW}, {0x3E, CPU_INTEL_IVB_BDW}, {0x3C, CPU_INTEL_IVB_BDW},
		{0x3F, CPU_INTEL_IVB_BDW}, {0x45, CPU_INTEL_IVB_BDW}, {0x46, CPU_INTEL_IVB_BDW},
		{0x3D, CPU_INTEL_IVB_BDW}, {0x47, CPU_INTEL_IVB_BDW}, {0x4F, CPU_INTEL_IVB_BDW},
		{0x56, CPU_INTEL_IVB_BDW},

		{0x4E, CPU_INTEL_SKL},     {0x5E, CPU_INTEL_SKL},     {0x55, CPU_INTEL_SKL},
		{0x8E, CPU_INTEL_SKL},     {0x9E, CPU_INTEL_SKL},     {0xA5, CPU_INTEL_SKL},
		{0xA6, CPU_INTEL_SKL},     {0x66, CPU_INTEL_SKL},

		{0x6A, CPU_INTEL_ICL},     {0x6C, CPU_INTEL_ICL},     {0x7D, CPU_INTEL_ICL},
		{0x7E, CPU_INTEL_ICL},     {0x9D, CPU_INTEL_ICL},     {0x8C, CPU_INTEL_ICL},
		{0x8D, CPU_INTEL_ICL},     {0xA7, CPU_INTEL_ICL},     {0x8F, CPU_INTEL_ICL},
		{0xCF, CPU_INTEL_ICL},     {0xAD, CPU_INTEL_ICL},     {0xAE, CPU_INTEL_ICL},
		{0x97, CPU_INTEL_ICL},     {0x9A, CPU_INTEL_ICL},     {0xB7, CPU_INTEL_ICL},
		{0xBA, CPU_INTEL_ICL},     {0xBF, CPU_INTEL_ICL},     {0xAC, CPU_INTEL_ICL},
		{0xAA, CPU_INTEL_ICL},     {0xC5, CPU_INTEL_ICL},     {0xC6, CPU_INTEL_ICL},
		{0xB5, CPU_INTEL_ICL},     {0xBD, CPU_INTEL_ICL},     {0xCC, CPU_INTEL_ICL},
		{0xD5, CPU_INTEL_ICL},     {0xD7, CPU_INTEL_ICL},
	};

	for (size_t i = 0; cpu->family == 6 && i < ARRAY_SIZE(models); i++)
		if (models[i].model == cpu->model)
			return models[i].kind;
	return CPU_INTEL_OTHER;
}

static unsigned amd_kind(const struct cpu_lines *cpu)
{
	static const struct {
		unsigned char family, first, last; /* of models */
		unsigned short kind;
	} ranges[] = {
		{0x17, 0x00, 0x2F, CPU_ZEN1}, {0x17, 0x50, 0x5F, CPU_ZEN1},
		{0x17, 0x30, 0x4F, CPU_ZEN2}, {0x17, 0x60, 0x7F, CPU_ZEN2},
		{0x17, 0x90, 0x91, CPU_ZEN2}, {0x17, 0xA0, 0xAF, CPU_ZEN2},
		{0x19, 0x00, 0x0F, CPU_ZEN3}, {0x19, 0x20, 0x5F, CPU_ZEN3},
		{0x19, 0x10, 0x1F, CPU_ZEN4}, {0x19, 0x60, 0xAF, CPU_ZEN4},
		{0x1A, 0x00, 0x2F, CPU_ZEN5}, {0x1A, 0x40, 0x4F, CPU_ZEN5},
		{0x1A, 0x60, 0x7F, CPU_ZEN5},
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (cpu->family == ranges[i].family && cpu->model >= ranges[i].first &&
		    cpu->model <= ranges[i].last)
			return ranges[i].kind;
	return CPU_AMD_OTHER;
}

static unsigned kind_of(const struct cpu_lines *cpu)
{
	switch (cpu->vendor) {
	case VENDOR_INTEL:
		return intel_kind(cpu);
	case VENDOR_AMD:
		return amd_kind(cpu);
	case VENDOR_HYGON:
		return CPU_ZEN1;
	case VENDOR_UNKNOWN:
		break;
	}
	if (cpu->implementer < 0)
		return 0;
	return cpu->implementer == 0x41 && cpu->part == 0xD49 && cpu->variant == 0 &&
			       cpu->revision >= 0 && cpu->revision < 3
		       ? CPU_NEOVERSE_N2_R0P0
		       : CPU_ARM_OTHER;
}

/* The value of "key\t: value\n" if the line has that key, else NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0)
		return NULL;
	line += length;
	line += strspn(line, " \t");
	if (*line != ':')
		return NULL;
	return line + 1 + strspn(line + 1, " \t");
}

static void read_vendor(const char *line, struct cpu_lines *cpu)
{
	const char *value = value_of(line, "vendor_id");

	if (!value)
		return;
	if (strncmp(value, "GenuineIntel\n", 13) == 0)
		cpu->vendor = VENDOR_INTEL;
	else if (strncmp(value, "AuthenticAMD\n", 13) == 0)
		cpu->vendor = VENDOR_AMD;
	else if (strncmp(value, "HygonGenuine\n", 13) == 0)
		cpu->vendor = VENDOR_HYGON;
}

/* x86 has decimal numbers, Arm numbers with 0x except the revision. */
static void read_number(const char *line, const char *key, long *number)
{
	const char *value = value_of(line, key);
	char *end;

	if (!value || *value < '0' || *value > '9') /* strtol() would skip the newline */
		return;
	long read = strtol(value, &end, 0);
	if (*end == '\n')
		*number = read;
}

static void read_name(const char *line, struct cpu_lines *cpu)
{
	static const char name[] = "Intel(R) Xeon(R) CPU Max ";
	const char *value = value_of(line, "model name");

	cpu->hbm |= value && strncmp(value, name, strlen(name)) == 0;
}

/* Calls fn with the numbers of each CPU whose lines are complete. */
static void each_cpu(const char *cpuinfo, void (*fn)(void *arg, const struct cpu_lines *cpu),
		     void *arg)
{
	struct cpu_lines cpu = no_lines;

	for (const char *line = cpuinfo, *end; (end = strchr(line, '\n')); line = end + 1) {
		if (end == line) { /* a blank line ends the lines of one CPU */
			fn(arg, &cpu);
			cpu = no_lines;
		}
		read_vendor(line, &cpu);
		read_name(line, &cpu);
		read_number(line, "cpu family", &cpu.family);
		read_number(line, "model", &cpu.model);
		read_number(line, "stepping", &cpu.stepping);
		read_number(line, "CPU implementer", &cpu.implementer);
		read_number(line, "CPU part", &cpu.part);
		read_number(line, "CPU variant", &cpu.variant);
		read_number(line, "CPU revision", &cpu.revision);
	}
}

/* The text of /proc/cpuinfo as far as it is needed; "" if unreadable. The caller frees it. */
static char *read_cpuinfo(const struct sys *sys)
{
	char *text = xmalloc(CPUINFO_BYTES);

	if (sys_file_read(sys, "/proc/cpuinfo", text, CPUINFO_BYTES) < 0)
		text[0] = '\0';
	return text;
}

static void add_kind(void *arg, const struct cpu_lines *cpu)
{
	unsigned *kinds = arg;

	*kinds |= kind_of(cpu);
}

unsigned cpu_kind_parse(const char *cpuinfo)
{
	unsigned kinds = 0;

	each_cpu(cpuinfo, add_kind, &kinds);
	return kinds;
}

unsigned cpu_kind_read(const struct sys *sys)
{
	char *text = read_cpuinfo(sys);
	unsigned kinds = cpu_kind_parse(text);

	free(text);
	return kinds;
}

struct cpu_ids {
	char id[64]; /* of the first CPU */
	bool differ;
};

static void write_id(const struct cpu_lines *cpu, char *text, size_t size)
{
	static const char *const vendors[] = {
		[VENDOR_INTEL] = "GenuineIntel",
		[VENDOR_AMD] = "AuthenticAMD",
		[VENDOR_HYGON] = "HygonGenuine",
	};

	text[0] = '\0';
	if (cpu->vendor != VENDOR_UNKNOWN)
		snprintf(text, size, "%s-%ld-%lX-%lX%s", vendors[cpu->vendor], cpu->family,
			 cpu->model, cpu->stepping, cpu->hbm ? "-HBM" : "");
	else if (cpu->implementer >= 0)
		snprintf(text, size, "ARM-%lX-%lX-%lX-%lX", cpu->implementer, cpu->part,
			 cpu->variant, cpu->revision);
}

static void add_id(void *arg, const struct cpu_lines *cpu)
{
	struct cpu_ids *ids = arg;
	char id[64];

	write_id(cpu, id, sizeof(id));
	if (!id[0])
		return;
	if (!ids->id[0])
		text_copy(ids->id, sizeof(ids->id), id);
	ids->differ |= strcmp(ids->id, id) != 0;
}

void cpu_kind_parse_id(const char *cpuinfo, char *text, size_t size)
{
	struct cpu_ids ids = {""};

	each_cpu(cpuinfo, add_id, &ids);
	text_copy(text, size, ids.differ ? "" : ids.id);
}

void cpu_kind_id(const struct sys *sys, char *text, size_t size)
{
	char *cpuinfo = read_cpuinfo(sys);

	cpu_kind_parse_id(cpuinfo, text, size);
	free(cpuinfo);
}

void cpu_kinds_name(unsigned kinds, char *text, size_t size)
{
	static const struct {
		unsigned kinds;
		const char *name;
	} sets[] = {
		/* A set before its parts. */
		{CPU_INTEL, "Intel"},
		{CPU_AMD, "AMD"},
		{CPU_ARM, "Arm"},
		{CPU_INTEL_IVB_BDW | CPU_INTEL_SKL | CPU_INTEL_ICL, "Intel since Ivy Bridge"},
		{CPU_INTEL_ICL, "Intel since Ice Lake"},
		{CPU_INTEL_SNB_SKL, "Sandy Bridge to Skylake"},
		{CPU_INTEL_SNB | CPU_INTEL_IVB_BDW, "Sandy Bridge to Broadwell"},
		{CPU_INTEL_SKL, "Skylake"},
		{CPU_ZEN1 | CPU_ZEN2 | CPU_ZEN3, "Zen 1 to 3"},
		{CPU_ZEN4 | CPU_ZEN5, "Zen 4, 5"},
		{CPU_ZEN4, "Zen 4"},
		{CPU_ZEN5, "Zen 5"},
		{CPU_NEOVERSE_N2_R0P0, "Neoverse N2 before r0p3"},
		{~0U, "others"},
	};
	size_t length = text_copy(text, size, kinds ? "" : "any");

	for (size_t i = 0; i < ARRAY_SIZE(sets) && kinds && length < size; i++) {
		if ((kinds & sets[i].kinds) != sets[i].kinds && sets[i].kinds != ~0U)
			continue;
		length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
					   sets[i].name);
		kinds &= ~sets[i].kinds;
	}
}

static unsigned read_slots(const struct sys *sys, const struct pmu *pmu)
{
	char path[160], text[32];

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/caps/slots", pmu->name);
	if (sys_file_read(sys, path, text, sizeof(text)) < 0)
		return 0;
	unsigned long slots = strtoul(text, NULL, 0);    /* the kernel writes 0x00000005 */
	return slots <= UINT8_MAX ? (unsigned)slots : 0; /* the register has eight bits */
}

unsigned cpu_slots_per_cycle(const struct sys *sys, const struct pmu_set *pmus)
{
	unsigned slots = 0;

	for (size_t i = 0; i < pmus->n_core; i++) {
		unsigned of_pmu = read_slots(sys, &pmus->items[i]);

		if (i > 0 && of_pmu != slots)
			return 0;
		slots = of_pmu;
	}
	return slots;
}
