// SPDX-License-Identifier: MIT
#include "core/perf/perf_access.h"

#include "core/sys/cpus.h"

#include <linux/perf_event.h>

/* Which CPU to ask about: the first that is online. */
static int any_cpu(const struct sys *sys)
{
	struct cpu_list online;
	int result = cpus_online(sys, &online);

	if (result < 0)
		return 0;
	int cpu = online.n > 0 ? online.numbers[0] : 0;
	cpu_list_fini(&online);
	return cpu;
}

/*
 * 0 or -errno. `config` of PERF_TYPE_SOFTWARE or _HARDWARE, on a whole CPU or on the caller, with
 * the kernel or without.
 */
static int ask(const struct sys *sys, uint32_t type, uint64_t config, enum perf_access_level level)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = level < PERF_ACCESS_TASK,
		.exclude_hv = level < PERF_ACCESS_TASK,
		.exclude_guest = type == PERF_TYPE_HARDWARE,
	};
	bool whole = level == PERF_ACCESS_SYSTEM;
	int fd = sys_perf_open(sys, &attr, whole ? -1 : 0, whole ? any_cpu(sys) : -1, -1,
			       PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return fd;
	sys_close(sys, fd);
	return 0;
}

void perf_access_probe(const struct sys *sys, struct perf_access *access)
{
	*access = (struct perf_access){.level = PERF_ACCESS_NONE};
	/* The dummy needs nothing but the right to count. */
	for (enum perf_access_level level = PERF_ACCESS_SYSTEM; level > PERF_ACCESS_NONE; level--) {
		access->answers[level] = ask(sys, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, level);
		if (access->answers[level] == 0 && access->level == PERF_ACCESS_NONE)
			access->level = level;
	}
	access->hardware =
		access->level == PERF_ACCESS_NONE
			? access->answers[PERF_ACCESS_USER]
			: ask(sys, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, access->level);
}
