// SPDX-License-Identifier: MIT
/*
 * A hash table of tids and their newest task. Older tasks of the same tid are in a list behind it
 * while an interval may still need them. Records change the table; they may come late, so each is
 * applied to the task that had the tid at its time.
 */
#include "core/attrib/tasks_internal.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_TASKS = 512 };

struct tasks *tasks_new(const struct sys *sys)
{
	struct tasks *tasks = xcalloc(1, sizeof(*tasks));

	tasks->sys = sys;
	tasks->cgroups = cgroups_new();
	hash_table_init(&tasks->table, FIRST_TASKS);
	tasks->list_due = true;
	return tasks;
}

void tasks_free(struct tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->table.n_slots; i++) {
		for (struct task *task = tasks->table.slots[i].item, *older; task; task = older) {
			older = task->older;
			cmdline_unref(task->cmdline.last);
			free(task->before);
			free(task);
		}
	}
	hash_table_fini(&tasks->table);
	free(tasks->exited);
	free(tasks->pending);
	free(tasks->zombies);
	free(tasks->missed_exits);
	cgroups_free(tasks->cgroups);
	free(tasks);
}

/* The table was resized, so its slots have moved. */
static void restart_verification(struct tasks *tasks)
{
	if (tasks->verify_left)
		tasks->verify_left = tasks->table.n_slots;
}

static inline struct task *newest_task(const struct tasks *tasks, pid_t tid)
{
	return hash_table_find(&tasks->table, (uint32_t)tid);
}

static void set_newest(struct tasks *tasks, pid_t tid, struct task *newest)
{
	struct hash_slot *slot = hash_table_slot(&tasks->table, (uint32_t)tid);
	size_t n_slots = tasks->table.n_slots;

	if (!newest)
		hash_table_remove(&tasks->table, slot);
	else if (slot->item)
		slot->item = newest;
	else
		hash_table_add(&tasks->table, (uint32_t)tid)->item = newest;
	if (tasks->table.n_slots != n_slots)
		restart_verification(tasks);
}

/* The time of its FORK, else of the earliest record that names it. */
static uint64_t begun_ns(const struct task *task)
{
	return task->start_ns ? task->start_ns : task->seen_ns;
}

void tasks_mark_exited(struct tasks *tasks, struct task *task, uint64_t time_ns)
{
	task->exit_ns = time_ns;
	if (task->in_exited) /* an EXIT before its exec */
		return;
	task->in_exited = true;
	tasks->exited = array_reserve(tasks->exited, &tasks->exited_capacity, tasks->n_exited + 1,
				      sizeof(struct task *));
	tasks->exited[tasks->n_exited++] = task;
}

SELDOM struct task *tasks_add(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time_ns)
{
	struct task *newest = newest_task(tasks, tid), **link = &newest;
	struct task *task = xcalloc(1, sizeof(*task));

	*task = (struct task){.tid = tid, .pid = pid, .uid = (uid_t)-1, .seen_ns = time_ns};
	for (; *link && begun_ns(*link) > time_ns; link = &(*link)->older)
		task->exit_ns = begun_ns(*link);
	if (*link && !(*link)->exit_ns)
		tasks_mark_exited(tasks, *link, time_ns);
	if (task->exit_ns)
		tasks_mark_exited(tasks, task, task->exit_ns);
	/* The list of a tid is ordered by time, the newest first. */
	task->older = *link;
	*link = task;
	set_newest(tasks, tid, newest);
	tasks->n++;
	return task;
}

/* Whether the task can have had its tid at that time. */
static bool had_tid_at(const struct task *task, uint64_t time_ns)
{
	/* A thread runs on after its EXIT record, until its last switch. */
	bool before_end = !task->exit_ns || time_ns <= task->exit_ns + TASKS_REUSE_NS;
	return before_end && (!task->start_ns || time_ns >= task->start_ns);
}

static inline struct task *task_at_time(const struct tasks *tasks, pid_t tid, uint64_t time_ns)
{
	struct task *task = newest_task(tasks, tid);

	while (task && !had_tid_at(task, time_ns))
		task = task->older;
	return task;
}

struct task *tasks_find(const struct tasks *tasks, pid_t tid, uint64_t time_ns)
{
	return task_at_time(tasks, tid, time_ns);
}

struct task *tasks_at(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time_ns)
{
	struct task *task = task_at_time(tasks, tid, time_ns);

	if (!task)
		task = tasks_add(tasks, pid, tid, time_ns);
	if (time_ns < task->seen_ns)
		task->seen_ns = time_ns;
	if (pid > 0)
		task->pid = pid;
	return task;
}

void tasks_set_cgroups(struct tasks *tasks, struct task *task, struct cgroup *cgroup,
		       struct cgroup *cpu_cgroup)
{
	cgroups_put(tasks->cgroups, task->cgroup);
	cgroups_put(tasks->cgroups, task->cpu_cgroup);
	task->cgroup = cgroup;
	task->cpu_cgroup = cpu_cgroup;
}

void tasks_inherit(struct tasks *tasks, struct task *task, const struct task *parent,
		   uint64_t time_ns)
{
	if (!task->comm_ns && parent->comm_ns) {
		memcpy(task->comm, parent->comm, sizeof(task->comm));
		task->comm_ns = time_ns;
		task->kernel = parent->kernel;
	}
	if (task->uid == (uid_t)-1)
		task->uid = parent->uid;
	if (!task->cgroup)
		tasks_set_cgroups(tasks, task, cgroup_ref(parent->cgroup),
				  cgroup_ref(parent->cpu_cgroup));
	if (!task->ppid && task->pid == parent->pid)
		task->ppid = parent->ppid;
}

/* Several events of a CPU may record a FORK: each has the time at which the kernel wrote it. */
#define FORK_COPIES_NS (200 * NS_PER_US)

static bool is_same_fork(const struct task *task, const struct record *record)
{
	bool lived = !task->exit_ns || task->exit_ns >= record->time_ns;

	return task->start_ns && lived && task->ptid == record->fork.ptid &&
	       task->start_ns <= record->time_ns &&
	       record->time_ns - task->start_ns <= FORK_COPIES_NS;
}

/*
 * The task that began with a FORK: one that has this FORK or a copy of it, else the oldest one that
 * was seen since and has no FORK. NULL: none.
 */
static struct task *find_forked(const struct tasks *tasks, const struct record *record)
{
	const uint64_t time_ns = record->time_ns;
	struct task *found = NULL;

	for (struct task *task = newest_task(tasks, record->tid); task; task = task->older) {
		if (is_same_fork(task, record))
			return task;
		if (task->start_ns && task->start_ns < time_ns)
			break; /* older ones began earlier */
		if (task->start_ns == time_ns || (!task->start_ns && task->seen_ns >= time_ns))
			found = task;
	}
	return found;
}

struct task *tasks_fork(struct tasks *tasks, const struct record *record)
{
	struct task *task = find_forked(tasks, record);

	if (!task)
		task = tasks_add(tasks, record->pid, record->tid, record->time_ns);
	task->pid = record->pid;
	/* The FORK of a thread names its own process, which is not its parent. */
	task->ppid = record->fork.ppid != record->pid ? record->fork.ppid : 0;
	task->ptid = record->fork.ptid;
	if (!task->start_ns)
		task->start_ns = record->time_ns;
	const struct task *parent = tasks_find(tasks, record->fork.ptid, record->time_ns);
	if (parent)
		tasks_inherit(tasks, task, parent, record->time_ns);
	return task;
}

/*
 * Marks the threads of a process that execs. One thread is left, with the tid of the main thread.
 * The kernel writes no EXIT for the tid that it had before.
 */
SELDOM static void end_threads(struct tasks *tasks, const struct task *main)
{
	for (size_t i = 0; i < tasks->table.n_slots; i++) {
		struct task *task = tasks->table.slots[i].item;
		if (task && task != main && task->pid == main->tid && !task->exit_ns &&
		    begun_ns(task) < main->exec_ns)
			tasks_mark_exited(tasks, task, main->exec_ns);
	}
}

struct task *tasks_comm(struct tasks *tasks, const struct record *record)
{
	struct task *task = tasks_at(tasks, record->pid, record->tid, record->time_ns);

	/* The record is older than the name, or was applied before (core/attrib/fork_scan). */
	if (record->time_ns < task->comm_ns ||
	    (record->comm.exec && record->time_ns == task->exec_ns))
		return task;
	tasks_note_rename(tasks, task, record->comm.text, record->time_ns);
	memcpy(task->comm, record->comm.text, sizeof(task->comm));
	task->comm_ns = record->time_ns;
	if (record->comm.exec) {
		task->exec_ns = record->time_ns;
		task->zombie = task->unwaited =
			false;              /* it was the leader of the thread that execs */
		task->proc_is_read = false; /* sudo changes the user about now */
		if (task->exit_ns) /* a thread that execs gets the tid of its dead leader */
			end_threads(tasks, task);
		task->exit_ns = 0;
	}
	return task;
}

struct task *tasks_exit(struct tasks *tasks, const struct record *record)
{
	struct task *task = tasks_at(tasks, record->pid, record->tid, record->time_ns);

	/* An EXIT before the exec is that of the dead leader. The task has its tid now. */
	if (record->time_ns < task->exec_ns)
		end_threads(tasks, task);
	else if (!task->exit_ns || record->time_ns < task->exit_ns)
		tasks_mark_exited(tasks, task, record->time_ns);
	return task;
}

struct task *tasks_find_in(const struct tasks *tasks, pid_t tid, uint64_t start_ns,
			   uint64_t interval)
{
	struct task *task = newest_task(tasks, tid);

	while (task && (task->start_ns != start_ns || task->interval != interval))
		task = task->older;
	return task;
}

struct task *tasks_find_outside(const struct tasks *tasks, pid_t tid, uint64_t start_ns,
				uint64_t interval)
{
	struct task *task = newest_task(tasks, tid);

	while (task && (task->start_ns != start_ns || task->interval == interval))
		task = task->older;
	return task;
}

/* How well a task fits the facts. */
enum fit {
	FIT_NONE,
	FIT_START_UNKNOWN,
	FIT_START,
	FIT_STATE, /* and it lives, or has exited */
	FIT_SLOT,  /* and it has exited, in the interval of the facts, which are not set yet */
};

static enum fit fit_of(const struct task *task, const struct task_facts *facts)
{
	if (task->start_ns == 0 && facts->start_ns != 0)
		return FIT_START_UNKNOWN;
	if (task->start_ns != facts->start_ns)
		return FIT_NONE;
	/* There may be no record of its end. */
	if (facts->exited && task->interval == facts->interval &&
	    task->recorded.interval != facts->interval)
		return FIT_SLOT;
	return (task->exit_ns != 0) == facts->exited ? FIT_STATE : FIT_START;
}

/* The task that the facts describe; NULL: none. */
static struct task *find_described(const struct tasks *tasks, const struct task_facts *facts)
{
	struct task *best = NULL;
	enum fit best_fit = FIT_NONE;

	for (struct task *task = newest_task(tasks, facts->tid); task; task = task->older) {
		enum fit fit = fit_of(task, facts);
		/* Facts are in the order of slots. */
		bool earlier = fit == FIT_SLOT && best_fit == fit && task->slot < best->slot;
		if (fit <= best_fit && !earlier)
			continue;
		best = task;
		best_fit = fit;
	}
	return best;
}

static void set_texts(struct tasks *tasks, struct task *task, const struct task_facts *facts)
{
	memset(task->comm, 0, sizeof(task->comm));
	text_copy(task->comm, sizeof(task->comm), facts->comm);
	if (task->comm_ns == 0)
		task->comm_ns = 1;
	tasks_set_cgroups(tasks, task,
			  facts->cgroup[0] ? cgroups_get(tasks->cgroups, facts->cgroup) : NULL,
			  NULL);
	if (task->cmdline.last && strcmp(task->cmdline.last->text, facts->cmdline) == 0)
		return;
	cmdline_unref(task->cmdline.last);
	task->cmdline.last = facts->cmdline[0] ? cmdline_new(facts->cmdline) : NULL;
}

void task_set_idle(struct task *task)
{
	memset(task->comm, 0, sizeof(task->comm));
	text_copy(task->comm, sizeof(task->comm), "swapper");
	task->kernel = true;
}

struct task *tasks_set_facts(struct tasks *tasks, const struct task_facts *facts, uint64_t time_ns)
{
	struct task *task = find_described(tasks, facts);

	if (!task)
		task = tasks_add(tasks, facts->pid, facts->tid, time_ns);
	task->pid = facts->pid;
	task->ppid = facts->ppid;
	task->uid = facts->uid;
	task->start_ns = facts->start_ns;
	task->kernel = facts->kernel;
	task->zombie = facts->zombie;
	task->recorded = (struct task_recorded){
		.known = true,
		.lost = facts->lost,
		.held_ms = facts->held_ms,
		.interval = facts->interval,
	};
	set_texts(tasks, task, facts);
	/* The recorder may have found it gone from /proc, without an EXIT. */
	if (facts->exited && !task->exit_ns)
		tasks_mark_exited(tasks, task, time_ns);
	else if (!facts->exited)
		task->exit_ns = 0;
	return task;
}

void tasks_each(const struct tasks *tasks, void (*fn)(void *arg, struct task *task), void *arg)
{
	for (size_t i = 0; i < tasks->table.n_slots; i++) {
		struct task *task = tasks->table.slots[i].item;
		if (task && !task->exit_ns)
			fn(arg, task);
	}
}

/* Removes a task from the table and frees it. */
static void remove_task(struct tasks *tasks, struct task *task)
{
	struct task *newer = newest_task(tasks, task->tid);

	while (newer && newer != task && newer->older != task)
		newer = newer->older;
	if (!newer)
		return;
	tasks->has_dropped |= task->pid == task->tid;
	if (newer == task)
		set_newest(tasks, task->tid, task->older);
	else
		newer->older = task->older;
	tasks_set_cgroups(tasks, task, NULL, NULL);
	tasks_forget_before(tasks, task);
	cmdline_unref(task->cmdline.last);
	free(task);
	tasks->n--;
}

/* The latest ones first: each is near the beginning of the list of its tid then. */
static void remove_exited(struct tasks *tasks, uint64_t time_ns, uint64_t interval)
{
	for (size_t i = tasks->n_exited; i-- > 0;) {
		struct task *task = tasks->exited[i];

		if (!task->exit_ns)
			task->in_exited = false; /* lives again: it has execed */
		else if (task->exit_ns + TASKS_REUSE_NS < time_ns && task->interval != interval)
			remove_task(tasks, task);
		else
			continue;
		tasks->exited[i] = NULL;
	}
}

void tasks_free_unused(struct tasks *tasks, uint64_t time_ns, uint64_t interval)
{
	size_t kept = 0;

	remove_exited(tasks, time_ns, interval);
	for (size_t i = 0; i < tasks->n_exited; i++)
		if (tasks->exited[i])
			tasks->exited[kept++] = tasks->exited[i];
	tasks->n_exited = kept;
	tasks->exited = array_give_back(tasks->exited, &tasks->exited_capacity, kept,
					sizeof(struct task *));
	if (hash_table_shrink(&tasks->table))
		restart_verification(tasks);
}

void tasks_free_exited(struct tasks *tasks, uint64_t time_ns)
{
	tasks_free_unused(tasks, time_ns, UINT64_MAX);
}

size_t tasks_count(const struct tasks *tasks)
{
	return tasks->n;
}
