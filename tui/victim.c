// SPDX-License-Identifier: MIT
#include "victim.h"

#include "core/proc.h"
#include "core/text.h"
#include "core/util.h"

#include <errno.h>
#include <string.h>

static int has_ended(pid_t pid, struct error *err)
{
	return error_set(err, -ESRCH, "Process %d has ended.", pid);
}

int victim_find(const struct sys *sys, pid_t pid, uint64_t seen_ns, struct victim *victim,
		struct error *err)
{
	struct proc_stat stat;
	uint64_t seen_ago_ns = u64_growth(seen_ns, sys_now_ns(sys));
	uint64_t now_ns = sys_boottime_ns(sys);

	if (proc_stat_read(sys, pid, &stat) < 0 || stat.state == 'Z' || stat.state == 'X')
		return has_ended(pid, err);
	/* Its start is cut to a whole tick, so it can only look older than it is. */
	if (stat.start_ticks * proc_tick_ns() + seen_ago_ns > now_ns)
		return has_ended(pid, err);
	*victim = (struct victim){.pid = pid, .start_ticks = stat.start_ticks};
	text_printable(victim->name, sizeof(victim->name), stat.comm, sizeof(stat.comm));
	return 0;
}

int victim_signal(const struct sys *sys, const struct victim *victim, int signal, struct error *err)
{
	struct proc_stat stat;
	int fd = sys_pidfd_open(sys, victim->pid);

	if (fd == -ESRCH)
		return has_ended(victim->pid, err);
	if (fd < 0)
		return error_set(err, fd, "Process %d cannot be opened: %s.", victim->pid,
				 strerror(-fd));
	/* A number never comes back to who had it: whose it is still, it was when it was opened. */
	int result = proc_stat_read(sys, victim->pid, &stat);
	if (result == 0 && stat.start_ticks == victim->start_ticks)
		result = sys_pidfd_signal(sys, fd, signal);
	else
		result = -ESRCH;
	sys_close(sys, fd);
	if (result == -ESRCH)
		return has_ended(victim->pid, err);
	if (result == -EPERM)
		return error_set(
			err, result,
			"Process %d belongs to another user: to send it a signal needs root "
			"or CAP_KILL.",
			victim->pid);
	if (result < 0)
		return error_set(err, result, "Process %d takes no signal: %s.", victim->pid,
				 strerror(-result));
	return 0;
}
