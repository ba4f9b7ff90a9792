// SPDX-License-Identifier: MIT
/*
 * What /proc has of tasks just before an interval ends: how many threads are runnable, and the
 * states of tasks that may wait for a CPU without a record.
 */
#include "core/wait/waits_internal.h"

#include "core/base/util.h"
#include "core/sys/proc.h"
#include "core/sys/proc_machine.h"

/* Reads how many threads are runnable. */
static void read_runnable(struct waits *waits)
{
	struct proc_load load;

	waits->runnable_ns = sys_now_ns(waits->sys);
	waits->runnable = proc_load_read(waits->sys, &load) == 0 ? load.runnable : 0;
}

/*
 * The kernel's number does not have threads that their cgroup's quota keeps from running. If some
 * are in run queues by the records, it is no proof: they may be such.
 */
static bool any_queued(const struct waits *waits)
{
	bool any = false;

	for (size_t i = 0; i < waits->n_tasks; i++) {
		const struct task_wait *account = &waits->tasks[i]->wait;
		any |= waits_is_queued(account->state) && account->left_ns <= waits->runnable_ns;
	}
	return any;
}

/* Whether other threads may be runnable than those that run by the last records. */
static bool may_have_unexplained(const struct waits *waits)
{
	uint64_t explained = 0;

	for (size_t i = 0; i < waits->n_cpus; i++)
		explained += waits->runners[i] > 0;
	return waits->runnable == 0 || waits->runnable > explained || any_queued(waits);
}

/*
 * Whether other threads may have been runnable at runnable_ns than those that ran then. The records
 * have that time now.
 */
bool waits_have_unexplained(const struct waits *waits)
{
	uint64_t explained = 0;

	for (size_t i = 0; i < waits->n_tasks; i++) {
		const struct task_wait *account = &waits->tasks[i]->wait;
		bool came = account->came_ns > 0 && account->came_ns <= waits->runnable_ns;
		explained += came && account->left_ns > waits->runnable_ns;
	}
	return waits->runnable == 0 || waits->runnable > explained || any_queued(waits);
}

/*
 * Searches for tasks that wait for a CPU after a wake-up. Before the end of the interval: a task
 * that is runnable then has a slice before the end, or is so at the end. After it, a task may have
 * run and sleep again. `search`: some thread waits for a CPU unseen. Else only tasks with hidden
 * switches are searched.
 */
static void look_for_queued(struct waits *waits, bool search)
{
	unsigned left = WAITS_QUEUED_READS;
	struct proc_stat stat;

	for (size_t i = 0; left > 0 && i < waits->n_tasks; i++) {
		struct task *task = waits->tasks[i];
		if (task->exit_ns || task->pid <= 0 || !waits_is_blocked(task->wait.state) ||
		    !(search || task->wait.hidden))
			continue;
		left--;
		task->wait.seen_ns = sys_now_ns(waits->sys);
		if (proc_thread_brief(waits->sys, task->pid, task->tid, &stat) == 0)
			task->wait.seen =
				stat.state == 'R' ? TASK_SEEN_RUNNABLE : TASK_SEEN_BLOCKED;
	}
}

/*
 * Searches /proc for such tasks, and for those that may wait since before there were records.
 * Before the end of the interval: any later wake-up has a record.
 */
static void look_for_woken_early(struct waits *waits)
{
	unsigned left = WAITS_QUEUED_READS;
	struct proc_stat stat;

	for (size_t i = 0; left > 0 && i < waits->n_tasks; i++) {
		struct task *task = waits->tasks[i];
		bool may_wait =
			waits_may_be_woken_early(&task->wait) || task->wait.state == TASK_OFF;
		if (task->exit_ns || task->pid <= 0 || !may_wait || task->wait.seen != TASK_UNSEEN)
			continue;
		left--;
		if (proc_thread_brief(waits->sys, task->pid, task->tid, &stat) == 0)
			task->wait.seen =
				stat.state == 'R' ? TASK_SEEN_RUNNABLE : TASK_SEEN_BLOCKED;
	}
}

void waits_search(struct waits *waits)
{
	read_runnable(waits);
	waits->searched = false;
	if (waits_have_all_wakeups(waits)) {
		if (!waits->recorded)
			look_for_woken_early(waits);
	} else {
		waits->searched = may_have_unexplained(waits);
		look_for_queued(waits, waits->searched);
	}
}
