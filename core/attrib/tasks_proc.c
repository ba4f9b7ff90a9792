// SPDX-License-Identifier: MIT
/*
 * What /proc has about one task: user, cgroup, parent, name, command line. It is read once per
 * exec, and again now and then, as setuid() and a move to another cgroup make no record. A task
 * that is gone from /proc has what its parent has.
 */
#include "core/attrib/tasks_internal.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* (uid_t)-1: it cannot be read. */
static uid_t user_of(const struct tasks *tasks, const struct task *task)
{
	char path[32];
	uid_t uid;

	snprintf(path, sizeof(path), "/proc/%d", task->tid);
	return sys_file_owner(tasks->sys, path, &uid) == 0 ? uid : (uid_t)-1;
}

/* Reads what roll-ups sum by. */
static void read_owner(struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	uid_t uid = user_of(tasks, task);
	struct cgroup *cgroup, *cpu_cgroup;

	cgroups_read(tasks->cgroups, tasks->sys, task->tid, &cgroup, &cpu_cgroup);
	tasks_set_owner(tasks, task, uid, cgroup, cpu_cgroup, now_ns);
}

static struct task *forker_of(const struct tasks *tasks, const struct task *task)
{
	return task->ptid ? tasks_find(tasks, task->ptid, task->start_ns) : NULL;
}

/*
 * Copies the user of the nearest ancestor that is in /proc or was read. The user that the task got
 * at its FORK may be older than the parent's last setuid(). Skips at most GONE_MAX ancestors.
 */
static void inherit_user(struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	enum { GONE_MAX = 64 };
	struct task *forker = forker_of(tasks, task);
	uint64_t fork_ns = task->start_ns;

	for (unsigned i = 0; i < GONE_MAX && forker && forker->exit_ns && !forker->uid_ns; i++) {
		fork_ns = forker->start_ns;
		forker = forker_of(tasks, forker);
	}
	if (!forker)
		return;
	if (forker->uid_ns < fork_ns && !forker->exit_ns)
		tasks_set_owner(tasks, forker, user_of(tasks, forker), NULL, NULL, now_ns);
	if (forker->uid_ns >= fork_ns) {
		task->uid = forker->uid;
		task->uid_ns = forker->uid_ns;
	}
}

/* What a task without an entry in /proc has of its parent. */
static void inherit_late(struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	const struct task *parent = forker_of(tasks, task);

	if (!parent)
		return;
	if (!task->uid_ns)
		inherit_user(tasks, task, now_ns);
	tasks_inherit(tasks, task, parent, task->start_ns);
}

/* /proc/TID/stat has the times of all threads: with thousands of them it takes the kernel long. */
int tasks_read_stat(const struct tasks *tasks, pid_t tid, struct proc_stat *stat)
{
	return proc_thread_brief(tasks->sys, tid, tid, stat);
}

/* Reads what may change without a record, and has no copy in *stat. */
static void read_changing_facts(struct tasks *tasks, struct task *task, uint64_t now_ns,
				const struct proc_stat *stat)
{
	task->ppid = stat->ppid;
	task->kernel = stat->kernel;
	read_owner(tasks, task, now_ns);
}

/* Fills in what /proc has of a task for the first time since its last exec. */
static void read_facts(struct tasks *tasks, struct task *task, uint64_t now_ns,
		       const struct proc_stat *stat)
{
	task->proc_is_read = true;
	task->reread.after_ns = TASKS_AGAIN_FIRST_NS;
	task->reread.due_ns = now_ns + task->reread.after_ns;
	if (!stat)
		return;
	read_changing_facts(tasks, task, now_ns, stat);
	if (!task->comm_ns) {
		memcpy(task->comm, stat->comm, sizeof(task->comm));
		task->comm_ns = task->seen_ns;
	}
}

void tasks_read_proc(struct tasks *tasks, struct task *task)
{
	struct proc_stat stat;

	if (task->proc_is_read || task->recorded.known)
		return;
	uint64_t now_ns = sys_now_ns(tasks->sys);
	bool known = !task->exit_ns && tasks_read_stat(tasks, task->tid, &stat) == 0;
	read_facts(tasks, task, now_ns, known ? &stat : NULL);
	if (!known) {
		inherit_late(tasks, task, now_ns);
		tasks_doubt_owner(tasks, task);
		/* Its EXIT was before pmctop's start and its last switch after: there will
		 * be no EXIT record. */
		if (!task->start_ns && !task->comm_ns && !task->exit_ns &&
		    proc_exists(tasks->sys, task->tid) == -ESRCH)
			tasks_mark_exited(tasks, task, sys_now_ns(tasks->sys));
	}
}

void tasks_refresh(struct tasks *tasks, struct task *task, uint64_t now_ns, unsigned *budget)
{
	struct proc_stat stat;

	if (task->recorded.known)
		return;
	if (!task->proc_is_read) {
		tasks_read_proc(tasks, task);
		return;
	}
	if (task->exit_ns || now_ns < task->reread.due_ns || *budget == 0)
		return;
	--*budget;
	if (tasks_read_stat(tasks, task->tid, &stat) == 0)
		read_changing_facts(tasks, task, now_ns, &stat);
	task->reread.after_ns = task->reread.after_ns < TASKS_AGAIN_MOST_NS / 4
					? task->reread.after_ns * 4
					: TASKS_AGAIN_MOST_NS;
	task->reread.due_ns = now_ns + task->reread.after_ns;
}

void tasks_notice_move(struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	if (task->recorded.known || task->exit_ns || task->kernel || !task->owner_ns ||
	    task->owner_cut == tasks_cut(tasks))
		return;
	read_owner(tasks, task, now_ns);
}

/*
 * The task of which the command line is read. The threads of a process share one: that of the main
 * thread, or of any thread if the main thread is gone.
 */
static struct task *cmdline_task(const struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	struct task *main = task->pid > 0 && task->pid != task->tid
				    ? tasks_find(tasks, task->pid, now_ns)
				    : NULL;

	return main && !main->exit_ns && !main->zombie ? main : task;
}

struct cmdline *tasks_cmdline(struct tasks *tasks, struct task *task, bool ran, uint64_t now_ns,
			      struct cmdline_budget *budget)
{
	if (task->recorded.known)
		return task->cmdline.last;
	task = cmdline_task(tasks, task, now_ns);
	bool is_new = task->cmdline.read_ns == 0 || task->exec_ns > task->cmdline.read_ns;
	/* A process that has run is read again, though it may sleep when the time is over. */
	task->cmdline.aged |= ran || task->interval != task->cmdline.interval;
	bool is_old = task->cmdline.aged && now_ns - task->cmdline.read_ns >= TASKS_CMDLINE_NS;

	if (task->exit_ns || task->kernel || (!is_new && !is_old))
		return task->cmdline.last;
	if (budget->left == 0) {
		budget->unread += is_new;
		return task->cmdline.last;
	}
	budget->left--;
	struct cmdline *before = task->cmdline.last;
	if (cmdline_read(tasks->sys, task->tid, &task->cmdline.last) < 0)
		return task->cmdline
			.last; /* it is read again, though the task may not run any more */
	cmdline_unref(before);
	task->cmdline.read_ns = now_ns;
	task->cmdline.interval = task->interval;
	task->cmdline.aged = false;
	return task->cmdline.last;
}

struct task *tasks_add_listed(struct tasks *tasks, pid_t pid, const struct proc_stat *stat,
			      uint64_t now_ns)
{
	struct task *task = tasks_add(tasks, pid, stat->pid, now_ns);
	read_facts(tasks, task, now_ns, stat);
	task_set_state(task, stat->state, now_ns);
	if (stat->state == 'Z')
		tasks_mark_zombie(tasks, task, now_ns);
	task->unwaited = proc_has_ended(stat);
	return task;
}

struct task *tasks_process(struct tasks *tasks, pid_t pid, uint64_t now_ns)
{
	struct task *task = tasks_find(tasks, pid, now_ns);
	struct proc_stat stat;

	if (task)
		return task->exit_ns ? NULL : task;
	if (pid <= 0 || tasks_read_stat(tasks, pid, &stat) < 0)
		return NULL;
	return tasks_add_listed(tasks, pid, &stat, now_ns);
}

/* Its parent; NULL if that number belongs to a younger task by now. */
static struct task *parent_of(struct tasks *tasks, const struct task *task, uint64_t now_ns)
{
	struct task *parent = task->ppid > 0 ? tasks_process(tasks, task->ppid, now_ns) : NULL;

	if (!parent || parent == task)
		return NULL;
	return task->start_ns && parent->start_ns > task->start_ns ? NULL : parent;
}

struct task *tasks_above(struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	struct proc_stat stat;

	if (task->pid > 0 && task->pid != task->tid) {
		struct task *process = tasks_process(tasks, task->pid, now_ns);
		if (process)
			return process;
	}
	struct task *parent = parent_of(tasks, task, now_ns);
	if (parent || task->exit_ns || task->ppid <= 0)
		return parent;
	if (tasks_read_stat(tasks, task->tid, &stat) < 0)
		return NULL;
	task->ppid = stat.ppid;
	parent = parent_of(tasks, task, now_ns);
	/* Do not search at each refresh for a parent that /proc hides. */
	if (!parent)
		task->ppid = 0;
	return parent;
}
