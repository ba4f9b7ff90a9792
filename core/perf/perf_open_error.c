// SPDX-License-Identifier: MIT
/*
 * A refusal of perf_event_open as a sentence with its remedy, by errno and by what this process may
 * do. If a level of access is denied, the reason is about the lowest denied level.
 */
#include "core/perf/perf_open_error.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/perf/perf_access.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where sudo finds a program by its name. The default of some systems lacks /usr/local/bin. */
#define SUDO_PATH "/usr/bin/"

enum { PROGRAM_SHOWN = 60 }; /* with a longer path the command would not fit into a note */

/* The one command that lets this user count all tasks. */
static void all_tasks_command(const struct sys *sys, const struct perf_permission *permission,
			      char *text, size_t size)
{
	const char *name = "pmctop";
	char program[256];

	if (permission->credentials.no_new_privs) {
		text_copy(text, size, "sysctl kernel.perf_event_paranoid=0 (as root)");
		return;
	}
	if (sys_link_read(sys, "/proc/self/exe", program, sizeof(program)) >= 0)
		name = strcmp(program, SUDO_PATH "pmctop") == 0 ? name : program;
	if (strlen(name) > PROGRAM_SHOWN || name[strcspn(name, " \\'\"$`;&|<>()*?[]#~")])
		text_copy(text, size, "sudo sysctl kernel.perf_event_paranoid=0");
	else
		snprintf(text, size, "sudo %s", name);
}

/* `none`: not even the caller's tasks can be counted. Mainline treats 3 and more as 2. */
static void explain_paranoid(const struct sys *sys, const struct perf_permission *permission,
			     bool none, int code, struct error *err)
{
	char command[PROGRAM_SHOWN + 8];

	if (permission->container.user == NAMESPACE_OWN) {
		error_set(err, code,
			  "In a user namespace capabilities do not count. On the host: sudo sysctl "
			  "kernel.perf_event_paranoid=0");
		return;
	}
	all_tasks_command(sys, permission, command, sizeof(command));
	error_set(err, code,
		  none ? "perf_event_paranoid=%ld denies all counters. To count: %s"
		       : "perf_event_paranoid=%ld allows only your own tasks. All: %s",
		  permission->paranoid, command);
}

static void explain_filter(const struct perf_permission *permission, int code, struct error *err)
{
	const char *blocked = "Blocked by the container's seccomp filter";

	switch (permission->container.kind) {
	case CONTAINER_DOCKER:
	case CONTAINER_PODMAN:
		error_set(err, code, "%s: add --cap-add PERFMON.", blocked);
		return;
	case CONTAINER_KUBERNETES:
		error_set(err, code,
			  "%s: add PERFMON to the capabilities in the pod's securityContext.",
			  blocked);
		return;
	case CONTAINER_LXC:
		error_set(err, code, "%s: empty lxc.seccomp.profile in its configuration.",
			  blocked);
		return;
	case CONTAINER_NSPAWN:
		error_set(err, code,
			  "%s: add --capability=CAP_PERFMON --system-call-filter=perf_event_open.",
			  blocked);
		return;
	case CONTAINER_NONE:
	case CONTAINER_OTHER:
		break;
	}
	error_set(err, code,
		  "The counters are blocked by a seccomp filter, as in containers. Start the "
		  "container with --cap-add PERFMON. Details: pmctop --doctor");
}

static void explain_denied(const struct sys *sys, int code, struct error *err)
{
	enum perf_access_level level = PERF_ACCESS_SYSTEM;
	struct perf_permission permission;
	struct perf_access access;
	char command[PROGRAM_SHOWN + 8];

	/* The reason is about the lowest denied level. */
	perf_access_probe(sys, &access);
	if (access.level < PERF_ACCESS_SYSTEM)
		level = access.level + 1;
	perf_permission_read(sys, &permission);
	switch (perf_permission_denial(&permission, code, level)) {
	case DENIAL_PARANOID:
		explain_paranoid(sys, &permission, access.level == PERF_ACCESS_NONE, code, err);
		return;
	case DENIAL_ADMIN:
		all_tasks_command(sys, &permission, command, sizeof(command));
		error_set(err, code,
			  "perf_event_paranoid=%ld needs CAP_SYS_ADMIN in this kernel. All: %s",
			  permission.paranoid, command);
		return;
	case DENIAL_MODULE:
		error_set(err, code,
			  "The counters are blocked by a security module such as SELinux or "
			  "AppArmor. dmesg may name it.");
		return;
	case DENIAL_NO_PERF:
		error_set(err, code,
			  "This kernel was built without CONFIG_PERF_EVENTS. Boot one with it.");
		return;
	case DENIAL_SECCOMP:
	case DENIAL_NONE:
	case DENIAL_OTHER:
		break;
	}
	explain_filter(&permission, code, err);
}

void perf_open_error(const struct sys *sys, int code, const char *event, struct error *err)
{
	switch (-code) {
	case EACCES:
	case EPERM:
	case ENOSYS:
		explain_denied(sys, code, err);
		return;
	case ENOENT:
	case EOPNOTSUPP:
		if (!event)
			break;
		error_set(err, code, "Event %s is not supported on this CPU.", event);
		return;
	case EINVAL:
		if (!event)
			break;
		error_set(
			err, code,
			"Event %s is invalid here: this PMU does not have its terms, or it cannot "
			"count whole CPUs.",
			event);
		return;
	case ENFILE:
		error_set(err, code,
			  "Out of file descriptors on this machine: some CPUs are not counted. "
			  "Raise the limit: sysctl fs.file-max");
		return;
	case EMFILE:
		error_set(err, code,
			  "Out of file descriptors: some CPUs are not counted. Raise ulimit -n");
		return;
	case ENOBUFS:
		error_set(err, code,
			  "No locked memory is left for ring buffers. Raise RLIMIT_MEMLOCK or "
			  "kernel.perf_event_mlock_kb, or add CAP_IPC_LOCK.");
		return;
	case ENOMEM:
		error_set(
			err, code,
			"The kernel has no memory left for counters and their rings. Free memory, "
			"or raise the limit of the cgroup (memory.max).");
		return;
	case EBUSY:
		error_set(err, code, "The counters are held by another program.");
		return;
	case ENODEV:
		error_set(err, code, "A CPU went offline.");
		return;
	}
	error_set(err, code, "perf_event_open failed%s%s: %s.", event ? " for " : "",
		  event ? event : "", error_why(code));
}

void perf_open_error_access(const struct sys *sys, const struct perf_access *access,
			    struct error *err)
{
	bool none = access->level == PERF_ACCESS_NONE;

	perf_open_error(sys, access->answers[none ? PERF_ACCESS_USER : PERF_ACCESS_SYSTEM], NULL,
			err);
}

/* Whether a breakpoint is in kernel memory, the upper half of addresses. */
static bool is_of_kernel_memory(const struct event *event)
{
	const struct perf_event_attr *attr = event->n_codes > 0 ? &event->codes[0].attr : NULL;

	return attr && attr->type == PERF_TYPE_BREAKPOINT && attr->bp_addr >> 63;
}

/* Whether it is a probe: a software event with a function or file as its target. */
static bool is_probe(const struct event *event)
{
	return event->kind == EVENT_SOFTWARE && event->target;
}

/* Explains an event that is denied while others are not. Returns false if all are denied. */
static bool explain_denied_event(const struct sys *sys, const struct event *event,
				 struct error *err)
{
	struct perf_access access;

	bool admin = is_of_kernel_memory(event) || is_probe(event);

	perf_access_probe(sys, &access);
	if (access.level == PERF_ACCESS_NONE || (access.level == PERF_ACCESS_SYSTEM && !admin))
		return false;
	if (admin)
		error_set(
			err, event->answer,
			"Event %s %s. That needs CAP_SYS_ADMIN: run as root, with the event in -e "
			"from the start.",
			event_label(event),
			is_probe(event) ? "makes a probe" : "is in the kernel's memory");
	else if (event->kind == EVENT_SOCKET)
		error_set(err, event->answer,
			  "Event %s is counted for a whole socket. That needs CAP_PERFMON or "
			  "kernel.perf_event_paranoid=0.",
			  event_label(event));
	else
		error_set(err, event->answer,
			  "Event %s counts in the kernel. That needs CAP_PERFMON or "
			  "kernel.perf_event_paranoid=%d.",
			  event_label(event), access.level == PERF_ACCESS_USER ? 1 : -1);
	return true;
}

void perf_open_error_event(const struct sys *sys, const struct event *event, struct error *err)
{
	bool denied = event->answer == -EACCES || event->answer == -EPERM;
	bool probe = is_probe(event);

	if (event->answer == -ENOSPC)
		error_set(err, -ENOSPC, "Event %s: this CPU has no free hardware breakpoint.",
			  event_label(event));
	else if (event->answer == -EUSERS)
		error_set(err, -EUSERS,
			  "Event %s is not counted: the only counter that it can use is taken (NMI "
			  "watchdog or another profiler).",
			  event_label(event));
	else if (probe && (event->answer == -ENOENT || event->answer == -EINVAL))
		error_set(err, event->answer, "Event %s: no such file, function or offset.",
			  event_label(event));
	else if (!denied || !explain_denied_event(sys, event, err))
		perf_open_error(sys, event->answer, event_label(event), err);
}
