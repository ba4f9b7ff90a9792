// SPDX-License-Identifier: MIT
/*
 * Waits after wake-ups that have no record: the kernel adds up how long a thread was in run queues,
 * in /proc/PID/task/TID/schedstat, and how often it got a CPU. The number is read at the cut, a
 * little after the end of the interval, and grows when a wait is over. So its growth between two
 * readings is
 *
 *   the waits after wake-ups that ended in the interval, which are to be found,
 * + the waits that have records (TASK_PREEMPTED, TASK_NEW, TASK_WOKEN) and ended since then,
 * + waits between the end of the interval and the reading,
 * - the same of the interval before.
 *
 * Slices that began before a reading are in it, so their records, which come later, are not
 * counted once more. If schedstat has more slices than there are records, the task got a CPU since
 * the end of the interval: a wait that lasted at the end is over, and all of it is in the number.
 * Only the time since the end is in doubt then. A wait that lasts is in no number, unless the task
 * has been moved to the run queue of another CPU: then its part up to there is.
 */
#include "core/wait/waits_internal.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

/* The clock of a run queue may differ so much from that of records: in all, and for each wait. */
#define CLOCKS_NS (100 * NS_PER_US)
#define CLOCK_NS  2000
/* After so many waits the number is read, also if none of them is to be found. */
enum { WAITS_MOST = 64 };
/* The kernel counts a slice so much later than the record of it, at most. */
#define SWITCH_NS (30 * NS_PER_US)

void waits_queue_slice(struct task_wait *account, uint64_t begin_ns, uint64_t blocked_ns,
		       uint64_t queued_ns)
{
	bool read = begin_ns <= account->read_ns[1];
	/* The number had a slice more: this one, if its record was late, or one without a record.
	 */
	bool late = !read && account->late_known && account->late_slices > 0;
	bool unclear = late || (read && begin_ns + SWITCH_NS > account->read_ns[0]);

	if (unclear) {
		account->slices_unclear = true;
		account->late_slices -= late;
		account->ahead_ns += queued_ns;
	} else if (!read) {
		account->slices++;
		account->completed_ns += queued_ns;
		account->completed += queued_ns > 0;
	} else if (account->late_known) {
		account->slices_unclear |= account->late_slices == 0;
		account->late_slices -= account->late_slices > 0;
	}
	if (read || late)
		account->behind_ns += blocked_ns;
	if (!read || unclear)
		account->behind_ns += u64_min(account->moving_ns, blocked_ns + queued_ns);
	account->moving_ns = 0;
	if (!read || unclear) {
		if (waits_is_blocked(account->state))
			account->crossed_ns += account->crossing_ns;
		else
			account->ahead_ns += account->crossing_ns;
	}
	account->crossing_ns = 0;
}

/* The number has a part of a wait that lasts once the task is moved to another CPU. */
static bool was_moved(const struct waits *waits, const struct task *task)
{
	const struct task_wait *account = &task->wait;
	struct proc_stat stat;

	return account->state != TASK_PREEMPTED ||
	       proc_thread_brief(waits->sys, task->pid, task->tid, &stat) < 0 ||
	       stat.last_cpu != waits->cpu_numbers[account->cpu];
}

/* A slice more than there are records was since the end, or it has none: see waits->idled. */
static enum wait_since since_of(const struct waits *waits, const struct task_wait *account,
				uint64_t slices)
{
	bool sure = account->queue_known && !account->slices_unclear && !account->slices_hidden;
	bool more = slices > account->slices;

	if (!sure || slices < account->slices || (more && waits->hides && waits->idled))
		return WAIT_SINCE_UNKNOWN;
	return more ? WAIT_SINCE_SLICE : WAIT_SINCE_NONE;
}

/* The part of a growth that is not of the interval, since its end. */
static struct wait_range range_since(const struct waits *waits, const struct task_wait *account,
				     enum wait_since since)
{
	uint64_t lasts_ns =
		waits_is_queued(account->state) ? u64_growth(account->left_ns, waits->end_ns) : 0;
	uint64_t since_ns = account->read_ns[1] - waits->end_ns;

	switch (since) {
	case WAIT_SINCE_NONE:
		break;
	case WAIT_SINCE_SLICE:
		return (struct wait_range){lasts_ns, lasts_ns + since_ns};
	case WAIT_SINCE_UNKNOWN:
		return (struct wait_range){0, lasts_ns + since_ns};
	}
	return (struct wait_range){0, 0};
}

/*
 * The waits after wake-ups in the interval, from the growth of schedstat without the waits that the
 * records have. They are at most as long as the time off the CPU before these slices. If the rest
 * is longer, the kernel has counted a sleep. If the number has less than the records, it does not
 * have all waits. Then nothing is known.
 */
static struct wait_range range_of(const struct waits *waits, const struct task_wait *account,
				  uint64_t queue_ns, enum wait_since since)
{
	const struct wait_range later = range_since(waits, account, since);
	const uint64_t before_all_ns = account->queue_ns + account->completed_ns;
	uint64_t grown_ns = u64_growth(before_all_ns, queue_ns);
	uint64_t missing_ns = u64_growth(queue_ns, before_all_ns + later.least_ns);
	bool over = since != WAIT_SINCE_NONE && waits_is_blocked(account->state);
	uint64_t most_ns = account->ended_ns + (over ? waits_since_left_ns(waits, account) : 0);
	/* Of a single wait the last part is in the interval. */
	uint64_t crossed_ns = account->wakeups == 1 && !over ? 0 : account->crossed_ns;
	uint64_t clocks_ns = account->completed * CLOCK_NS;
	uint64_t before_ns = account->ahead_ns + later.most_ns + clocks_ns;
	struct wait_range range;

	if (u64_growth(before_ns + account->crossed_ns, grown_ns) > most_ns + CLOCKS_NS ||
	    missing_ns > account->behind_ns + clocks_ns + CLOCKS_NS)
		return (struct wait_range){0, most_ns};
	range.least_ns = u64_growth(before_ns + crossed_ns, grown_ns);
	range.most_ns = u64_growth(later.least_ns, grown_ns) + account->behind_ns + clocks_ns;
	if (range.most_ns > most_ns)
		range.most_ns = most_ns;
	if (range.least_ns > range.most_ns)
		range.least_ns = range.most_ns;
	return range;
}

void waits_queue_sleep(struct task_wait *account, uint64_t ns, bool moved)
{
	account->busy_ns += ns;
	if (moved)
		account->moved_ns += ns;
	else if (ns > account->stayed_ns)
		account->stayed_ns = ns;
}

/*
 * A kernel that counts sleeps as waits leaves a task that goes to sleep in the run queue, until the
 * CPU would run it. If the task is moved to another CPU before that, the sleep from then on is
 * counted. So a CPU that had nothing else to run has counted none. Wake-ups move tasks too: a sleep
 * before a slice on another CPU is in doubt. A task that comes back to its CPU was moved twice.
 * Short waits are not examined.
 */
enum { EXAMINED_PARTS = 50 };

/* `lasts_ns`: of a time off the CPU that is over, and has no slice in the interval. */
static uint64_t doubtful_waits(const struct waits *waits, const struct task *task,
			       struct task_wait *account, uint64_t waited_ns, uint64_t lasts_ns)
{
	uint64_t parts_ns = (waits->end_ns - waits->begin_ns) / EXAMINED_PARTS;
	const uint64_t all_ns = account->busy_ns + lasts_ns, stayed_ns = account->stayed_ns;
	uint64_t migrations = 0, doubtful_ns = all_ns;
	bool known = account->migrations_known;

	account->migrations_known =
		waits->counts_sleeps && waited_ns > parts_ns / 2 &&
		proc_thread_migrations(waits->sys, task->pid, task->tid, &migrations) == 0;
	if (known && account->migrations_known) {
		/* The reading before may have had the move of the first slice. */
		uint64_t left = u64_growth(account->moves, migrations - account->migrations);
		uint64_t twice = (left + account->moves_left) / 2;
		uint64_t most = stayed_ns > 0 ? all_ns / stayed_ns + 1 : 0; /* no overflow */
		doubtful_ns = account->moved_ns + u64_min(twice, most) * stayed_ns +
			      (left > 0 ? lasts_ns : 0);
		doubtful_ns = u64_min(doubtful_ns, all_ns);
		account->moves_left = (uint32_t)left;
	} else {
		account->moves_left = 0;
	}
	account->migrations = migrations;
	account->moves = 0;
	return waits->counts_sleeps && waited_ns > parts_ns ? doubtful_ns : 0;
}

/* The next reading counts from this one on. */
static void begin_reading(struct task_wait *account, const struct proc_schedstat *stat,
			  enum wait_since since)
{
	account->late_known = since != WAIT_SINCE_UNKNOWN;
	account->late_slices =
		account->late_known ? stat->slices - account->queue_slices - account->slices : 0;
	account->queue_ns = stat->wait_ns;
	account->queue_slices = stat->slices;
	account->completed_ns = account->slices = account->completed = 0;
	account->ahead_ns = account->crossed_ns = account->behind_ns = 0;
	account->slices_unclear = false;
}

struct wait_range waits_read_queue(const struct waits *waits, const struct task *task,
				   struct task_wait *account, bool read, bool gaps,
				   enum wait_since *since)
{
	struct wait_range range = {0, account->ended_ns};
	struct proc_schedstat stat;
	bool known = account->queue_known;

	*since = WAIT_SINCE_UNKNOWN;
	if (waits->wakeups)
		return range;
	if (known && account->wakeups == 0 && account->completed < WAITS_MOST && !read) {
		account->ahead_ns += account->crossed_ns;
		account->crossed_ns = 0;
		return range;
	}
	const uint64_t begin_ns = sys_now_ns(waits->sys);
	account->queue_known = task->pid > 0 && account->state != TASK_ENDED &&
			       proc_thread_schedstat(waits->sys, task->pid, task->tid, &stat) == 0;
	if (!account->queue_known)
		return range;
	known &= stat.wait_ns >= account->queue_ns && stat.slices >= account->queue_slices;
	/* Slices of the last reading that were late, by their number, have no record. */
	account->slices_unclear |= account->late_slices > 0;
	account->slices_hidden |= account->late_slices > 0 && !gaps;
	account->read_ns[0] = begin_ns;
	account->read_ns[1] = sys_now_ns(waits->sys);
	if (known)
		*since = since_of(waits, account, stat.slices - account->queue_slices);
	account->moving_ns = 0;
	if (*since != WAIT_SINCE_SLICE && waits_is_queued(account->state) &&
	    was_moved(waits, task)) {
		account->moving_ns = u64_growth(account->left_ns, account->read_ns[1]);
		*since = WAIT_SINCE_UNKNOWN;
	}
	if (known)
		range = range_of(waits, account, stat.wait_ns, *since);
	bool over = *since != WAIT_SINCE_NONE && waits_is_blocked(account->state);
	uint64_t lasts_ns =
		over && !account->left_idle ? u64_growth(account->left_ns, waits->end_ns) : 0;
	range.least_ns = u64_growth(doubtful_waits(waits, task, account, range.most_ns, lasts_ns),
				    range.least_ns);
	begin_reading(account, &stat, *since);
	return range;
}
