// SPDX-License-Identifier: MIT
/*
 * Each task has an account (struct task_wait) of the current interval. It is complete up to
 * account->until_ns, and account->state is the state of the task since then. A slice adds the time
 * since until_ns to the sum of that state, and moves until_ns to its end. The cut does the same
 * with the end of the interval. So the sums of an account add up to the lifetime of its task in
 * the interval.
 */
#include "core/wait/waits_internal.h"

#include "core/base/util.h"
#include "core/sys/proc.h"
#include "core/sys/proc_machine.h"

#include <stdlib.h>
#include <string.h>

void waits_init(struct waits *waits, const struct sys *sys, const struct tasks *tasks,
		size_t n_cpus)
{
	*waits = (struct waits){.sys = sys, .all_tasks = tasks, .throttling.sys = sys};
	waits->queued_ns = xcalloc(n_cpus, sizeof(*waits->queued_ns));
	waits->n_cpus = n_cpus;
	slice_log_init(&waits->log, n_cpus);
}

void waits_fini(struct waits *waits)
{
	slice_log_fini(&waits->log);
	throttling_fini(&waits->throttling);
	free(waits->tasks);
	free(waits->queued_ns);
	free(waits->latencies);
	*waits = (struct waits){.sys = NULL};
}

void waits_begin(struct waits *waits, const struct plan *plan, const struct event_set *events)
{
	wait_places_find(&waits->places, plan, events);
	if (waits->looks)
		looks_begin(waits->looks, looks_are_wanted(&waits->places));
	if (!waits_wanted(waits))
		return;
	slice_log_clear(&waits->log);
	memset(waits->queued_ns, 0, waits->n_cpus * sizeof(*waits->queued_ns));
	waits->n_tasks = 0;
	waits->run++;
	waits->interval++;
	waits->begin_ns = waits->since_ns = sys_now_ns(waits->sys);
}

/* A task without an account in this run: it is new, or did not run so far for an unknown reason. */
static void open_account(const struct waits *waits, struct task *task)
{
	bool is_new = task->start_ns >= waits->since_ns;

	task->wait = (struct task_wait){
		.run = waits->run,
		.until_ns = task->start_ns,
		.left_ns = task->start_ns,
		.state = is_new ? TASK_NEW : TASK_OFF,
		.queue_known = is_new,
		.looked = task->wait.looked,
	};
}

struct task_wait *waits_account(struct waits *waits, struct task *task)
{
	struct task_wait *account = &task->wait;

	if (account->run == waits->run && account->interval == waits->interval)
		return account;
	/* In a gap since then it may have run. */
	if (account->run != waits->run || account->interval < waits->lost_interval)
		open_account(waits, task);
	account->interval = waits->interval;
	memset(account->sums, 0, sizeof(account->sums));
	account->wakeups = account->wakeups_d = account->wakeups_stopped = 0;
	account->voluntary = account->involuntary = account->forks = 0;
	account->forked_ns = account->placed_ns = 0;
	/* An estimate that was wrong makes this interval as wrong. */
	account->doubt_ns = account->next_doubt_ns;
	account->next_doubt_ns = 0;
	if (account->until_ns < waits->begin_ns)
		account->until_ns = waits->begin_ns;
	account->place = waits->n_tasks++;
	waits->tasks = array_reserve(waits->tasks, &waits->capacity, waits->n_tasks,
				     sizeof(struct task *));
	waits->tasks[account->place] = task;
	waits_clear_latencies(waits, account);
	return account;
}

/* Completes an account up to a time, if it is not yet. */
static void add_until(struct task_wait *account, uint64_t time_ns)
{
	enum task_wait_state state = account->state;

	if (time_ns <= account->until_ns || state == TASK_ENDED)
		return;
	/* A running task without a slice: no record has what it did. */
	if (state == TASK_RUNNING)
		state = TASK_UNKNOWN;
	account->sums[state] += time_ns - account->until_ns;
	account->until_ns = time_ns;
}

/* Whether a task waits for a CPU. */
static bool is_queued(enum task_wait_state state)
{
	return state == TASK_PREEMPTED || state == TASK_NEW || state == TASK_WOKEN;
}

/* Whether a task does not run before it is woken. */
static bool is_blocked(enum task_wait_state state)
{
	return state == TASK_SLEEPING || state == TASK_UNINTERRUPTIBLE || state == TASK_STOPPED ||
	       state == TASK_BLOCKED || state == TASK_OFF;
}

/* The time in states up to a time. The wake-up of a blocked task makes it runnable. */
static void account_until(struct task_wait *account, uint64_t time_ns)
{
	if (account->woken_ns && account->woken_ns <= time_ns && is_blocked(account->state)) {
		add_until(account, account->woken_ns);
		account->state = TASK_WOKEN;
		account->left_ns = account->woken_ns;
	}
	add_until(account, time_ns);
}

/*
 * A task gets a CPU. If its latest wake-up was before it left the CPU, it was runnable from then
 * on: another CPU woke it while it went to sleep.
 */
static void end_wait(struct waits *waits, struct task_wait *account, uint64_t time_ns)
{
	uint64_t since_ns = account->until_ns;
	/* The slice that begins may be older than a wake-up in it. */
	bool woken = account->woken_ns && account->woken_ns <= time_ns;

	if (!woken && account->woken_early)
		account->woken_ns = account->left_ns;
	account_until(account, time_ns);
	if (account->state == TASK_WOKEN)
		waits_count_latency(waits, account, u64_growth(account->left_ns, time_ns));
	if (account->queued || (waits->wakeups && is_blocked(account->state)))
		account->doubt_ns += account->until_ns - since_ns;
	account->queued = false;
	account->slices += account->state != TASK_RUNNING;
	switch (account->state) {
	case TASK_PREEMPTED:
	case TASK_NEW:
	case TASK_WOKEN:
		account->completed_ns += u64_growth(account->left_ns, time_ns);
		break;
	case TASK_UNINTERRUPTIBLE:
		account->wakeups_d++;
		account->wakeups++;
		break;
	case TASK_STOPPED:
		account->wakeups_stopped++;
		account->wakeups++;
		break;
	case TASK_SLEEPING:
	case TASK_BLOCKED:
	case TASK_OFF:
	case TASK_UNKNOWN:
		account->wakeups++;
		break;
	case TASK_RUNNING:
	case TASK_ENDED:
	case TASK_WAIT_STATES:
		break;
	}
	account->state = TASK_RUNNING;
}

static enum task_wait_state state_after(enum slice_end end)
{
	static const unsigned char states[SLICE_ENDS] = {
		[SLICE_RUNS_ON] = TASK_RUNNING, [SLICE_RUNNABLE] = TASK_PREEMPTED,
		[SLICE_SLEEPS] = TASK_SLEEPING, [SLICE_UNINTERRUPTIBLE] = TASK_UNINTERRUPTIBLE,
		[SLICE_STOPPED] = TASK_STOPPED, [SLICE_EXITED] = TASK_ENDED,
		[SLICE_BLOCKED] = TASK_BLOCKED, [SLICE_UNKNOWN] = TASK_OFF,
		[SLICE_FORKED] = TASK_NEW,      [SLICE_WOKEN] = TASK_WOKEN,
	};

	return (enum task_wait_state)states[end];
}

static void apply_wakeup(struct task_wait *account, uint64_t time_ns)
{
	account->last_woken_ns = time_ns;
	if (time_ns <= account->left_ns)
		account->woken_early = true;
	else if (!account->woken_ns)
		account->woken_ns = time_ns;
}

static enum wait_kind wait_kind_of(enum task_wait_state state)
{
	if (is_queued(state))
		return WAIT_KIND_PREEMPTED;
	return is_blocked(state) && state != TASK_OFF ? WAIT_KIND_BLOCKED : WAIT_KIND_OFF;
}

/* Counts the wait before a slice of a watched task, and remembers its end. */
static void watch_wait(struct wait_watch *watch, struct task_wait *account,
		       const struct slice *slice)
{
	uint64_t off_ns = account->off_ns;
	enum task_wait_state state = account->off_state;

	if (slice->end == SLICE_FORKED && off_ns > 0)
		return; /* its FORK was applied a second time */
	account->off_ns = slice->end_ns;
	account->off_state = state_after(slice->end);
	if (off_ns == 0 || off_ns < watch->since_ns || slice->begin_ns <= off_ns)
		return;
	wait_histogram_add(&watch->kinds[wait_kind_of(state)], slice->begin_ns - off_ns);
}

/* A task leaves its CPU so soon after it was dequeued. */
#define EARLY_NS (50 * NS_PER_US)

static void apply_slice(struct waits *waits, const struct slice *slice)
{
	struct task_wait *account = waits_account(waits, slice->task);

	if (slice->end == SLICE_WOKEN)
		apply_wakeup(account, slice->end_ns);
	if (waits->watch && slice->end != SLICE_WOKEN &&
	    wait_watch_has(waits->watch, slice->task->pid, slice->task->tid))
		watch_wait(waits->watch, account, slice);
	if (slice->end == SLICE_FORKED || slice->end == SLICE_WOKEN)
		return;
	end_wait(waits, account, slice->begin_ns);
	waits_place(waits, account, slice->cpu);
	if (slice->end_ns > account->until_ns) {
		account->sums[TASK_RUNNING] += slice->end_ns - account->until_ns;
		account->until_ns = slice->end_ns;
	}
	account->left_ns = slice->end_ns;
	account->woken_ns = 0;
	account->woken_early = account->last_woken_ns > slice->begin_ns &&
			       account->last_woken_ns + EARLY_NS > slice->end_ns;
	account->state = state_after(slice->end);
	account->involuntary += slice->end == SLICE_RUNNABLE;
	account->voluntary += slice->end > SLICE_RUNNABLE && slice->end != SLICE_UNKNOWN;
}

static void apply_slices(struct waits *waits, uint64_t until_ns, bool split)
{
	struct slice slice;

	slice_log_merge(&waits->log);
	while (slice_log_pop(&waits->log, until_ns, split, &slice))
		apply_slice(waits, &slice);
}

void waits_apply(struct waits *waits, uint64_t until_ns)
{
	if (waits_wanted(waits))
		apply_slices(waits, until_ns, false);
}

static uint64_t blocked_ns(const struct task_wait *account)
{
	return account->sums[TASK_SLEEPING] + account->sums[TASK_UNINTERRUPTIBLE] +
	       account->sums[TASK_STOPPED] + account->sums[TASK_BLOCKED] + account->sums[TASK_OFF];
}

/* Most blocked tasks of an interval that are searched for one that waits for a CPU. */
enum { QUEUED_READS = 128 };

/*
 * Whether a task that the records have as blocked has woken up since: it waits for a CPU. `left`:
 * readings of /proc that are still allowed; without one it may be so.
 */
static bool may_be_queued(const struct waits *waits, const struct task *task, unsigned *left)
{
	const struct task_wait *account = &task->wait;
	struct proc_stat stat;

	if (task->exit_ns || account->state < TASK_SLEEPING || account->state > TASK_OFF)
		return false;
	if (*left == 0 || task->pid <= 0)
		return true;
	(*left)--;
	return proc_thread_stat(waits->sys, task->pid, task->tid, &stat) < 0 || stat.state == 'R';
}

/* The part of the interval since a task left its CPU. */
static uint64_t since_left_ns(const struct waits *waits, const struct task_wait *account)
{
	return waits->end_ns -
	       (account->left_ns > waits->begin_ns ? account->left_ns : waits->begin_ns);
}

/*
 * Searches for them if there are more runnable threads than the records have. A task that is
 * runnable at both ends of the interval, without a slice in it, waited all the time.
 */
static void find_queued(struct waits *waits)
{
	uint64_t explained = 0;
	unsigned left = QUEUED_READS;

	for (size_t i = 0; i < waits->n_tasks; i++)
		explained += waits->tasks[i]->wait.state <= TASK_WOKEN;
	/* All are read: some of them may have woken up since the end of the interval. */
	bool search = waits->runnable > explained;
	for (size_t i = 0; i < waits->n_tasks; i++) {
		struct task_wait *account = &waits->tasks[i]->wait;
		bool all_the_time = account->queued;

		account->queued = search && may_be_queued(waits, waits->tasks[i], &left);
		if (!account->queued)
			continue;
		account->lasting_ns = account->next_doubt_ns = since_left_ns(waits, account);
		if (!all_the_time)
			account->doubt_ns += account->lasting_ns;
	}
}

/*
 * What a wake-up wait that lasts has taken so far: as much as those that ended, on average. It is
 * all the interval if there was no other.
 */
static uint64_t estimate_lasting(const struct task_wait *account, uint64_t wakeup_ns)
{
	uint64_t average_ns = account->wakeups ? wakeup_ns / account->wakeups : UINT64_MAX;

	if (!account->queued)
		return 0;
	return average_ns < account->lasting_ns ? average_ns : account->lasting_ns;
}

/* Few wake-up waits of a task are so many times longer than their average. */
enum { UNUSUAL = 4 };

/*
 * The number of schedstat is read after the interval has ended. If the task has got a CPU in
 * between, as it shows by one slice more than the records have, the wait before that slice is in
 * the number. Returns the part of it in the interval, which is known after a preemption. After a
 * wake-up it is taken for that of other wake-ups.
 */
static uint64_t ended_since(const struct waits *waits, struct task_wait *account, uint64_t slices,
			    uint64_t wakeup_ns)
{
	/* With more slices the records lack some: which one came last is unknown. */
	if (slices != account->slices + 1)
		return 0;
	if (is_queued(account->state))
		return waits->end_ns - account->left_ns;
	uint64_t average_ns = wakeup_ns / (account->wakeups + 1);
	uint64_t most_ns = since_left_ns(waits, account);
	account->next_doubt_ns = most_ns < UNUSUAL * average_ns ? most_ns : UNUSUAL * average_ns;
	account->doubt_ns += account->next_doubt_ns;
	return average_ns < most_ns ? average_ns : most_ns;
}

/*
 * Reads how long the task waited in run queues after wake-ups: the growth of the kernel's number,
 * less the waits that the records have or that were estimated. What is less than the records have
 * is left for the next interval. Returns false if it is unknown.
 */
static bool read_wakeup_waits(const struct waits *waits, const struct task *task,
			      struct task_wait *account, uint64_t *wakeup_ns)
{
	struct proc_schedstat stat;
	bool known = account->queue_known;

	*wakeup_ns = 0;
	if (waits->wakeups || (known && account->wakeups == 0))
		return true;
	account->queue_known = task->pid > 0 && account->state != TASK_ENDED &&
			       proc_thread_schedstat(waits->sys, task->pid, task->tid, &stat) == 0;
	if (!account->queue_known)
		return false;
	known &= stat.wait_ns >= account->queue_ns;
	uint64_t grown_ns = u64_growth(account->queue_ns, stat.wait_ns);
	uint64_t completed_ns = known ? account->completed_ns : 0;
	*wakeup_ns = known ? u64_growth(completed_ns, grown_ns) : 0;
	uint64_t since_ns = ended_since(waits, account,
					u64_growth(account->queue_slices, stat.slices), *wakeup_ns);
	if (!known || since_ns > *wakeup_ns)
		since_ns = 0;
	*wakeup_ns -= since_ns;
	account->queue_ns = stat.wait_ns - since_ns;
	account->queue_slices = stat.slices - (since_ns > 0);
	account->completed_ns = u64_growth(grown_ns, completed_ns);
	account->slices = 0;
	return known;
}

/* The same, with the wait that lasts. */
static bool measure_wakeup_waits(const struct waits *waits, const struct task *task,
				 struct task_wait *account, uint64_t *wakeup_ns)
{
	bool known = read_wakeup_waits(waits, task, account, wakeup_ns);
	uint64_t lasting_ns = estimate_lasting(account, *wakeup_ns);
	uint64_t most_ns = blocked_ns(account);

	if (*wakeup_ns > most_ns) {
		account->queue_ns -= *wakeup_ns - most_ns;
		*wakeup_ns = most_ns;
	}
	if (lasting_ns > most_ns - *wakeup_ns)
		lasting_ns = most_ns - *wakeup_ns;
	account->completed_ns += lasting_ns;
	*wakeup_ns += lasting_ns;
	return known;
}

/*
 * The time in a state without the wake-up waits after it. Only the sum of these waits over all
 * states is known: they are divided by the number of wake-ups. Adds the possible error to
 * *doubt_ns.
 */
static uint64_t blocked_part(const struct task_wait *account, enum task_wait_state state,
			     uint32_t wakeups, uint64_t wakeup_ns, uint64_t *doubt_ns)
{
	uint64_t off_ns = account->sums[state], rest_ns = blocked_ns(account) - off_ns;
	uint64_t most_ns = wakeup_ns < off_ns ? wakeup_ns : off_ns;
	uint64_t least_ns = u64_growth(rest_ns, wakeup_ns);

	if (wakeups == 0)
		return off_ns - least_ns;
	if (wakeups == account->wakeups)
		return off_ns - most_ns;
	uint64_t part_ns = (uint64_t)((double)wakeup_ns * wakeups / account->wakeups);
	if (part_ns > most_ns)
		part_ns = most_ns;
	if (part_ns < least_ns)
		part_ns = least_ns;
	*doubt_ns += most_ns - least_ns;
	return off_ns - part_ns;
}

static void consider_looks(const struct waits *waits, struct task *task,
			   const struct wait_values *values)
{
	if (!waits->looks || task->exit_ns)
		return;
	looks_consider(waits->looks, task,
		       &(struct look_reasons){
			       .lifetime_ns = values->lifetime_ns,
			       .blocked_ns = values->counts[WAIT_BLOCKED],
			       .uninterruptible_ns = values->counts[WAIT_UNINTERRUPTIBLE],
			       .wakeups = task->wait.wakeups,
		       });
}

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

static void evaluate(const struct waits *waits, const struct task *task, struct task_wait *account,
		     bool gaps, struct wait_values *values)
{
	const uint64_t *sums = account->sums;
	uint64_t wakeup_ns, known_ns = 0, split_doubt_ns = 0;
	bool known = measure_wakeup_waits(waits, task, account, &wakeup_ns);

	for (size_t i = 0; i < TASK_UNKNOWN; i++)
		known_ns += sums[i];
	uint64_t d_ns = blocked_part(account, TASK_UNINTERRUPTIBLE, account->wakeups_d, wakeup_ns,
				     &split_doubt_ns);
	uint64_t stopped_ns = blocked_part(account, TASK_STOPPED, account->wakeups_stopped,
					   wakeup_ns, &split_doubt_ns);
	uint64_t in_doubt_ns = known ? account->doubt_ns : blocked_ns(account);
	*values = (struct wait_values){
		.counts = {[WAIT_RUNQ] = sums[TASK_PREEMPTED] + sums[TASK_NEW] + sums[TASK_WOKEN] +
					 wakeup_ns,
			   [WAIT_PREEMPTED] = sums[TASK_PREEMPTED],
			   [WAIT_BLOCKED] = blocked_ns(account) - wakeup_ns,
			   [WAIT_UNINTERRUPTIBLE] = d_ns,
			   [WAIT_STOPPED] = stopped_ns,
			   [WAIT_FORKED] = account->forked_ns,
			   [WAIT_VOLUNTARY] = account->voluntary,
			   [WAIT_INVOLUNTARY] = account->involuntary,
			   [WAIT_FORKS] = account->forks},
		.known_ns = {[WAIT_OF_RECORDS] = known_ns - sums[TASK_OFF],
			     [WAIT_OF_QUEUES] = u64_growth(in_doubt_ns, known_ns),
			     [WAIT_OF_REST] = u64_growth(in_doubt_ns, known_ns),
			     [WAIT_OF_WAKINGS] =
				     waits->wakeups ? u64_growth(in_doubt_ns, known_ns) : 0,
			     [WAIT_OF_BOTH] = states_known_ns(account, known_ns,
							      in_doubt_ns + split_doubt_ns),
			     [WAIT_OF_FORKS] = known_ns + sums[TASK_UNKNOWN]},
		.lifetime_ns = known_ns + sums[TASK_UNKNOWN],
	};
	if (waits->looks)
		looks_estimate(waits->looks, task, values->known_ns[WAIT_OF_BOTH] == 0, values);
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

/* Whether a task that did not run waited for a reason that its row shows, or has forks. */
static bool has_waited(const struct task_wait *account, const struct wait_values *values)
{
	return account->sums[TASK_PREEMPTED] + account->sums[TASK_NEW] + account->sums[TASK_WOKEN] +
			       account->sums[TASK_UNINTERRUPTIBLE] + account->forks >
		       0 ||
	       account->queued || values->counts[WAIT_RUNQ] > 0;
}

/*
 * Whether records of slices may be missing on some CPU, on which any task may have run, or records
 * of wake-ups.
 */
static bool has_gaps(const struct waits *waits, const struct interval *interval)
{
	bool gaps = interval->uncounted || (waits->wakeups && interval->lost_records > 0);

	for (size_t i = 0; i < interval->n_cpus; i++)
		gaps |= interval->cpu_gaps[i] ||
			(interval->cpu_online[i] && !interval->cpu_whole[i] && !waits->recorded);
	return gaps;
}

static void add_totals(const struct wait_places *places, struct interval *interval)
{
	uint64_t *totals = interval->totals;

	for (size_t i = 0; i < WAIT_EVENTS; i++)
		if (places->counts[i] >= 0 && i != WAIT_WAKEUPS)
			totals[places->counts[i]] =
				interval_sum_tasks(interval, (size_t)places->counts[i]);
	for (size_t i = 0; i < WAIT_GROUPS; i++)
		totals[places->groups[i]] = interval_sum_tasks(interval, places->groups[i]);
	totals[places->lifetime] = interval_sum_tasks(interval, places->lifetime);
}

/* Begins the next interval with the tasks that are off their CPU for a reason to show. */
static void begin_next(struct waits *waits, uint64_t begin_ns)
{
	size_t n = waits->n_tasks;

	waits->n_tasks = 0;
	waits->interval++;
	waits->begin_ns = begin_ns;
	for (size_t i = 0; i < n; i++) {
		struct task *task = waits->tasks[i];
		enum task_wait_state state = task->wait.state;
		bool shown = is_queued(state) || state == TASK_UNINTERRUPTIBLE || task->wait.queued;
		if (!task->exit_ns && shown)
			waits_account(waits, task);
	}
}

/*
 * For a task that is blocked at the end of the interval, and whose latest wake-up was in its last
 * slice. If /proc shows it as runnable, or is not read, that wake-up ended its sleep: it waits for
 * a CPU since it left one. `left`: as for may_be_queued().
 */
static void find_early_waking(const struct waits *waits, struct task *task, unsigned *left)
{
	struct task_wait *account = &task->wait;

	if (!account->woken_ns && account->woken_early && may_be_queued(waits, task, left))
		account->woken_ns = account->left_ns;
}

/* Completes the accounts of all tasks up to the end of the interval. */
static void complete_accounts(struct waits *waits, const struct interval *interval)
{
	unsigned left = QUEUED_READS;

	apply_slices(waits, waits->end_ns, true);
	/* Tasks that ran only while the CPUs were read have an account too. */
	for (size_t i = 0; i < interval->n_ran; i++)
		waits_account(waits, interval->ran[i]);
	for (size_t i = 0; i < waits->n_tasks; i++) {
		struct task *task = waits->tasks[i];
		bool ended = task->exit_ns && task->exit_ns < waits->end_ns;
		if (waits->wakeups && !waits->recorded && !ended)
			find_early_waking(waits, task, &left);
		account_until(&task->wait, ended ? task->exit_ns : waits->end_ns);
	}
}

void waits_end(struct waits *waits)
{
	struct proc_load load;

	if (!waits_wanted(waits))
		return;
	waits->end_ns = sys_now_ns(waits->sys);
	waits->runnable = proc_load_read(waits->sys, &load) == 0 ? load.runnable : 0;
}

void waits_cut(struct waits *waits, struct interval *interval)
{
	bool gaps = has_gaps(waits, interval);

	if (!waits_wanted(waits))
		return;
	complete_accounts(waits, interval);
	if (!waits->wakeups)
		find_queued(waits);
	waits_attribute_forks(waits);
	for (size_t i = 0; i < waits->n_tasks; i++) {
		struct task *task = waits->tasks[i];
		bool ran = task->interval == interval->sequence;
		struct wait_values values;

		/* Waits in the gaps are not those of the next interval: schedstat is read. */
		task->wait.queue_known &= !gaps || task->wait.wakeups > 0;
		evaluate(waits, task, &task->wait, gaps, &values);
		if (waits->places.counts[WAIT_THROTTLED] >= 0)
			throttling_estimate(&waits->throttling, task, interval->sequence,
					    waits->end_ns - waits->begin_ns, &values);
		/* A task without a process was woken up, and had no slice so far. */
		if (ran || (task->pid > 0 && has_waited(&task->wait, &values))) {
			uint64_t *tally = interval_task(interval, task);
			wait_values_add(&waits->places, &values, tally);
			waits_add_latencies(waits, &task->wait, tally, interval->totals);
		}
		consider_looks(waits, task, &values);
		waits_add_to_cpus(waits, interval, task, &values);
	}
	if (gaps && waits->watch) {
		waits->watch->lost = true;
		waits->watch->since_ns = waits->end_ns;
	}
	if (waits->looks)
		looks_choose(waits->looks, waits->end_ns);
	waits_cut_cpus(waits, interval, gaps);
	add_totals(&waits->places, interval);
	slice_log_drop_exited(&waits->log, waits->end_ns);
	if (gaps)
		waits_forget_states(waits, interval);
	begin_next(waits, waits->end_ns);
}
