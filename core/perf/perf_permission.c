// SPDX-License-Identifier: MIT
/*
 * perf_event_open itself says EACCES where it misses a right. EPERM and ENOSYS come from a filter
 * before it, whose answer is whatever its author chose, or from a kernel without it.
 */
#include "core/perf/perf_permission.h"

#include "core/sys/proc.h"

#include <errno.h>
#include <linux/capability.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define SYSCTL "/proc/sys/kernel/"

void perf_permission_read(const struct sys *sys, struct perf_permission *permission)
{
	char release[128];
	long last;

	*permission = (struct perf_permission){0};
	credentials_read(sys, &permission->credentials);
	container_read(sys, &permission->container);
	permission->has_paranoid =
		proc_number(sys, SYSCTL "perf_event_paranoid", &permission->paranoid) == 0;
	permission->has_sysctls =
		permission->has_paranoid ||
		sys_file_read(sys, SYSCTL "osrelease", release, sizeof(release)) > 0;
	permission->knows_perfmon =
		proc_number(sys, SYSCTL "cap_last_cap", &last) < 0 || last >= CAP_PERFMON;
}

bool perf_permission_has(const struct perf_permission *permission, unsigned capability)
{
	return permission->container.user != NAMESPACE_OWN &&
	       credentials_have(&permission->credentials, capability);
}

bool perf_permission_is_bound(const struct perf_permission *permission)
{
	return !perf_permission_has(permission, CAP_PERFMON) &&
	       !perf_permission_has(permission, CAP_SYS_ADMIN);
}

/* From which perf_event_paranoid on that level is refused. */
static long first_refused(enum perf_access_level level)
{
	return level == PERF_ACCESS_SYSTEM ? 1 : level == PERF_ACCESS_TASK ? 2 : 3;
}

static enum denial find_denier(const struct perf_permission *permission,
			       enum perf_access_level level)
{
	bool filtered = permission->credentials.seccomp == 2;

	if (permission->has_paranoid && permission->paranoid >= first_refused(level)) {
		if (perf_permission_is_bound(permission))
			return DENIAL_PARANOID;
		if (permission->paranoid >= 3 && !perf_permission_has(permission, CAP_SYS_ADMIN))
			return DENIAL_ADMIN;
	}
	return filtered || !permission->credentials.known ? DENIAL_SECCOMP : DENIAL_MODULE;
}

enum denial perf_permission_denial(const struct perf_permission *permission, int answer,
				   enum perf_access_level level)
{
	const struct credentials *credentials = &permission->credentials;

	switch (-answer) {
	case 0:
		return DENIAL_NONE;
	case EACCES:
		return find_denier(permission, level);
	case EPERM:
		if (credentials->seccomp == 2)
			return DENIAL_SECCOMP;
		/* As if it had been the other: some kernels mix them up. */
		if (permission->has_paranoid && permission->paranoid >= 3)
			return find_denier(permission, level);
		return credentials->known ? DENIAL_MODULE : DENIAL_SECCOMP;
	case ENOSYS:
		return permission->has_paranoid || !permission->has_sysctls ? DENIAL_SECCOMP
									    : DENIAL_NO_PERF;
	}
	return DENIAL_OTHER;
}
