// SPDX-License-Identifier: MIT
/*
 * What pmctop can do here: the access that the kernel granted, and the reasons for each refusal. A
 * remedy stands at the first finding that needs it.
 */
#include "core/doctor/doctor_internal.h"

#include "core/base/util.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#define CAN  DOCTOR_CAN
#define SAME "no: for the same reason"

static void remedy_pid_namespace(struct doctor *doctor, const struct doctor_facts *facts)
{
	switch (facts->permission.container.kind) {
	case CONTAINER_DOCKER:
	case CONTAINER_PODMAN:
		doctor_remedy(doctor, "%s run --pid=host ...",
			      own_container_name(facts->permission.container.kind));
		return;
	case CONTAINER_KUBERNETES:
		doctor_remedy(doctor, "in the pod's spec: hostPID: true");
		return;
	case CONTAINER_NONE:
	case CONTAINER_LXC:
	case CONTAINER_NSPAWN:
	case CONTAINER_OTHER:
		break;
	}
	doctor_remedy(doctor, "run pmctop outside, on the host");
}

static void can_system(struct doctor *doctor, const struct doctor_facts *facts)
{
	char why[160];

	if (facts->proc < 0) {
		doctor_add(doctor, CAN, DOCTOR_BAD, "whole system", "no: /proc %s",
			   facts->proc == -ENOENT ? "is empty" : "cannot be read");
	} else if (facts->access.level < PERF_ACCESS_SYSTEM) {
		doctor_name_denial(facts, facts->denial, why, sizeof(why));
		doctor_add(doctor, CAN, DOCTOR_BAD, "whole system", "no: %s", why);
		doctor_remedy_denial(doctor, facts, facts->denial, PERF_ACCESS_SYSTEM);
	} else if (facts->permission.container.pid == NAMESPACE_OWN) {
		doctor_add(doctor, CAN, DOCTOR_WARN, "whole system",
			   "all CPUs, but tasks outside this pid namespace have no rows: only "
			   "their sum is known");
		remedy_pid_namespace(doctor, facts);
	} else if (facts->n_cpus == 0) {
		doctor_add(doctor, CAN, DOCTOR_WARN, "whole system",
			   "every task; the number of CPUs is unknown");
	} else {
		doctor_add(doctor, CAN, DOCTOR_OK, "whole system",
			   "every task on %zu CPU%s, in user and kernel mode", facts->n_cpus,
			   facts->n_cpus == 1 ? "" : "s");
	}
}

static void can_tasks(struct doctor *doctor, const struct doctor_facts *facts)
{
	const struct perf_permission *permission = &facts->permission;
	bool root = permission->container.user != NAMESPACE_OWN && permission->credentials.known &&
		    permission->credentials.uid == 0;

	switch (facts->access.level) {
	case PERF_ACCESS_NONE:
		doctor_add(doctor, CAN, DOCTOR_BAD, "own tasks", "%s",
			   facts->proc < 0 ? SAME : "no: only figures from /proc");
		break;
	case PERF_ACCESS_USER:
		doctor_add(doctor, CAN, DOCTOR_WARN, "own tasks",
			   "in user mode only, not in the kernel");
		break;
	case PERF_ACCESS_TASK:
	case PERF_ACCESS_SYSTEM:
		doctor_add(doctor, CAN, DOCTOR_OK, "own tasks", "in user and kernel mode");
		break;
	}
	doctor->other_tasks = facts->access.level == PERF_ACCESS_SYSTEM ||
			      (facts->access.level > PERF_ACCESS_NONE &&
			       perf_permission_has(permission, CAP_SYS_PTRACE));
	if (facts->access.level == PERF_ACCESS_NONE)
		doctor_add(doctor, CAN, DOCTOR_BAD, "other tasks", SAME);
	else if (doctor->other_tasks)
		doctor_add(doctor, CAN, DOCTOR_OK, "other tasks", "of every user%s",
			   permission->container.pid == NAMESPACE_OWN ? " in this pid namespace"
								      : "");
	else
		doctor_add(doctor, CAN, DOCTOR_BAD, "other tasks", "no: only tasks of %s",
			   root ? "root" : "this user");
}

static void remedy_no_pmu(struct doctor *doctor, const struct doctor_facts *facts)
{
	const struct hypervisor *hypervisor = &facts->hypervisor;

	if (hypervisor->present && hypervisor->remedy)
		doctor_remedy(doctor, "%s", hypervisor->remedy);
	else if (!hypervisor->present)
		doctor_remedy(doctor, "see: sudo dmesg | grep -i -e pmu -e perfctr");
}

static void can_hardware(struct doctor *doctor, const struct doctor_facts *facts)
{
	const struct hypervisor *hypervisor = &facts->hypervisor;
	bool cycles = false, instructions = false;

	for (size_t i = 0; i < facts->pmus.n_core; i++) {
		cycles |= facts->counters[i].cycles && !facts->counters[i].pretends;
		instructions |= facts->counters[i].instructions && !facts->counters[i].pretends;
	}
	if (facts->access.level == PERF_ACCESS_NONE) {
		doctor_add(doctor, CAN, DOCTOR_BAD, "hardware", SAME);
	} else if (doctor->hardware && cycles && instructions) {
		doctor_add(doctor, CAN, DOCTOR_OK, "hardware",
			   "cycles and instructions are counted");
	} else if (doctor->hardware) {
		doctor_add(doctor, CAN, DOCTOR_WARN, "hardware", "%s",
			   cycles         ? "cycles are counted, but no instructions"
			   : instructions ? "instructions are counted, but no cycles"
					  : "neither cycles nor instructions are counted: other "
					    "programs use the counters");
	} else {
		doctor_add(doctor, CAN, DOCTOR_BAD, "hardware",
			   "no: this %s has no counters; only software events",
			   hypervisor->present ? "VM" : "machine");
		remedy_no_pmu(doctor, facts);
	}
}

static void can_tracepoints(struct doctor *doctor, const struct doctor_facts *facts)
{
	bool mounted = facts->tracefs != SWITCH_FORMAT_NOT_MOUNTED;
	bool readable = mounted && facts->tracefs != SWITCH_FORMAT_DENIED;

	doctor->tracepoints = readable && facts->access.level >= PERF_ACCESS_TASK;
	if (doctor->tracepoints) {
		doctor_add(doctor, CAN, DOCTOR_OK, "tracepoints", "tracefs can be read");
	} else if (facts->access.level == PERF_ACCESS_NONE) {
		doctor_add(doctor, CAN, DOCTOR_BAD, "tracepoints", SAME);
	} else if (facts->access.level < PERF_ACCESS_TASK) {
		doctor_add(doctor, CAN, DOCTOR_BAD, "tracepoints", "no: kernel mode%s needed",
			   readable ? " is" : " and tracefs are");
	} else if (!mounted) {
		doctor_add(doctor, CAN, DOCTOR_BAD, "tracepoints", "no: tracefs is not mounted");
		doctor_remedy(doctor, "sudo mount -t tracefs tracefs /sys/kernel/tracing");
	} else {
		doctor_add(doctor, CAN, DOCTOR_BAD, "tracepoints",
			   "no: this user cannot read tracefs");
		doctor_remedy(doctor,
			      "sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing");
	}
}

/* The remedies for tracefs and the pid namespace stand at earlier findings. */
static void can_switches(struct doctor *doctor, const struct doctor_facts *facts)
{
	const struct switch_event *switches = &facts->switches;
	const char *why = "";

	if (facts->access.level < PERF_ACCESS_SYSTEM)
		return;
	switch (switches->choice) {
	case SWITCH_EVENT_TRACEPOINT:
		doctor_add(doctor, CAN, DOCTOR_OK, "switch event",
			   "the tracepoint sched:sched_switch");
		return;
	case SWITCH_EVENT_NAMESPACE:
		why = "the tracepoint has numbers of the host's pid namespace";
		break;
	case SWITCH_EVENT_NOT_MOUNTED:
		why = "tracefs is not mounted";
		break;
	case SWITCH_EVENT_UNREADABLE:
		why = "this user cannot read tracefs";
		break;
	case SWITCH_EVENT_ABSENT:
		why = "this kernel has no tracepoint sched:sched_switch";
		break;
	case SWITCH_EVENT_FORMAT:
		why = "the format of sched:sched_switch in tracefs is unknown";
		break;
	case SWITCH_EVENT_DENIED:
		why = "RAW samples of tracepoints are refused";
		break;
	case SWITCH_EVENT_REFUSED:
		why = "the kernel does not open sched:sched_switch";
		break;
	}
	doctor_add(doctor, CAN, DOCTOR_WARN, "switch event",
		   "the software event context-switches: %s%s%s", why, switches->answer ? ": " : "",
		   switches->answer ? error_why(switches->answer) : "");
	if (switches->choice == SWITCH_EVENT_DENIED)
		doctor_remedy_raw(doctor, facts);
}

static void report_verdict(struct doctor *doctor, const struct doctor_facts *facts)
{
	const char *hardware = doctor->hardware ? "" : ", but no hardware events";

	switch (doctor->level) {
	case PERF_ACCESS_NONE:
		snprintf(doctor->verdict, sizeof(doctor->verdict), "nothing can be counted here%s",
			 facts->proc < 0 ? " without /proc" : "; only /proc is read");
		break;
	case PERF_ACCESS_USER:
		snprintf(doctor->verdict, sizeof(doctor->verdict),
			 "own tasks can be counted in user mode%s", hardware);
		break;
	case PERF_ACCESS_TASK:
		snprintf(doctor->verdict, sizeof(doctor->verdict), "own tasks can be counted%s",
			 hardware);
		break;
	case PERF_ACCESS_SYSTEM:
		snprintf(doctor->verdict, sizeof(doctor->verdict),
			 "the whole system can be counted%s", hardware);
		break;
	}
}

void doctor_can(struct doctor *doctor, const struct doctor_facts *facts)
{
	can_system(doctor, facts);
	can_tasks(doctor, facts);
	can_hardware(doctor, facts);
	can_tracepoints(doctor, facts);
	can_switches(doctor, facts);
	report_verdict(doctor, facts);
}
