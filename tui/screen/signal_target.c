// SPDX-License-Identifier: MIT
/*
 * A pid can be reused between the snapshot and the signal. A target is therefore a pid with a start
 * time, checked twice: the process must have started before the snapshot, and the process behind
 * the pidfd must still have that start time.
 */
#include "tui/screen/signal_target.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int ended_error(pid_t pid, struct error *err)
{
	return error_set(err, -ESRCH, "Process %d has ended.", pid);
}

int signal_target_unread(pid_t pid, int result, struct error *err)
{
	if (result != -ETIMEDOUT)
		return ended_error(pid, err);
	return error_set(err, result,
			 "/proc does not answer for process %d, so it may be another one by now. "
			 "In a shell: kill %d",
			 pid, pid);
}

bool signal_target_is_of(const struct sys *sys, const struct proc_stat *stat, uint64_t seen_ns)
{
	uint64_t seen_ago_ns = u64_growth(seen_ns, sys_now_ns(sys));

	/* The start time is cut to a tick, so a task can only seem older than it is. */
	return stat->start_ticks * proc_tick_ns() + seen_ago_ns <= sys_boottime_ns(sys);
}

int signal_target_find(const struct sys *sys, pid_t pid, uint64_t seen_ns,
		       struct signal_target *signal_target, struct error *err)
{
	struct proc_stat stat;
	int result = proc_stat_read(sys, pid, &stat);

	if (result < 0)
		return signal_target_unread(pid, result, err);
	if (proc_has_ended(&stat) || !signal_target_is_of(sys, &stat, seen_ns))
		return ended_error(pid, err);
	*signal_target = (struct signal_target){.pid = pid, .start_ticks = stat.start_ticks};
	text_printable(signal_target->name, sizeof(signal_target->name), stat.comm,
		       sizeof(stat.comm));
	return 0;
}

int signal_target_send(const struct sys *sys, const struct signal_target *signal_target, int signal,
		       struct error *err)
{
	struct proc_stat stat;
	int fd = sys_pidfd_open(sys, signal_target->pid);

	if (fd == -ESRCH)
		return ended_error(signal_target->pid, err);
	if (fd < 0)
		return error_set(err, fd, "Process %d cannot be opened: %s.", signal_target->pid,
				 error_why(fd));
	/*
	 * The pidfd always refers to the same process. If pid and start time still match now, the
	 * pidfd was opened on the target.
	 */
	int result = proc_stat_read(sys, signal_target->pid, &stat);
	if (result == 0 && stat.start_ticks == signal_target->start_ticks)
		result = sys_pidfd_signal(sys, fd, signal);
	else if (result != -ETIMEDOUT)
		result = -ESRCH;
	sys_close(sys, fd);
	if (result == -ETIMEDOUT)
		return signal_target_unread(signal_target->pid, result, err);
	if (result == -ESRCH)
		return ended_error(signal_target->pid, err);
	if (result == -EPERM)
		return error_set(
			err, result,
			"Process %d belongs to another user: a signal needs root or CAP_KILL.",
			signal_target->pid);
	if (result < 0)
		return error_set(err, result, "Process %d: the signal cannot be sent: %s.",
				 signal_target->pid, error_why(result));
	return 0;
}

void signal_targets_fini(struct signal_targets *signal_targets)
{
	free(signal_targets->items);
	*signal_targets = (struct signal_targets){0};
}

int signal_targets_add(struct signal_targets *signal_targets, const struct sys *sys, pid_t pid,
		       uint64_t seen_ns, struct error *err)
{
	for (size_t i = 0; i < signal_targets->n; i++)
		if (signal_targets->items[i].pid == pid)
			return 0;
	signal_targets->items = xreallocarray(signal_targets->items, signal_targets->n + 1,
					      sizeof(*signal_targets->items));
	int result = signal_target_find(sys, pid, seen_ns,
					&signal_targets->items[signal_targets->n], err);
	signal_targets->n += result == 0;
	return result;
}

void signal_targets_describe(const struct signal_targets *signal_targets, char *text, size_t size)
{
	size_t length = 0;

	if (signal_targets->n > 1)
		length = (size_t)snprintf(text, size, "%zu processes: ", signal_targets->n);
	for (size_t i = 0; i < signal_targets->n; i++) {
		char one[64];
		size_t n = (size_t)snprintf(one, sizeof(one), "%s%d %s", i ? ", " : "",
					    signal_targets->items[i].pid,
					    signal_targets->items[i].name);

		if (length + n + sizeof(" ...") > size) {
			text_copy(text + length, size - length, " ...");
			return;
		}
		length += text_copy(text + length, size - length, one);
	}
}

size_t signal_targets_send(const struct signal_targets *signal_targets, const struct sys *sys,
			   int signal, struct error *err)
{
	size_t sent = 0;

	for (size_t i = 0; i < signal_targets->n; i++) {
		struct error why;

		if (signal_target_send(sys, &signal_targets->items[i], signal, &why) == 0)
			sent++;
		else
			*err = why;
	}
	return sent;
}
