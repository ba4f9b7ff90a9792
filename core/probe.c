// SPDX-License-Identifier: MIT
#include "probe.h"

#include "cpus.h"

#include <errno.h>
#include <stddef.h>

static int open_and_close(const struct sys *sys, const struct event_code *code, pid_t pid, int cpu)
{
	struct perf_event_attr attr = code->attr;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	int fd = sys_perf_open(sys, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? fd : sys_close(sys, fd);
}

/* The first online CPU that the code may be opened on, -ENODEV where there is none. */
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
	int answer = cpu < 0 ? cpu : open_and_close(sys, code, -1, cpu);

	if (probe_state(answer) == FIGURE_DENIED && kind != EVENT_SOCKET) {
		int own = open_and_close(sys, code, 0, -1);

		/* A refusal of the caller's own counters says more than that of the machine's. */
		if (probe_state(own) != FIGURE_DENIED)
			answer = own;
	}
	code->state = probe_state(answer);
	return answer;
}

/* VALID before DENIED before UNSUPPORTED. */
static int badness(enum figure_state state)
{
	return state == FIGURE_VALID ? 0 : state == FIGURE_DENIED ? 1 : 2;
}

int event_probe(const struct sys *sys, const struct pmu_set *pmus, struct event *event)
{
	int best = 0;

	event->state = event->n_codes > 0 ? FIGURE_UNSUPPORTED : FIGURE_VALID;
	for (size_t i = 0; i < event->n_codes; i++) {
		int answer = event_probe_code(sys, pmus, event->kind, &event->codes[i]);
		enum figure_state state = event->codes[i].state;

		if (i == 0 || badness(state) < badness(event->state)) {
			event->state = state;
			best = answer;
		}
	}
	return best;
}
