// SPDX-License-Identifier: MIT
/*
 * Resource limits, compared with what counting on all CPUs needs.
 */
#include "core/doctor/doctor_internal.h"

#include "core/sys/proc.h"
#include "core/sys/rlimit.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#define LIMITS DOCTOR_LIMITS

enum {
	CPU_FILES = 24, /* descriptors of a preset on each CPU, with a reserve */
	OTHER_FILES = 32,
	CPU_RING_KB = 1024 + 4, /* a ring of core/collect/collect_system.c with its first page */
	RATE_LEAST = 10000,     /* samples a second that ticks need */
};

static void format_value(uint64_t value, char *text, size_t size)
{
	if (value == UINT64_MAX)
		snprintf(text, size, "no limit");
	else
		snprintf(text, size, "%" PRIu64, value);
}

static void report_files(struct doctor *doctor, const struct doctor_facts *facts)
{
	struct resource_limit limit = rlimit_read(facts->sys, "Max open files");
	uint64_t wanted = facts->n_cpus * CPU_FILES + OTHER_FILES;
	char soft[32], hard[32];

	if (!limit.known) {
		doctor_add(doctor, LIMITS, DOCTOR_OK, "open files", "unknown");
		return;
	}
	format_value(limit.soft, soft, sizeof(soft));
	format_value(limit.hard, hard, sizeof(hard));
	if (limit.soft >= wanted) {
		doctor_add(doctor, LIMITS, DOCTOR_OK, "open files", "%s", soft);
		return;
	}
	doctor_add(doctor, LIMITS, DOCTOR_WARN, "open files",
		   "%s (at most %s): too few for %zu CPUs", soft, hard, facts->n_cpus);
	if (limit.hard >= wanted)
		doctor_remedy(doctor, "ulimit -n %" PRIu64, wanted);
	else
		doctor_remedy(doctor, "sudo prlimit --pid $$ --nofile=%" PRIu64, wanted);
}

static void report_memory(struct doctor *doctor, const struct doctor_facts *facts)
{
	const struct perf_permission *permission = &facts->permission;
	struct resource_limit limit = rlimit_read(facts->sys, "Max locked memory");
	long cpu_kb = 0;

	if (perf_permission_has(permission, CAP_IPC_LOCK) ||
	    (permission->has_paranoid && permission->paranoid < 0)) {
		doctor_add(doctor, LIMITS, DOCTOR_OK, "locked memory", "no limit for rings (%s)",
			   permission->paranoid < 0 ? "perf_event_paranoid -1" : "CAP_IPC_LOCK");
		return;
	}
	if (proc_number(facts->sys, "/proc/sys/kernel/perf_event_mlock_kb", &cpu_kb) < 0 ||
	    cpu_kb < 0) {
		doctor_add(doctor, LIMITS, DOCTOR_OK, "locked memory", "unknown");
		return;
	}
	uint64_t limit_kb = limit.known ? limit.soft / 1024 : 0;
	uint64_t wanted_kb = facts->n_cpus * CPU_RING_KB;
	bool enough = facts->access.level < PERF_ACCESS_SYSTEM || limit.soft == UINT64_MAX ||
		      facts->n_cpus * (uint64_t)cpu_kb + limit_kb >= wanted_kb;
	char own[32];
	format_value(limit.soft == UINT64_MAX ? UINT64_MAX : limit_kb, own, sizeof(own));
	doctor_add(doctor, LIMITS, enough ? DOCTOR_OK : DOCTOR_WARN, "locked memory",
		   "%ld KiB a CPU (perf_event_mlock_kb) and %s%s%s", cpu_kb, own,
		   limit.soft == UINT64_MAX ? "" : " KiB",
		   enough ? "" : ": rings get smaller, and may lose records");
	if (!enough)
		doctor_remedy(doctor, "sudo sysctl kernel.perf_event_mlock_kb=%d", CPU_RING_KB);
}

/* A finding only if the rate is low. */
static void report_sampling(struct doctor *doctor, const struct doctor_facts *facts)
{
	long rate;

	if (proc_number(facts->sys, "/proc/sys/kernel/perf_event_max_sample_rate", &rate) < 0 ||
	    rate >= RATE_LEAST)
		return;
	doctor_add(doctor, LIMITS, DOCTOR_WARN, "sampling",
		   "at most %ld a second: the kernel found its interrupts too slow", rate);
	doctor_remedy(doctor, "sudo sysctl kernel.perf_event_max_sample_rate=100000");
}

void doctor_limits(struct doctor *doctor, const struct doctor_facts *facts)
{
	report_files(doctor, facts);
	report_memory(doctor, facts);
	report_sampling(doctor, facts);
}
