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

#include <stdlib.h>
#include <string.h>

void waits_init(struct waits *waits, const struct sys *sys, struct tasks *tasks, size_t n_cpus)
{
	*waits = (struct waits){.sys = sys, .all_tasks = tasks, .throttling.sys = sys};
	waits->queued_ns = xcalloc(n_cpus, sizeof(*waits->queued_ns));
	waits->runners = xcalloc(n_cpus, sizeof(*waits->runners));
	waits->n_cpus = n_cpus;
	slice_log_init(&waits->log, n_cpus);
}

void waits_fini(struct waits *waits)
{
	slice_log_fini(&waits->log);
	throttling_fini(&waits->throttling);
	free(waits->tasks);
	free(waits->queued_ns);
	free(waits->runners);
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
	waits->lost_until_ns = 0;
	waits->scanning = waits->states_known = true;
	waits->target_generation = 0;
	waits->counts_sleeps = !waits->recorded && proc_schedstat_has_sleeps(waits->sys);
}

enum task_wait_state waits_state_of(const struct waits *waits, const struct task *task)
{
	if (!task->state.letter || task->state.interval != task->interval ||
	    task->state.read_ns < waits->lost_until_ns)
		return TASK_OFF;
	switch (task->state.letter) {
	case 'R':
		return TASK_OFF;
	case 'D':
		return TASK_UNINTERRUPTIBLE;
	case 'T':
	case 't':
		return TASK_STOPPED;
	case 'Z':
	case 'X':
		return TASK_ENDED;
	default:
		return TASK_SLEEPING;
	}
}

/* A task without an account since then: it is new, or did not run so far. */
static void open_account(const struct waits *waits, struct task *task)
{
	bool is_new = task->start_ns >= waits->since_ns;

	task->wait = (struct task_wait){
		.known_ns = task->state.read_ns,
		.run = waits->run,
		.until_ns = task->start_ns,
		.left_ns = task->start_ns,
		.state = is_new ? TASK_NEW : waits_state_of(waits, task),
		.queue_known = is_new,
		.looked = task->wait.looked,
		.hidden = task->wait.hidden,
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
	account->wakeups_recorded = 0;
	account->voluntary = account->involuntary = account->forks = 0;
	account->forked_ns = account->placed_ns = 0;
	account->ended_ns = account->busy_ns = account->moved_ns = account->stayed_ns = 0;
	account->queued_off &= account->state == TASK_WOKEN;
	account->ends_unclear = account->stays = false;
	if (account->until_ns < waits->begin_ns)
		account->until_ns = waits->begin_ns;
	account->place = waits->n_tasks++;
	waits->tasks = array_reserve(waits->tasks, &waits->capacity, waits->n_tasks,
				     sizeof(struct task *));
	waits->tasks[account->place] = task;
	waits_clear_latencies(waits, account);
	return account;
}

/*
 * Completes an account up to a time, if it is not yet. From the begin of a gap on, a task without a
 * slice may have run in it, and left its CPU in another state.
 */
static void add_until(const struct waits *waits, struct task_wait *account, uint64_t time_ns)
{
	enum task_wait_state state = account->state;
	uint64_t from_ns = account->until_ns, unseen_ns = time_ns;

	if (time_ns <= from_ns || state == TASK_ENDED)
		return;
	/* A running task without a slice: no record has what it did. */
	if (state == TASK_RUNNING)
		state = TASK_UNKNOWN;
	else if (waits->log.n_gaps > 0 && !account->stays)
		unseen_ns = slice_log_unseen_from(&waits->log, from_ns, time_ns);
	account->sums[state] += unseen_ns - from_ns;
	account->sums[TASK_UNKNOWN] += time_ns - unseen_ns;
	account->until_ns = time_ns;
}

/*
 * Whether a task has ended at a time. After its EXIT it may leave its CPU and have one more slice:
 * it lives on if a record has that state. A task whose last switch was lost is soon freed. Without
 * the tracepoint the records have no number of such a task.
 */
bool waits_has_ended(const struct waits *waits, const struct task *task, uint64_t time_ns)
{
	const struct task_wait *account = &task->wait;
	bool off = waits_is_queued(account->state) || account->state == TASK_SLEEPING ||
		   account->state == TASK_UNINTERRUPTIBLE;
	bool lives_on = off && !waits->untraced && account->left_ns >= task->exit_ns &&
			task->exit_ns + TASKS_REUSE_NS >= time_ns;

	return task->exit_ns && task->exit_ns < time_ns && !lives_on;
}

/* The time in states up to a time. The wake-up of a blocked task makes it runnable. */
static void account_until(const struct waits *waits, struct task_wait *account, uint64_t time_ns)
{
	if (account->woken_ns && account->woken_ns <= time_ns && waits_is_blocked(account->state)) {
		add_until(waits, account, account->woken_ns);
		account->state = TASK_WOKEN;
		account->left_ns = account->woken_ns;
	}
	add_until(waits, account, time_ns);
}

/*
 * A task gets a CPU. If its latest wake-up was before it left the CPU, it was runnable from then
 * on: another CPU woke it while it went to sleep. Where wake-ups are hidden, that is no proof.
 */
static void end_wait(struct waits *waits, struct task_wait *account, uint64_t time_ns, uint32_t cpu)
{
	uint64_t since_ns = account->until_ns;
	/* The slice that begins may be older than a wake-up in it. */
	bool woken = account->woken_ns && account->woken_ns <= time_ns;
	bool moved = account->has_run && account->cpu != cpu;

	if (!woken && account->woken_early && !waits->hides)
		account->woken_ns = account->left_ns;
	account_until(waits, account, time_ns);
	if (account->state == TASK_WOKEN &&
	    slice_log_unseen_from(&waits->log, account->left_ns, time_ns) == time_ns)
		waits_count_latency(waits, account, u64_growth(account->left_ns, time_ns));
	bool blocked = waits_is_blocked(account->state), queued = waits_is_queued(account->state);
	uint64_t blocked_ns = blocked ? account->until_ns - since_ns : 0;
	/* A part of it was a wait for a CPU. */
	account->ended_ns += blocked_ns;
	if (blocked && !account->left_idle)
		waits_queue_sleep(account, u64_growth(account->left_ns, time_ns), moved);
	if (account->state != TASK_RUNNING)
		waits_queue_slice(account, time_ns, blocked_ns,
				  queued ? u64_growth(account->left_ns, time_ns) : 0);
	account->seen = TASK_UNSEEN;
	account->moves += moved;
	switch (account->state) {
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
	case TASK_WOKEN:
		account->wakeups_recorded++;
		break;
	case TASK_PREEMPTED:
	case TASK_NEW:
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
		[SLICE_HIDDEN] = TASK_UNKNOWN,
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
	if (waits_is_queued(state))
		return WAIT_KIND_PREEMPTED;
	return waits_is_blocked(state) && state != TASK_OFF ? WAIT_KIND_BLOCKED : WAIT_KIND_OFF;
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
	if (slice->end != SLICE_WOKEN &&
	    wait_watch_has(&waits->watch, slice->task->pid, slice->task->tid))
		watch_wait(&waits->watch, account, slice);
	if (slice->end == SLICE_FORKED || slice->end == SLICE_WOKEN)
		return;
	if (account->state != TASK_RUNNING || slice->begin_ns > account->until_ns)
		account->came_ns = slice->begin_ns;
	end_wait(waits, account, slice->begin_ns, slice->cpu);
	waits_place(waits, account, slice->cpu);
	if (slice->end_ns > account->until_ns) {
		account->sums[TASK_RUNNING] += slice->end_ns - account->until_ns;
		account->until_ns = slice->end_ns;
	}
	account->left_ns = slice->end_ns;
	account->left_idle = slice->to_idle;
	account->woken_ns = 0;
	account->woken_early = account->last_woken_ns > slice->begin_ns &&
			       account->last_woken_ns + EARLY_NS > slice->end_ns;
	account->state = state_after(slice->end);
	waits->states_known &= account->state != TASK_OFF && account->state != TASK_BLOCKED &&
			       account->state != TASK_UNKNOWN;
	bool unclear = slice->end == SLICE_UNKNOWN || slice->end == SLICE_HIDDEN;
	account->ends_unclear |= unclear;
	account->hidden |= unclear;
	account->involuntary += slice->end == SLICE_RUNNABLE;
	account->voluntary += slice->end > SLICE_RUNNABLE && !unclear;
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
	if (!waits_wanted(waits))
		return;
	apply_slices(waits, until_ns, false);
	waits->log.applied_ns = until_ns;
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
			       .wakeups = task->wait.wakeups + task->wait.wakeups_recorded,
		       });
}

/* Whether any task may have run on some CPU at any time. */
static bool may_run_anywhere(const struct waits *waits, const struct interval *interval)
{
	bool any = interval->uncounted || waits->elsewhere;

	for (size_t i = 0; i < interval->n_cpus; i++)
		any |= interval->coverage[i].online && !interval->coverage[i].whole &&
		       !waits->recorded;
	return any;
}

static bool was_idle(const struct interval *interval)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < interval->n_cpus; i++)
		ns += interval_idle(interval, i)[TALLY_TASK_CLOCK];
	return ns > 0;
}

/*
 * Whether records of slices may be missing on some CPU, on which any task may have run, or records
 * of wake-ups.
 */
static bool has_gaps(const struct waits *waits, const struct interval *interval)
{
	bool gaps = waits->anywhere || (waits->wakeups && interval->lost_records > 0);

	for (size_t i = 0; i < interval->n_cpus; i++)
		gaps |= interval->coverage[i].gaps;
	return gaps;
}

/* Nothing is known of tasks outside. So a part of the totals' lifetime is unknown, and they are
 * LOST. */
static void add_totals(const struct waits *waits, struct interval *interval)
{
	const struct wait_places *places = &waits->places;
	uint64_t *totals = interval->totals;

	for (size_t i = 0; i < WAIT_EVENTS; i++)
		if (places->counts[i] >= 0 && i != WAIT_WAKEUPS)
			totals[places->counts[i]] =
				interval_sum_tasks(interval, (size_t)places->counts[i]);
	for (size_t i = 0; i < WAIT_GROUPS; i++)
		totals[places->groups[i]] = interval_sum_tasks(interval, places->groups[i]);
	totals[places->lifetime] = interval_sum_tasks(interval, places->lifetime);
	if (waits->outside)
		totals[places->lifetime] +=
			totals[places->lifetime] + waits->end_ns - waits->begin_ns;
}

/*
 * Begins the next interval with the tasks that are off their CPU for a reason to show. If any may
 * wait for a CPU, some of the others are searched at its end too.
 */
static void begin_next(struct waits *waits, uint64_t begin_ns, bool search)
{
	size_t n = waits->n_tasks;
	unsigned left = search ? WAITS_QUEUED_READS : 0;

	waits->n_tasks = 0;
	waits->interval++;
	waits->begin_ns = begin_ns;
	for (size_t i = 0; i < n; i++) {
		struct task *task = waits->tasks[i];
		struct task_wait *account = &task->wait;
		if (account->queued) {
			account->queued_off = account->state == TASK_OFF;
			account->state = TASK_WOKEN;
			account->left_ns = begin_ns;
			account->queued = false;
		}
		bool shown = waits_is_queued(account->state) || account->state == TASK_STOPPED ||
			     account->state == TASK_UNINTERRUPTIBLE ||
			     waits_may_wait_unread(waits, account);
		if (waits_has_ended(waits, task, begin_ns) || (!shown && left == 0))
			continue;
		left -= !shown;
		waits_account(waits, task);
	}
}

/*
 * What the task did since its last record is unknown. One that was preempted on its way to sleep
 * has the state S in a run queue, so S does not prove that it sleeps.
 */
static void refute(const struct waits *waits, struct task *task)
{
	struct task_wait *account = &task->wait;
	bool queued = waits_is_queued(account->state);

	account->state = TASK_UNKNOWN;
	add_until(waits, account, waits->end_ns);
	account->state = queued ? TASK_OFF : waits_state_of(waits, task);
	account->left_ns = account->known_ns = waits->end_ns;
	account->woken_ns = 0;
	account->woken_early = account->queue_known = false;
}

static void complete_account(struct waits *waits, struct task *task)
{
	struct task_wait *account = &task->wait;
	bool ended = waits_has_ended(waits, task, waits->end_ns);

	if (waits_have_all_wakeups(waits) && !ended && account->seen == TASK_SEEN_RUNNABLE &&
	    waits_may_be_woken_early(account))
		account->woken_ns = account->left_ns;
	if (!ended && account->woken_ns && account->woken_ns <= waits->end_ns)
		account_until(waits, account, account->woken_ns);
	if (!ended && waits_are_refuted(waits, task)) {
		refute(waits, task);
		return;
	}
	account_until(waits, account, ended ? task->exit_ns : waits->end_ns);
}

/* Completes the accounts of all tasks up to the end of the interval. */
static void complete_accounts(struct waits *waits, struct interval *interval, bool gaps)
{
	apply_slices(waits, waits->end_ns, true);
	/* Tasks that ran only while the CPUs were read have an account too. */
	for (size_t i = 0; i < interval->n_ran; i++)
		waits_account(waits, interval->ran[i]);
	waits_add_others(waits, interval, gaps);
	waits_attribute_forks(waits);
	for (size_t i = 0; i < waits->n_tasks; i++)
		complete_account(waits, waits->tasks[i]);
}

void waits_end(struct waits *waits)
{
	if (!waits_wanted(waits))
		return;
	waits_read_roots(waits);
	waits_search(waits);
	waits_check(waits);
	waits->end_ns = sys_now_ns(waits->sys);
}

void waits_cut(struct waits *waits, struct interval *interval)
{
	if (!waits_wanted(waits))
		return;
	waits->cpu_numbers = interval->cpu_numbers;
	waits->anywhere = may_run_anywhere(waits, interval);
	waits->idled = was_idle(interval);
	bool gaps = has_gaps(waits, interval);
	complete_accounts(waits, interval, gaps);
	/* Both before the end and by the records of it: some threads may have come in between. */
	bool search = waits->searched || waits_have_unexplained(waits);
	waits->gap_ns = 0;
	for (size_t i = 0; i < interval->n_cpus; i++)
		waits->gap_ns += interval->coverage[i].gap_ns;
	waits->gaps_until_ns = waits->gap_ns > 0 ? interval->gaps_until_ns : 0;
	bool all_blocked = !search || (waits_have_all_wakeups(waits) && !waits->scanning);
	bool states_known = waits->states_known && (waits->recorded || !waits->scanning);
	interval_set_still(interval, (struct interval_still){.known = !gaps,
							     .blocked = !gaps && all_blocked,
							     .sleeping = !gaps && states_known});
	uint64_t length_ns = interval_counted_ns(interval);
	for (size_t i = 0; i < waits->n_tasks; i++) {
		struct task *task = waits->tasks[i];
		bool ran = task->interval == interval->sequence;
		struct wait_values values;

		/* Waits in the gaps are not those of the next interval: schedstat is read. */
		task->wait.queue_known &= !gaps || task->wait.wakeups > 0;
		waits_evaluate(waits, task, &task->wait, gaps && !task->wait.stays, search,
			       &values);
		if (waits->places.counts[WAIT_THROTTLED] >= 0)
			throttling_estimate(&waits->throttling, task, interval->sequence,
					    waits->end_ns - waits->begin_ns, &values);
		wait_values_clip(length_ns, &values);
		/* A task without a process was woken up, and had no slice so far. */
		if (ran || (task->pid > 0 && waits_have_waited(waits, &task->wait, &values))) {
			uint64_t *tally = interval_task(interval, task);
			wait_values_add(&waits->places, &values, tally);
			waits_add_latencies(waits, &task->wait, tally, interval->totals);
		}
		consider_looks(waits, task, &values);
		waits_add_to_cpus(waits, interval, task, &values);
	}
	if (gaps) {
		waits->watch.lost = true;
		waits->watch.since_ns = waits->end_ns;
	}
	if (waits->looks)
		looks_choose(waits->looks, waits->end_ns);
	waits_cut_cpus(waits, interval, gaps);
	add_totals(waits, interval);
	slice_log_drop_exited(&waits->log, waits->end_ns);
	slice_log_drop_gaps(&waits->log);
	if (gaps)
		waits_forget_states(waits, interval);
	begin_next(waits, waits->end_ns, search && !waits->wakeups);
}

void waits_watch(struct waits *waits, pid_t pid, pid_t tid, uint64_t since_ns)
{
	waits->watch = (struct wait_watch){.pid = pid, .tid = tid, .since_ns = since_ns};
}

bool waits_end_runnable(const struct task *task, uint64_t begin_ns)
{
	const struct task_wait *account = &task->wait;

	if (account->until_ns <= begin_ns)
		return false;
	/* Without a slice up to the end it may have left its CPU without a record. */
	bool runs = account->state == TASK_RUNNING && account->left_ns >= account->until_ns;
	bool queued = account->state > TASK_RUNNING && account->state < TASK_SLEEPING;
	return runs || queued || account->queued;
}

void waits_set_held(struct task *task, uint64_t since_ns, uint64_t now_ns)
{
	task->wait.held_ns = since_ns;
	task->wait.held_until_ns = now_ns;
}

uint64_t waits_held_since(const struct task *task, uint64_t begin_ns)
{
	const struct task_wait *account = &task->wait;

	if (account->held_until_ns > begin_ns)
		return account->held_ns;
	if (account->until_ns <= begin_ns ||
	    (account->state != TASK_UNINTERRUPTIBLE && account->state != TASK_STOPPED))
		return 0;
	return account->left_ns > account->known_ns ? account->left_ns : account->known_ns;
}
