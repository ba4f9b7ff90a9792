// SPDX-License-Identifier: MIT
#include "tui/screen/victim.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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

	if (proc_stat_read(sys, pid, &stat) < 0 || proc_has_ended(&stat))
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
				 error_why(fd));
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
				 error_why(result));
	return 0;
}

void victims_fini(struct victims *victims)
{
	free(victims->items);
	*victims = (struct victims){0};
}

int victims_add(struct victims *victims, const struct sys *sys, pid_t pid, uint64_t seen_ns,
		struct error *err)
{
	for (size_t i = 0; i < victims->n; i++)
		if (victims->items[i].pid == pid)
			return 0;
	victims->items = xreallocarray(victims->items, victims->n + 1, sizeof(*victims->items));
	int result = victim_find(sys, pid, seen_ns, &victims->items[victims->n], err);
	victims->n += result == 0;
	return result;
}

void victims_describe(const struct victims *victims, char *text, size_t size)
{
	size_t length = 0;

	if (victims->n > 1)
		length = (size_t)snprintf(text, size, "%zu processes: ", victims->n);
	for (size_t i = 0; i < victims->n; i++) {
		char one[64];
		size_t n = (size_t)snprintf(one, sizeof(one), "%s%d %s", i ? ", " : "",
					    victims->items[i].pid, victims->items[i].name);

		if (length + n + sizeof(" ...") > size) {
			text_copy(text + length, size - length, " ...");
			return;
		}
		length += text_copy(text + length, size - length, one);
	}
}

size_t victims_signal(const struct victims *victims, const struct sys *sys, int signal,
		      struct error *err)
{
	size_t sent = 0;

	for (size_t i = 0; i < victims->n; i++) {
		struct error why;

		if (victim_signal(sys, &victims->items[i], signal, &why) == 0)
			sent++;
		else
			*err = why;
	}
	return sent;
}
