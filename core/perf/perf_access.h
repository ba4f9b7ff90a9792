// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERF_ACCESS_H
#define PMCTOP_PERF_ACCESS_H

#include "core/sys/sys.h"

#include <errno.h>
#include <stdbool.h>

/*
 * What the kernel grants to whoever asks, found out by asking: nothing else tells for certain
 * (perf_event_paranoid, capabilities, seccomp filters and security modules all have their say).
 * The rungs of a ladder, from nothing to everything; each has what those below it have.
 */
enum perf_access_level {
	PERF_ACCESS_NONE,   /* perf_event_open is refused altogether: /proc is left */
	PERF_ACCESS_USER,   /* the caller's own tasks, in user mode */
	PERF_ACCESS_TASK,   /* ... and in the kernel */
	PERF_ACCESS_SYSTEM, /* whole CPUs, whoever runs there */
};

struct perf_access {
	enum perf_access_level level;
	/* The kernel's answer to each, 0 or -errno; that of PERF_ACCESS_NONE is 0. */
	int answers[PERF_ACCESS_SYSTEM + 1];
	/*
	 * The answer to cycles at that level: 0, or -ENOENT and -EOPNOTSUPP where no CPU has a
	 * counter that the kernel can use (a virtual machine).
	 */
	int hardware;
};

/* Opens and closes a few events; none of them counts. */
void perf_access_probe(const struct sys *sys, struct perf_access *access);

/* Whether the machine has no counters at all (which is not to say that they were denied). */
static inline bool perf_access_no_pmu(const struct perf_access *access)
{
	return access->hardware == -ENOENT || access->hardware == -EOPNOTSUPP;
}

#endif
