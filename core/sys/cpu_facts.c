// SPDX-License-Identifier: MIT
/*
 * A core, die or socket is counted at the CPU that is the first of its list in sysfs, so no sets of
 * numbers are needed.
 */
#include "core/sys/cpu_facts.h"

#include "core/base/util.h"
#include "core/sys/cpu_kind.h"
#include "core/sys/cpus.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void cpu_facts_init(struct cpu_facts *facts, const struct sys *sys, const struct pmu_set *pmus)
{
	*facts = (struct cpu_facts){.sys = sys, .pmus = pmus};
}

unsigned cpu_facts_kinds(struct cpu_facts *facts)
{
	if (facts->sys && !(facts->read & 1u << CPU_FACTS))
		facts->kinds = cpu_kind_read(facts->sys);
	facts->read |= 1u << CPU_FACTS;
	return facts->kinds;
}

/* Reads a list of the CPUs that share something with a CPU; the second name is an older one. */
static int read_list(const struct sys *sys, int cpu, const char *name, const char *older,
		     struct cpu_list *list)
{
	char path[96], text[4096];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));
	if (length < 0 && older) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu,
			 older);
		length = sys_file_read(sys, path, text, sizeof(text));
	}
	return length < 0 ? (int)length : cpu_list_parse(text, list);
}

/* Counts the CPUs that are first in their list. 0 if one of the lists cannot be read. */
static uint64_t count_lists(const struct sys *sys, const struct cpu_list *online, const char *name,
			    const char *older, uint64_t *longest)
{
	uint64_t n = 0;

	*longest = 0;
	for (size_t i = 0; i < online->n; i++) {
		int cpu = online->numbers[i];
		struct cpu_list list = {0};

		if (read_list(sys, cpu, name, older, &list) < 0)
			return *longest = 0;
		n += list.n > 0 && list.numbers[0] == cpu;
		*longest = list.n > *longest ? list.n : *longest;
		cpu_list_fini(&list);
	}
	return n;
}

static void read_topology(struct cpu_facts *facts)
{
	static const struct {
		const char *name, *older;
		enum cpu_fact fact;
	} lists[] = {
		{"core_cpus_list", "thread_siblings_list", CPU_FACT_CORES},
		{"die_cpus_list", NULL, CPU_FACT_DIES},
		{"package_cpus_list", "core_siblings_list", CPU_FACT_SOCKETS},
	};
	struct cpu_list online = {0};
	uint64_t longest;

	if (cpus_online(facts->sys, &online) < 0)
		return;
	facts->values[CPU_FACT_CPUS_ONLINE] = online.n;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		facts->values[lists[i].fact] =
			count_lists(facts->sys, &online, lists[i].name, lists[i].older, &longest);
		if (lists[i].fact == CPU_FACT_CORES)
			facts->values[CPU_FACT_THREADS_PER_CORE] = longest;
	}
	cpu_list_fini(&online);
}

static uint64_t read_present(const struct sys *sys)
{
	char text[4096];
	struct cpu_list list = {0};
	uint64_t n = 0;

	if (sys_file_read(sys, "/sys/devices/system/cpu/present", text, sizeof(text)) >= 0 &&
	    cpu_list_parse(text, &list) == 0 && list.n > 0)
		n = (uint64_t)list.numbers[list.n - 1] + 1;
	cpu_list_fini(&list);
	return n;
}

static uint64_t frequency_of(const struct perf_event_mmap_page *page)
{
	if (!page->cap_user_time || page->time_mult == 0 || page->time_shift > 32)
		return 0;
	return ((NS_PER_S << page->time_shift) + page->time_mult / 2) / page->time_mult;
}

/* An event that counts nothing has the page as well. */
static uint64_t read_tsc_hz(const struct sys *sys)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t hz = 0;
	void *page;

	int fd = sys_perf_open(sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return 0;
	if (sys_perf_map(sys, fd, size, &page) >= 0) {
		hz = frequency_of(page);
		sys_perf_unmap(sys, page, size);
	}
	sys_close(sys, fd);
	return hz;
}

uint64_t cpu_facts_get(struct cpu_facts *facts, enum cpu_fact fact)
{
	unsigned bits = 1u << fact;

	if (!facts->sys || (facts->read & bits))
		return facts->values[fact];
	switch (fact) {
	case CPU_FACT_SLOTS:
		facts->values[fact] = cpu_slots_per_cycle(facts->sys, facts->pmus);
		break;
	case CPU_FACT_TSC_HZ:
		if (cpu_facts_kinds(facts) & (CPU_INTEL | CPU_AMD))
			facts->values[fact] = read_tsc_hz(facts->sys);
		break;
	case CPU_FACT_CPUS:
		facts->values[fact] = read_present(facts->sys);
		break;
	case CPU_FACT_CPUS_ONLINE:
	case CPU_FACT_CORES:
	case CPU_FACT_DIES:
	case CPU_FACT_SOCKETS:
	case CPU_FACT_THREADS_PER_CORE:
		read_topology(facts);
		bits = 1u << CPU_FACT_CPUS_ONLINE | 1u << CPU_FACT_CORES | 1u << CPU_FACT_DIES |
		       1u << CPU_FACT_SOCKETS | 1u << CPU_FACT_THREADS_PER_CORE;
		break;
	case CPU_FACTS:
		break;
	}
	facts->read |= bits;
	return facts->values[fact];
}
