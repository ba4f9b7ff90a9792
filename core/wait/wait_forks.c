// SPDX-License-Identifier: MIT
/*
 * Processes that begin in the interval, and their CPU time, are attributed to the nearest ancestor
 * that is older than the interval and lives at its end: the thread that forked, else its main
 * thread, else the process above. Each new task hands what it has to the task above it, the newest
 * first, so that an account is complete before it is handed on.
 */
#include "core/wait/waits_internal.h"

#include "core/base/util.h"

static bool began_in_interval(const struct waits *waits, const struct task *task)
{
	return task->start_ns > 0 && task->start_ns >= waits->begin_ns &&
	       task->start_ns < waits->end_ns;
}

static bool ended_in_interval(const struct waits *waits, const struct task *task)
{
	return task->exit_ns && task->exit_ns < waits->end_ns;
}

/* The main thread of a thread, and the thread that forked a process. NULL: unknown. */
static struct task *task_above(const struct waits *waits, const struct task *task)
{
	uint64_t time_ns = task->start_ns ? task->start_ns : waits->begin_ns;
	struct task *forker = NULL;

	if (task->pid > 0 && task->pid != task->tid)
		return tasks_find(waits->all_tasks, task->pid, time_ns);
	if (task->ptid > 0)
		forker = tasks_find(waits->all_tasks, task->ptid, time_ns);
	if (!forker && task->ppid > 0)
		forker = tasks_find(waits->all_tasks, task->ppid, time_ns);
	return forker;
}

/* Whether the process of a task began in the interval. */
static bool is_new_process(const struct waits *waits, const struct task *task)
{
	if (!began_in_interval(waits, task))
		return false;
	if (task->pid <= 0 || task->pid == task->tid)
		return true;
	const struct task *main = task_above(waits, task);
	return main && began_in_interval(waits, main);
}

/* Ancestors above the first one that are searched: deeper trees of ended tasks are no use. */
enum { ENDED_MOST = 64 };

/* The task above that is new itself, or that keeps what it gets. NULL: none. */
static struct task *find_receiver(const struct waits *waits, const struct task *task)
{
	struct task *above = task_above(waits, task);

	for (unsigned i = 0; above && !is_new_process(waits, above); i++) {
		if (!ended_in_interval(waits, above))
			return above;
		above = i < ENDED_MOST ? task_above(waits, above) : NULL;
	}
	return above;
}

static void hand_on(struct waits *waits, struct task *task)
{
	struct task_wait *account = &task->wait;
	struct task *receiver = find_receiver(waits, task);
	bool is_process = task->pid == task->tid;

	if (receiver && receiver != task) {
		struct task_wait *above = waits_account(waits, receiver);
		waits_complete(waits, receiver);
		above->forks += account->forks + is_process;
		above->forked_ns += account->forked_ns + account->sums[TASK_RUNNING];
	}
	account->forks = 0;
	account->forked_ns = 0;
}

void waits_attribute_forks(struct waits *waits)
{
	/* The account of a forked task was opened after that of the task that forked it. */
	for (size_t i = waits->n_tasks; i-- > 0;)
		if (is_new_process(waits, waits->tasks[i]))
			hand_on(waits, waits->tasks[i]);
}
