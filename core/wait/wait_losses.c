// SPDX-License-Identifier: MIT
/*
 * The states of tasks after a loss. Any task may have run in a gap of the records, so the state of
 * a task is known only if it has a record since then. The others get the state that /proc has: a
 * task that sleeps would wait for a CPU for ever, by a record from before the gap.
 */
#include "core/wait/waits_internal.h"

#include "core/sys/proc.h"

/* Most tasks of which /proc is read after a loss. */
enum { STATE_READS = 128 };

/* The time from which on there are records of all that ran. */
static uint64_t gaps_end_ns(const struct waits *waits, const struct interval *interval)
{
	bool all = waits->anywhere || (waits->wakeups && interval->lost_records > 0);

	return all || interval->gaps_until_ns == 0 ? UINT64_MAX : interval->gaps_until_ns;
}

static enum task_wait_state read_state(const struct waits *waits, const struct task *task)
{
	struct proc_stat stat;

	if (task->pid <= 0 || proc_thread_brief(waits->sys, task->pid, task->tid, &stat) < 0)
		return TASK_OFF;
	switch (stat.state) {
	case 'S':
	case 'I':
		return TASK_SLEEPING;
	case 'D':
		return TASK_UNINTERRUPTIBLE;
	case 'T':
	case 't':
		return TASK_STOPPED;
	default:
		return TASK_OFF;
	}
}

void waits_forget_states(struct waits *waits, const struct interval *interval)
{
	uint64_t until_ns = gaps_end_ns(waits, interval);
	/* If one loss follows another, a state is out of date before it is used. */
	unsigned left = waits->lost_interval + 1 == waits->interval ? 0 : STATE_READS;

	for (size_t i = 0; i < waits->n_tasks; i++) {
		const struct task *task = waits->tasks[i];
		struct task_wait *account = &waits->tasks[i]->wait;
		if (account->state == TASK_ENDED || account->left_ns > until_ns || account->stays)
			continue;
		/* It may wait since then: schedstat will have that. */
		account->crossing_ns = waits->end_ns - account->left_ns;
		account->state = left > 0 ? read_state(waits, task) : TASK_OFF;
		account->known_ns = waits->end_ns;
		account->queued = account->woken_early = false;
		account->woken_ns = 0;
		account->seen = TASK_UNSEEN;
		left -= left > 0;
	}
	waits->lost_interval = waits->interval;
	waits->lost_until_ns = waits->end_ns;
	waits->scanning = true;
	waits->since_ns = waits->end_ns;
}
