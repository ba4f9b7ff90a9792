// SPDX-License-Identifier: MIT
#include "explain.h"

#include "proc.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* perf_event_paranoid; where it cannot be read -2, below every level. */
static long paranoid(const struct sys *sys)
{
	long level;

	if (proc_number(sys, "/proc/sys/kernel/perf_event_paranoid", &level) < 0)
		return -2;
	return level;
}

static void explain_denied(const struct sys *sys, int code, struct error *err)
{
	long level = paranoid(sys);

	if (level >= 3)
		error_set(err, code,
			  "This kernel denies all counters to ordinary users "
			  "(perf_event_paranoid=%ld). Run as root, or: "
			  "sysctl kernel.perf_event_paranoid=0",
			  level);
	else if (code == -EPERM || level < 1)
		error_set(err, code,
			  "The counters are blocked, as a container's seccomp filter does: "
			  "start the container with --cap-add PERFMON.");
	else
		error_set(err, code,
			  "The system-wide view needs CAP_PERFMON or perf_event_paranoid <= 0 "
			  "(it is %ld): run as root, or: sysctl kernel.perf_event_paranoid=0",
			  level);
}

void explain_perf_open(const struct sys *sys, int code, const char *event, struct error *err)
{
	switch (-code) {
	case EACCES:
	case EPERM:
		explain_denied(sys, code, err);
		return;
	case ENOSYS:
		error_set(err, code,
			  "perf_event_open is unavailable here (a seccomp filter, or a kernel "
			  "built without CONFIG_PERF_EVENTS).");
		return;
	case ENOENT:
	case EOPNOTSUPP:
		if (event)
			error_set(err, code, "Event %s is not supported on this CPU.", event);
		else
			error_set(err, code, "%s", EXPLAIN_NO_PMU);
		return;
	case EINVAL:
		error_set(err, code,
			  "Event %s is refused as it is: its terms mean nothing here, or no whole "
			  "CPU can be counted by it.",
			  event ? event : "(group)");
		return;
	case ENFILE:
		error_set(err, code,
			  "Out of file descriptors on this machine: some CPUs are not counted. "
			  "Raise the limit: sysctl fs.file-max");
		return;
	case EMFILE:
		error_set(err, code,
			  "Out of file descriptors: some CPUs are not counted. Raise the limit: "
			  "ulimit -n");
		return;
	case ENOBUFS:
		error_set(err, code,
			  "No locked memory is left for ring buffers. Raise RLIMIT_MEMLOCK or "
			  "kernel.perf_event_mlock_kb, or add CAP_IPC_LOCK.");
		return;
	case EBUSY:
		error_set(err, code, "The counters are held by another program.");
		return;
	case ENODEV:
		error_set(err, code, "A CPU went offline.");
		return;
	}
	error_set(err, code, "perf_event_open failed%s%s: %s.", event ? " for " : "",
		  event ? event : "", strerrordesc_np(-code));
}

void explain_access(const struct sys *sys, const struct access *access, struct error *err)
{
	bool none = access->level == ACCESS_NONE;

	explain_perf_open(sys, access->answers[none ? ACCESS_USER : ACCESS_SYSTEM], NULL, err);
}

void explain_event(const struct sys *sys, const struct event *event, struct error *err)
{
	bool probe = event->kind == EVENT_SOFTWARE && event->target;

	if (event->answer == -ENOSPC)
		error_set(err, -ENOSPC,
			  "Event %s: this CPU has no hardware breakpoint left for it.",
			  event_label(event));
	else if (event->answer == -EUSERS)
		error_set(err, -EUSERS,
			  "Event %s is not counted: the only counter that it can use is taken (NMI "
			  "watchdog or another profiler).",
			  event_label(event));
	else if (probe && (event->answer == -ENOENT || event->answer == -EINVAL))
		error_set(err, event->answer,
			  "Event %s: there is no such file or function, or nothing at that place.",
			  event_label(event));
	else
		explain_perf_open(sys, event->answer, event_label(event), err);
}
