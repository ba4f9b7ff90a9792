// SPDX-License-Identifier: MIT
/*
 * Changes nice values, at once as htop does. setpriority(2) changes one thread, and takes its
 * number: there is no such call with a pidfd. So a pidfd is opened on the process, which must be
 * older than the snapshot, and shows before each call that the process still has its number.
 */
#include "tui/screen/renice.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/proc.h"
#include "tui/screen/app.h"
#include "tui/screen/signal_target.h"

#include <errno.h>
#include <stdio.h>

enum { NICE_LEAST = -20, NICE_MOST = 19 };

struct renice {
	const struct sys *sys;
	const struct renice_target *target;
	int pidfd, delta;
	struct renice_change *change;
	struct error *err;
	int result; /* of the thread that ended the loop; 0: none did */
};

static int ended_error(const struct renice_target *target, struct error *err)
{
	return error_set(err, -ESRCH, "%s %d has ended.", target->tid ? "Thread" : "Process",
			 target->tid ? target->tid : target->pid);
}

static int refusal_error(const struct renice_target *target, int result, struct error *err)
{
	if (result == -ESRCH)
		return ended_error(target, err);
	if (result == -ETIMEDOUT)
		return signal_target_unread(target->pid, result, err);
	if (result == -EPERM)
		return error_set(err, result,
				 "Process %d belongs to another user or has more rights: its "
				 "priority needs root or CAP_SYS_NICE.",
				 target->pid);
	if (result == -EACCES)
		return error_set(
			err, result,
			"Process %d: a higher priority needs root, CAP_SYS_NICE or a limit "
			"of nice values (ulimit -e).",
			target->pid);
	return error_set(err, result, "Process %d: its priority cannot be changed: %s.",
			 target->pid, error_why(result));
}

/* Returns 0 also for a thread that has ended. */
static int renice_thread(struct renice *renice, pid_t tid)
{
	struct renice_change *change = renice->change;
	const struct sys *sys = renice->sys;
	struct proc_stat stat;

	int result = proc_thread_stat(sys, renice->target->pid, tid, &stat);
	if (result < 0)
		return result == -ETIMEDOUT ? result : 0;

	int nice = stat.nice + renice->delta;
	nice = nice < NICE_LEAST ? NICE_LEAST : nice > NICE_MOST ? NICE_MOST : nice;
	if (nice != stat.nice) {
		if (sys_pidfd_signal(sys, renice->pidfd, 0) == -ESRCH)
			return -ESRCH;
		result = sys_set_nice(sys, tid, nice);
		if (result < 0)
			return result == -ESRCH ? 0 : result;
	}
	if (change->threads == 0 || tid == renice->target->pid) {
		change->from = stat.nice;
		change->to = nice;
	}
	change->threads++;
	return 0;
}

static int renice_listed(void *arg, const char *name)
{
	pid_t tid = proc_pid(name);

	struct renice *renice = arg;

	if (tid)
		renice->result = renice_thread(renice, tid);
	return renice->result;
}

static int renice_process(struct renice *renice)
{
	struct signal_target process;
	char path[48];

	int result = signal_target_find(renice->sys, renice->target->pid, renice->target->seen_ns,
					&process, renice->err);
	if (result < 0)
		return result;
	snprintf(renice->change->name, sizeof(renice->change->name), "%d %s", process.pid,
		 process.name);
	snprintf(path, sizeof(path), "/proc/%d/task", process.pid);

	result = sys_dir_each(renice->sys, path, renice_listed, renice);
	return result < 0 ? result : renice->result;
}

static int renice_one_thread(struct renice *renice)
{
	const struct renice_target *target = renice->target;
	struct proc_stat stat;
	char name[48];

	int result = proc_thread_stat(renice->sys, target->pid, target->tid, &stat);
	if (result == -ETIMEDOUT)
		return result;
	if (result < 0 || !signal_target_is_of(renice->sys, &stat, target->seen_ns))
		return -ESRCH;
	text_printable(name, sizeof(name), stat.comm, sizeof(stat.comm));
	snprintf(renice->change->name, sizeof(renice->change->name), "%d %s", target->tid, name);
	return renice_thread(renice, target->tid);
}

int renice_apply(const struct sys *sys, const struct renice_target *target, int delta,
		 struct renice_change *change, struct error *err)
{
	int fd = sys_pidfd_open(sys, target->pid);
	struct renice renice = {sys, target, fd, delta, change, err, 0};

	*change = (struct renice_change){.name = ""};
	if (fd < 0)
		return refusal_error(target, fd, err);
	int result = target->tid ? renice_one_thread(&renice) : renice_process(&renice);
	sys_close(sys, fd);
	if (result == 0 && change->threads == 0)
		result = -ESRCH;
	return result < 0 ? refusal_error(target, result, err) : 0;
}

/* The rows of one key. */
struct renice_rows {
	const struct sys *sys;
	int delta;
	size_t n, changed;
	struct renice_change last;
	struct error err;
};

static void renice_row(void *arg, pid_t pid, pid_t tid, uint64_t seen_ns)
{
	struct renice_rows *rows = arg;
	struct renice_target target = {pid, tid, seen_ns};
	struct renice_change change;

	rows->n++;
	if (renice_apply(rows->sys, &target, rows->delta, &change, &rows->err) < 0)
		return;
	rows->last = change;
	rows->changed++;
}

static void show_change(struct messages *messages, const struct renice_change *change)
{
	char threads[24] = "";

	if (change->threads > 1)
		snprintf(threads, sizeof(threads), ", %u threads", change->threads);
	if (change->from == change->to)
		messages_show(messages, "%s: nice stays %d, the %s priority%s.", change->name,
			      change->to, change->to < 0 ? "highest" : "lowest", threads);
	else
		messages_show(messages, "%s: nice %d -> %d, a %s priority%s.", change->name,
			      change->from, change->to,
			      change->to < change->from ? "higher" : "lower", threads);
}

void renice_chosen(struct app *app, int delta)
{
	struct list *list = app_list(app);
	const struct snapshot *snapshot = app->display.snapshot;
	struct renice_rows rows = {.sys = app->config.sys, .delta = delta};

	if (!rows.sys || !snapshot)
		return; /* a replay, which action_blocked() explains, or no row yet */
	if (!list || list->spec.by > ROLLUP_TREE) {
		messages_show(&app->messages,
			      "A priority needs a process or a thread: select one in the list "
			      "(g, H, t switch the list).");
		return;
	}
	list_each_chosen(list, snapshot, renice_row, &rows);
	if (rows.n == 0)
		messages_show(&app->messages, "No process is selected.");
	else if (rows.changed == 1 && rows.n == 1)
		show_change(&app->messages, &rows.last);
	else if (rows.changed == rows.n)
		messages_show(&app->messages, "%zu rows: nice %+d, a %s priority.", rows.n, delta,
			      delta < 0 ? "higher" : "lower");
	else if (rows.n == 1)
		messages_show(&app->messages, "%s", rows.err.text);
	else
		messages_show(&app->messages, "%zu of %zu rows: nice %+d. %s", rows.changed, rows.n,
			      delta, rows.err.text);
}
