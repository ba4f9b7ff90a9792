// SPDX-License-Identifier: MIT
/*
 * What /proc tells without any counter: CPU time and page faults of each process, busy and idle
 * time of each CPU, in clock ticks. Two pictures are subtracted; processes that lived and died
 * between them are never seen, and CPU time that no process answers for is unattributed.
 *
 * Page faults are known for processes and for the whole machine (/proc/vmstat), not for CPUs: the
 * ns of their group is therefore kept for those and stays 0 for CPUs, so that there the figure says
 * "not counted" instead of 0.
 */
#include "collect.h"
#include "cpus.h"
#include "proc.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct collect_proc {
	struct collect base;
	struct collect_context context;
	uint64_t tick_ns;
	int faults;                     /* its counter, or -ENOENT */
	struct proc_stat *before, *now; /* ascending by pid */
	size_t n_before, n_now, before_capacity, now_capacity;
	struct proc_cpus cpus_before, cpus_now;
	uint64_t machine_faults_before, machine_faults_now;
};

static struct collect_proc *self_of(struct collect *collect)
{
	return (struct collect_proc *)collect;
}

static int add_process(void *arg, const char *name)
{
	struct collect_proc *self = arg;
	pid_t pid = proc_pid(name);
	struct proc_stat stat;

	if (!pid || proc_stat_read(self->context.sys, pid, &stat) < 0)
		return 0;
	self->now =
		array_reserve(self->now, &self->now_capacity, self->n_now + 1, sizeof(*self->now));
	self->now[self->n_now++] = stat;
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct proc_stat *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* Takes a new picture and keeps the one before. */
static int look(struct collect_proc *self)
{
	struct proc_stat *processes = self->before;
	size_t capacity = self->before_capacity;
	struct proc_cpus cpus = self->cpus_before;

	self->before = self->now;
	self->before_capacity = self->now_capacity;
	self->n_before = self->n_now;
	self->now = processes;
	self->now_capacity = capacity;
	self->n_now = 0;
	self->cpus_before = self->cpus_now;
	self->cpus_now = cpus;
	self->cpus_now.n = 0;
	self->machine_faults_before = self->machine_faults_now;

	int result = sys_dir_each(self->context.sys, "/proc", add_process, self);
	if (result < 0)
		return result;
	if (self->n_now > 0)
		qsort(self->now, self->n_now, sizeof(*self->now), by_pid);
	proc_cpus_read(self->context.sys, &self->cpus_now);
	self->machine_faults_now = proc_machine_faults(self->context.sys);
	return 0;
}

/* ---- the difference of two pictures */

static uint64_t growth(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

static struct task *task_of(struct collect_proc *self, const struct proc_stat *stat,
			    uint64_t now_ns)
{
	struct record comm = {
		.kind = RECORD_COMM, .time_ns = now_ns, .pid = stat->pid, .tid = stat->pid};

	memcpy(comm.comm.text, stat->comm, sizeof(comm.comm.text));
	struct task *task = tasks_comm(self->context.tasks, &comm);
	task->kernel = stat->kernel;
	tasks_look_up(self->context.tasks, task);
	return task;
}

/* CPU time, all of which the one group and the one domain count. */
static void add_time(const struct tally_shape *shape, uint64_t *tally, uint64_t clock_ns)
{
	tally[TALLY_TASK_CLOCK] += clock_ns;
	tally[tally_group(shape, 0)] += clock_ns;
	tally[tally_domain(shape, 0)] += clock_ns;
}

/* `before` is NULL for a process that is new: all that it did, it did in this interval. */
static void add_growth(struct collect_proc *self, const struct proc_stat *before,
		       const struct proc_stat *now, uint64_t now_ns)
{
	static const struct proc_stat nothing;
	struct interval *interval = &self->base.interval;

	if (!before)
		before = &nothing;
	uint64_t clock_ns = growth(before->cpu_ticks, now->cpu_ticks) * self->tick_ns;
	uint64_t faults = growth(before->faults, now->faults);
	if (!clock_ns && !faults)
		return;
	uint64_t *tally = interval_task(interval, task_of(self, now, now_ns));
	add_time(&interval->shape, tally, clock_ns);
	if (self->faults >= 0)
		tally[self->faults] += faults;
}

static void task_gone(struct collect_proc *self, const struct proc_stat *stat, uint64_t now_ns)
{
	const struct record exit = {
		.kind = RECORD_EXIT, .time_ns = now_ns, .pid = stat->pid, .tid = stat->pid};

	if (tasks_find(self->context.tasks, stat->pid, now_ns))
		tasks_exit(self->context.tasks, &exit);
}

static void compare_processes(struct collect_proc *self, uint64_t now_ns)
{
	const struct proc_stat *before = self->before, *before_end = before + self->n_before;

	for (size_t i = 0; i < self->n_now; i++) {
		const struct proc_stat *now = &self->now[i];
		for (; before < before_end && before->pid < now->pid; before++)
			task_gone(self, before, now_ns);
		const struct proc_stat *same = NULL;
		if (before < before_end && before->pid == now->pid) {
			if (before->start_ticks == now->start_ticks)
				same = before;
			else
				task_gone(self, before, now_ns);
			before++;
		}
		add_growth(self, same, now, now_ns);
	}
	for (; before < before_end; before++)
		task_gone(self, before, now_ns);
}

static uint64_t compare_cpus(struct collect_proc *self)
{
	struct interval *interval = &self->base.interval;
	uint64_t busy_ns = 0;

	for (size_t i = 0; i < interval->n_cpus; i++) {
		int number = interval->cpu_numbers[i];
		const struct proc_cpu *before = proc_cpus_find(&self->cpus_before, number);
		const struct proc_cpu *now = proc_cpus_find(&self->cpus_now, number);
		interval->cpu_online[i] = now;
		if (!before || !now)
			continue;
		uint64_t cpu_busy_ns = growth(before->busy_ticks, now->busy_ticks) * self->tick_ns;
		uint64_t cpu_idle_ns = growth(before->idle_ticks, now->idle_ticks) * self->tick_ns;
		interval_cpu(interval, i)[TALLY_TASK_CLOCK] = cpu_busy_ns + cpu_idle_ns;
		interval_idle(interval, i)[TALLY_TASK_CLOCK] = cpu_idle_ns;
		interval->cpu_counted[i] = true;
		busy_ns += cpu_busy_ns;
	}
	return busy_ns;
}

static void proc_cut(struct collect *collect)
{
	struct collect_proc *self = self_of(collect);
	struct interval *interval = &collect->interval;
	size_t width = tally_width(&interval->shape);
	uint64_t tasks_ns = 0, tasks_faults = 0;

	if (look(self) < 0)
		return;
	compare_processes(self, sys_now_ns(self->context.sys));
	uint64_t busy_ns = compare_cpus(self);
	for (size_t i = 0; i < interval->n_ran; i++) {
		const uint64_t *tally = interval->tallies + i * width;
		tasks_ns += tally[TALLY_TASK_CLOCK];
		tasks_faults += self->faults >= 0 ? tally[self->faults] : 0;
	}
	uint64_t *rest = interval->unattributed;
	add_time(&interval->shape, rest, growth(tasks_ns, busy_ns));
	if (self->faults >= 0)
		rest[self->faults] = growth(tasks_faults, growth(self->machine_faults_before,
								 self->machine_faults_now));
	interval_sum_parts(interval);
}

static size_t proc_pollfds(const struct collect *collect, struct pollfd *fds, size_t max)
{
	(void)collect;
	(void)fds;
	(void)max;
	return 0;
}

static void proc_drain(struct collect *collect)
{
	(void)collect;
}

static uint64_t proc_due_ns(const struct collect *collect)
{
	(void)collect;
	return UINT64_MAX;
}

/* One group, on CPUs of which no PMU is known. Only between two intervals. */
static void make_plan(struct collect_proc *self)
{
	struct pmu nameless = {.kind = PMU_CORE};
	const struct pmu_set pmus = {.items = &nameless, .n = 1, .n_core = 1};
	struct event_set *events = self->context.events;
	const size_t none = 0;
	const struct plan_wants nothing = {0};
	const struct plan_request request = {
		.events = events, .pmus = &pmus, .wants = &nothing, .most = &none};
	int faults = event_set_find(events, "page-faults");

	for (size_t i = 0; i < events->n; i++)
		events->items[i].state = FIGURE_DENIED;
	events->items[TALLY_TASK_CLOCK].state = FIGURE_VALID;
	if (faults >= 0)
		events->items[faults].state = FIGURE_VALID;
	plan_unref(self->base.plan);
	self->base.plan = plan_new(&request);
	self->faults = faults < 0 ? faults : plan_counter_in(self->base.plan, 0, (unsigned)faults);
	interval_reshape(&self->base.interval, &self->base.plan->shape);
	self->base.stale = false;
}

static void proc_renew(struct collect *collect)
{
	interval_reset(&collect->interval);
	if (collect->stale)
		make_plan(self_of(collect));
}

static void proc_free(struct collect *collect)
{
	struct collect_proc *self = self_of(collect);

	free(self->before);
	free(self->now);
	proc_cpus_fini(&self->cpus_before);
	proc_cpus_fini(&self->cpus_now);
	interval_fini(&collect->interval);
	plan_unref(collect->plan);
	free(self);
}

static const struct collect_ops proc_ops = {
	.mode = "proc",
	.pollfds = proc_pollfds,
	.drain = proc_drain,
	.due_ns = proc_due_ns,
	.turn = proc_drain,
	.cut = proc_cut,
	.renew = proc_renew,
	.free = proc_free,
};

int collect_proc_open(const struct collect_context *context, struct collect **collect,
		      struct error *err)
{
	struct cpu_list cpus;

	if (cpus_possible(context->sys, &cpus) < 0)
		cpus = (struct cpu_list){0};

	struct collect_proc *self = xcalloc(1, sizeof(*self));
	const struct tally_shape nothing = {.n_counters = TALLY_FIRST_COUNTED};
	self->base.ops = &proc_ops;
	self->context = *context;
	self->tick_ns = proc_tick_ns();
	interval_init(&self->base.interval, &nothing, cpus.numbers, cpus.n);
	make_plan(self);
	cpu_list_fini(&cpus);

	int result = look(self);
	if (result < 0 || self->n_now == 0) {
		proc_free(&self->base);
		return error_set(err, result < 0 ? result : -ENOENT,
				 "/proc cannot be read: nothing can be measured here.");
	}
	*collect = &self->base;
	return 0;
}
