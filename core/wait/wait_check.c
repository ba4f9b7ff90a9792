// SPDX-License-Identifier: MIT
/*
 * The state that a task's records leave it in, against the state that /proc has of it. A record
 * that is missing, and that nobody reported lost, would let a task that sleeps wait for a CPU until
 * it runs again, and a sentence would say so. So the state is read of each task that waits since
 * long, before the interval ends. If /proc has another one, and the task has no record since, it is
 * unknown what the task did since its last record.
 *
 * Of a task in state D or stopped the number of its slices is read, too: it proves that the task
 * did not run in a gap of the records, and is still there.
 */
#include "core/base/util.h"
#include "core/sys/proc.h"
#include "core/wait/waits_internal.h"

/* A wait is checked if it has lasted for this part of the interval. */
enum { CHECKED_PARTS = 8 };

/* Whether the state is one that is shown as a reason to wait. */
static bool is_wait(enum task_wait_state state)
{
	return waits_is_queued(state) || state == TASK_UNINTERRUPTIBLE || state == TASK_STOPPED;
}

/* A task in D or stopped that has had no slice since the last end has stayed so, also in gaps. */
static void read_slices(const struct waits *waits, const struct task *task,
			struct task_wait *account)
{
	struct proc_schedstat stat;

	if (proc_thread_schedstat(waits->sys, task->pid, task->tid, &stat) < 0)
		return;
	account->stays = account->still_interval > 0 &&
			 account->still_interval + 1 == waits->interval &&
			 account->still_slices == stat.slices;
	account->still_slices = stat.slices;
	account->still_interval = waits->interval;
}

/* Reads the state of a task that waits since long, if one may be read yet. */
static void read_state(struct waits *waits, struct task *task, uint64_t now_ns)
{
	const struct task_wait *account = &task->wait;
	const uint64_t ns = u64_growth(waits->begin_ns, now_ns);
	struct proc_stat stat;

	if (waits->checks_left == 0 || waits->recorded || !is_wait(account->state) ||
	    task->exit_ns || task->pid <= 0 ||
	    u64_growth(account->left_ns, now_ns) < ns / CHECKED_PARTS)
		return;
	waits->checks_left--;
	if (proc_thread_brief(waits->sys, task->pid, task->tid, &stat) == 0)
		task_set_state(task, stat.state, sys_now_ns(waits->sys));
	if (!waits_is_queued(account->state))
		read_slices(waits, task, &task->wait);
}

void waits_check(struct waits *waits)
{
	const uint64_t now_ns = sys_now_ns(waits->sys);

	waits->checks_left = 1 + u64_growth(waits->begin_ns, now_ns) / WAITS_READ_EVERY_NS;
	for (size_t i = 0; i < waits->n_tasks; i++)
		read_state(waits, waits->tasks[i], now_ns);
}

/* A task that is D or stopped may be woken up without a record: 'R' refutes nothing then. */
static bool refutes(const struct waits *waits, char letter, enum task_wait_state state)
{
	if (letter == 'R')
		return !waits_is_queued(state) && waits->wakeups && !waits->hides;
	if (state == TASK_STOPPED)
		return letter != 'T' && letter != 't';
	return state != TASK_UNINTERRUPTIBLE || letter != 'D';
}

bool waits_are_refuted(struct waits *waits, struct task *task)
{
	const struct task_wait *account = &task->wait;
	const struct task_state *read = &task->state;
	const bool queued = waits_is_queued(account->state);

	/*
	 * The wait began in this interval, and nothing was known of it before the end. If the task
	 * got a CPU since the end, its wait is unknown too.
	 */
	if (queued && read->read_ns <= account->left_ns)
		read_state(waits, task, waits->end_ns);
	return is_wait(account->state) && read->read_ns > waits->begin_ns &&
	       (queued || read->read_ns <= waits->end_ns) && account->left_ns < read->read_ns &&
	       refutes(waits, read->letter, account->state);
}
