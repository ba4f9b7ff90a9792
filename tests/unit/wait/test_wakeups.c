// SPDX-License-Identifier: MIT
/*
 * The times of one task in one interval, if records have its wake-ups, and of the CPUs for which it
 * waits.
 */
#include "core/base/util.h"
#include "core/sys/sys_stub.h"
#include "core/wait/waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BEGIN = 10000, END = 20000, STEPS_MAX = 8, CPUS = 2 };

/* A slice, or a wake-up at end_ns (begin_ns 0), which CPU 1 made. */
struct step {
	uint64_t begin_ns, end_ns;
	enum slice_end end;
	size_t cpu;
};

static const struct wait_case {
	const char *name;
	struct step steps[STEPS_MAX];
	uint64_t runq_ns, preempted_ns, blocked_ns, d_ns;
	uint64_t unknown_ns; /* of the lifetime, by the source of runq_ns */
	uint64_t cpu1_ns;    /* the part of runq_ns for CPU 1 */
	uint64_t latency_ns; /* of its wake-ups; 0: none ended, or they are not known */
	bool twice;          /* it has two of them */
} cases[] = {
	{"the time of a wake-up divides blocked from runnable",
	 {{10000, 11000, SLICE_SLEEPS}, {0, 15000, SLICE_WOKEN}, {16000, 20000, SLICE_RUNS_ON}},
	 1000,
	 0,
	 4000,
	 0,
	 0,
	 .latency_ns = 1000},
	{"a second wake-up of a runnable task changes nothing",
	 {{10000, 11000, SLICE_UNINTERRUPTIBLE},
	  {0, 15000, SLICE_WOKEN},
	  {0, 15500, SLICE_WOKEN},
	  {16000, 20000, SLICE_RUNS_ON}},
	 1000,
	 0,
	 4000,
	 4000,
	 0,
	 .latency_ns = 1000},
	{"a wake-up before the first slice shows that the task was blocked",
	 {{0, 15000, SLICE_WOKEN}, {16000, 20000, SLICE_RUNS_ON}},
	 1000,
	 0,
	 5000,
	 0,
	 0,
	 .latency_ns = 1000},
	{"a first slice without one: it was blocked or runnable",
	 {{16000, 20000, SLICE_RUNS_ON}},
	 0,
	 0,
	 0,
	 0,
	 6000},
	{"a lost wake-up",
	 {{10000, 11000, SLICE_SLEEPS}, {16000, 20000, SLICE_RUNS_ON}},
	 0,
	 0,
	 0,
	 0,
	 5000},
	{"a task that has not got a CPU yet",
	 {{10000, 11000, SLICE_SLEEPS}, {0, 15000, SLICE_WOKEN}},
	 5000,
	 0,
	 4000,
	 0,
	 0},
	{"a task that is woken while it goes to sleep stays runnable",
	 {{10000, 11000, SLICE_SLEEPS}, {0, 10900, SLICE_WOKEN}, {16000, 20000, SLICE_RUNS_ON}},
	 5000,
	 0,
	 0,
	 0,
	 0,
	 .latency_ns = 5000},
	{"a wake-up in a slice before that changes nothing",
	 {{10000, 11000, SLICE_SLEEPS},
	  {0, 10900, SLICE_WOKEN},
	  {0, 15000, SLICE_WOKEN},
	  {16000, 20000, SLICE_RUNS_ON}},
	 1000,
	 0,
	 4000,
	 0,
	 0,
	 .latency_ns = 1000},
	{"each wait belongs to the CPU that ends it, the last one to that which the task left",
	 {{10000, 11000, SLICE_RUNNABLE},
	  {13000, 14000, SLICE_SLEEPS, 1},
	  {0, 15000, SLICE_WOKEN},
	  {15500, 16000, SLICE_SLEEPS},
	  {0, 17000, SLICE_WOKEN},
	  {17100, 18000, SLICE_RUNNABLE, 1}},
	 4600,
	 4000,
	 2000,
	 0,
	 0,
	 4100,
	 .latency_ns = 500,
	 .twice = true},
	{"nor does one of a task that is preempted",
	 {{10000, 11000, SLICE_RUNNABLE}, {0, 15000, SLICE_WOKEN}, {16000, 20000, SLICE_RUNS_ON}},
	 5000,
	 5000,
	 0,
	 0,
	 0},
	{"a wake-up in the next slice is not the one of a task that was woken as it went to sleep",
	 {{10000, 11000, SLICE_SLEEPS},
	  {0, 10900, SLICE_WOKEN},
	  {0, 17000, SLICE_WOKEN},
	  {16000, 20000, SLICE_RUNS_ON}},
	 5000,
	 0,
	 0,
	 0,
	 0,
	 .latency_ns = 5000},
	{"a wake-up in the next slice, without another",
	 {{10000, 11000, SLICE_SLEEPS}, {0, 17000, SLICE_WOKEN}, {16000, 20000, SLICE_RUNS_ON}},
	 0,
	 0,
	 0,
	 0,
	 5000},
};

struct machine {
	struct sys_stub stub;
	struct event_set events;
	struct plan *plan;
	struct tasks *tasks;
	struct interval interval;
	struct waits waits;
};

static void open_machine(struct machine *machine)
{
	static const int numbers[CPUS] = {0, 1};
	static const struct pmu_set no_pmus;
	static const struct plan_wants no_wants;
	static const size_t no_counters;
	struct event_context context = {0};
	struct error err;

	sys_stub_init(&machine->stub);
	context.sys = &machine->stub.sys;
	event_set_init(&machine->events, &context);
	for (int i = 0; i <= WAIT_STOPPED; i++)
		assert_true(event_set_add(&machine->events, event_wait_names[i], &err) > 0);
	/* This machine has no tracepoint to which the name belongs. */
	struct event *last = &machine->events.items[machine->events.n - 1];
	free(last->name);
	last->name = xstrdup(event_wait_names[WAIT_WAKEUPS]);
	machine->plan = plan_new(&(struct plan_request){.events = &machine->events,
							.pmus = &no_pmus,
							.wants = &no_wants,
							.most = &no_counters});
	interval_init(&machine->interval, &machine->plan->shape, numbers, CPUS);
	machine->tasks = tasks_new(&machine->stub.sys);
	waits_init(&machine->waits, &machine->stub.sys, machine->tasks, CPUS);
	machine->waits.wakeups = machine->waits.recorded = true;
	machine->stub.now_ns = BEGIN;
	waits_begin(&machine->waits, machine->plan, &machine->events);
}

static void close_machine(struct machine *machine)
{
	waits_fini(&machine->waits);
	tasks_free(machine->tasks);
	interval_fini(&machine->interval);
	plan_unref(machine->plan);
	event_set_fini(&machine->events);
}

static void add_steps(struct machine *machine, struct task *task, const struct wait_case *row)
{
	for (const struct step *step = row->steps; step->end_ns; step++) {
		const struct slice slice = {task, step->begin_ns, step->end_ns, step->end, 0};

		if (step->end == SLICE_WOKEN)
			slice_log_waking(&machine->waits.log, 1, task, step->end_ns);
		else
			slice_log_add(&machine->waits.log, step->cpu, &slice);
	}
}

static void expect_ns(const struct wait_case *row, const char *what, uint64_t ns, uint64_t wanted)
{
	if (ns != wanted)
		fail_msg("%s: %s is %llu, not %llu", row->name, what, (unsigned long long)ns,
			 (unsigned long long)wanted);
}

static void check_latencies(const struct wait_case *row, const uint64_t *counts)
{
	for (size_t i = 0; i < WAKEUP_RANGES; i++) {
		bool here = row->latency_ns && wakeup_range(row->latency_ns) == i;
		expect_ns(row, "count of a range", counts[i], here ? 1 + row->twice : 0);
	}
}

static void check_case(const struct wait_case *row)
{
	struct machine machine;
	struct task task = {.tid = 7, .pid = 7};

	open_machine(&machine);
	const struct wait_places *places = &machine.waits.places;
	add_steps(&machine, &task, row);
	machine.stub.now_ns = END;
	waits_end(&machine.waits);
	interval_task(&machine.interval, &task);
	machine.interval.coverage[0].counted = machine.interval.coverage[1].counted = true;
	interval_set_wall(&machine.interval, END - BEGIN);
	waits_cut(&machine.waits, &machine.interval);
	const uint64_t *tally = interval_task(&machine.interval, &task);
	expect_ns(row, "runq", tally[places->counts[WAIT_RUNQ]], row->runq_ns);
	expect_ns(row, "preempted", tally[places->counts[WAIT_PREEMPTED]], row->preempted_ns);
	expect_ns(row, "blocked", tally[places->counts[WAIT_BLOCKED]], row->blocked_ns);
	expect_ns(row, "D", tally[places->counts[WAIT_UNINTERRUPTIBLE]], row->d_ns);
	expect_ns(row, "lifetime", tally[places->lifetime], END - BEGIN);
	expect_ns(row, "unknown", tally[places->lifetime] - tally[places->groups[WAIT_OF_QUEUES]],
		  row->unknown_ns);
	const uint64_t *cpu0 = interval_cpu(&machine.interval, 0);
	const uint64_t *cpu1 = interval_cpu(&machine.interval, 1);
	expect_ns(row, "CPU 0", cpu0[places->counts[WAIT_RUNQ]], row->runq_ns - row->cpu1_ns);
	expect_ns(row, "CPU 1", cpu1[places->counts[WAIT_RUNQ]], row->cpu1_ns);
	expect_ns(row, "known of CPUs",
		  cpu0[places->groups[WAIT_OF_QUEUES]] + cpu1[places->groups[WAIT_OF_QUEUES]],
		  (CPUS + 1) * (END - BEGIN) - row->unknown_ns);
	expect_ns(row, "blocked of a CPU", cpu0[places->groups[WAIT_OF_REST]], 0);
	check_latencies(row, tally + places->counts[WAIT_WAKEUPS]);
	close_machine(&machine);
}

static void test_wakeups(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_case(&cases[i]);
}

/*
 * A task with missing slices: the CPUs have no part of its waits, as the totals have none. Not
 * even if it waited for CPU 0, and was on CPU 1 last.
 */
static void test_missing_slices(void **state)
{
	static const struct wait_case rows[] = {
		{"one CPU", {{10000, 10000, SLICE_RUNNABLE}, {15000, 15000, SLICE_RUNS_ON}}},
		{"two CPUs",
		 {{10000, 10000, SLICE_RUNNABLE},
		  {15000, 15000, SLICE_RUNNABLE},
		  {15000, 15000, SLICE_RUNS_ON, .cpu = 1}}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct task task = {.tid = 7, .pid = 7};
		open_machine(&machine);
		size_t runq = (size_t)machine.waits.places.counts[WAIT_RUNQ];
		add_steps(&machine, &task, &rows[i]);
		machine.stub.now_ns = END;
		waits_end(&machine.waits);
		interval_task(&machine.interval, &task);
		machine.interval.coverage[0].gaps = true;
		interval_set_wall(&machine.interval, END - BEGIN);
		waits_cut(&machine.waits, &machine.interval);
		expect_ns(&rows[i], "runq", machine.interval.totals[runq], 0);
		expect_ns(&rows[i], "CPU 0", interval_cpu(&machine.interval, 0)[runq], 0);
		expect_ns(&rows[i], "CPU 1", interval_cpu(&machine.interval, 1)[runq], 0);
		close_machine(&machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wakeups),
		cmocka_unit_test(test_missing_slices),
	};

	return cmocka_run_group_tests_name("wakeups", tests, NULL, NULL);
}
