// SPDX-License-Identifier: MIT
/*
 * perf_event_open itself says EACCES where it misses a right. EPERM and ENOSYS come from a filter
 * before it, whose answer is whatever its author chose, or from a kernel without it.
 */
#include "core/perf/standing.h"

#include "core/sys/proc.h"

#include <errno.h>
#include <linux/capability.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define SYSCTL "/proc/sys/kernel/"

void standing_read(const struct sys *sys, struct standing *standing)
{
	char release[128];
	long last;

	*standing = (struct standing){0};
	credentials_read(sys, &standing->credentials);
	confinement_read(sys, &standing->confinement);
	standing->has_paranoid =
		proc_number(sys, SYSCTL "perf_event_paranoid", &standing->paranoid) == 0;
	standing->has_sysctls =
		standing->has_paranoid ||
		sys_file_read(sys, SYSCTL "osrelease", release, sizeof(release)) > 0;
	standing->knows_perfmon =
		proc_number(sys, SYSCTL "cap_last_cap", &last) < 0 || last >= CAP_PERFMON;
}

bool standing_has(const struct standing *standing, unsigned capability)
{
	return standing->confinement.user != NAMESPACE_OWN &&
	       credentials_have(&standing->credentials, capability);
}

bool standing_is_bound(const struct standing *standing)
{
	return !standing_has(standing, CAP_PERFMON) && !standing_has(standing, CAP_SYS_ADMIN);
}

/* From which perf_event_paranoid on that level is refused. */
static long first_refused(enum access_level level)
{
	return level == ACCESS_SYSTEM ? 1 : level == ACCESS_TASK ? 2 : 3;
}

static enum denial find_denier(const struct standing *standing, enum access_level level)
{
	bool filtered = standing->credentials.seccomp == 2;

	if (standing->has_paranoid && standing->paranoid >= first_refused(level)) {
		if (standing_is_bound(standing))
			return DENIAL_PARANOID;
		if (standing->paranoid >= 3 && !standing_has(standing, CAP_SYS_ADMIN))
			return DENIAL_ADMIN;
	}
	return filtered || !standing->credentials.known ? DENIAL_SECCOMP : DENIAL_MODULE;
}

enum denial standing_denial(const struct standing *standing, int answer, enum access_level level)
{
	const struct credentials *credentials = &standing->credentials;

	switch (-answer) {
	case 0:
		return DENIAL_NONE;
	case EACCES:
		return find_denier(standing, level);
	case EPERM:
		if (credentials->seccomp == 2)
			return DENIAL_SECCOMP;
		/* As if it had been the other: some kernels mix them up. */
		if (standing->has_paranoid && standing->paranoid >= 3)
			return find_denier(standing, level);
		return credentials->known ? DENIAL_MODULE : DENIAL_SECCOMP;
	case ENOSYS:
		return standing->has_paranoid || !standing->has_sysctls ? DENIAL_SECCOMP
									: DENIAL_NO_PERF;
	}
	return DENIAL_OTHER;
}
