// SPDX-License-Identifier: MIT
/*
 * Lists the PMUs of this machine. The counters of a core PMU are counted by opening groups of
 * cycles on one of its CPUs (core/perf/budget.h), because no file of the kernel has that number.
 */
#include "core/base/util.h"
#include "core/event/event_term.h"
#include "core/metric/catalog_source.h"
#include "core/perf/budget.h"
#include "core/sys/cpus.h"

#include <stdio.h>

const char *catalog_pmu_kind(enum pmu_kind kind)
{
	switch (kind) {
	case PMU_CORE:
		return "core";
	case PMU_SOCKET:
		return "socket";
	case PMU_SOFTWARE:
		return "software";
	case PMU_OTHER:
		break;
	}
	return "other";
}

/* Returns the code of cycles on that PMU, or NULL. */
static const struct event_code *find_code(const struct event *cycles, size_t pmu)
{
	for (size_t i = 0; i < cycles->n_codes; i++)
		if (cycles->codes[i].pmu == pmu)
			return &cycles->codes[i];
	return NULL;
}

static void count_core_counters(const struct event_context *context, size_t index,
				struct catalog_pmu *entry)
{
	struct cpu_list online;
	struct event cycles;
	struct error err;
	int cpu = -1;

	if (event_resolve(context, "cycles", &cycles, &err) < 0)
		return;
	const struct event_code *code = find_code(&cycles, index);
	if (code && cpus_online(context->sys, &online) == 0) {
		for (size_t i = 0; i < online.n && cpu < 0; i++)
			if (cpu_list_has(&entry->pmu->cpus, online.numbers[i]))
				cpu = online.numbers[i];
		cpu_list_fini(&online);
	}
	if (cpu >= 0)
		entry->counters = budget_count(context->sys, cpu, code, &entry->answer);
	event_fini(&cycles);
}

static size_t count_events(const struct sys *sys, const char *pmu)
{
	struct catalog_names names;
	char path[160];
	size_t n = 0;

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/events", pmu);
	catalog_names_read(sys, path, &names);
	for (size_t i = 0; i < names.n; i++)
		n += event_is_alias_file(names.items[i]);
	catalog_names_fini(&names);
	return n;
}

int catalog_pmus(const struct event_context *context, const char *pattern, catalog_pmu_fn *fn,
		 void *arg)
{
	int result = 0;

	for (size_t i = 0; i < context->pmus->n && !result; i++) {
		const struct pmu *pmu = &context->pmus->items[i];
		struct catalog_pmu entry = {.pmu = pmu};

		if (!catalog_matches(pattern, pmu->name, catalog_pmu_kind(pmu->kind)))
			continue;
		if (pmu->name[0])
			entry.n_events = count_events(context->sys, pmu->name);
		if (pmu->kind == PMU_CORE)
			count_core_counters(context, i, &entry);
		result = fn(arg, &entry);
	}
	return result;
}
