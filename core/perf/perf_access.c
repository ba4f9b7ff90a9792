// SPDX-License-Identifier: MIT
/*
 * Probes the dummy event at each level, then cycles.
 *
 * Reasons of a refusal: perf_event_open itself returns EACCES if a right is missing. EPERM and
 * ENOSYS come from a seccomp filter, which may return any errno, or from a kernel without perf.
 */
#include "core/perf/perf_access.h"

#include "core/sys/cpus.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define SYSCTL "/proc/sys/kernel/"

/* The first CPU that is online; 0 if unknown. */
static int first_online_cpu(const struct sys *sys)
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
 * Opens an event on a whole CPU or on the caller, with the kernel or without. Returns 0 or -errno.
 * `type`: PERF_TYPE_SOFTWARE or PERF_TYPE_HARDWARE.
 */
static int probe_level(const struct sys *sys, uint32_t type, uint64_t config,
		       enum perf_access_level level)
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
	int fd = sys_perf_open(sys, &attr, whole ? -1 : 0, whole ? first_online_cpu(sys) : -1, -1,
			       PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return fd;
	sys_close(sys, fd);
	return 0;
}

void perf_access_probe(const struct sys *sys, struct perf_access *access)
{
	*access = (struct perf_access){.level = PERF_ACCESS_NONE};
	/*
	 * The dummy needs no counter, only the permission. The levels below the first granted one
	 * are granted. They are not tried: the first event of a task may take 15 ms, because the
	 * kernel switches its counting at context switches on (perf_sched_events).
	 */
	for (enum perf_access_level level = PERF_ACCESS_SYSTEM;
	     level > PERF_ACCESS_NONE && access->level == PERF_ACCESS_NONE; level--) {
		access->answers[level] =
			probe_level(sys, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, level);
		if (access->answers[level] == 0)
			access->level = level;
	}
	access->hardware = access->level == PERF_ACCESS_NONE
				   ? access->answers[PERF_ACCESS_USER]
				   : probe_level(sys, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
						 access->level);
}

void perf_permission_read(const struct sys *sys, struct perf_permission *permission)
{
	char release[128];
	long last;

	*permission = (struct perf_permission){0};
	credentials_read(sys, &permission->credentials);
	own_container_read(sys, &permission->container);
	permission->has_paranoid =
		proc_number(sys, SYSCTL "perf_event_paranoid", &permission->paranoid) == 0;
	permission->has_sysctls =
		permission->has_paranoid ||
		sys_file_read(sys, SYSCTL "osrelease", release, sizeof(release)) > 0;
	permission->has_cap_perfmon =
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

/* The lowest perf_event_paranoid that refuses a level. */
static long lowest_refusing_paranoid(enum perf_access_level level)
{
	return level == PERF_ACCESS_SYSTEM ? 1 : level == PERF_ACCESS_TASK ? 2 : 3;
}

static enum denial denial_of_eacces(const struct perf_permission *permission,
				    enum perf_access_level level)
{
	bool filtered = permission->credentials.seccomp == 2;

	if (permission->has_paranoid && permission->paranoid >= lowest_refusing_paranoid(level)) {
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
		return denial_of_eacces(permission, level);
	case EPERM:
		if (credentials->seccomp == 2)
			return DENIAL_SECCOMP;
		/* Some kernels return EPERM for EACCES. */
		if (permission->has_paranoid && permission->paranoid >= 3)
			return denial_of_eacces(permission, level);
		return credentials->known ? DENIAL_MODULE : DENIAL_SECCOMP;
	case ENOSYS:
		return permission->has_paranoid || !permission->has_sysctls ? DENIAL_SECCOMP
									    : DENIAL_NO_PERF;
	}
	return DENIAL_OTHER;
}
