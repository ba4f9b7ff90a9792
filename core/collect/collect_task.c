// SPDX-License-Identifier: MIT
/*
 * Without permission to count whole CPUs: counters for each own thread that runs, and /proc for
 * other tasks. proc_scan lists the tasks, task_counter_set decides which of them have counters.
 *
 * Without any permission to count, /proc alone is used (mode "proc").
 */
#include "core/base/util.h"
#include "core/collect/collect.h"
#include "core/collect/contention.h"
#include "core/collect/proc_scan.h"
#include "core/collect/proc_times.h"
#include "core/collect/task_counter_set.h"
#include "core/collect/task_sampler.h"
#include "core/perf/probe.h"
#include "core/sys/cpus.h"
#include "core/sys/hidepid.h"
#include "core/sys/own_container.h"
#include "core/sys/proc_machine.h"
#include "core/wait/looks.h"
#include "core/wait/throttling.h"
#include "core/wait/waits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOST_TICKS = 3, /* ticks in /proc of a thread, while its counters do not grow ... */
	LOST_SCANS = 2, /* ... in that many scans in a row: it has lost its counters */
};

struct collect_task {
	struct collect base;
	struct collect_context context;
	struct proc_scan proc_scan;
	struct task_counter_set counted;
	struct task_sampler code;
	struct contention contention;
	uint64_t *counts_read; /* a tally, for one reading of counters */
	struct wait_places waits;
	struct throttling throttling;
	struct looks looks;
	struct proc_cpus cpus_before, cpus_now;
	uint64_t faults, major_faults; /* of the machine, at the last scan; 0: unknown */
	bool hidden;                   /* /proc does not show the tasks of others */
	bool counts;                   /* counting is permitted */
	bool stale;                    /* the plan has an event that cannot be counted any more */
	size_t threads_ran, threads_counted; /* at the last cut */
};

static struct collect_task *self_of(struct collect *collect)
{
	return (struct collect_task *)collect;
}

/* The count of an event that /proc has. */
static uint64_t proc_count(const struct event *event, const struct proc_scan_usage *usage)
{
	if (event->kind == EVENT_PROC)
		return proc_times_of(event, usage->user_ns, usage->system_ns);
	switch (event->codes[0].attr.config) {
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		return usage->minor_faults;
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return usage->major_faults;
	}
	return usage->minor_faults + usage->major_faults;
}

static void add_proc_counts(const struct collect_task *self, const struct proc_scan_entry *entry,
			    uint64_t ran_ns, uint64_t *tally)
{
	const struct plan *plan = self->base.plan;
	const struct event_set *events = self->context.events;
	struct proc_scan_usage grown = entry->grown;
	uint64_t slack_ns = 2 * self->proc_scan.tick_ns;
	/* Counters of a task include the tasks that it started; /proc does not. */
	uint64_t used_ns = ran_ns <= grown.ran_ns + slack_ns ? ran_ns : grown.ran_ns;
	bool has_times = entry->kernel || proc_times_estimate(used_ns);

	tally[tally_group(&plan->shape, PLAN_GROUP_PROC)] += used_ns;
	if (entry->kernel) { /* a kernel thread has system time only */
		grown.user_ns = 0;
		grown.system_ns = ran_ns;
	}
	if (has_times)
		tally[tally_group(&plan->shape, PLAN_GROUP_TIMES)] += used_ns;
	for (unsigned i = TALLY_FIRST_COUNTED; i < plan->shape.n_counters; i++) {
		unsigned group = plan->counters[i].group;
		if (group == PLAN_GROUP_PROC || (group == PLAN_GROUP_TIMES && has_times))
			tally[i] += proc_count(&events->items[plan->counters[i].event], &grown);
	}
	if (!entry->switches_known)
		return;
	tally[TALLY_SWITCHES] += grown.switches;
	tally[tally_group(&plan->shape, PLAN_GROUP_SWITCHES)] += used_ns;
}

/* Adds uncounted time: it lowers the counted share of all PMUs. */
static void add_uncounted(const struct plan *plan, uint64_t ran_ns, uint64_t *tally)
{
	tally[TALLY_TASK_CLOCK] += ran_ns;
	for (unsigned d = 0; d < plan->shape.n_domains; d++)
		if (!plan->domains[d].waits)
			tally[tally_domain(&plan->shape, d)] += ran_ns;
}

/*
 * Divides the blocked time by the looks at a thread, and considers it for the next interval. Of a
 * process whose threads have no tasks, another thread is looked at in each interval: the looks
 * stand for all of them.
 */
static void evaluate_looks(struct collect_task *self, const struct proc_scan_entry *entry,
			   struct wait_values *values)
{
	looks_estimate(&self->looks, entry->task, true, values);
	looks_consider(&self->looks, entry->task,
		       &(struct look_reasons){
			       .tid = entry->waiting.sample_tid,
			       .lifetime_ns = values->lifetime_ns,
			       .blocked_ns = values->counts[WAIT_BLOCKED],
			       .uninterruptible_ns = values->counts[WAIT_UNINTERRUPTIBLE],
			       .wakeups = (uint32_t)values->counts[WAIT_VOLUNTARY],
		       });
}

static bool has_faults(const struct proc_scan_usage *usage)
{
	return usage->minor_faults + usage->major_faults > 0;
}

static bool did_nothing(const struct proc_scan_entry *entry)
{
	return entry->grown.ran_ns == 0 && !has_faults(&entry->grown) &&
	       !proc_waits_have_row(&entry->waiting);
}

/*
 * Whether a task that did nothing has a row with times: it is chosen by -p or -t, was read, and has
 * not ended.
 */
static bool is_sleeping_root(const struct collect_task *self, const struct proc_scan_entry *entry)
{
	size_t n;
	const struct target_root *roots = target_roots(self->context.target, &n);

	if (!self->waits.any || !entry->known || entry->missed || entry->gone ||
	    entry->task->zombie || entry->waiting.wait.last.state == 'Z')
		return false;
	for (size_t i = 0; i < n; i++)
		if (roots[i].tid == entry->tid && !roots[i].ended_ns)
			return true;
	return false;
}

/* It did not run, so its state is that of its last reading. Ticks show no short run. */
static void fill_sleep(const struct proc_scan_entry *entry, uint64_t lifetime_ns,
		       struct wait_values *values)
{
	const struct wait_thread *wait = &entry->waiting.wait;
	bool exact = entry->process->by_thread && wait->known && wait->last.queue_known;

	if (exact)
		wait_values_still(lifetime_ns, true, wait->last.state == 'S', values);
	else
		wait_values_unseen(lifetime_ns, values);
}

/* A thread is read after the begin of the cut, and by a second scan again (done_ns). */
static void clip_waits(const struct collect_task *self, const struct proc_scan_entry *entry,
		       uint64_t done_ns, struct wait_values *values)
{
	const uint64_t wall_ns = self->base.interval.wall_ns;
	const uint64_t most_ns = (entry->waiting.n > 1 ? entry->waiting.n : 1) * wall_ns;

	/* An ended thread has a whole interval more. */
	if (done_ns + values->lifetime_ns < most_ns + wall_ns / 2)
		wait_values_clip(u64_growth(done_ns, most_ns), values);
}

/*
 * least_ns: of the lifetime of a thread that was not read, and may have run. 0: it did nothing in
 * the whole interval.
 */
static void add_waits(struct collect_task *self, const struct proc_scan_entry *entry,
		      uint64_t least_ns, uint64_t *tally)
{
	const struct proc_waits_scan *scan = &self->proc_scan.waits;
	struct wait_values values = entry->waiting.values;

	if (!self->waits.any)
		return;
	if (values.lifetime_ns == 0 && least_ns == 0)
		fill_sleep(entry, scan->now_ns - scan->begin_ns, &values);
	else if (values.lifetime_ns == 0)
		values.lifetime_ns = least_ns;
	else if (self->waits.counts[WAIT_THROTTLED] >= 0)
		throttling_estimate(&self->throttling, entry->task, self->base.interval.sequence,
				    scan->now_ns - scan->begin_ns, &values);
	evaluate_looks(self, entry, &values);
	clip_waits(self, entry, tally[self->waits.lifetime], &values);
	wait_values_add(&self->waits, &values, tally);
}

static void add_entry(struct collect_task *self, struct proc_scan_entry *entry, bool again)
{
	struct interval *interval = &self->base.interval;
	uint64_t ran_ns = entry->grown.ran_ns;
	bool nothing = did_nothing(entry), sleeps = nothing && is_sleeping_root(self, entry);

	if (!entry->counted) {
		/* What an entered one did before is unknown, which is no row of zeros. */
		if (entry->cover || entry->entered || (nothing && !sleeps))
			return;
		uint64_t *tally = interval_task(interval, entry->task);
		add_uncounted(self->base.plan, ran_ns, tally);
		add_waits(self, entry, sleeps ? 0 : ran_ns + 1, tally);
		add_proc_counts(self, entry, ran_ns, tally);
		return;
	}
	memset(self->counts_read, 0, tally_width(&interval->shape) * sizeof(uint64_t));
	int result = task_counters_read(&entry->counters, self->counts_read);
	uint64_t counted_ns = self->counts_read[TALLY_TASK_CLOCK];
	if (result == 0 && counted_ns == 0 && nothing && !sleeps) {
		entry->idle_scans += !again;
		return;
	}
	uint64_t *tally = interval_task(interval, entry->task);
	tally_add(&interval->shape, tally, self->counts_read);
	add_waits(self, entry, sleeps ? counted_ns : counted_ns + 1, tally);
	if (result < 0) {
		self->counted.refusal = result;
		add_uncounted(self->base.plan, u64_growth(counted_ns, ran_ns), tally);
		add_proc_counts(self, entry, ran_ns, tally);
		task_counter_set_stop(&self->counted, entry);
		return;
	}
	if (counted_ns > 0)
		entry->idle_scans = 0;
	else
		entry->idle_scans += !again;
	if (entry->tid == self->counted.command && counted_ns > 0)
		self->counted.command = 0; /* the command runs */
	add_proc_counts(self, entry, counted_ns, tally);
	/*
	 * exec of a setuid program removes the counters without a record, and exec in a thread
	 * those of the main thread. Opening them again shows which happened.
	 */
	if (entry->idle_scans >= LOST_SCANS && ran_ns >= LOST_TICKS * self->proc_scan.tick_ns &&
	    entry->tid != self->counted.command) {
		add_uncounted(self->base.plan, ran_ns, tally);
		task_counter_set_stop(&self->counted, entry);
	}
}

/* The note stays as long as the file cannot be read. */
static void note_unread(struct collect_task *self, enum note_id id, const char *path, bool unread)
{
	notes_remove(self->context.notes, id);
	if (unread)
		notes_add_urgent_as(self->context.notes, id,
				    "%s cannot be read: its figures are missing until it can.",
				    path);
}

/* Adds the times of each CPU from /proc/stat to the interval, and their sum to `usage`. */
static void compare_cpus(struct collect_task *self, struct proc_scan_usage *usage)
{
	struct interval *interval = &self->base.interval;
	uint64_t tick_ns = self->proc_scan.tick_ns;
	struct proc_cpus now = {0};
	int result = proc_cpus_read(self->context.sys, &now);

	note_unread(self, NOTE_PROC_STAT_UNREAD, "/proc/stat", result < 0 || now.n == 0);
	interval_set_offline(interval);
	proc_cpus_fini(&self->cpus_before);
	self->cpus_before = self->cpus_now;
	self->cpus_now = now; /* if none was read, the next growth would be of two intervals */
	if (result < 0 || now.n == 0)
		return;
	for (size_t i = 0; i < interval->n_cpus; i++) {
		int number = interval->cpu_numbers[i];
		const struct proc_cpu *before = proc_cpus_find(&self->cpus_before, number);
		const struct proc_cpu *after = proc_cpus_find(&now, number);
		interval_set_online(interval, i, after, false);
		if (!before || !after)
			continue;
		uint64_t busy_ns = u64_growth(before->busy_ticks, after->busy_ticks) * tick_ns;
		uint64_t idle_ns = u64_growth(before->idle_ticks, after->idle_ticks) * tick_ns;
		interval_cpu(interval, i)[TALLY_TASK_CLOCK] = busy_ns + idle_ns;
		interval_idle(interval, i)[TALLY_TASK_CLOCK] = idle_ns;
		interval_set_counted(interval, i, true);
		interval_set_doubt(interval, i, tick_ns, 0);
		usage->ran_ns += busy_ns;
		usage->user_ns += u64_growth(before->user_ticks, after->user_ticks) * tick_ns;
		usage->system_ns += u64_growth(before->system_ticks, after->system_ticks) * tick_ns;
	}
}

/* Returns the usage of the whole machine since the last scan. */
static struct proc_scan_usage scan_machine(struct collect_task *self)
{
	struct proc_scan_usage usage = {0};
	uint64_t major, faults;

	compare_cpus(self, &usage);
	if (proc_machine_faults(self->context.sys, &faults, &major) < 0) {
		self->faults = 0; /* the next growth would be of two intervals */
		return usage;
	}
	if (self->faults) {
		usage.major_faults = u64_growth(self->major_faults, major);
		usage.minor_faults = u64_growth(self->faults - self->major_faults, faults - major);
	}
	self->faults = faults;
	self->major_faults = major;
	return usage;
}

/* Whether the CPU time that no task has is more than the rounding of ticks, and 1/50 of all. */
static bool is_missing(const struct collect_task *self, uint64_t rest_ns, uint64_t all_ns)
{
	return rest_ns > all_ns / 50 && rest_ns > 2 * self->proc_scan.tick_ns * self->cpus_now.n;
}

/*
 * Why unseen tasks do not run is unknown, so the sums of all tasks are lower bounds: a lifetime of
 * which no part is known.
 */
static void add_unseen_waits(const struct collect_task *self, uint64_t *rest)
{
	const struct proc_waits_scan *scan = &self->proc_scan.waits;

	if (self->waits.any)
		rest[self->waits.lifetime] +=
			interval_sum_tasks(&self->base.interval, self->waits.lifetime) +
			(scan->now_ns - scan->begin_ns);
}

/* Adds the usage of the machine less that of the tasks, to unattributed or others. */
static void add_rest(struct collect_task *self, const struct proc_scan_usage *usage)
{
	const struct plan *plan = self->base.plan;
	struct interval *interval = &self->base.interval;
	uint64_t *rest =
		target_is_all(self->context.target) ? interval->unattributed : interval->others;
	uint64_t rest_ns =
		u64_growth(interval_sum_tasks(interval, TALLY_TASK_CLOCK), usage->ran_ns);

	add_uncounted(plan, rest_ns, rest);
	if (self->hidden || rest == interval->others || is_missing(self, rest_ns, usage->ran_ns))
		add_unseen_waits(self, rest);
	for (unsigned i = TALLY_FIRST_COUNTED; i < plan->shape.n_counters; i++) {
		const struct plan_counter *counter = &plan->counters[i];
		if (counter->group != PLAN_GROUP_PROC && counter->group != PLAN_GROUP_TIMES)
			continue;
		uint64_t all = proc_count(&self->context.events->items[counter->event], usage);
		rest[i] += u64_growth(interval_sum_tasks(interval, i), all);
		rest[tally_group(&plan->shape, counter->group)] = rest_ns;
	}
}

static void note_coverage(struct collect_task *self)
{
	const struct proc_scan *proc_scan = &self->proc_scan;
	size_t ran = 0, counted = 0;

	for (size_t i = 0; i < proc_scan->n; i++) {
		const struct proc_scan_entry *entry = proc_scan->items[i];
		if (!entry->wanted || !entry->ours || entry->cover || entry->gone ||
		    (entry->counted ? entry->idle_scans > 0 : entry->grown.ran_ns == 0))
			continue;
		ran++;
		counted += entry->counted;
	}
	self->threads_ran = ran;
	self->threads_counted = counted;
	notes_remove(self->context.notes, NOTE_THREADS_UNCOUNTED);
	if (counted == ran)
		return;
	if (self->counted.cramped)
		notes_add_as(self->context.notes, NOTE_THREADS_UNCOUNTED,
			     "Counting only the %zu busiest of %zu threads that ran: no file "
			     "descriptor is left. Raise the limit: ulimit -n",
			     counted, ran);
	else if (self->counted.refusal)
		notes_add_as(self->context.notes, NOTE_THREADS_UNCOUNTED,
			     "Counting only %zu of %zu threads that ran: the kernel refuses the "
			     "others (%s).",
			     counted, ran, error_why(self->counted.refusal));
}

/*
 * Leaves out an event that is refused for every thread. Its probe had not shown that, or something
 * has changed since. The other events are counted.
 */
static void leave_out(struct collect_task *self)
{
	if (self->counted.refused < 0)
		return;
	const struct plan_counter *counter = &self->base.plan->counters[self->counted.refused];
	struct event *event = &self->context.events->items[counter->event];

	event_probe(self->context.sys, self->context.pmus, event);
	self->stale |= event->codes[counter->code].state != FIGURE_VALID;
}

/*
 * Scans /proc, adds the growth since the last scan to the interval, and decides which threads have
 * counters next. again: a moment after the last scan, so it shows neither which threads are idle
 * nor how many ran.
 */
static void scan_and_count(struct collect_task *self, bool again)
{
	struct proc_scan *proc_scan = &self->proc_scan;

	note_unread(self, NOTE_PROC_UNREAD, "/proc", proc_scan_run(proc_scan, again) < 0);
	notes_remove(self->context.notes, NOTE_TASKS_UNREAD);
	if (proc_scan->unread)
		notes_add_as(self->context.notes, NOTE_TASKS_UNREAD,
			     "Some tasks in /proc could not be read: their figures are missing in "
			     "two refreshes.");
	const struct proc_scan_entry *command = proc_scan_find(proc_scan, self->counted.command);
	if (!command || command->task->exec_ns)
		self->counted.command = 0;
	task_counter_set_find_covers(&self->counted);
	for (size_t i = 0; i < proc_scan->n; i++) {
		struct proc_scan_entry *entry = proc_scan->items[i];

		if (!entry->wanted)
			continue;
		add_entry(self, entry, again);
		waits_set_held(entry->task, proc_waits_held_since(&entry->waiting),
			       proc_scan->waits.now_ns);
	}
	if (!again)
		note_coverage(self);
	/* At once: threads that start after the scan are not known yet. */
	for (size_t i = 0; i < proc_scan->n; i++)
		if (proc_scan->items[i]->gone)
			task_counter_set_stop(&self->counted, proc_scan->items[i]);
	task_counter_set_renew(&self->counted, again);
	leave_out(self);
}

static struct collect_result task_cut(struct collect *collect)
{
	static const struct cpu_counter_set no_cpus = {0};
	struct collect_task *self = self_of(collect);

	code_rings_drain(&self->code.rings);
	scan_and_count(self, false);
	/*
	 * A thread that starts between the scan and the opening of its parent's new counters has
	 * none. One more scan finds most of them. It opens counters too, so repeating it would
	 * never end.
	 */
	if (self->counted.given > 0 && target_has_roots(self->context.target))
		scan_and_count(self, true);
	const struct proc_scan_usage usage = scan_machine(self);
	add_rest(self, &usage);
	interval_sum_parts(&collect->interval);
	if (self->waits.counts[WAIT_THROTTLED] < 0)
		self->throttling.unwanted = collect->interval.sequence;
	looks_choose(&self->looks, sys_now_ns(self->context.sys));
	self->stale |=
		contention_renew(&self->contention, collect->plan, &collect->interval, &no_cpus);
	return (struct collect_result){
		.threads_ran = self->threads_ran,
		.threads_counted = self->threads_counted,
		.replans = self->stale,
	};
}

/* Makes a plan per task. Only between two intervals, while no thread has counters. */
static void make_plan(struct collect_task *self)
{
	struct event_set *events = self->context.events;
	const struct plan_request request = {
		.events = events,
		.pmus = self->context.pmus,
		.wants = self->context.wants,
		.per_task = true,
		.most = self->base.budget.most,
		.watchdog = self->base.budget.watchdog,
		.fits = budget_fits,
		.arg = &self->base.budget,
	};

	plan_use_proc(events);
	for (size_t i = 0; i < events->n && !self->counts; i++) {
		struct event *event = &events->items[i];
		if (event->state == FIGURE_VALID && event->kind != EVENT_DERIVED &&
		    !plan_is_of_proc(event))
			event->state = FIGURE_DENIED;
	}
	contention_reset(&self->contention);
	do {
		plan_unref(self->base.plan);
		self->base.plan = plan_new(&request);
	} while (self->counts && !contention_confirm(&self->contention, self->base.plan));
	contention_note(&self->contention);
	interval_reshape(&self->base.interval, &self->base.plan->shape);
	self->counts_read = xreallocarray(self->counts_read, tally_width(&self->base.plan->shape),
					  sizeof(*self->counts_read));
	wait_places_find(&self->waits, self->base.plan, events);
	self->proc_scan.waits.wanted = self->waits.any;
	looks_begin(&self->looks, looks_are_wanted(&self->waits));
	self->counted.plan = self->base.plan;
	self->counted.room = self->counts ? task_counter_set_room(&self->counted) : 0;
	self->counted.most = self->counted.room;
	self->stale = false;
}

/* After counters were opened, which come first: their descriptors are not taken. */
static void sample_code(struct collect_task *self, const struct collect_next *next)
{
	struct collect *collect = &self->base;
	const struct code_request *request = self->counts ? next->code : NULL;

	task_sampler_renew(&self->code, request,
			   request ? task_counter_set_free_fds(&self->counted) : 0, next->code_ns);
	collect->code_events = task_sampler_events(&self->code, &collect->n_code_events);
}

static void task_renew(struct collect *collect, const struct collect_next *next)
{
	struct collect_task *self = self_of(collect);

	proc_scan_free_gone(&self->proc_scan);
	interval_reset(&collect->interval);
	if (next->stale || self->stale) {
		task_counter_set_stop_all(&self->counted);
		make_plan(self);
		task_counter_set_renew(&self->counted, false);
		leave_out(self);
	}
	/* Tasks that have just joined the target get counters now, not an interval later. */
	if (self->proc_scan.generation != target_generation(self->context.target))
		scan_and_count(self, true);
	sample_code(self, next);
}

static size_t task_pollfds(const struct collect *collect, struct pollfd *fds, size_t max)
{
	return code_rings_pollfds(&((const struct collect_task *)collect)->code.rings, fds, max, 0);
}

static void task_drain(struct collect *collect)
{
	code_rings_drain(&self_of(collect)->code.rings);
}

static uint64_t task_due_ns(const struct collect *collect)
{
	return looks_due_ns(&((const struct collect_task *)collect)->looks);
}

static void task_turn(struct collect *collect)
{
	struct looks *looks = &self_of(collect)->looks;
	uint64_t now_ns = sys_now_ns(self_of(collect)->context.sys);

	if (looks_due_ns(looks) <= now_ns)
		looks_turn(looks, now_ns);
}

static int task_admit(struct collect *collect, pid_t pid, struct error *err)
{
	const struct collect_task *self = self_of(collect);
	const struct proc_scan_entry *entry = proc_scan_find(&self->proc_scan, pid);

	if (!self->counts || proc_scan_is_ours(&self->proc_scan, pid))
		return 0;
	if (entry && entry->kernel)
		return error_set(err, -EACCES,
				 "%d is a kernel thread. Counting it needs CAP_PERFMON.", pid);
	return error_set(err, -EACCES,
			 "Process %d belongs to another user. Counting it needs CAP_PERFMON or "
			 "CAP_SYS_PTRACE.",
			 pid);
}

static void task_free(struct collect *collect)
{
	struct collect_task *self = self_of(collect);

	task_sampler_fini(&self->code);
	task_counter_set_stop_all(&self->counted);
	proc_scan_fini(&self->proc_scan);
	throttling_fini(&self->throttling);
	budget_fini(&self->base.budget);
	proc_cpus_fini(&self->cpus_before);
	proc_cpus_fini(&self->cpus_now);
	interval_fini(&collect->interval);
	plan_unref(collect->plan);
	free(self->counts_read);
	free(self);
}

static const struct collect_ops task_ops = {
	.pollfds = task_pollfds,
	.drain = task_drain,
	.due_ns = task_due_ns,
	.turn = task_turn,
	.cut = task_cut,
	.admit = task_admit,
	.renew = task_renew,
	.free = task_free,
};

/* A process of -p must be the user's own. Other tasks are shown without counts. */
static int check_roots(struct collect_task *self, struct error *err)
{
	size_t n;
	const struct target_root *roots = target_roots(self->context.target, &n);
	int result = 0;

	for (size_t i = 0; i < n && result == 0; i++)
		result = task_admit(&self->base, roots[i].pid, err);
	return result;
}

int collect_task_open(const struct collect_context *context, struct collect **collect,
		      struct error *err)
{
	const struct tally_shape nothing = {.n_counters = TALLY_FIRST_COUNTED};
	struct cpu_list cpus;

	if (cpus_possible(context->sys, &cpus) < 0)
		cpus = (struct cpu_list){0};

	struct collect_task *self = xcalloc(1, sizeof(*self));
	self->base.ops = &task_ops;
	self->counts = context->access->level > PERF_ACCESS_NONE;
	self->base.mode = self->counts ? COUNT_MODE_TASK : COUNT_MODE_PROC;
	self->context = *context;
	self->hidden = hidepid_hides_here(context->sys) ||
		       own_container_read_pid_namespace(context->sys) == NAMESPACE_OWN;
	self->throttling.sys = context->sys;
	looks_init(&self->looks, context->sys, context->target, context->tasks);
	self->counted = (struct task_counter_set){
		.sys = context->sys,
		.events = context->events,
		.target = context->target,
		.proc_scan = &self->proc_scan,
		.interval = &self->base.interval,
		.command = target_command(context->target),
	};
	budget_init(&self->base.budget, context->sys, context->pmus);
	self->base.budget.self = true;
	self->contention =
		(struct contention){.context = &self->context, .budget = &self->base.budget};
	proc_scan_init(&self->proc_scan, context->sys, context->tasks, context->target,
		       self->counts);
	task_sampler_init(&self->code, context->sys, &self->proc_scan, context->target,
			  context->events, context->notes,
			  context->access->level < PERF_ACCESS_TASK);
	interval_init(&self->base.interval, &nothing, cpus.numbers, cpus.n);
	cpu_list_fini(&cpus);
	make_plan(self);

	int result = proc_scan_run(&self->proc_scan, false);
	if (result == -EMFILE)
		result = error_set_no_descriptor(err, result);
	else if (result < 0 || self->proc_scan.n == 0)
		result = error_set(err, result < 0 ? result : -ENOENT,
				   "/proc cannot be read: nothing can be measured here.");
	else
		result = check_roots(self, err);
	if (result < 0) {
		task_free(&self->base);
		return result;
	}
	scan_machine(self);
	task_counter_set_renew(&self->counted, false);
	leave_out(self);
	*collect = &self->base;
	return 0;
}
