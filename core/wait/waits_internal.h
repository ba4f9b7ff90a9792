// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WAITS_INTERNAL_H
#define PMCTOP_WAITS_INTERNAL_H

#include "core/base/util.h"
#include "core/wait/waits.h"

/* Shared by waits.c, which has the accounts of tasks, and the files for single events. */

/* The account of a task, with the sums of the current interval. It is opened if there is none. */
struct task_wait *waits_account(struct waits *waits, struct task *task);

/* The state that /proc had of a task that has no record since. TASK_OFF: unknown. */
enum task_wait_state waits_state_of(const struct waits *waits, const struct task *task);
/* Whether a task has ended at a time, by its EXIT and its last slice. */
bool waits_has_ended(const struct waits *waits, const struct task *task, uint64_t time_ns);

/*
 * Opens accounts for tasks without a slice in this run, of which /proc has the state
 * (wait_others.c): the threads of the target's roots, once; at each cut its roots, and tasks to
 * show.
 */
void waits_read_roots(struct waits *waits);
void waits_add_others(struct waits *waits, struct interval *interval, bool gaps);

/*
 * The state of one task per 4 ms of an interval is read again, for each of two reasons: 5 us each,
 * 0.1 % of a CPU.
 */
#define WAITS_READ_EVERY_NS (4 * NS_PER_MS)

/*
 * Before the end of the interval: reads the states of tasks that wait since long (wait_check.c). At
 * the cut, after all slices and wake-ups up to the end were applied: whether that of a task proves
 * that its account is wrong. It is read then if the task waits for a CPU since it was read.
 */
void waits_check(struct waits *waits);
bool waits_are_refuted(struct waits *waits, struct task *task);

/*
 * Before the end of the interval: reads how many threads are runnable, and searches for tasks that
 * wait for a CPU without a record (wait_search.c). At the cut: whether other threads may have been
 * runnable then than those that ran. The records have that time now.
 */
void waits_search(struct waits *waits);
bool waits_have_unexplained(const struct waits *waits);

/* Most blocked tasks of an interval that are searched for one that waits for a CPU. */
enum { WAITS_QUEUED_READS = 128 };

/*
 * At the cut: the figures of a complete account (wait_evaluate.c). `search`: some thread waits for
 * a CPU unseen. Then, whether a task that did not run has forks, or waited, or may wait, for a
 * reason to show.
 */
void waits_evaluate(const struct waits *waits, struct task *task, struct task_wait *account,
		    bool gaps, bool search, struct wait_values *values);
bool waits_have_waited(const struct waits *waits, const struct task_wait *account,
		       const struct wait_values *values);

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

/* Whether a task waits for a CPU. */
static inline bool waits_is_queued(enum task_wait_state state)
{
	return state == TASK_PREEMPTED || state == TASK_NEW || state == TASK_WOKEN;
}

/* Whether a task does not run before it is woken. */
static inline bool waits_is_blocked(enum task_wait_state state)
{
	return state == TASK_SLEEPING || state == TASK_UNINTERRUPTIBLE || state == TASK_STOPPED ||
	       state == TASK_BLOCKED || state == TASK_OFF;
}

/* Each wake-up has a record. */
static inline bool waits_have_all_wakeups(const struct waits *waits)
{
	return waits->wakeups && !waits->hides;
}

/*
 * Whether the latest wake-up of a task was in its last slice, and it is blocked by the records. If
 * that wake-up came as it went to sleep, it waits for a CPU since it left one.
 */
static inline bool waits_may_be_woken_early(const struct task_wait *account)
{
	return account->woken_early && !account->woken_ns && waits_is_blocked(account->state);
}

/* Whether a task may wait since before there were records: its state is to be read. */
static inline bool waits_may_wait_unread(const struct waits *waits, const struct task_wait *account)
{
	return waits_have_all_wakeups(waits) && !waits->recorded && account->state == TASK_OFF &&
	       account->seen != TASK_SEEN_BLOCKED;
}

/* The part of the interval since a task left its CPU. */
static inline uint64_t waits_since_left_ns(const struct waits *waits,
					   const struct task_wait *account)
{
	return waits->end_ns -
	       (account->left_ns > waits->begin_ns ? account->left_ns : waits->begin_ns);
}

/*
 * The waits after wake-ups without a record, from the kernel's own sum (wait_queue.c). A slice of
 * the account begins, after blocked_ns of the interval in which the task was blocked, or after
 * queued_ns in all in which it was queued.
 */
void waits_queue_slice(struct task_wait *account, uint64_t begin_ns, uint64_t blocked_ns,
		       uint64_t queued_ns);

/*
 * Before that: adds a sleep of ns whose CPU ran another task after it. moved: the slice is on
 * another CPU.
 */
void waits_queue_sleep(struct task_wait *account, uint64_t ns, bool moved);

/* The least and the most ns of waits. */
struct wait_range {
	uint64_t least_ns, most_ns;
};

/* At the cut. What a reading of schedstat has of the time since the end of the interval. */
enum wait_since {
	WAIT_SINCE_UNKNOWN,
	WAIT_SINCE_NONE,  /* no slice */
	WAIT_SINCE_SLICE, /* one or more: a wait that lasted at the end is over */
};

/* `read`: also if the task has no such wait. gaps: slices may have no record. */
struct wait_range waits_read_queue(const struct waits *waits, const struct task *task,
				   struct task_wait *account, bool read, bool gaps,
				   enum wait_since *since);

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
