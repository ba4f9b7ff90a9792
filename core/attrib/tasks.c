// SPDX-License-Identifier: MIT
/*
 * A table of tids and their newest task; older tasks of the same tid hang behind it for as long as
 * an interval may still name them.
 */
#include "core/attrib/tasks.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TASKS = 512 };

/* Who was there before us, and was not looked up yet. */
struct pending {
	pid_t pid, tid;
};

struct tasks {
	const struct sys *sys;
	struct hash_table table; /* by tid: the newest task of it */
	size_t n;                /* older ones too */
	struct task **exited;    /* in order of EXIT, to be forgotten */
	size_t n_exited, exited_capacity;
	struct pending *pending;
	size_t n_pending, pending_capacity;
	bool threads;     /* are pending, too */
	size_t verify;    /* so many slots are still to be compared with /proc after a loss ... */
	size_t verify_at; /* ... from here on, downwards and around */
	struct record *gone; /* whom that found to be */
	size_t n_gone, gone_capacity;
	struct cgroups *cgroups;
};

static void note(struct tasks *tasks, pid_t pid, pid_t tid)
{
	tasks->pending = array_reserve(tasks->pending, &tasks->pending_capacity,
				       tasks->n_pending + 1, sizeof(*tasks->pending));
	tasks->pending[tasks->n_pending++] = (struct pending){pid, tid};
}

static int note_process(void *arg, const char *name)
{
	pid_t pid = proc_pid(name);

	if (pid)
		note(arg, pid, pid);
	return 0;
}

struct tasks *tasks_new(const struct sys *sys)
{
	struct tasks *tasks = xcalloc(1, sizeof(*tasks));

	tasks->sys = sys;
	tasks->cgroups = cgroups_new();
	hash_table_init(&tasks->table, FIRST_TASKS);
	sys_dir_each(sys, "/proc", note_process, tasks);
	return tasks;
}

void tasks_free(struct tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->table.n_slots; i++) {
		for (struct task *task = tasks->table.slots[i].item, *older; task; task = older) {
			older = task->older;
			cmdline_unref(task->cmdline);
			free(task);
		}
	}
	hash_table_fini(&tasks->table);
	free(tasks->exited);
	free(tasks->pending);
	free(tasks->gone);
	cgroups_free(tasks->cgroups);
	free(tasks);
}

/* What was compared stands elsewhere now. */
static void verify_anew(struct tasks *tasks)
{
	if (tasks->verify)
		tasks->verify = tasks->table.n_slots;
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
		verify_anew(tasks);
}

/* When it began, as far as that is known. */
static uint64_t begun_ns(const struct task *task)
{
	return task->start_ns ? task->start_ns : task->seen_ns;
}

static void mark_exited(struct tasks *tasks, struct task *task, uint64_t time_ns)
{
	task->exit_ns = time_ns;
	if (task->listed) /* since before its exec */
		return;
	task->listed = true;
	tasks->exited = array_reserve(tasks->exited, &tasks->exited_capacity, tasks->n_exited + 1,
				      sizeof(struct task *));
	tasks->exited[tasks->n_exited++] = task;
}

/*
 * Among those of that tid it stands by its time, the newest first: who is told of now may be long
 * past. Who began before has ended by then, if he did not yet; and it itself when the next began.
 */
SELDOM static struct task *add(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time_ns)
{
	struct task *newest = newest_task(tasks, tid), **link = &newest;
	struct task *task = xcalloc(1, sizeof(*task));

	*task = (struct task){.tid = tid, .pid = pid, .uid = (uid_t)-1, .seen_ns = time_ns};
	for (; *link && begun_ns(*link) > time_ns; link = &(*link)->older)
		task->exit_ns = begun_ns(*link);
	if (*link && !(*link)->exit_ns)
		mark_exited(tasks, *link, time_ns);
	if (task->exit_ns)
		mark_exited(tasks, task, task->exit_ns);
	task->older = *link;
	*link = task;
	set_newest(tasks, tid, newest);
	tasks->n++;
	return task;
}

/* Whether the task can have been the one of its tid at that time. */
static bool covers(const struct task *task, uint64_t time_ns)
{
	/* A thread still runs a little after its EXIT record, until its last switch. */
	bool before_end = !task->exit_ns || time_ns <= task->exit_ns + TASKS_REUSE_NS;
	return before_end && (!task->start_ns || time_ns >= task->start_ns);
}

static inline struct task *find(const struct tasks *tasks, pid_t tid, uint64_t time_ns)
{
	struct task *task = newest_task(tasks, tid);

	while (task && !covers(task, time_ns))
		task = task->older;
	return task;
}

struct task *tasks_find(const struct tasks *tasks, pid_t tid, uint64_t time_ns)
{
	return find(tasks, tid, time_ns);
}

struct task *tasks_at(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time_ns)
{
	struct task *task = find(tasks, tid, time_ns);

	if (!task)
		task = add(tasks, pid, tid, time_ns);
	if (time_ns < task->seen_ns)
		task->seen_ns = time_ns;
	if (pid > 0)
		task->pid = pid;
	return task;
}

/* What a task has of its parent until it is told otherwise. */
static void inherit(struct tasks *tasks, struct task *task, const struct task *parent,
		    uint64_t time_ns)
{
	if (!task->comm_ns && parent->comm_ns) {
		memcpy(task->comm, parent->comm, sizeof(task->comm));
		task->comm_ns = time_ns;
		task->kernel = parent->kernel;
	}
	if (task->uid == (uid_t)-1)
		task->uid = parent->uid;
	if (!task->cgroup && parent->cgroup)
		task->cgroup = cgroups_get(tasks->cgroups, parent->cgroup->path);
	if (!task->ppid && task->pid == parent->pid)
		task->ppid = parent->ppid;
}

/*
 * Whose fork that is: of who was told of before, or was seen since and nobody said when he began;
 * NULL: of nobody yet.
 */
static struct task *find_forked(const struct tasks *tasks, pid_t tid, uint64_t time_ns)
{
	struct task *found = NULL;

	for (struct task *task = newest_task(tasks, tid); task; task = task->older)
		if (task->start_ns == time_ns || (!task->start_ns && task->seen_ns >= time_ns))
			found = task;
	return found;
}

struct task *tasks_fork(struct tasks *tasks, const struct record *record)
{
	struct task *task = find_forked(tasks, record->tid, record->time_ns);

	if (!task)
		task = add(tasks, record->pid, record->tid, record->time_ns);
	task->pid = record->pid;
	/* A new thread is forked by its own process, which is not its parent. */
	task->ppid = record->fork.ppid != record->pid ? record->fork.ppid : 0;
	task->ptid = record->fork.ptid;
	task->start_ns = record->time_ns;
	const struct task *parent = tasks_find(tasks, record->fork.ptid, record->time_ns);
	if (parent)
		inherit(tasks, task, parent, record->time_ns);
	return task;
}

/*
 * Of a process that had threads one is left after an exec, and has the main one's number: of its
 * own number no EXIT tells.
 */
SELDOM static void end_threads(struct tasks *tasks, const struct task *main)
{
	for (size_t i = 0; i < tasks->table.n_slots; i++) {
		struct task *task = tasks->table.slots[i].item;
		if (task && task != main && task->pid == main->tid && !task->exit_ns &&
		    begun_ns(task) < main->exec_ns)
			mark_exited(tasks, task, main->exec_ns);
	}
}

struct task *tasks_comm(struct tasks *tasks, const struct record *record)
{
	struct task *task = tasks_at(tasks, record->pid, record->tid, record->time_ns);

	/* Older than what is known; or told before, ahead of its ring. */
	if (record->time_ns < task->comm_ns ||
	    (record->comm.exec && record->time_ns == task->exec_ns))
		return task;
	memcpy(task->comm, record->comm.text, sizeof(task->comm));
	task->comm_ns = record->time_ns;
	if (record->comm.exec) {
		task->exec_ns = record->time_ns;
		task->looked_up = false; /* sudo and its like change the user about now */
		if (task->exit_ns)       /* a thread that execs takes over its dead leader's tid */
			end_threads(tasks, task);
		task->exit_ns = 0;
	}
	return task;
}

struct task *tasks_exit(struct tasks *tasks, const struct record *record)
{
	struct task *task = tasks_at(tasks, record->pid, record->tid, record->time_ns);

	/* An EXIT before its exec was that of the dead leader whose tid it took over. */
	if (record->time_ns < task->exec_ns)
		end_threads(tasks, task);
	else if (!task->exit_ns || record->time_ns < task->exit_ns)
		mark_exited(tasks, task, record->time_ns);
	return task;
}

void tasks_move(struct tasks *tasks, struct task *task, const char *path)
{
	struct cgroup *before = task->cgroup;

	if (before && strcmp(before->path, path) == 0)
		return;
	task->cgroup = cgroups_get(tasks->cgroups, path);
	cgroups_put(tasks->cgroups, before);
}

static void read_user(const struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", task->tid);
	if (sys_file_owner(tasks->sys, path, &task->uid) == 0)
		task->uid_ns = now_ns;
}

static struct task *forker_of(const struct tasks *tasks, const struct task *task)
{
	return task->ptid ? tasks_find(tasks, task->ptid, task->start_ns) : NULL;
}

/*
 * What FORK gave it of its parent may be older than the parent's last setuid(). Ancestors that are
 * gone and were never read are passed over, GONE_MAX of them.
 */
static void inherit_user(const struct tasks *tasks, struct task *task, uint64_t now_ns)
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
		read_user(tasks, forker, now_ns);
	if (forker->uid_ns >= fork_ns) {
		task->uid = forker->uid;
		task->uid_ns = forker->uid_ns;
	}
}

static void inherit_late(struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	const struct task *parent = forker_of(tasks, task);

	if (!parent)
		return;
	if (!task->uid_ns)
		inherit_user(tasks, task, now_ns);
	inherit(tasks, task, parent, task->start_ns);
}

/* What may change without a record. False where the task is gone. */
static bool ask(struct tasks *tasks, struct task *task, uint64_t now_ns, struct proc_stat *stat)
{
	if (task->exit_ns || proc_stat_read(tasks->sys, task->tid, stat) < 0)
		return false;
	task->ppid = stat->ppid;
	task->kernel = stat->kernel;
	read_user(tasks, task, now_ns);

	struct cgroup *cgroup = cgroups_read(tasks->cgroups, tasks->sys, task->tid);
	if (cgroup) {
		cgroups_put(tasks->cgroups, task->cgroup);
		task->cgroup = cgroup;
	}
	return true;
}

void tasks_read_proc(struct tasks *tasks, struct task *task)
{
	struct proc_stat stat;

	if (task->looked_up || task->told)
		return;
	uint64_t now_ns = sys_now_ns(tasks->sys);
	task->looked_up = true;
	task->age_ns = TASKS_AGAIN_FIRST_NS;
	task->again_ns = now_ns + task->age_ns;
	if (!ask(tasks, task, now_ns, &stat)) {
		inherit_late(tasks, task, now_ns);
		/* Whose EXIT came before us, and whose last switch after: nobody will tell. */
		if (!task->start_ns && !task->comm_ns && !task->exit_ns &&
		    proc_exists(tasks->sys, task->tid) == -ESRCH)
			mark_exited(tasks, task, sys_now_ns(tasks->sys));
		return;
	}
	if (!task->comm_ns) {
		memcpy(task->comm, stat.comm, sizeof(task->comm));
		task->comm_ns = task->seen_ns;
	}
}

void tasks_refresh(struct tasks *tasks, struct task *task, uint64_t now_ns, unsigned *budget)
{
	struct proc_stat stat;

	if (task->told)
		return;
	if (!task->looked_up) {
		tasks_read_proc(tasks, task);
		return;
	}
	if (task->exit_ns || now_ns < task->again_ns || *budget == 0)
		return;
	--*budget;
	ask(tasks, task, now_ns, &stat);
	task->age_ns =
		task->age_ns < TASKS_AGAIN_MOST_NS / 4 ? task->age_ns * 4 : TASKS_AGAIN_MOST_NS;
	task->again_ns = now_ns + task->age_ns;
}

/* ---- command lines */

/* A process has one, which its threads share; of one whose main thread is gone any can be asked. */
static struct task *speaker_of(const struct tasks *tasks, struct task *task, uint64_t now_ns)
{
	struct task *main = task->pid > 0 && task->pid != task->tid
				    ? tasks_find(tasks, task->pid, now_ns)
				    : NULL;

	return main && !main->exit_ns && !main->zombie ? main : task;
}

struct cmdline *tasks_cmdline(struct tasks *tasks, struct task *task, bool ran, uint64_t now_ns,
			      unsigned *budget)
{
	if (task->told)
		return task->cmdline;
	task = speaker_of(tasks, task, now_ns);
	bool is_new = task->cmdline_ns == 0 || task->exec_ns > task->cmdline_ns;
	bool is_old = ran && now_ns - task->cmdline_ns >= TASKS_CMDLINE_NS;

	if (task->exit_ns || task->kernel || (!is_new && !is_old) || *budget == 0)
		return task->cmdline;
	--*budget;
	cmdline_unref(task->cmdline);
	task->cmdline = cmdline_read(tasks->sys, task->tid);
	task->cmdline_ns = now_ns;
	return task->cmdline;
}

/* ---- of a machine elsewhere */

static struct task *find_told(const struct tasks *tasks, const struct task_facts *facts)
{
	struct task *same = NULL, *unknown = NULL;

	for (struct task *task = newest_task(tasks, facts->tid); task; task = task->older) {
		if (task->start_ns == facts->start_ns && (task->exit_ns != 0) == facts->exited)
			return task;
		if (task->start_ns == facts->start_ns && !same)
			same = task;
		if (task->start_ns == 0 && !unknown)
			unknown = task;
	}
	return same ? same : unknown;
}

static void tell_texts(struct tasks *tasks, struct task *task, const struct task_facts *facts)
{
	struct cgroup *cgroup = task->cgroup;

	memset(task->comm, 0, sizeof(task->comm));
	text_copy(task->comm, sizeof(task->comm), facts->comm);
	if (task->comm_ns == 0)
		task->comm_ns = 1;
	task->cgroup = facts->cgroup[0] ? cgroups_get(tasks->cgroups, facts->cgroup) : NULL;
	cgroups_put(tasks->cgroups, cgroup);
	if (task->cmdline && strcmp(task->cmdline->text, facts->cmdline) == 0)
		return;
	cmdline_unref(task->cmdline);
	task->cmdline = facts->cmdline[0] ? cmdline_new(facts->cmdline) : NULL;
}

struct task *tasks_set_facts(struct tasks *tasks, const struct task_facts *facts, uint64_t time_ns)
{
	struct task *task = find_told(tasks, facts);

	if (!task)
		task = add(tasks, facts->pid, facts->tid, time_ns);
	task->pid = facts->pid;
	task->ppid = facts->ppid;
	task->uid = facts->uid;
	task->start_ns = facts->start_ns;
	task->kernel = facts->kernel;
	task->told = true;
	tell_texts(tasks, task, facts);
	/* Its EXIT may have been lost, and only /proc did not know it any more. */
	if (facts->exited && !task->exit_ns)
		mark_exited(tasks, task, time_ns);
	else if (!facts->exited)
		task->exit_ns = 0;
	return task;
}

/* ---- processes that did nothing */

/* NULL for a zombie: its EXIT has told of it, in the table again it would never leave. */
static struct task *add_living(struct tasks *tasks, pid_t pid, const struct proc_stat *stat,
			       uint64_t now_ns)
{
	if (stat->state == 'Z')
		return NULL;
	struct task *task = add(tasks, pid, stat->pid, now_ns);
	tasks_read_proc(tasks, task);
	return task;
}

struct task *tasks_process(struct tasks *tasks, pid_t pid, uint64_t now_ns)
{
	struct task *task = tasks_find(tasks, pid, now_ns);
	struct proc_stat stat;

	if (task)
		return task->exit_ns ? NULL : task;
	if (pid <= 0 || proc_stat_read(tasks->sys, pid, &stat) < 0)
		return NULL;
	return add_living(tasks, pid, &stat, now_ns);
}

/* Its parent, unless that number belongs to someone younger by now. */
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
	if (proc_stat_read(tasks->sys, task->tid, &stat) < 0)
		return NULL;
	task->ppid = stat.ppid;
	parent = parent_of(tasks, task, now_ns);
	/* One that cannot be seen is not looked for at each refresh. */
	if (!parent)
		task->ppid = 0;
	return parent;
}

static void note_gone(struct tasks *tasks, const struct task *task, uint64_t now_ns)
{
	const struct record exit = {
		.kind = RECORD_EXIT, .time_ns = now_ns, .pid = task->pid, .tid = task->tid};

	tasks->gone = array_reserve(tasks->gone, &tasks->gone_capacity, tasks->n_gone + 1,
				    sizeof(*tasks->gone));
	tasks->gone[tasks->n_gone++] = exit;
	tasks_exit(tasks, &exit);
}

/* After a loss: its EXIT may have been lost, or its COMM, or all of it and another's beginning. */
static void verify_next(struct tasks *tasks, uint64_t now_ns)
{
	tasks->verify--;
	tasks->verify_at = (tasks->verify_at - 1) & (tasks->table.n_slots - 1);
	struct task *task = tasks->table.slots[tasks->verify_at].item;
	struct proc_stat stat;

	if (!task || task->exit_ns)
		return;
	int result = proc_stat_read(tasks->sys, task->tid, &stat);
	if (result == -ENOENT || result == -ESRCH) {
		if (proc_exists(tasks->sys, task->tid) < 0)
			note_gone(tasks, task, now_ns);
	} else if (result == 0 && task->comm_ns && strcmp(task->comm, stat.comm) != 0) {
		task->comm_ns = 0;
		task->looked_up = false;
		tasks_read_proc(tasks, task);
	}
}

void tasks_each(const struct tasks *tasks, void (*fn)(void *arg, struct task *task), void *arg)
{
	for (size_t i = 0; i < tasks->table.n_slots; i++) {
		struct task *task = tasks->table.slots[i].item;
		if (task && !task->exit_ns)
			fn(arg, task);
	}
}

bool tasks_are_pending(const struct tasks *tasks)
{
	return tasks->n_pending > 0;
}

void tasks_rescan(struct tasks *tasks)
{
	if (tasks->n_pending > 0 || tasks->verify > 0)
		return;
	sys_dir_each(tasks->sys, "/proc", note_process, tasks);
	tasks->verify = tasks->table.n_slots;
}

void tasks_list_threads(struct tasks *tasks)
{
	if (tasks->threads)
		return;
	tasks->threads = true;
	tasks->n_pending = 0;
	sys_dir_each(tasks->sys, "/proc", note_process, tasks);
}

struct thread_list {
	struct tasks *tasks;
	pid_t pid;
};

static int note_thread(void *arg, const char *name)
{
	struct thread_list *list = arg;
	pid_t tid = proc_pid(name);

	if (tid && tid != list->pid)
		note(list->tasks, list->pid, tid);
	return 0;
}

static void list_threads(struct tasks *tasks, pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	sys_dir_each(tasks->sys, path, note_thread, &(struct thread_list){tasks, pid});
}

/* It may be gone, or known by now through its own records. */
static void look_up_next(struct tasks *tasks, uint64_t now_ns)
{
	struct pending next = tasks->pending[--tasks->n_pending];
	bool known = tasks_find(tasks, next.tid, now_ns), process = next.tid == next.pid;
	struct proc_stat stat;

	if (known && !(tasks->threads && process))
		return;
	if (proc_stat_read(tasks->sys, next.tid, &stat) < 0)
		return;
	if (!known)
		add_living(tasks, next.pid, &stat, now_ns);
	if (tasks->threads && process && stat.threads > 1)
		list_threads(tasks, next.pid);
}

void tasks_maintain(struct tasks *tasks, uint64_t budget_ns)
{
	uint64_t now_ns = sys_now_ns(tasks->sys);
	uint64_t end_ns = now_ns + budget_ns;

	tasks->gone = array_give_back(tasks->gone, &tasks->gone_capacity, tasks->n_gone,
				      sizeof(*tasks->gone));
	tasks->n_gone = 0;
	for (; tasks->n_pending > 0 && now_ns < end_ns; now_ns = sys_now_ns(tasks->sys))
		look_up_next(tasks, now_ns);
	for (; tasks->verify > 0 && now_ns < end_ns; now_ns = sys_now_ns(tasks->sys))
		verify_next(tasks, now_ns);
}

void tasks_records_lost(struct tasks *tasks)
{
	tasks->verify = tasks->table.n_slots;
}

const struct record *tasks_missed_exits(const struct tasks *tasks, size_t *n)
{
	*n = tasks->n_gone;
	return tasks->gone;
}

static void forget(struct tasks *tasks, struct task *task)
{
	struct task *newer = newest_task(tasks, task->tid);

	while (newer && newer != task && newer->older != task)
		newer = newer->older;
	if (!newer)
		return;
	if (newer == task)
		set_newest(tasks, task->tid, task->older);
	else
		newer->older = task->older;
	cgroups_put(tasks->cgroups, task->cgroup);
	cmdline_unref(task->cmdline);
	free(task);
	tasks->n--;
}

void tasks_free_exited(struct tasks *tasks, uint64_t time_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < tasks->n_exited; i++) {
		struct task *task = tasks->exited[i];
		if (!task->exit_ns)
			task->listed = false; /* came back by exec */
		else if (task->exit_ns + TASKS_REUSE_NS < time_ns)
			forget(tasks, task);
		else
			tasks->exited[kept++] = task;
	}
	tasks->n_exited = kept;
	tasks->exited = array_give_back(tasks->exited, &tasks->exited_capacity, kept,
					sizeof(struct task *));
	if (hash_table_shrink(&tasks->table))
		verify_anew(tasks);
}

size_t tasks_count(const struct tasks *tasks)
{
	return tasks->n;
}
