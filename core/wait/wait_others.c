// SPDX-License-Identifier: MIT
/*
 * Tasks that have not run since the begin of the run of intervals have no record. A task that does
 * not run stays in the state that /proc has of it, unless it is woken up. So one reading is enough.
 * The threads of the target's roots are read when the run begins. Of the other tasks, those that
 * are to be shown (uninterruptible, stopped) are found among those that the task table has read. If
 * that is older than a gap, or than the run, it is read again.
 */
#include "core/base/util.h"
#include "core/sys/proc.h"
#include "core/wait/waits_internal.h"

#include <stdio.h>

/* Most threads of a root that are read. */
enum { THREADS_MOST = 1024 };

struct root_threads {
	struct waits *waits;
	pid_t pid;
	unsigned left;
};

static bool has_account(const struct waits *waits, const struct task *task)
{
	return task->wait.run == waits->run;
}

static void read_thread(struct waits *waits, pid_t pid, pid_t tid)
{
	uint64_t now_ns = sys_now_ns(waits->sys);
	struct task *task = tasks_at(waits->all_tasks, pid, tid, now_ns);
	struct proc_stat stat;

	if (has_account(waits, task) || task->exit_ns)
		return;
	if (proc_thread_brief(waits->sys, pid, tid, &stat) < 0)
		return;
	task_set_state(task, stat.state, now_ns);
	waits_account(waits, task)->seen =
		stat.state == 'R' ? TASK_SEEN_RUNNABLE : TASK_SEEN_BLOCKED;
}

static int read_listed(void *arg, const char *name)
{
	struct root_threads *threads = arg;
	pid_t tid = proc_pid(name);

	if (tid && threads->left > 0) {
		threads->left--;
		read_thread(threads->waits, threads->pid, tid);
	}
	return 0;
}

static void read_root(struct waits *waits, const struct target_root *root)
{
	struct root_threads threads = {waits, root->pid, THREADS_MOST};
	char path[32];

	if (!root->process) {
		read_thread(waits, root->pid, root->tid);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/task", root->pid);
	sys_dir_each(waits->sys, path, read_listed, &threads);
}

void waits_read_roots(struct waits *waits)
{
	size_t n = 0;

	if (!waits->target || waits->recorded ||
	    waits->target_generation == target_generation(waits->target) + 1)
		return;
	waits->target_generation = target_generation(waits->target) + 1;
	const struct target_root *roots = target_roots(waits->target, &n);
	for (size_t i = 0; i < n; i++)
		if (!roots[i].ended_ns)
			read_root(waits, &roots[i]);
}

struct others {
	struct waits *waits;
	unsigned left; /* readings */
	bool missed;   /* there were more */
};

/* Whether the records have the state of a task, since the last gap. */
static bool is_known(const struct waits *waits, const struct task *task)
{
	const struct task_wait *account = &task->wait;

	if (!has_account(waits, task) || account->interval < waits->lost_interval)
		return false;
	/* Where switches have no state, a task that left its CPU is not read at once. */
	return account->state != TASK_OFF || account->left_ns > waits->begin_ns;
}

/*
 * The state of a task is read where it is not known: it ran, or had a slot, before this run of
 * intervals, or it may have run in a gap. It has no record since, so it is in that state since
 * then.
 */
static void add_if_shown(void *arg, struct task *task)
{
	struct others *others = arg;
	struct waits *waits = others->waits;
	struct proc_stat stat;

	if (task->exit_ns || task->zombie || is_known(waits, task))
		return;
	if (waits_state_of(waits, task) == TASK_OFF) {
		if (others->left == 0) {
			others->missed = true;
			return;
		}
		others->left--;
		if (task->pid <= 0 ||
		    proc_thread_brief(waits->sys, task->pid, task->tid, &stat) < 0)
			return;
		task_set_state(task, stat.state, sys_now_ns(waits->sys));
		/* Its EXIT was lost. */
		if (stat.state == 'Z')
			tasks_mark_zombie(waits->all_tasks, task, task->state.read_ns);
	}
	if (has_account(waits, task)) {
		task->wait.state = waits_state_of(waits, task);
		task->wait.known_ns = task->state.read_ns;
	}
	/* Of one that is runnable the state is read once more, before the next end. */
	if (task->state.letter == 'D' || task->state.letter == 'T' || task->state.letter == 't' ||
	    (waits->wakeups && task->state.letter == 'R'))
		waits_account(waits, task);
}

void waits_add_others(struct waits *waits, struct interval *interval, bool gaps)
{
	size_t n = 0;
	struct others others = {
		.waits = waits,
		.left = 1 + (unsigned)((waits->end_ns - waits->begin_ns) / WAITS_READ_EVERY_NS),
		.missed = tasks_are_pending(waits->all_tasks),
	};

	if (!waits->recorded && !gaps && (waits->scanning || others.missed)) {
		tasks_each(waits->all_tasks, add_if_shown, &others);
		waits->scanning = others.missed;
	}
	const struct target_root *roots = waits->target ? target_roots(waits->target, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		struct task *task = tasks_find(waits->all_tasks, roots[i].tid, waits->end_ns);
		if (roots[i].ended_ns || !task || task->exit_ns || !has_account(waits, task))
			continue;
		waits_account(waits, task);
		interval_task(interval, task);
	}
}
