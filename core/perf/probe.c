// SPDX-License-Identifier: MIT
/*
 * Opening is not always enough. Intel's top-down events open only in a group with slots. Arm's PMU
 * opens numbers that it does not count. A CPU that is denied does not mean that a task is.
 */
#include "core/perf/probe.h"

#include "core/event/counter_constraint.h"
#include "core/perf/group.h"
#include "core/sys/cpus.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int open_and_close(const struct sys *sys, const struct event_code *code, pid_t pid, int cpu)
{
	struct perf_event_attr attr = group_counting_attr(code);

	attr.disabled = 1;
	int fd = sys_perf_open(sys, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	sys_close(sys, fd);
	return 0;
}

/*
 * Intel's top-down events count only in a group after slots; alone they are refused. Opens the code
 * after slots of the same levels. Returns 0 or -errno; -EINVAL: the PMU has no slots.
 */
static int open_after_slots(const struct sys *sys, const struct pmu *pmu,
			    const struct event_code *code, pid_t pid, int cpu)
{
	struct event_code leading = *code;
	char path[160], text[64];

	leading.attr.type = pmu->type;
	leading.attr.config = COUNTER_SLOTS_CONFIG;
	leading.attr.config1 = leading.attr.config2 = 0;
	struct perf_event_attr slots = group_counting_attr(&leading);
	struct perf_event_attr attr = group_counting_attr(code);
	snprintf(path, sizeof(path), PMU_DEVICES "/%s/events/slots", pmu->name);
	if (sys_file_read(sys, path, text, sizeof(text)) < 0)
		return -EINVAL;
	int leader = sys_perf_open(sys, &slots, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (leader < 0)
		return leader;
	int fd = sys_perf_open(sys, &attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		sys_close(sys, fd);
	sys_close(sys, leader);
	return fd < 0 ? fd : 0;
}

/* Opens the code, by itself or after slots. pmu: of a hardware event, else NULL. */
static int try_code(const struct sys *sys, const struct pmu *pmu, const struct event_code *code,
		    pid_t pid, int cpu)
{
	int answer = open_and_close(sys, code, pid, cpu);

	return pmu && answer == -EINVAL ? open_after_slots(sys, pmu, code, pid, cpu) : answer;
}

/* Searches the named events of a PMU for one with that number. */
struct alias_search {
	const struct sys *sys;
	const char *pmu;
	unsigned long number;
	bool found, any;
};

static int compare_alias(void *arg, const char *name)
{
	struct alias_search *search = arg;
	char path[320], text[64];
	unsigned long number;

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/events/%.128s", search->pmu, name);
	if (sys_file_read(search->sys, path, text, sizeof(text)) < 0 ||
	    sscanf(text, "event=%lx", &number) != 1)
		return 0;
	search->any = true;
	search->found |= number == search->number;
	return search->found;
}

/*
 * Arm's PMU accepts any number, and counts 0 if it has no such event. For the architecture's
 * events, below ARM_COMMON, sysfs has the events of this CPU (Linux 4.20 and later).
 */
enum { ARM_COMMON = 0x39 };

static bool counts_nothing(const struct sys *sys, const struct pmu *pmu,
			   const struct perf_event_attr *attr)
{
	struct alias_search search = {
		.sys = sys, .pmu = pmu->name, .number = attr->config & 0xFFFF};
	bool raw = attr->type == PERF_TYPE_RAW || attr->type == pmu->type;

	if (strncmp(pmu->name, "armv8", 5) != 0 || !raw || search.number >= ARM_COMMON)
		return false;
	char path[160];
	snprintf(path, sizeof(path), PMU_DEVICES "/%s/events", pmu->name);
	sys_dir_each(sys, path, compare_alias, &search);
	return search.any && !search.found;
}

/* The first online CPU on which the code can be opened; -ENODEV: none. */
static int choose_cpu(const struct sys *sys, const struct pmu_set *pmus, enum event_kind kind,
		      size_t pmu)
{
	struct cpu_list own = {0}, online;
	int cpu = -ENODEV;

	if (kind != EVENT_SOFTWARE && pmus && pmu < pmus->n)
		pmu_read_cpus(sys, &pmus->items[pmu], &own);
	if (cpus_online(sys, &online) < 0) {
		cpu = own.n > 0 ? own.numbers[0] : 0;
	} else {
		for (size_t i = 0; i < online.n && cpu < 0; i++)
			if (own.n == 0 || cpu_list_has(&own, online.numbers[i]))
				cpu = online.numbers[i];
		cpu_list_fini(&online);
	}
	cpu_list_fini(&own);
	return cpu;
}

enum figure_state probe_state(int answer)
{
	switch (-answer) {
	case EACCES:
	case EPERM:
	case ENOSYS:
		return FIGURE_DENIED;
	case ENOENT:
	case EINVAL:
	case EOPNOTSUPP:
	case ENODEV:
	case ENXIO:
		return FIGURE_UNSUPPORTED;
	}
	return FIGURE_VALID;
}

int event_probe_code(const struct sys *sys, const struct pmu_set *pmus, enum event_kind kind,
		     struct event_code *code)
{
	int cpu = choose_cpu(sys, pmus, kind, code->pmu);
	const struct pmu *pmu = kind == EVENT_HARDWARE && pmus && code->pmu < pmus->n
					? &pmus->items[code->pmu]
					: NULL;
	int answer = cpu < 0 ? cpu : try_code(sys, pmu, code, -1, cpu);

	if (probe_state(answer) == FIGURE_DENIED && kind != EVENT_SOCKET) {
		int own = try_code(sys, pmu, code, 0, -1);

		/* The answer for the caller itself, unless that is denied too. */
		if (probe_state(own) != FIGURE_DENIED)
			answer = own;
	}
	if (pmu && answer == 0 && counts_nothing(sys, pmu, &code->attr))
		answer = -ENOENT;
	code->state = probe_state(answer);
	return answer;
}

/* The order of states: VALID, DENIED, UNSUPPORTED. */
static int badness(enum figure_state state)
{
	return state == FIGURE_VALID ? 0 : state == FIGURE_DENIED ? 1 : 2;
}

int event_probe(const struct sys *sys, const struct pmu_set *pmus, struct event *event)
{
	event->state = event->n_codes > 0 ? FIGURE_UNSUPPORTED : FIGURE_VALID;
	event->answer = 0;
	for (size_t i = 0; i < event->n_codes; i++) {
		int answer = event_probe_code(sys, pmus, event->kind, &event->codes[i]);
		enum figure_state state = event->codes[i].state;

		if (i == 0 || badness(state) < badness(event->state)) {
			event->state = state;
			event->answer = answer;
		}
	}
	return event->answer;
}

int event_probe_soon(const struct sys *sys, const struct pmu_set *pmus, struct event *event)
{
	bool tracepoint = event->n_codes > 0 && event->codes[0].attr.type == PERF_TYPE_TRACEPOINT;

	if (!tracepoint)
		return event_probe(sys, pmus, event);
	struct event_code dummy = event->codes[0];
	dummy.attr.type = PERF_TYPE_SOFTWARE;
	dummy.attr.config = PERF_COUNT_SW_DUMMY;
	event->answer = event_probe_code(sys, pmus, event->kind, &dummy);
	event->state = event->codes[0].state = dummy.state;
	return event->answer;
}
