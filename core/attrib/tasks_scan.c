// SPDX-License-Identifier: MIT
/*
 * Background work on the table, a little in each interval. Tasks that existed before pmctop are
 * listed (pending) and read one by one. After records were lost, each living task of the table is
 * compared with /proc: its EXIT or COMM may be among the lost records.
 */
#include "core/attrib/tasks_internal.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void add_pending(struct tasks *tasks, pid_t pid, pid_t tid)
{
	tasks->pending = array_reserve(tasks->pending, &tasks->pending_capacity,
				       tasks->n_pending + 1, sizeof(*tasks->pending));
	tasks->pending[tasks->n_pending++] = (struct pending_task){pid, tid};
}

static int add_pending_process(void *arg, const char *name)
{
	pid_t pid = proc_pid(name);

	if (pid)
		add_pending(arg, pid, pid);
	return 0;
}

static void list_processes(struct tasks *tasks)
{
	tasks->list_due = false;
	sys_dir_each(tasks->sys, "/proc", add_pending_process, tasks);
}

static void add_missed_exit(struct tasks *tasks, const struct task *task, uint64_t now_ns)
{
	const struct record exit = {
		.kind = RECORD_EXIT, .time_ns = now_ns, .pid = task->pid, .tid = task->tid};

	tasks->missed_exits =
		array_reserve(tasks->missed_exits, &tasks->missed_exits_capacity,
			      tasks->n_missed_exits + 1, sizeof(*tasks->missed_exits));
	tasks->missed_exits[tasks->n_missed_exits++] = exit;
	tasks_exit(tasks, &exit);
}

/* Compares the task of a slot with /proc: it may be gone, or have another name. */
static void verify_next_slot(struct tasks *tasks, uint64_t now_ns)
{
	tasks->verify_left--;
	tasks->verify_at = (tasks->verify_at - 1) & (tasks->table.n_slots - 1);
	struct task *task = tasks->table.slots[tasks->verify_at].item;
	struct proc_stat stat;

	if (!task || task->exit_ns)
		return;
	int result = tasks_read_stat(tasks, task->tid, &stat);
	if (result == -ENOENT || result == -ESRCH) {
		if (proc_exists(tasks->sys, task->tid) < 0)
			add_missed_exit(tasks, task, now_ns);
	} else if (result == 0 && task->comm_ns && strcmp(task->comm, stat.comm) != 0) {
		task->comm_ns = 0;
		task->proc_is_read = false;
		tasks_read_proc(tasks, task);
	}
}

bool tasks_are_pending(const struct tasks *tasks)
{
	return tasks->list_due || tasks->n_pending > 0;
}

void tasks_rescan(struct tasks *tasks)
{
	if (tasks_are_pending(tasks) || tasks->verify_left > 0)
		return;
	tasks->list_due = true;
	tasks->verify_left = tasks->table.n_slots;
}

void tasks_list_threads(struct tasks *tasks)
{
	if (tasks->lists_threads)
		return;
	tasks->lists_threads = true;
	tasks->n_pending = 0;
	tasks->list_due = true;
}

struct thread_list {
	struct tasks *tasks;
	pid_t pid;
};

static int add_pending_thread(void *arg, const char *name)
{
	struct thread_list *list = arg;
	pid_t tid = proc_pid(name);

	if (tid && tid != list->pid)
		add_pending(list->tasks, list->pid, tid);
	return 0;
}

static void add_pending_threads(struct tasks *tasks, pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	sys_dir_each(tasks->sys, path, add_pending_thread, &(struct thread_list){tasks, pid});
}

/* Reads the next pending task. It may be gone, or in the table by its own records. */
static void read_next_pending(struct tasks *tasks, uint64_t now_ns)
{
	struct pending_task next = tasks->pending[--tasks->n_pending];
	bool known = tasks_find(tasks, next.tid, now_ns), process = next.tid == next.pid;
	struct proc_stat stat;

	if (known && !(tasks->lists_threads && process))
		return;
	if (tasks_read_stat(tasks, next.tid, &stat) < 0)
		return;
	if (!known)
		tasks_add_listed(tasks, next.pid, &stat, now_ns);
	if (tasks->lists_threads && process && stat.threads > 1)
		add_pending_threads(tasks, next.pid);
}

void tasks_maintain(struct tasks *tasks, uint64_t budget_ns)
{
	uint64_t now_ns = sys_now_ns(tasks->sys);
	uint64_t end_ns = now_ns + budget_ns;

	tasks->missed_exits = array_give_back(tasks->missed_exits, &tasks->missed_exits_capacity,
					      tasks->n_missed_exits, sizeof(*tasks->missed_exits));
	tasks->n_missed_exits = 0;
	if (tasks->list_due)
		list_processes(tasks);
	for (; tasks->n_pending > 0 && now_ns < end_ns; now_ns = sys_now_ns(tasks->sys))
		read_next_pending(tasks, now_ns);
	for (; tasks->verify_left > 0 && now_ns < end_ns; now_ns = sys_now_ns(tasks->sys))
		verify_next_slot(tasks, now_ns);
}

void tasks_mark_zombie(struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	if (task->zombie)
		return;
	task->zombie = true;
	if (task->state.letter != 'Z')
		task_set_state(task, 'Z', now_ns);
	tasks->zombies = array_reserve(tasks->zombies, &tasks->zombies_capacity,
				       tasks->n_zombies + 1, sizeof(*tasks->zombies));
	tasks->zombies[tasks->n_zombies++] = task->tid;
}

void tasks_set_zombie(struct tasks *tasks, struct task *task, bool zombie, uint64_t now_ns)
{
	if (zombie)
		tasks_mark_zombie(tasks, task, now_ns);
	task->zombie = task->unwaited = zombie;
}

/* The list has tasks that are no zombies any more, until the next walk over it. */
static struct task *listed_zombie(const struct tasks *tasks, size_t i)
{
	struct task *task = tasks_find(tasks, tasks->zombies[i], UINT64_MAX);

	return task && !task->exit_ns && task->zombie ? task : NULL;
}

size_t tasks_each_zombie(struct tasks *tasks, void (*fn)(void *arg, struct task *task), void *arg)
{
	size_t kept = 0, n = 0;

	for (size_t i = 0; i < tasks->n_zombies; i++) {
		struct task *task = listed_zombie(tasks, i);

		if (!task)
			continue;
		tasks->zombies[kept++] = task->tid;
		n += task->unwaited;
		if (fn && task->unwaited)
			fn(arg, task);
	}
	tasks->n_zombies = kept;
	return n;
}

/* The EXIT of a zombie is past. The end of waiting for it makes no record. */
static void check_zombie(struct tasks *tasks, size_t i, uint64_t now_ns)
{
	struct task *task = listed_zombie(tasks, i);
	struct proc_stat stat;

	if (!task)
		return;
	if (proc_exists(tasks->sys, task->tid) < 0) {
		tasks_mark_exited(tasks, task, now_ns);
	} else if (tasks_read_stat(tasks, task->tid, &stat) == 0) {
		task->unwaited |= proc_has_ended(&stat);
		/* Its parent has ended. The one that adopts it has not waited so long. */
		if (task->ppid > 0 && task->ppid != stat.ppid)
			task_set_state(task, 'Z', now_ns);
		task->ppid = stat.ppid;
	}
}

void tasks_check_zombies(struct tasks *tasks)
{
	uint64_t now_ns = sys_now_ns(tasks->sys);
	size_t n = size_min(tasks->n_zombies, TASKS_ZOMBIES_CHECKED);

	for (size_t i = 0; i < n; i++) {
		if (tasks->zombies_at >= tasks->n_zombies)
			tasks->zombies_at = 0;
		check_zombie(tasks, tasks->zombies_at++, now_ns);
	}
}

struct zombie_search {
	struct tasks *tasks;
	uint64_t now_ns;
};

static int add_if_zombie(void *arg, const char *name)
{
	const struct zombie_search *search = arg;
	pid_t pid = proc_pid(name);
	struct proc_stat stat;

	/* For a while after its EXIT the task is in the table. */
	if (!pid || tasks_find(search->tasks, pid, search->now_ns))
		return 0;
	if (tasks_read_stat(search->tasks, pid, &stat) == 0 && stat.state == 'Z')
		tasks_add_listed(search->tasks, pid, &stat, search->now_ns);
	return 0;
}

void tasks_find_zombies(struct tasks *tasks, bool often)
{
	bool search = (often || tasks->has_dropped) && !tasks_are_pending(tasks);

	if (!search && tasks->n_zombies == 0)
		return;
	uint64_t now_ns = sys_now_ns(tasks->sys);
	if (now_ns < tasks->zombies_due_ns)
		return;
	for (size_t i = 0; i < tasks->n_zombies; i++)
		check_zombie(tasks, i, now_ns);
	if (search) {
		tasks->has_dropped = false;
		sys_dir_each(tasks->sys, "/proc", add_if_zombie,
			     &(struct zombie_search){tasks, now_ns});
	}
	uint64_t end_ns = sys_now_ns(tasks->sys);
	uint64_t pause = often ? TASKS_ZOMBIES_PAUSE : TASKS_ZOMBIES_SELDOM;
	tasks->zombies_due_ns = end_ns + pause * (end_ns - now_ns);
}

void tasks_records_lost(struct tasks *tasks)
{
	tasks->verify_left = tasks->table.n_slots;
}

const struct record *tasks_missed_exits(const struct tasks *tasks, size_t *n)
{
	*n = tasks->n_missed_exits;
	return tasks->missed_exits;
}
