// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERF_ACCESS_H
#define PMCTOP_PERF_ACCESS_H

#include "core/sys/credentials.h"
#include "core/sys/own_container.h"
#include "core/sys/sys.h"

#include <errno.h>
#include <stdbool.h>

/*
 * What the kernel permits this process to count, and why not more.
 *
 * perf_access_probe() opens events, because only that is certain: perf_event_paranoid,
 * capabilities, seccomp filters and security modules all decide. perf_permission_read() reads the
 * files that give the reason.
 */

/* Each level includes the ones before it. */
enum perf_access_level {
	PERF_ACCESS_NONE,   /* perf_event_open is refused; only /proc can be read */
	PERF_ACCESS_USER,   /* the caller's own tasks, in user mode */
	PERF_ACCESS_TASK,   /* ... and in the kernel */
	PERF_ACCESS_SYSTEM, /* whole CPUs, with the tasks of all users */
};

struct perf_access {
	enum perf_access_level level;
	/* The kernel's answer to each level, 0 or -errno; up to `level`: 0. */
	int answers[PERF_ACCESS_SYSTEM + 1];
	/*
	 * The kernel's answer to cycles at `level`: 0, or -ENOENT or -EOPNOTSUPP if no CPU has a
	 * counter that the kernel can use (a virtual machine).
	 */
	int hardware;
};

/* Opens and closes a few events, which do not count. */
void perf_access_probe(const struct sys *sys, struct perf_access *access);

/* Whether the machine has no hardware counters. False if they are denied. */
static inline bool perf_access_no_pmu(const struct perf_access *access)
{
	return access->hardware == -ENOENT || access->hardware == -EOPNOTSUPP;
}

/* What files contain about the permissions of this process. */
struct perf_permission {
	struct credentials credentials;
	struct container container;
	bool has_sysctls;     /* /proc/sys exists */
	bool has_paranoid;    /* perf_event_paranoid exists: the kernel was built with perf */
	long paranoid;        /* perf_event_paranoid */
	bool has_cap_perfmon; /* CAP_PERFMON exists, from Linux 5.8 on; before: CAP_SYS_ADMIN */
};

void perf_permission_read(const struct sys *sys, struct perf_permission *permission);

/*
 * Whether perf_event_open accepts a capability of this process. In another user namespace it
 * accepts none.
 */
bool perf_permission_has(const struct perf_permission *permission, unsigned capability);

/* Whether perf_event_paranoid applies to this process, as in mainline Linux. */
bool perf_permission_is_bound(const struct perf_permission *permission);

/* What refuses an event. */
enum denial {
	DENIAL_NONE,
	DENIAL_PARANOID, /* perf_event_paranoid, without CAP_PERFMON */
	DENIAL_ADMIN,    /* perf_event_paranoid, with it: some kernels need CAP_SYS_ADMIN at 3, 4 */
	DENIAL_SECCOMP,  /* a filter, which may return EPERM, EACCES or ENOSYS */
	DENIAL_MODULE,   /* a security module */
	DENIAL_NO_PERF,  /* a kernel without CONFIG_PERF_EVENTS */
	DENIAL_OTHER,    /* another errno */
};

/* Returns what refused an event of `level` with `answer` (0 or -errno). */
enum denial perf_permission_denial(const struct perf_permission *permission, int answer,
				   enum perf_access_level level);

#endif
