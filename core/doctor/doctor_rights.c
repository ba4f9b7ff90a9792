// SPDX-License-Identifier: MIT
/*
 * The rights of this process: user, sysctls, seccomp, namespaces, and what /proc shows.
 */
#include "core/doctor/doctor_internal.h"

#include "core/base/util.h"
#include "core/sys/hidepid.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define RIGHTS DOCTOR_RIGHTS

/* The capabilities that have an effect here: "CAP_PERFMON, CAP_IPC_LOCK". */
static void list_capabilities(const struct credentials *credentials, char *text, size_t size)
{
	static const struct {
		unsigned number;
		const char *name;
	} wanted[] = {
		{CAP_PERFMON, "PERFMON"},
		{CAP_SYS_ADMIN, "SYS_ADMIN"},
		{CAP_SYS_PTRACE, "SYS_PTRACE"},
		{CAP_IPC_LOCK, "IPC_LOCK"},
	};
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (credentials_have(credentials, wanted[i].number))
			length += (size_t)snprintf(text + length, size - length, "%sCAP_%s",
						   length ? ", " : "", wanted[i].name);
	if (length == 0)
		text_copy(text, size, "no capability for counting");
}

static void report_user(struct doctor *doctor, const struct perf_permission *permission)
{
	const struct credentials *credentials = &permission->credentials;
	bool own = permission->container.user == NAMESPACE_OWN;
	char capabilities[128];

	if (!credentials->known) {
		doctor_add(doctor, RIGHTS, DOCTOR_WARN, "user",
			   "unknown: /proc/self/status cannot be read");
		return;
	}
	list_capabilities(credentials, capabilities, sizeof(capabilities));
	doctor_add(doctor, RIGHTS, perf_permission_is_bound(permission) ? DOCTOR_WARN : DOCTOR_OK,
		   "user", "%s%u%s: %s%s", credentials->uid == 0 ? "root, uid " : "uid ",
		   credentials->uid, own ? " of a user namespace" : "",
		   own ? "its capabilities do not count here" : capabilities,
		   credentials->no_new_privs ? "; no_new_privs: sudo and setcap have no effect"
					     : "");
}

static const char *paranoid_meaning(long level)
{
	return level < 0    ? "everything for all users"
	       : level == 0 ? "all CPUs for all users, but no raw tracepoints"
	       : level == 1 ? "own tasks, with the kernel"
	       : level == 2 ? "own tasks, in user mode only"
	       : level == 3 ? "no counting without a capability (Debian, Android)"
			    : "no counting without a capability (Ubuntu)";
}

static void report_paranoid(struct doctor *doctor, const struct doctor_facts *facts)
{
	const struct perf_permission *permission = &facts->permission;
	long level = permission->paranoid;

	if (!permission->has_paranoid)
		doctor_add(doctor, RIGHTS,
			   facts->denial == DENIAL_NO_PERF ? DOCTOR_BAD : DOCTOR_WARN, "paranoid",
			   permission->has_sysctls ? "there is no kernel.perf_event_paranoid"
						   : "unknown: /proc/sys cannot be read");
	else if (!perf_permission_is_bound(permission) && facts->denial != DENIAL_ADMIN)
		doctor_add(doctor, RIGHTS, DOCTOR_OK, "paranoid", "%ld, which does not limit %s",
			   level, permission->credentials.uid == 0 ? "root" : "this process");
	/* Linux itself treats 3 and more as 2. */
	else if (level > 2 && facts->access.level > PERF_ACCESS_NONE)
		doctor_add(doctor, RIGHTS, DOCTOR_WARN, "paranoid",
			   "%ld, which this kernel treats as 2: own tasks, in user mode only",
			   level);
	else
		doctor_add(doctor, RIGHTS,
			   level > 2   ? DOCTOR_BAD
			   : level > 0 ? DOCTOR_WARN
				       : DOCTOR_OK,
			   "paranoid", "%ld: %s", level, paranoid_meaning(level));
}

static void report_seccomp(struct doctor *doctor, const struct doctor_facts *facts)
{
	const struct credentials *credentials = &facts->permission.credentials;
	bool refuses = facts->denial == DENIAL_SECCOMP;
	char filters[32] = "filtered";

	if (credentials->filters > 0)
		snprintf(filters, sizeof(filters), "%u filter%s", credentials->filters,
			 credentials->filters == 1 ? "" : "s");
	if (refuses)
		doctor_add(doctor, RIGHTS, DOCTOR_BAD, "seccomp", "%s: perf_event_open returns %s",
			   credentials->seccomp == 2 ? filters : "probably a filter",
			   strerrorname_np(-facts->access.answers[facts->access.level + 1]));
	else if (!credentials->known)
		doctor_add(doctor, RIGHTS, DOCTOR_OK, "seccomp", "unknown");
	else if (credentials->seccomp == 2)
		doctor_add(doctor, RIGHTS, DOCTOR_OK, "seccomp", "%s, perf_event_open is allowed",
			   filters);
	else
		doctor_add(doctor, RIGHTS, DOCTOR_OK, "seccomp", "no filter");
}

static void report_container(struct doctor *doctor, const struct container *container)
{
	const char *name = own_container_name(container->kind);
	bool pid = container->pid == NAMESPACE_OWN, user = container->user == NAMESPACE_OWN;

	if (!name)
		doctor_add(doctor, RIGHTS, DOCTOR_OK, "container", "none%s",
			   container->pid == NAMESPACE_HOST && container->user == NAMESPACE_HOST
				   ? ": the machine's own pid and user namespaces"
				   : "");
	else
		doctor_add(doctor, RIGHTS, pid || user ? DOCTOR_WARN : DOCTOR_OK, "container",
			   "%s, with %s", name,
			   pid && user ? "a pid and a user namespace of its own"
			   : pid       ? "a pid namespace of its own"
			   : user      ? "a user namespace of its own"
				       : "the host's pid and user namespaces");
}

static void report_proc(struct doctor *doctor, const struct doctor_facts *facts)
{
	char value[16];

	hidepid_read(facts->sys, value, sizeof(value));
	if (facts->proc == -ENOENT) {
		doctor_add(doctor, RIGHTS, DOCTOR_BAD, "/proc", "is empty");
		doctor_remedy(doctor, "sudo mount -t proc proc /proc");
	} else if (facts->proc < 0) {
		doctor_add(doctor, RIGHTS, DOCTOR_BAD, "/proc", "cannot be read: %s",
			   error_why(facts->proc));
		if (facts->proc == -EMFILE)
			doctor_remedy(doctor, "ulimit -n 1024");
	} else if (!hidepid_hides(value)) {
		doctor_add(doctor, RIGHTS, DOCTOR_OK, "/proc", "shows every process (no hidepid)");
	} else if (credentials_have(&facts->permission.credentials, CAP_SYS_PTRACE)) {
		doctor_add(doctor, RIGHTS, DOCTOR_OK, "/proc",
			   "hidepid=%s, which hides nothing here", value);
	} else {
		doctor_add(doctor, RIGHTS, DOCTOR_WARN, "/proc",
			   "hidepid=%s: other users' processes are hidden", value);
		doctor_remedy(doctor, "sudo mount -o remount,hidepid=0 /proc");
	}
}

void doctor_rights(struct doctor *doctor, const struct doctor_facts *facts)
{
	report_user(doctor, &facts->permission);
	report_paranoid(doctor, facts);
	report_seccomp(doctor, facts);
	report_container(doctor, &facts->permission.container);
	report_proc(doctor, facts);
}
