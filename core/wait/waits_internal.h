// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WAITS_INTERNAL_H
#define PMCTOP_WAITS_INTERNAL_H

#include "core/wait/waits.h"

/* Shared by waits.c, which has the accounts of tasks, and the files for single events. */

/* The account of a task, with the sums of the current interval. It is opened if there is none. */
struct task_wait *waits_account(struct waits *waits, struct task *task);

/* The state that /proc had of a task that has no record since. TASK_OFF: unknown. */
enum task_wait_state waits_state_of(const struct waits *waits, const struct task *task);

/*
 * Opens accounts for tasks without a slice in this run, of which /proc has the state
 * (wait_others.c): the threads of the target's roots, once; at each cut its roots, and tasks to
 * show.
 */
void waits_read_roots(struct waits *waits);
void waits_add_others(struct waits *waits, struct interval *interval, bool gaps);

/*
 * forks and forked_time of all accounts, at the cut after all slices were applied. It may open
 * accounts of tasks that did not run, before they are completed.
 */
void waits_attribute_forks(struct waits *waits);

/*
 * At the cut of an interval with gaps, after its times were added: drops the states that may have
 * changed in them (wait_losses.c).
 */
void waits_forget_states(struct waits *waits, const struct interval *interval);

/* The known waits for a CPU in an account, of the interval. */
static inline uint64_t waits_queued_ns(const struct task_wait *account)
{
	return account->sums[TASK_PREEMPTED] + account->sums[TASK_NEW] + account->sums[TASK_WOKEN];
}

/* The task gets that CPU: the CPU has its waits since the last one. */
static inline void waits_place(struct waits *waits, struct task_wait *account, uint32_t cpu)
{
	uint64_t ns = waits_queued_ns(account);

	waits->queued_ns[cpu] += ns - account->placed_ns;
	account->placed_ns = ns;
	account->cpu = cpu;
	account->has_run = true;
}

/* At the cut: adds the waits of a task that its CPUs do not have, and how far they are known. */
void waits_add_to_cpus(struct waits *waits, struct interval *interval, const struct task *task,
		       const struct wait_values *values);
/* After all tasks: adds the waits to the tallies of the CPUs. */
void waits_cut_cpus(struct waits *waits, struct interval *interval, bool gaps);

/*
 * Wake-ups by latency of the account with account->place. Without that event in the plan these
 * functions do nothing.
 */
void waits_clear_latencies(struct waits *waits, const struct task_wait *account);
void waits_count_latency(struct waits *waits, const struct task_wait *account, uint64_t ns);
/* At the cut: to the task's tally, and to the totals. */
void waits_add_latencies(const struct waits *waits, const struct task_wait *account,
			 uint64_t *tally, uint64_t *totals);

#endif
