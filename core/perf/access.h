// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ACCESS_H
#define PMCTOP_ACCESS_H

#include "core/sys/sys.h"

#include <errno.h>
#include <stdbool.h>

/*
 * What the kernel grants to whoever asks, found out by asking: nothing else tells for certain
 * (perf_event_paranoid, capabilities, seccomp filters and security modules all have their say).
 * The rungs of a ladder, from nothing to everything; each has what those below it have.
 */
enum access_level {
	ACCESS_NONE,   /* perf_event_open is refused altogether: /proc is left */
	ACCESS_USER,   /* the caller's own tasks, in user mode */
	ACCESS_TASK,   /* ... and in the kernel */
	ACCESS_SYSTEM, /* whole CPUs, whoever runs there */
};

struct access {
	enum access_level level;
	/* The kernel's answer to each, 0 or -errno; that of ACCESS_NONE is 0. */
	int answers[ACCESS_SYSTEM + 1];
	/*
	 * The answer to cycles at that level: 0, or -ENOENT and -EOPNOTSUPP where no CPU has a
	 * counter that the kernel can use (a virtual machine).
	 */
	int hardware;
};

/* Opens and closes a few events; none of them counts. */
void access_probe(const struct sys *sys, struct access *access);

/* Whether the machine has no counters at all (which is not to say that they were denied). */
static inline bool access_no_pmu(const struct access *access)
{
	return access->hardware == -ENOENT || access->hardware == -EOPNOTSUPP;
}

#endif
