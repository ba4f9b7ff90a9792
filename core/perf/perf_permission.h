// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERF_PERMISSION_H
#define PMCTOP_PERF_PERMISSION_H

#include "core/perf/perf_access.h"
#include "core/sys/container.h"
#include "core/sys/credentials.h"

#include <stdbool.h>

/* Where this process stands before perf_event_open, as far as files tell. */
struct perf_permission {
	struct credentials credentials;
	struct container container;
	bool has_sysctls;  /* /proc/sys is there */
	bool has_paranoid; /* ... and perf_event_paranoid in it: the kernel was built with perf */
	long paranoid;
	bool knows_perfmon; /* CAP_PERFMON, Linux 5.8; before it was CAP_SYS_ADMIN */
};

void perf_permission_read(const struct sys *sys, struct perf_permission *permission);

/* Whether perf_event_open finds a capability: those of a user namespace of one's own are none. */
bool perf_permission_has(const struct perf_permission *permission, unsigned capability);

/* Whether perf_event_paranoid binds this process, as Linux itself has it. */
bool perf_permission_is_bound(const struct perf_permission *permission);

/* Who refuses. */
enum denial {
	DENIAL_NONE,
	DENIAL_PARANOID, /* perf_event_paranoid, to those without CAP_PERFMON */
	DENIAL_ADMIN, /* the same to those with it: some kernels ask for CAP_SYS_ADMIN at 3 and 4 */
	DENIAL_SECCOMP, /* a filter, which may say EPERM, EACCES or ENOSYS */
	DENIAL_MODULE,  /* a security module */
	DENIAL_NO_PERF, /* a kernel without CONFIG_PERF_EVENTS */
	DENIAL_OTHER,   /* none of these errnos */
};

/* What that answer (0 or -errno) to an event of that level (perf_access.h) means here. */
enum denial perf_permission_denial(const struct perf_permission *permission, int answer,
				   enum perf_access_level level);

#endif
