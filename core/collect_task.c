// SPDX-License-Identifier: MIT
/*
 * For who may not count whole CPUs: a group of counters for each thread of ours that does
 * something, and for everybody else what /proc tells. The census says who there is; a thread's
 * counters also count what it starts, until that is old enough to have been seen and gets its own.
 * Then those of whoever may have started it are opened anew, or both would count it.
 *
 * Descriptors are bounded: the busiest threads come first. Where there is no right to count at all,
 * /proc is left (mode "proc").
 */
#include "budget.h"
#include "census.h"
#include "collect.h"
#include "cpus.h"
#include "limit.h"
#include "proc.h"
#include "task_counters.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FDS_SPARED = 48,    /* for the terminal, files of /proc, a recording ... */
	FDS_MOST = 1 << 14, /* memory of the kernel's, and the time that reading them takes */
	FDS_UNTOLD = 1024,  /* the usual limit */
	IDLE_LOOKS = 5,     /* a thread that was idle for so many has no need of counters */
	PARENTS_MOST = 64,  /* that are asked for counters of theirs */
	LOST_TICKS = 3,     /* /proc says it ran so long, and its counters stand still ... */
	LOST_LOOKS = 2,     /* ... for so many looks in a row */
};

struct collect_task {
	struct collect base;
	struct collect_context context;
	struct census census;
	struct budget budget;
	struct proc_cpus cpus_before, cpus_now;
	uint64_t machine_faults; /* at the last look */
	size_t most_threads;     /* that may have counters */
	size_t n_counted;
	pid_t command; /* has still to exec; 0: none */
	bool counts;   /* there is a right to */
	bool cramped;  /* not all who ran could have counters */
};

static struct collect_task *self_of(struct collect *collect)
{
	return (struct collect_task *)collect;
}

/* ---- counters of threads */

static void stop_counting(struct collect_task *self, struct census_entry *entry)
{
	if (!entry->counted)
		return;
	task_counters_close(&entry->counters);
	entry->counted = false;
	self->n_counted--;
}

/* What descriptors allow: as many as the limit has room for now. */
static size_t most_threads(const struct collect_task *self)
{
	const struct limit limit = limit_read(self->context.sys, "Max open files");
	size_t each = task_counters_fds(self->base.plan);
	uint64_t files = limit.known ? limit.soft : FDS_UNTOLD;

	if (each == 0)
		return 0;
	files = files > FDS_SPARED ? files - FDS_SPARED : 0;
	return (files < FDS_MOST ? files : FDS_MOST) / each;
}

/* 0 or -errno. A thread that is not ours after all, or is gone, is not asked again. */
static int start_counting(struct collect_task *self, struct census_entry *entry)
{
	int result = task_counters_open(&entry->counters, self->context.sys, self->context.events,
					self->base.plan, entry->tid, entry->tid == self->command);

	if (result == 0) {
		entry->counted = true;
		entry->idle_looks = 0;
		entry->cover = NULL;
		self->n_counted++;
	} else if (result == -EMFILE || result == -ENFILE) {
		self->most_threads = self->n_counted;
	} else if (result == -EACCES || result == -EPERM) {
		entry->ours = false;
	}
	return result;
}

/* ---- who inherits whose counters */

static bool has_counters(const struct census_entry *process)
{
	bool any = process->counted;

	for (const struct census_entry *thread = process->threads; thread;
	     thread = thread->next_thread)
		any |= thread->counted;
	return any;
}

static struct census_entry *anyone_counted(const struct census *census)
{
	for (size_t i = 0; i < census->n; i++)
		if (census->items[i]->counted)
			return census->items[i]->process;
	return NULL;
}

/*
 * The process whose counters a new thread was born into: its own, or that of its parents; NULL
 * where nobody's are. What a command left behind has lost its parents: anybody's may be.
 */
static struct census_entry *find_cover(const struct collect_task *self, struct census_entry *entry)
{
	struct census_entry *process = entry->process;

	if (entry != process && has_counters(process))
		return process;
	for (unsigned depth = 0; depth < PARENTS_MOST; depth++) {
		struct census_entry *parent = census_find(&self->census, process->ppid);
		if (!parent || parent == process || !parent->process->inside)
			break;
		process = parent->process;
		if (has_counters(process))
			return process;
	}
	entry->orphan = target_has_roots(self->context.target);
	return entry->orphan ? anyone_counted(&self->census) : NULL;
}

/* Its counters begin anew, without those who have come since. */
static void renew_one(struct collect_task *self, struct census_entry *entry)
{
	if (!entry->counted)
		return;
	task_counters_read(&entry->counters, interval_task(&self->base.interval, entry->task));
	stop_counting(self, entry);
	start_counting(self, entry);
}

static void renew_marked(struct collect_task *self)
{
	struct census *census = &self->census;

	for (size_t i = 0; i < census->n; i++) {
		struct census_entry *process = census->items[i];
		if (!process->renew)
			continue;
		renew_one(self, process);
		for (struct census_entry *thread = process->threads; thread;
		     thread = thread->next_thread)
			renew_one(self, thread);
	}
	for (size_t i = 0; i < census->n; i++) {
		struct census_entry *entry = census->items[i];
		if (entry->cover && entry->cover->renew)
			entry->cover = NULL;
	}
	for (size_t i = 0; i < census->n; i++)
		census->items[i]->renew = false;
}

/* ---- who gets counters */

static void mark_cover(struct census *census, const struct census_entry *entry)
{
	if (!entry->cover)
		return;
	entry->cover->renew = true;
	for (size_t i = 0; entry->orphan && i < census->n; i++)
		census->items[i]->process->renew = true;
}

static bool is_candidate(const struct collect_task *self, const struct census_entry *entry)
{
	if (!entry->wanted || !entry->ours || entry->counted || entry->gone)
		return false;
	/* Whoever was asked for by number is counted before it does anything. */
	return entry->grown.ran_ns > 0 || target_has_roots(self->context.target);
}

static int by_time(const void *a, const void *b)
{
	const struct census_entry *left = *(struct census_entry *const *)a;
	const struct census_entry *right = *(struct census_entry *const *)b;

	if (left->grown.ran_ns != right->grown.ran_ns)
		return left->grown.ran_ns > right->grown.ran_ns ? -1 : 1;
	return (left->tid > right->tid) - (left->tid < right->tid);
}

/* Takes the counters of those who do nothing, as many as others want: the idlest first. */
static void make_room(struct collect_task *self, size_t wanted)
{
	struct census *census = &self->census;
	static const unsigned idle_looks[] = {IDLE_LOOKS, 1};

	for (size_t k = 0; k < ARRAY_SIZE(idle_looks); k++)
		for (size_t i = 0; i < census->n && self->n_counted + wanted > self->most_threads;
		     i++)
			if (census->items[i]->counted &&
			    census->items[i]->idle_looks >= idle_looks[k])
				stop_counting(self, census->items[i]);
}

static void give_counters(struct collect_task *self)
{
	struct census *census = &self->census;
	struct census_entry **candidates = xcalloc(census->n, sizeof(struct census_entry *));
	size_t n = 0, busy = 0;

	for (size_t i = 0; i < census->n; i++)
		if (is_candidate(self, census->items[i]))
			candidates[n++] = census->items[i];
	if (n > 0)
		qsort(candidates, n, sizeof(struct census_entry *), by_time);
	while (busy < n && candidates[busy]->grown.ran_ns > 0)
		busy++;
	make_room(self, busy);
	size_t room =
		self->most_threads > self->n_counted ? self->most_threads - self->n_counted : 0;
	size_t given = 0, due = size_min(n, room);
	/* First goes what they inherited: together with their own it might not fit the PMU. */
	for (size_t i = 0; i < due; i++)
		mark_cover(census, candidates[i]);
	renew_marked(self);
	for (size_t i = 0; i < due && self->n_counted < self->most_threads; i++)
		given += start_counting(self, candidates[i]) == 0;
	self->cramped = given < busy && self->n_counted >= self->most_threads;
	free(candidates);
}

/* ---- an interval */

static void add_told(const struct collect_task *self, const struct census_entry *entry,
		     uint64_t ran_ns, uint64_t *tally)
{
	const struct plan *plan = self->base.plan;
	const struct event_set *events = self->context.events;
	const struct census_usage *grown = &entry->grown;
	uint64_t slack_ns = 2 * self->census.tick_ns;

	/* What it started is in its counters, and not in what /proc tells of it. */
	tally[tally_group(&plan->shape, PLAN_GROUP_PROC)] +=
		ran_ns <= grown->ran_ns + slack_ns ? ran_ns : grown->ran_ns;
	for (unsigned i = TALLY_FIRST_COUNTED; i < plan->shape.n_counters; i++) {
		if (plan->counters[i].group != PLAN_GROUP_PROC)
			continue;
		const struct event *event = &events->items[plan->counters[i].event];
		uint64_t config = event->n_codes ? event->codes[0].attr.config : 0;
		if (event->kind == EVENT_PROC)
			tally[i] += strcmp(event->name, EVENT_USER_TIME) == 0 ? grown->user_ns
									      : grown->system_ns;
		else if (config == PERF_COUNT_SW_PAGE_FAULTS_MIN)
			tally[i] += grown->minor_faults;
		else if (config == PERF_COUNT_SW_PAGE_FAULTS_MAJ)
			tally[i] += grown->major_faults;
		else
			tally[i] += grown->minor_faults + grown->major_faults;
	}
	if (!entry->knows_switches)
		return;
	tally[TALLY_SWITCHES] += grown->switches;
	tally[tally_group(&plan->shape, PLAN_GROUP_SWITCHES)] += ran_ns;
}

/* Time that nobody counted: what its PMU could have counted of it is missing. */
static void add_uncounted(const struct plan *plan, uint64_t ran_ns, uint64_t *tally)
{
	tally[TALLY_TASK_CLOCK] += ran_ns;
	for (unsigned d = 0; d < plan->shape.n_domains; d++)
		tally[tally_domain(&plan->shape, d)] += ran_ns;
}

static bool has_faults(const struct census_usage *usage)
{
	return usage->minor_faults + usage->major_faults > 0;
}

static void add_entry(struct collect_task *self, struct census_entry *entry)
{
	struct interval *interval = &self->base.interval;
	uint64_t ran_ns = entry->grown.ran_ns;

	if (!entry->counted) {
		if (entry->cover || (ran_ns == 0 && !has_faults(&entry->grown)))
			return;
		uint64_t *tally = interval_task(interval, entry->task);
		add_uncounted(self->base.plan, ran_ns, tally);
		add_told(self, entry, ran_ns, tally);
		return;
	}
	uint64_t *tally = interval_task(interval, entry->task);
	uint64_t before_ns = tally[TALLY_TASK_CLOCK];
	task_counters_read(&entry->counters, tally);
	uint64_t counted_ns = tally[TALLY_TASK_CLOCK] - before_ns;
	entry->idle_looks = counted_ns > 0 ? 0 : entry->idle_looks + 1;
	if (entry->tid == self->command && counted_ns > 0)
		self->command = 0; /* it has begun */
	add_told(self, entry, counted_ns, tally);
	/* A setuid program that it has become takes its counters away, and nobody says so. */
	if (entry->idle_looks >= LOST_LOOKS && ran_ns >= LOST_TICKS * self->census.tick_ns &&
	    entry->tid != self->command) {
		add_uncounted(self->base.plan, ran_ns, tally);
		stop_counting(self, entry);
		entry->ours = false;
	}
}

/* Busy and idle time of the CPUs as /proc/stat tells: the busy ns of all of them. */
static uint64_t compare_cpus(struct collect_task *self)
{
	struct interval *interval = &self->base.interval;
	uint64_t busy_ns = 0, tick_ns = self->census.tick_ns;
	struct proc_cpus old = self->cpus_before;

	self->cpus_before = self->cpus_now;
	self->cpus_now = old;
	proc_cpus_read(self->context.sys, &self->cpus_now);
	for (size_t i = 0; i < interval->n_cpus; i++) {
		int number = interval->cpu_numbers[i];
		const struct proc_cpu *before = proc_cpus_find(&self->cpus_before, number);
		const struct proc_cpu *now = proc_cpus_find(&self->cpus_now, number);
		interval->cpu_online[i] = now;
		if (!before || !now)
			continue;
		uint64_t cpu_busy_ns = u64_growth(before->busy_ticks, now->busy_ticks) * tick_ns;
		uint64_t cpu_idle_ns = u64_growth(before->idle_ticks, now->idle_ticks) * tick_ns;
		interval_cpu(interval, i)[TALLY_TASK_CLOCK] = cpu_busy_ns + cpu_idle_ns;
		interval_idle(interval, i)[TALLY_TASK_CLOCK] = cpu_idle_ns;
		interval->cpu_counted[i] = true;
		busy_ns += cpu_busy_ns;
	}
	return busy_ns;
}

/* The whole machine's, less what the tasks of the interval answer for. */
static void add_rest(struct collect_task *self, uint64_t busy_ns, uint64_t faults)
{
	const struct plan *plan = self->base.plan;
	struct interval *interval = &self->base.interval;
	size_t width = tally_width(&interval->shape);
	int of_faults = event_set_find(self->context.events, "page-faults");
	int counter = of_faults < 0 ? of_faults
				    : plan_counter_in(plan, PLAN_GROUP_PROC, (unsigned)of_faults);
	uint64_t *rest =
		target_is_all(self->context.target) ? interval->unattributed : interval->others;
	uint64_t tasks_ns = 0, tasks_faults = 0;

	for (size_t i = 0; i < interval->n_ran; i++) {
		const uint64_t *tally = interval->tallies + i * width;
		tasks_ns += tally[TALLY_TASK_CLOCK];
		tasks_faults += counter >= 0 ? tally[counter] : 0;
	}
	uint64_t rest_ns = u64_growth(tasks_ns, busy_ns);
	add_uncounted(plan, rest_ns, rest);
	if (counter >= 0) {
		rest[counter] += u64_growth(tasks_faults, faults);
		rest[tally_group(&plan->shape, PLAN_GROUP_PROC)] += rest_ns;
	}
}

#define NOTE_COVERAGE "Counting the "

static void note_coverage(struct collect_task *self)
{
	const struct census *census = &self->census;
	size_t ran = 0, counted = 0;

	for (size_t i = 0; i < census->n; i++) {
		const struct census_entry *entry = census->items[i];
		if (!entry->wanted || !entry->ours || entry->cover || entry->gone ||
		    (entry->counted ? entry->idle_looks > 0 : entry->grown.ran_ns == 0))
			continue;
		ran++;
		counted += entry->counted;
	}
	self->base.threads_ran = ran;
	self->base.threads_counted = counted;
	notes_remove(self->context.notes, NOTE_COVERAGE);
	if (self->cramped)
		notes_add(self->context.notes,
			  NOTE_COVERAGE "%zu busiest threads of %zu that ran: there are no more "
					"descriptors. Raise the limit: ulimit -n",
			  counted, ran);
}

static void task_cut(struct collect *collect)
{
	struct collect_task *self = self_of(collect);
	struct census *census = &self->census;
	uint64_t faults = proc_machine_faults(self->context.sys);
	uint64_t machine_faults = u64_growth(self->machine_faults, faults);

	self->machine_faults = faults;
	census_look(census);
	if (self->command && census_find(census, self->command) == NULL)
		self->command = 0;
	for (size_t i = 0; i < census->n; i++)
		if (census->items[i]->fresh && census->items[i]->wanted && census->items[i]->ours)
			census->items[i]->cover = find_cover(self, census->items[i]);
	for (size_t i = 0; i < census->n; i++)
		if (census->items[i]->wanted)
			add_entry(self, census->items[i]);
	add_rest(self, compare_cpus(self), machine_faults);
	interval_sum_parts(&collect->interval);
	note_coverage(self);
}

/* ---- plans */

static void stop_all(struct collect_task *self)
{
	for (size_t i = 0; i < self->census.n; i++)
		stop_counting(self, self->census.items[i]);
}

/* What can be had this way; only between two intervals. */
static void make_plan(struct collect_task *self)
{
	struct event_set *events = self->context.events;
	const struct plan_request request = {
		.events = events,
		.pmus = self->context.pmus,
		.wants = self->context.wants,
		.per_task = true,
		.most = self->budget.most,
		.fits = budget_fits,
		.arg = &self->budget,
	};

	for (size_t i = 0; i < events->n; i++) {
		struct event *event = &events->items[i];
		if (event->kind == EVENT_DERIVED || plan_is_of_proc(event)) {
			event->state = FIGURE_VALID;
			event->answer = 0;
			if (event->n_codes > 0)
				event->codes[0].state = FIGURE_VALID;
		} else if (!self->counts && event->state == FIGURE_VALID) {
			event->state = FIGURE_DENIED;
		}
	}
	plan_unref(self->base.plan);
	self->base.plan = plan_new(&request);
	interval_reshape(&self->base.interval, &self->base.plan->shape);
	self->most_threads = self->counts ? most_threads(self) : 0;
	self->base.stale = false;
}

static void task_renew(struct collect *collect)
{
	struct collect_task *self = self_of(collect);

	for (size_t i = 0; i < self->census.n; i++)
		if (self->census.items[i]->gone)
			stop_counting(self, self->census.items[i]);
	census_forget(&self->census);
	interval_reset(&collect->interval);
	if (collect->stale) {
		stop_all(self);
		make_plan(self);
	}
	give_counters(self);
}

/* ---- the rest of the table */

static size_t task_pollfds(const struct collect *collect, struct pollfd *fds, size_t max)
{
	(void)collect;
	(void)fds;
	(void)max;
	return 0;
}

static void task_drain(struct collect *collect)
{
	(void)collect;
}

static uint64_t task_due_ns(const struct collect *collect)
{
	(void)collect;
	return UINT64_MAX;
}

static void task_free(struct collect *collect)
{
	struct collect_task *self = self_of(collect);

	stop_all(self);
	census_fini(&self->census);
	budget_fini(&self->budget);
	proc_cpus_fini(&self->cpus_before);
	proc_cpus_fini(&self->cpus_now);
	interval_fini(&collect->interval);
	plan_unref(collect->plan);
	free(self);
}

static const struct collect_ops task_ops = {
	.pollfds = task_pollfds,
	.drain = task_drain,
	.due_ns = task_due_ns,
	.turn = task_drain,
	.cut = task_cut,
	.renew = task_renew,
	.free = task_free,
};

/* Whom one asked for by number must be ours; the others are shown without counts. */
static int check_roots(struct collect_task *self, struct error *err)
{
	size_t n;
	const struct target_root *roots = target_roots(self->context.target, &n);

	for (size_t i = 0; self->counts && i < n; i++) {
		const struct census_entry *entry = census_find(&self->census, roots[i].pid);
		if (!entry || entry->ours)
			continue;
		if (entry->kernel)
			return error_set(err, -EACCES,
					 "%d is a kernel thread: to count it needs CAP_PERFMON.",
					 roots[i].tid);
		return error_set(
			err, -EACCES,
			"Process %d belongs to another user: to count it needs CAP_PERFMON "
			"or CAP_SYS_PTRACE.",
			roots[i].pid);
	}
	return 0;
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
	self->counts = context->access->level > ACCESS_NONE;
	self->base.mode = self->counts ? "task" : "proc";
	self->context = *context;
	self->command = target_command(context->target);
	budget_init(&self->budget, context->sys, context->pmus);
	self->budget.own = true;
	census_init(&self->census, context->sys, context->tasks, context->target, self->counts);
	self->census.switches = true;
	interval_init(&self->base.interval, &nothing, cpus.numbers, cpus.n);
	cpu_list_fini(&cpus);
	make_plan(self);

	int result = census_look(&self->census);
	if (result < 0 || self->census.n == 0)
		result = error_set(err, result < 0 ? result : -ENOENT,
				   "/proc cannot be read: nothing can be measured here.");
	else
		result = check_roots(self, err);
	if (result < 0) {
		task_free(&self->base);
		return result;
	}
	compare_cpus(self);
	self->machine_faults = proc_machine_faults(context->sys);
	give_counters(self);
	*collect = &self->base;
	return 0;
}
