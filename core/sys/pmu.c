// SPDX-License-Identifier: MIT
/*
 * The kind of a PMU follows from its name and files: a PMU with a cpumask belongs to a socket; a
 * core PMU has a file "cpus", or is "cpu" (x86) or "armv..." for all CPUs.
 */
#include "core/sys/pmu.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list of CPUs in a file of a PMU. False if there is none. */
static bool read_cpus(const struct sys *sys, const char *pmu, const char *file,
		      struct cpu_list *list)
{
	char path[160], text[4096];

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/%s", pmu, file);
	return sys_file_read(sys, path, text, sizeof(text)) >= 0 && cpu_list_parse(text, list) == 0;
}

static bool is_software(const char *name)
{
	static const char *const names[] = {
		"software", "tracepoint", "breakpoint", "kprobe", "uprobe", "msr",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void classify(const struct sys *sys, struct pmu *pmu)
{
	if (is_software(pmu->name)) {
		pmu->kind = PMU_SOFTWARE;
	} else if (read_cpus(sys, pmu->name, "cpumask", &pmu->cpus)) {
		pmu->kind = PMU_SOCKET;
	} else if (read_cpus(sys, pmu->name, "cpus", &pmu->cpus)) {
		pmu->kind = PMU_CORE;
	} else if (strcmp(pmu->name, "cpu") == 0 || strncmp(pmu->name, "armv", 4) == 0) {
		pmu->kind = PMU_CORE;
		cpus_possible(sys, &pmu->cpus);
	} else {
		pmu->kind = PMU_OTHER;
	}
}

struct reading {
	const struct sys *sys;
	struct pmu_set *set;
	size_t capacity;
};

static struct pmu *append_pmu(struct reading *reading)
{
	struct pmu_set *set = reading->set;

	set->items = array_reserve(set->items, &reading->capacity, set->n + 1, sizeof(*set->items));
	set->items[set->n] = (struct pmu){0};
	return &set->items[set->n++];
}

static int read_pmu(void *arg, const char *name)
{
	struct reading *reading = arg;
	char path[160];
	long type;

	snprintf(path, sizeof(path), PMU_DEVICES "/%.63s/type", name);
	if (strlen(name) >= sizeof(reading->set->items->name) ||
	    proc_number(reading->sys, path, &type) < 0 || type < 0 || type > UINT32_MAX)
		return 0;
	struct pmu *pmu = append_pmu(reading);
	pmu->type = (uint32_t)type;
	text_copy(pmu->name, sizeof(pmu->name), name);
	classify(reading->sys, pmu);
	return 0;
}

static int compare_pmus(const void *a, const void *b)
{
	const struct pmu *left = a, *right = b;

	if ((left->kind == PMU_CORE) != (right->kind == PMU_CORE))
		return left->kind == PMU_CORE ? -1 : 1;
	/* The nameless one is last. */
	if (!left->name[0] != !right->name[0])
		return left->name[0] ? -1 : 1;
	return strcmp(left->name, right->name);
}

static size_t count_core(const struct pmu_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += set->items[i].kind == PMU_CORE;
	return n;
}

/* Adds the nameless core PMU for CPUs without one, or if there is no core PMU. */
static void add_nameless(struct reading *reading)
{
	struct cpu_list possible = {0}, rest = {0};

	cpus_possible(reading->sys, &possible);
	rest.numbers = xcalloc(possible.n, sizeof(int));
	for (size_t i = 0; i < possible.n; i++) {
		bool owned = false;

		for (size_t k = 0; k < reading->set->n; k++)
			owned |= reading->set->items[k].kind == PMU_CORE &&
				 cpu_list_has(&reading->set->items[k].cpus, possible.numbers[i]);
		if (!owned)
			rest.numbers[rest.n++] = possible.numbers[i];
	}
	cpu_list_fini(&possible);
	if (rest.n == 0 && count_core(reading->set) > 0) {
		cpu_list_fini(&rest);
		return;
	}
	struct pmu *pmu = append_pmu(reading);
	pmu->kind = PMU_CORE;
	pmu->cpus = rest;
}

void pmu_set_read(const struct sys *sys, struct pmu_set *set)
{
	struct reading reading = {.sys = sys, .set = set};

	*set = (struct pmu_set){0};
	sys_dir_each(sys, PMU_DEVICES, read_pmu, &reading);
	add_nameless(&reading);
	if (set->n > 0)
		qsort(set->items, set->n, sizeof(*set->items), compare_pmus);
	set->n_core = count_core(set);
}

void pmu_set_fini(struct pmu_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		cpu_list_fini(&set->items[i].cpus);
	free(set->items);
	*set = (struct pmu_set){0};
}

const struct pmu *pmu_set_find(const struct pmu_set *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->items[i].name, name) == 0)
			return &set->items[i];
	return NULL;
}

void pmu_read_cpus(const struct sys *sys, const struct pmu *pmu, struct cpu_list *cpus)
{
	if (pmu->kind == PMU_SOCKET && read_cpus(sys, pmu->name, "cpumask", cpus))
		return;
	*cpus = (struct cpu_list){.numbers = xcalloc(pmu->cpus.n, sizeof(int)), .n = pmu->cpus.n};
	if (cpus->n > 0)
		memcpy(cpus->numbers, pmu->cpus.numbers, cpus->n * sizeof(int));
}

size_t pmu_set_core_of(const struct pmu_set *set, int cpu)
{
	for (size_t i = 0; i < set->n_core; i++)
		if (cpu_list_has(&set->items[i].cpus, cpu))
			return i;
	return 0;
}

void pmu_set_cpu_type(const struct pmu_set *set, int cpu, char *type, size_t size)
{
	static const char *const known[][2] = {
		{"cpu_core", "P-core"},
		{"cpu_atom", "E-core"},
		{"cpu_lowpower", "LP E-core"},
	};

	type[0] = '\0';
	if (set->n_core < 2)
		return;
	text_copy(type, size, set->items[pmu_set_core_of(set, cpu)].name);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(type, known[i][0]) == 0)
			text_copy(type, size, known[i][1]);
}
