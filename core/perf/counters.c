// SPDX-License-Identifier: MIT
/*
 * --doctor needs the number of counters, and whether they count. An event that can use all general
 * counters is opened in growing groups: the last group that opens shows how many the PMU has, the
 * last one that runs shows how many are free.
 */
#include "core/perf/counters.h"

#include "core/base/util.h"
#include "core/perf/budget.h"
#include "core/perf/group.h"
#include "core/perf/record.h"
#include "core/sys/cpus.h"

#include <errno.h>

struct probe {
	const struct event_context *context;
	size_t pmu;
	enum perf_access_level level;
	int cpu; /* -1: the caller */
};

/* The first online CPU of the PMU; -ENODEV: none. */
static int first_online_cpu(const struct event_context *context, size_t pmu)
{
	const struct cpu_list *own = &context->pmus->items[pmu].cpus;
	struct cpu_list online;
	int cpu = -ENODEV;

	if (cpus_online(context->sys, &online) < 0)
		return own->n > 0 ? own->numbers[0] : -ENODEV;
	for (size_t i = 0; i < online.n && cpu < 0; i++)
		if (cpu_list_has(own, online.numbers[i]))
			cpu = online.numbers[i];
	cpu_list_fini(&online);
	return cpu;
}

/* Resolves an event for this PMU, as far as is permitted. -ENOENT: it has no such event. */
static int resolve_code(const struct probe *probe, const char *name, struct event_code *code)
{
	struct event event;
	struct error err;
	int result = event_resolve(probe->context, name, &event, &err);

	if (result < 0)
		return result;
	result = -ENOENT;
	for (size_t i = 0; i < event.n_codes && result < 0; i++) {
		if (event.codes[i].pmu != probe->pmu)
			continue;
		*code = event.codes[i];
		if (probe->level < PERF_ACCESS_TASK)
			code->attr.exclude_kernel = code->attr.exclude_hv = 1;
		result = 0;
	}
	event_fini(&event);
	return result;
}

static int try_alone(const struct probe *probe, const char *name, bool *runs)
{
	struct event_code code;
	int result = resolve_code(probe, name, &code);

	*runs = false;
	return result < 0 ? result
			  : budget_try(probe->context->sys, probe->cpu,
				       &(const struct event_code *){&code}, 1, runs);
}

static void count_general(const struct probe *probe, const char *name, struct counters *counters)
{
	const struct event_code *codes[BUDGET_MOST];
	struct event_code code;

	if (resolve_code(probe, name, &code) < 0)
		return;
	for (unsigned n = 0; n < BUDGET_MOST; n++) {
		bool runs = false;

		codes[n] = &code;
		if (budget_try(probe->context->sys, probe->cpu, codes, n + 1, &runs) < 0)
			return;
		counters->event = name;
		counters->fit = n + 1;
		if (runs)
			counters->free = n + 1;
	}
}

/* Whether cycles of this process stay 0 while it runs. */
static bool is_pretending(const struct probe *probe)
{
	const struct sys *sys = probe->context->sys;
	uint64_t numbers[1 + READING_VALUES + 1] = {0};
	struct event_code code;

	if (resolve_code(probe, "cycles", &code) < 0)
		return false;
	struct perf_event_attr attr = group_counting_attr(&code);
	attr.exclude_kernel = attr.exclude_hv = 1;
	int fd = sys_perf_open(sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return false;
	for (unsigned i = 0; i < 100; i++)
		sys_now_ns(sys);
	bool read = sys_perf_read(sys, fd, numbers, sizeof(numbers)) > 0;
	sys_close(sys, fd);
	return read && numbers[1 + READING_RUNNING_NS] > 0 && numbers[1 + READING_VALUES] == 0;
}

void counters_probe(const struct event_context *context, size_t pmu, enum perf_access_level level,
		    struct counters *counters)
{
	/* Intel has fixed counters for cycles and instructions, Arm for cycles. */
	static const char *const general[] = {"branches", "instructions", "cycles"};
	struct probe probe = {context, pmu, level, first_online_cpu(context, pmu)};

	*counters = (struct counters){.answer = -ENODEV};
	if (probe.cpu < 0)
		return;
	if (level < PERF_ACCESS_SYSTEM)
		probe.cpu = -1;
	counters->answer = try_alone(&probe, "cycles", &counters->cycles);
	int answer = try_alone(&probe, "instructions", &counters->instructions);
	if (answer == 0)
		counters->answer = 0;
	for (size_t i = 0; i < ARRAY_SIZE(general) && !counters->event; i++)
		count_general(&probe, general[i], counters);
	counters->pretends = counters->cycles && is_pretending(&probe);
}
