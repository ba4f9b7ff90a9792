// SPDX-License-Identifier: MIT
/*
 * The reason of a denial, and the command against it, which depends on the container, the
 * capabilities and the kernel of this process.
 */
#include "core/doctor/doctor_internal.h"

#include "core/base/text.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

void doctor_name_denial(const struct doctor_facts *facts, enum denial denial, char *text,
			size_t size)
{
	const struct perf_permission *permission = &facts->permission;
	const char *container = own_container_name(permission->container.kind);

	switch (denial) {
	case DENIAL_NONE:
		snprintf(text, size, "it is not refused");
		break;
	case DENIAL_PARANOID:
		snprintf(text, size, "perf_event_paranoid is %ld, and %s", permission->paranoid,
			 permission->container.user == NAMESPACE_OWN
				 ? "capabilities of a user namespace do not count"
				 : "no CAP_PERFMON");
		break;
	case DENIAL_ADMIN:
		snprintf(text, size, "at perf_event_paranoid %ld this kernel needs CAP_SYS_ADMIN",
			 permission->paranoid);
		break;
	case DENIAL_SECCOMP:
		snprintf(text, size, "a seccomp filter%s%s refuses perf_event_open",
			 container ? " of " : "", container ? container : "");
		break;
	case DENIAL_MODULE:
		snprintf(text, size, "a security module refuses perf_event_open");
		break;
	case DENIAL_NO_PERF:
		snprintf(text, size, "this kernel was built without CONFIG_PERF_EVENTS");
		break;
	case DENIAL_OTHER:
		snprintf(text, size, "perf_event_open fails: %s",
			 error_why(facts->access.answers[facts->access.level + 1]));
		break;
	}
}

/* On the host, because /proc/sys in a container is read-only. */
static void remedy_sysctl(struct doctor *doctor, const struct perf_permission *permission,
			  int level)
{
	doctor_remedy(doctor, "%ssudo sysctl kernel.perf_event_paranoid=%d",
		      permission->container.kind == CONTAINER_NONE ? "" : "on the host: ", level);
}

static void remedy_container(struct doctor *doctor, const struct perf_permission *permission)
{
	/* With the capability only the filter can be the reason. */
	bool filter = perf_permission_has(permission, CAP_PERFMON);

	switch (permission->container.kind) {
	case CONTAINER_DOCKER:
		doctor_remedy(doctor, filter ? "docker run --security-opt seccomp=unconfined ..."
					     : "docker run --cap-add PERFMON ...");
		if (!filter)
			doctor_remedy(doctor,
				      "before Docker 23: docker run --cap-add SYS_ADMIN ...");
		break;
	case CONTAINER_PODMAN:
		/* Until the end of 2025 its filter needed SYS_ADMIN too. */
		doctor_remedy(doctor, "podman run --cap-add PERFMON%s ...",
			      filter ? " --security-opt seccomp=unconfined" : "");
		if (!filter)
			doctor_remedy(doctor,
				      "before 2026: podman run --cap-add PERFMON,SYS_ADMIN ...");
		break;
	case CONTAINER_KUBERNETES:
		doctor_remedy(doctor, "securityContext: {capabilities: {add: [PERFMON]}}");
		if (permission->credentials.seccomp == 2)
			doctor_remedy(doctor,
				      "if that is not enough, also: {seccompProfile: {type: "
				      "Unconfined}}");
		break;
	case CONTAINER_LXC:
		doctor_remedy(doctor, "in the container's configuration: lxc.seccomp.profile =");
		break;
	case CONTAINER_NSPAWN:
		doctor_remedy(doctor, "systemd-nspawn --capability=CAP_PERFMON "
				      "--system-call-filter=perf_event_open ...");
		break;
	case CONTAINER_NONE:
	case CONTAINER_OTHER:
		doctor_remedy(doctor, "start pmctop outside of the sandbox that installed it");
		doctor_remedy(doctor, "in a systemd service: SystemCallFilter=perf_event_open");
		break;
	}
}

static void remedy_rights(struct doctor *doctor, const struct doctor_facts *facts,
			  const char *capability)
{
	const struct credentials *credentials = &facts->permission.credentials;

	if (credentials->known && credentials->uid == 0)
		return;
	if (credentials->no_new_privs)
		return; /* they have no effect; the finding "user" says so */
	/* --ssh or --via of another machine has copied and started it, and its file is removed. */
	if (text_ends_with(facts->program, " (deleted)")) {
		doctor_remedy(doctor, "from your machine: pmctop --ssh HOST --ssh-sudo");
		return;
	}
	doctor_remedy(doctor, "sudo setcap %s,cap_ipc_lock=ep %s", capability, facts->program);
	doctor_remedy(doctor, "sudo %s", facts->program);
}

void doctor_remedy_raw(struct doctor *doctor, const struct doctor_facts *facts)
{
	remedy_sysctl(doctor, &facts->permission, -1);
	remedy_rights(doctor, facts,
		      facts->permission.has_cap_perfmon ? "cap_perfmon" : "cap_sys_admin");
}

void doctor_remedy_denial(struct doctor *doctor, const struct doctor_facts *facts,
			  enum denial denial, enum perf_access_level wanted)
{
	const struct perf_permission *permission = &facts->permission;
	enum container_kind container = permission->container.kind;
	int paranoid = wanted == PERF_ACCESS_SYSTEM ? 0 : wanted == PERF_ACCESS_TASK ? 1 : 2;

	switch (denial) {
	case DENIAL_NONE:
	case DENIAL_OTHER:
		break;
	case DENIAL_PARANOID:
		/* Container managers grant capabilities, except lxc. */
		if (permission->container.user != NAMESPACE_OWN && container != CONTAINER_NONE &&
		    container != CONTAINER_OTHER && container != CONTAINER_LXC)
			remedy_container(doctor, permission);
		remedy_sysctl(doctor, permission, paranoid);
		if (permission->container.user != NAMESPACE_OWN &&
		    (container == CONTAINER_NONE || container == CONTAINER_OTHER))
			remedy_rights(doctor, facts,
				      permission->has_cap_perfmon ? "cap_perfmon"
								  : "cap_sys_admin");
		break;
	case DENIAL_ADMIN:
		remedy_sysctl(doctor, permission, paranoid);
		remedy_rights(doctor, facts, "cap_sys_admin");
		break;
	case DENIAL_SECCOMP:
		remedy_container(doctor, permission);
		break;
	case DENIAL_MODULE:
		doctor_remedy(doctor, "to find it: sudo dmesg | grep -i -e denied -e avc");
		break;
	case DENIAL_NO_PERF:
		doctor_remedy(doctor, "boot a kernel with CONFIG_PERF_EVENTS=y");
		break;
	}
}
