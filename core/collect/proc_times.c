// SPDX-License-Identifier: MIT
/*
 * Two readings of /proc/PID/task/TID/stat give the ticks of an interval, and two of /proc/stat
 * those of the CPUs. A kernel thread needs no file: all its time is system time.
 */
#include "core/collect/proc_times.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum {
	TICKS_LEAST = 3, /* the kernel rounds to ticks: fewer are noise */
	TICKS_READ = 2,  /* a task with fewer is not read: its next times need not be known */
};

/* task->times.run of a task that ran in an interval and was not read. */
#define TIMES_MISSED UINT_MAX

void proc_times_fini(struct proc_times *times)
{
	proc_cpus_fini(&times->before);
}

uint64_t proc_times_of(const struct event *event, uint64_t user_ns, uint64_t system_ns)
{
	return strcmp(event->name, EVENT_USER_TIME) == 0 ? user_ns : system_ns;
}

bool proc_times_estimate(uint64_t ran_ns)
{
	return ran_ns >= TICKS_LEAST * proc_tick_ns();
}

/* Positions in a tally. */
struct places {
	const struct event_set *events;
	const struct plan *plan;
	size_t group_ns, domain_ns;
};

static void add_times(const struct places *places, uint64_t user_ns, uint64_t system_ns,
		      uint64_t *tally)
{
	const struct plan *plan = places->plan;

	for (unsigned i = TALLY_FIRST_COUNTED; i < plan->shape.n_counters; i++) {
		const struct event *event = &places->events->items[plan->counters[i].event];
		if (event->kind == EVENT_PROC)
			tally[i] += proc_times_of(event, user_ns, system_ns);
	}
}

/* Adds a tally's time to the domain, and to the group if its times are known. */
static void add_clock(const struct places *places, bool known, uint64_t *tally)
{
	tally[places->domain_ns] += tally[TALLY_TASK_CLOCK];
	if (known)
		tally[places->group_ns] += tally[TALLY_TASK_CLOCK];
}

/*
 * Whether the growth since the last reading may be of this interval: the task may have run unseen
 * in between, outside of windows or on a CPU that is not counted. Both its times are rounded.
 */
static bool has_room(const struct proc_times *times, const struct places *places,
		     const struct task *task, const struct proc_stat *stat, const uint64_t *tally)
{
	uint64_t tick_ns = proc_tick_ns();
	uint64_t grown_ns = (u64_growth(task->times.user_ticks, stat->user_ticks) +
			     u64_growth(task->times.system_ticks, stat->system_ticks)) *
			    tick_ns;
	bool windows = tally[tally_unseen(&places->plan->shape)] > 0;
	uint64_t most_ns = windows ? times->passed_ns : tally[TALLY_TASK_CLOCK];

	return grown_ns <= most_ns + 2 * tick_ns;
}

static void add_task(const struct proc_times *times, const struct places *places, struct task *task,
		     uint64_t *tally)
{
	uint64_t tick_ns = proc_tick_ns();
	/* A new task began with 0. */
	bool known = task->times.run == times->run ||
		     (task->times.run == 0 && task->start_ns >= times->since_ns);
	struct proc_stat stat;

	if (task->kernel) {
		add_clock(places, true, tally);
		add_times(places, 0, tally[TALLY_TASK_CLOCK], tally);
		return;
	}
	if (task->exit_ns || task->pid <= 0 || tally[TALLY_TASK_CLOCK] < TICKS_READ * tick_ns ||
	    proc_thread_stat(times->sys, task->pid, task->tid, &stat) < 0) {
		add_clock(places, false, tally);
		task->times.run = TIMES_MISSED; /* the next reading must not cover this interval */
		return;
	}
	known &= proc_times_estimate(tally[TALLY_TASK_CLOCK]) &&
		 has_room(times, places, task, &stat, tally);
	add_clock(places, known, tally);
	if (known)
		add_times(places, u64_growth(task->times.user_ticks, stat.user_ticks) * tick_ns,
			  u64_growth(task->times.system_ticks, stat.system_ticks) * tick_ns, tally);
	task->times = (struct task_times){times->run, stat.user_ticks, stat.system_ticks};
}

/* Adds the times of each CPU. Stores the sums in *user_ns and *system_ns. */
static void add_cpus(struct proc_times *times, const struct places *places,
		     struct interval *interval, uint64_t *user_ns, uint64_t *system_ns)
{
	uint64_t tick_ns = proc_tick_ns();
	struct proc_cpus now = {0};

	proc_cpus_read(times->sys, &now);
	for (size_t i = 0; i < interval->n_cpus; i++) {
		const struct proc_cpu *before =
			proc_cpus_find(&times->before, interval->cpu_numbers[i]);
		const struct proc_cpu *after = proc_cpus_find(&now, interval->cpu_numbers[i]);
		bool known = before && after && !times->outside;
		add_clock(places, known, interval_cpu(interval, i));
		add_clock(places, known || times->outside, interval_idle(interval, i));
		if (!known)
			continue;
		uint64_t cpu_user_ns = u64_growth(before->user_ticks, after->user_ticks) * tick_ns;
		uint64_t cpu_system_ns =
			u64_growth(before->system_ticks, after->system_ticks) * tick_ns;
		add_times(places, cpu_user_ns, cpu_system_ns, interval_cpu(interval, i));
		*user_ns += cpu_user_ns;
		*system_ns += cpu_system_ns;
	}
	proc_cpus_fini(&times->before);
	times->before = now;
}

/* Sets the totals and unattributed counts, after those of tasks and CPUs. */
static void add_totals(const struct proc_times *times, const struct places *places, bool known,
		       uint64_t user_ns, uint64_t system_ns, struct interval *interval)
{
	const struct plan *plan = places->plan;

	known &= !times->outside;
	add_clock(places, known, interval->unattributed);
	add_clock(places, known, interval->totals);
	if (times->outside) {
		interval->totals[places->group_ns] +=
			interval_sum_tasks(interval, places->group_ns);
		for (size_t i = 0; i < interval->n_cpus; i++)
			interval->totals[places->group_ns] +=
				interval_idle(interval, i)[places->group_ns];
	}
	for (unsigned i = TALLY_FIRST_COUNTED; i < plan->shape.n_counters; i++) {
		const struct event *event = &places->events->items[plan->counters[i].event];
		if (event->kind != EVENT_PROC)
			continue;
		uint64_t tasks_ns = interval_sum_tasks(interval, i);
		interval->unattributed[i] =
			u64_growth(tasks_ns, proc_times_of(event, user_ns, system_ns));
		interval->totals[i] = tasks_ns + interval->unattributed[i];
	}
}

void proc_times_cut(struct proc_times *times, const struct event_set *events,
		    const struct plan *plan, struct interval *interval)
{
	size_t width = tally_width(&interval->shape);
	uint64_t user_ns = 0, system_ns = 0;

	if (plan->times_group < 0) {
		proc_cpus_fini(&times->before);
		return;
	}
	bool known = times->before.n > 0;
	uint64_t now_ns = sys_now_ns(times->sys);
	if (!known) {
		times->run++;
		times->since_ns = now_ns;
	}
	times->passed_ns = u64_growth(times->cut_ns, now_ns);
	times->cut_ns = now_ns;
	const struct places places = {
		.events = events,
		.plan = plan,
		.group_ns = tally_group(&plan->shape, (unsigned)plan->times_group),
		.domain_ns = tally_domain(&plan->shape, plan->groups[plan->times_group].domain),
	};
	for (size_t i = 0; i < interval->n_ran; i++)
		add_task(times, &places, interval->ran[i], interval->tallies + i * width);
	add_cpus(times, &places, interval, &user_ns, &system_ns);
	add_totals(times, &places, known, user_ns, system_ns, interval);
}
