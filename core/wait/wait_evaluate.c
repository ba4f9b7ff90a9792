// SPDX-License-Identifier: MIT
/*
 * The figures of an account that is complete: what its states and the kernel's own sum of waits
 * prove, and for how long of the lifetime.
 */
#include "core/wait/waits_internal.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

static uint64_t blocked_ns(const struct task_wait *account)
{
	return account->sums[TASK_SLEEPING] + account->sums[TASK_UNINTERRUPTIBLE] +
	       account->sums[TASK_STOPPED] + account->sums[TASK_BLOCKED] + account->sums[TASK_OFF];
}

/*
 * Returns the part of the interval in which a task may have waited since such a wake-up, since one
 * that is hidden, or since one before there were records. `search`: some thread waits for a CPU
 * unseen. The wake-ups of a task of which the kernel hides switches are hidden too.
 */
static uint64_t note_unseen_waking(const struct waits *waits, struct task *task, bool search)
{
	struct task_wait *account = &task->wait;
	bool early = waits_may_be_woken_early(account) && account->seen == TASK_UNSEEN;
	bool hidden = waits_is_blocked(account->state) && account->seen != TASK_SEEN_BLOCKED &&
		      (search || account->hidden);
	bool unknown = account->state == TASK_OFF && account->seen != TASK_SEEN_BLOCKED;

	if (waits_has_ended(waits, task, waits->end_ns) || waits->recorded)
		return 0;
	account->queued = unknown && account->seen == TASK_SEEN_RUNNABLE;
	return unknown || (waits->hides ? hidden : early) ? waits_since_left_ns(waits, account) : 0;
}

/* The part of the interval since which a blocked task may have been woken up. */
static uint64_t unseen_waking_ns(const struct waits *waits, const struct task_wait *account)
{
	uint64_t left_ns = waits_since_left_ns(waits, account);
	uint64_t seen_ns = u64_growth(account->seen_blocked_ns, waits->end_ns);

	if (account->seen == TASK_SEEN_BLOCKED && waits->end_ns - account->seen_ns < seen_ns)
		seen_ns = waits->end_ns - account->seen_ns;
	return left_ns < seen_ns ? left_ns : seen_ns;
}

/* Returns the part of the interval in which a task that is blocked at its end may have woken up. */
static uint64_t note_blocked(const struct waits *waits, const struct task *task,
			     struct task_wait *account, bool search, bool over)
{
	bool blocked =
		waits_is_blocked(account->state) && !waits_has_ended(waits, task, waits->end_ns);

	account->queued = blocked && account->seen == TASK_SEEN_RUNNABLE;
	if (waits_is_queued(account->state))
		return 0;
	if (!blocked || over || (!search && !account->queued)) {
		account->crossing_ns = 0;
		account->seen_blocked_ns = waits->end_ns;
		return 0;
	}
	if (account->seen == TASK_SEEN_BLOCKED && account->seen_ns > account->seen_blocked_ns)
		account->seen_blocked_ns = account->seen_ns;
	uint64_t since_ns = account->left_ns > account->seen_blocked_ns ? account->left_ns
									: account->seen_blocked_ns;
	account->crossing_ns = u64_growth(since_ns, waits->end_ns);
	return unseen_waking_ns(waits, account);
}

/* A doubt of less than this part of the lifetime is halved between the two sides. */
enum { SMALL_PARTS = 100 };

/*
 * Reads the state of a blocked task again, where the last one is too old. If it sleeps now, and has
 * no slice since the end of the interval, it slept at the end. Returns whether it sleeps.
 */
static bool sleeps_after_end(const struct waits *waits, const struct task *task, bool search)
{
	const struct task_wait *account = &task->wait;
	struct proc_stat stat;

	return search && !waits->wakeups && waits_is_blocked(account->state) &&
	       !waits_has_ended(waits, task, waits->end_ns) && task->pid > 0 &&
	       account->seen != TASK_SEEN_RUNNABLE &&
	       unseen_waking_ns(waits, account) > (waits->end_ns - waits->begin_ns) / SMALL_PARTS &&
	       proc_thread_brief(waits->sys, task->pid, task->tid, &stat) == 0 && stat.state != 'R';
}

/*
 * The time in a state without the wake-up waits after it. Only the sum of these waits over all
 * states is known. lasting_ns: the most that a wait at the end of the interval has taken; `over`:
 * these waits have it.
 */
static struct wait_range blocked_part(const struct task_wait *account, enum task_wait_state state,
				      uint32_t wakeups, bool over, const struct wait_range *waited,
				      uint64_t lasting_ns)
{
	uint64_t off_ns = account->sums[state], rest_ns = blocked_ns(account) - off_ns;

	wakeups += over && account->state == state;
	uint64_t most_ns = wakeups > 0 ? waited->most_ns : 0;
	uint64_t least_ns = 0;

	if (wakeups > 0)
		least_ns = wakeups == account->wakeups + over
				   ? waited->least_ns
				   : u64_growth(rest_ns, waited->least_ns);
	if (account->state == state)
		most_ns += lasting_ns;
	return (struct wait_range){u64_growth(most_ns, off_ns), u64_growth(least_ns, off_ns)};
}

/* A doubt of less than this part of the lifetime is no doubt (core/metric/metric.c). */
enum { WHOLE_PARTS = 2000 };

/*
 * The ns for which it is known in which state the task was blocked. If that is so for none of the
 * blocked time, a lower bound would be 0, which means nothing.
 */
static uint64_t states_known_ns(const struct task_wait *account, uint64_t known_ns,
				uint64_t in_doubt_ns)
{
	uint64_t unclear_ns = account->sums[TASK_BLOCKED] + account->sums[TASK_OFF];

	if (unclear_ns > 0 && unclear_ns == blocked_ns(account))
		return 0;
	return u64_growth(in_doubt_ns, known_ns - unclear_ns);
}

/*
 * The ns of an account in which its task may have run unseen, and that its states have: gaps of
 * which the place is not known, and those that were found after its waits in them were applied.
 */
static uint64_t unseen_ns(const struct waits *waits, const struct task_wait *account)
{
	uint64_t ns = u64_growth(waits->log.gaps_ns, waits->gap_ns);

	if (ns > 0 && account->left_ns <= waits->gaps_until_ns)
		ns += u64_growth(waits->gaps_until_ns, waits->end_ns);
	if (account->left_ns > waits->log.late_from_ns)
		ns += waits->log.late_ns;
	return waits->anywhere ? UINT64_MAX : ns;
}

/* Times of states are so much longer, at most. The kernel's waits of a task are true anyhow. */
static void subtract_unseen(const struct waits *waits, const struct task_wait *account,
			    uint64_t woken_ns, uint64_t counts[WAIT_EVENTS])
{
	static const enum event_wait times[] = {WAIT_RUNQ, WAIT_PREEMPTED, WAIT_BLOCKED,
						WAIT_UNINTERRUPTIBLE, WAIT_STOPPED};
	uint64_t ns = unseen_ns(waits, account);

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		counts[times[i]] = u64_growth(ns, counts[times[i]]);
	if (counts[WAIT_RUNQ] < woken_ns)
		counts[WAIT_RUNQ] = woken_ns;
}

void waits_evaluate(const struct waits *waits, struct task *task, struct task_wait *account,
		    bool gaps, bool search, struct wait_values *values)
{
	const uint64_t *sums = account->sums;
	uint64_t known_ns = 0, off_ns = blocked_ns(account);

	for (size_t i = 0; i < TASK_UNKNOWN; i++)
		known_ns += sums[i];
	bool sleeps = sleeps_after_end(waits, task, search);
	enum wait_since since;
	struct wait_range waited = waits_read_queue(waits, task, account, sleeps, gaps, &since);
	bool over = since == WAIT_SINCE_SLICE && waits_is_blocked(account->state);
	if (sleeps && since == WAIT_SINCE_NONE) {
		account->seen = TASK_SEEN_BLOCKED;
		account->seen_ns = waits->end_ns;
	}
	uint64_t lasting_ns = waits->wakeups ? note_unseen_waking(waits, task, search)
					     : note_blocked(waits, task, account, search, over);
	/* The other ones ended time that a gap has. */
	uint64_t blocked_least_ns = u64_min(waited.least_ns, off_ns);
	uint64_t in_doubt_ns =
		u64_min(waited.most_ns - blocked_least_ns + lasting_ns, off_ns - blocked_least_ns);
	uint64_t lifetime_ns = known_ns + sums[TASK_UNKNOWN];
	if (!gaps && in_doubt_ns <= lifetime_ns / SMALL_PARTS) {
		/* Without any wait all of it is a doubt whether there is one. */
		waited.least_ns += waited.most_ns > 0 ? in_doubt_ns / 2 : 0;
		waited.most_ns = waited.least_ns;
		lasting_ns = in_doubt_ns = 0;
		blocked_least_ns = u64_min(waited.least_ns, off_ns);
	}
	const struct wait_range d = blocked_part(account, TASK_UNINTERRUPTIBLE, account->wakeups_d,
						 over, &waited, lasting_ns);
	const struct wait_range stopped = blocked_part(
		account, TASK_STOPPED, account->wakeups_stopped, over, &waited, lasting_ns);
	uint64_t split_doubt_ns = (d.most_ns - d.least_ns) + (stopped.most_ns - stopped.least_ns);
	uint64_t states_ns = states_known_ns(account, known_ns, split_doubt_ns);
	bool in_doubt = lifetime_ns - states_ns > lifetime_ns / WHOLE_PARTS;
	uint64_t off_known_ns =
		known_ns - sums[TASK_OFF] - (account->queued_off ? sums[TASK_WOKEN] : 0);
	/* It may have been preempted after its EXIT. */
	bool end_unseen = waits->untraced && task->exit_ns && account->state != TASK_ENDED;
	if (end_unseen)
		off_known_ns = u64_min(off_known_ns, sums[TASK_RUNNING]);
	*values = (struct wait_values){
		.counts = {[WAIT_RUNQ] = sums[TASK_PREEMPTED] + sums[TASK_NEW] + sums[TASK_WOKEN] +
					 waited.least_ns,
			   [WAIT_PREEMPTED] = sums[TASK_PREEMPTED],
			   [WAIT_BLOCKED] =
				   off_ns - blocked_least_ns -
				   (in_doubt_ns > lifetime_ns / WHOLE_PARTS ? in_doubt_ns : 0),
			   [WAIT_UNINTERRUPTIBLE] = in_doubt ? d.least_ns : d.most_ns,
			   [WAIT_STOPPED] = in_doubt ? stopped.least_ns : stopped.most_ns,
			   [WAIT_FORKED] = account->forked_ns,
			   [WAIT_VOLUNTARY] = account->voluntary,
			   [WAIT_INVOLUNTARY] = account->involuntary,
			   [WAIT_FORKS] = account->forks},
		.known_ns = {[WAIT_OF_RECORDS] =
				     account->ends_unclear || end_unseen ? off_known_ns : known_ns,
			     [WAIT_OF_PREEMPTIONS] = off_known_ns,
			     [WAIT_OF_QUEUES] = u64_growth(in_doubt_ns, known_ns),
			     [WAIT_OF_REST] = u64_growth(in_doubt_ns, known_ns),
			     [WAIT_OF_WAKINGS] =
				     waits->wakeups ? u64_growth(in_doubt_ns, known_ns) : 0,
			     [WAIT_OF_BOTH] = states_ns,
			     [WAIT_OF_FORKS] = lifetime_ns},
		.lifetime_ns = lifetime_ns,
	};
	if (waits->looks)
		looks_estimate(waits->looks, task, values->known_ns[WAIT_OF_BOTH] == 0, values);
	/* Samples are estimates, also of a part of the time: no lower bounds. */
	static const enum event_wait_group of_looks[] = {WAIT_OF_BOTH, WAIT_OF_LOOKS};
	for (size_t i = 0; i < ARRAY_SIZE(of_looks); i++) {
		enum event_wait_group group = of_looks[i];
		if (values->estimated_ns[group] > 0 ||
		    (group == WAIT_OF_LOOKS && values->known_ns[group] > 0))
			values->estimated_ns[group] = lifetime_ns - values->known_ns[group];
	}
	if (gaps)
		subtract_unseen(waits, account, waited.least_ns, values->counts);
	for (size_t i = 0; gaps && i < WAIT_GROUPS; i++) {
		values->estimated_ns[i] = 0;
		if (values->known_ns[i] > sums[TASK_RUNNING])
			values->known_ns[i] = sums[TASK_RUNNING];
	}
	for (size_t i = 0; i < WAIT_EVENTS; i++) {
		enum event_wait_group group = event_wait_group((enum event_wait)i);
		if (values->known_ns[group] + values->estimated_ns[group] == 0)
			values->counts[i] = 0;
	}
}

/* Whether a task that did not run has forks, or waited, or may wait, for a reason to show. */
bool waits_have_waited(const struct waits *waits, const struct task_wait *account,
		       const struct wait_values *values)
{
	return account->sums[TASK_PREEMPTED] + account->sums[TASK_NEW] + account->sums[TASK_WOKEN] +
			       account->sums[TASK_UNINTERRUPTIBLE] + account->sums[TASK_STOPPED] +
			       account->forks >
		       0 ||
	       account->queued || waits_may_wait_unread(waits, account) ||
	       values->counts[WAIT_RUNQ] > 0;
}
