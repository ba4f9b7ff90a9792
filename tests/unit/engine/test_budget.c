// SPDX-License-Identifier: MIT
/*
 * Counting that would cost more of a CPU than its budget: the figures must agree with the fake
 * kernel, conserve, be marked as scaled, and be exact again when the storm is over.
 */
#include "core/engine/engine.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOTE "Counted part of the time"

/* A switch costs 0.125 us here: the time of one read on the fake kernel's clock. */
struct storm_case {
	const char *name;
	struct fk_config machine;
	uint64_t every_ns; /* a switch on CPU 0, between tasks 50 and 51 */
	double budget_percent;
	const char *events; /* NULL: the default preset */
	bool windows;
	double tolerance; /* of a task's CPU time and counts, in all intervals together */
};

#define MANY                                                                                   \
	"cycles,instructions,branches,branch-misses,cache-references,cache-misses,bus-cycles," \
	"ref-cycles,stalled-cycles-backend,stalled-cycles-frontend"

static const struct storm_case storms[] = {
	{"no budget", {.cpus = 2}, 20 * NS_PER_US, 0, NULL, false, 0.001},
	{"a large one", {.cpus = 2}, 20 * NS_PER_US, 50, NULL, false, 0.001},
	{"a third of the time", {.cpus = 2}, 20 * NS_PER_US, 0.4, NULL, true, 0.02},
	{"a twentieth", {.cpus = 2}, 20 * NS_PER_US, 0.06, NULL, true, 0.02},
	{"one CPU", {.cpus = 1}, 20 * NS_PER_US, 0.2, NULL, true, 0.02},
	{"no PMU", {.cpus = 2, .no_pmu = true}, 20 * NS_PER_US, 0.2, NULL, true, 0.02},
	{"groups in turns", {.cpus = 2}, 20 * NS_PER_US, 0.4, MANY, true, 0.03},
};

enum { STORM_INTERVALS = 10 };

static void add_pair(struct fk *fk)
{
	fk_task(fk, &(struct fk_spec){.tid = 50, .comm = "ping", .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = 51, .comm = "pong", .rates = FULL_IPC});
}

static void add_storm(struct fk *fk, const struct storm_case *this)
{
	add_pair(fk);
	fk_ping_pong(fk, 0, 50, 51, this->every_ns, 100000000);
	if (this->machine.cpus < 2)
		return;
	fk_task(fk, &(struct fk_spec){.tid = 60, .comm = "alone", .rates = HALF_IPC});
	fk_switch(fk, 1, 60);
}

static void expect_near(const char *what, double value, double truth, double tolerance)
{
	if (fabs(value / truth - 1) > tolerance)
		fail_msg("%s: %.0f of %.0f", what, value, truth);
}

static void test_storm(void **state)
{
	const struct storm_case *this = *state;
	static const struct {
		const char *event;
		enum fk_event truth;
		bool needs_pmu;
	} kinds[] = {{"task-clock", FK_TASK_CLOCK, false},
		     {"context-switches", FK_SWITCHES, false},
		     {"cycles", FK_CYCLES, true},
		     {"instructions", FK_INSTRUCTIONS, true}};
	double counted[ARRAY_SIZE(kinds)][2] = {0};
	uint64_t before[ARRAY_SIZE(kinds)][2];
	struct fk *fk = fk_new(&this->machine);
	struct sys sys = fk_sys(fk);

	add_storm(fk, this);
	struct engine *engine = open_events(&sys, this->events, this->budget_percent);
	snapshot_free(nth_snapshot(engine, fk, 2));
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		for (pid_t t = 0; t < 2; t++)
			before[k][t] = fk_truth_task(fk, 50 + t, kinds[k].truth);
	for (int n = 0; n < STORM_INTERVALS; n++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
			for (pid_t t = 0; t < 2; t++) {
				if (kinds[k].needs_pmu && this->machine.no_pmu)
					continue;
				struct figure found =
					event_figure(snapshot, 50 + t, kinds[k].event);
				counted[k][t] += found.value;
				bool scaled = this->windows || (kinds[k].needs_pmu && this->events);
				assert_int_equal(found.state,
						 scaled ? FIGURE_SCALED : FIGURE_VALID);
			}
		/* The other CPU is counted in full. */
		if (this->machine.cpus > 1) {
			struct figure alone_ns = event_figure(snapshot, 60, "task-clock");
			assert_int_equal(alone_ns.state, FIGURE_VALID);
			expect_near("alone", alone_ns.value, INTERVAL_NS, 0.02);
			if (!this->events)
				expect_near("%CPU alone",
					    task_figure(snapshot, 60, "cpu_percent").value, 100,
					    0.02);
		}
		assert_int_equal(has_note(snapshot, NOTE), this->windows);
		assert_int_equal(snapshot->windowed_cpus, this->windows);
		assert_int_equal(snapshot->lost_records, 0);
		snapshot_free(snapshot);
	}
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		for (pid_t t = 0; t < 2; t++)
			if (!kinds[k].needs_pmu || !this->machine.no_pmu)
				expect_near(kinds[k].event, counted[k][t],
					    (double)(fk_truth_task(fk, 50 + t, kinds[k].truth) -
						     before[k][t]),
					    this->tolerance);
	close_all(engine, fk);
}

/* A storm that ends: all is counted again, and exactly. */
static void test_calm(void **state)
{
	(void)state;
	static const struct storm_case storm = {.budget_percent = 0.2};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	add_pair(fk);
	fk_ping_pong(fk, 0, 50, 51, 20 * NS_PER_US, 20000);
	struct engine *engine = open_events(&sys, NULL, storm.budget_percent);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_true(has_note(snapshot, NOTE));
	snapshot_free(snapshot);
	snapshot_free(nth_snapshot(engine, fk, 2)); /* its last */
	fk_ping_pong(fk, 0, 50, 51, NS_PER_MS, 1000000);
	snapshot = nth_snapshot(engine, fk, 5);
	assert_false(has_note(snapshot, NOTE));
	snapshot_free(snapshot);
	uint64_t before = fk_truth_task(fk, 50, FK_CYCLES);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	struct figure ipc = task_figure(snapshot, 50, "ipc");
	assert_int_equal(ipc.state, FIGURE_VALID);
	assert_true(fabs(ipc.value - 0.5) < 0.0001);
	expect_near("cycles", (double)count_of(snapshot, 50, "cycles"),
		    (double)(fk_truth_task(fk, 50, FK_CYCLES) - before), 0.02);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Every 100 switches a task starts, changes its name, and ends. */
enum { LIVES_STEPS = 20000, LIVES_EVERY = 100, LIVES_FIRST = 100 };

static void add_lives(struct fk *fk)
{
	struct fk_step *steps = calloc(LIVES_STEPS + 6 * LIVES_STEPS / LIVES_EVERY, sizeof(*steps));
	pid_t child = LIVES_FIRST;
	size_t n = 0;

	assert_non_null(steps);
	for (unsigned i = 0; i < LIVES_STEPS; i++) {
		uint64_t at_ns = i * 20 * NS_PER_US;
		if (i % LIVES_EVERY) {
			steps[n++] = (struct fk_step){
				.at_ns = at_ns, .action = FK_SWITCH, .tid = 50 + (pid_t)i % 2};
			continue;
		}
		struct fk_step life[] = {
			{.action = FK_SWITCH, .tid = 50},
			{.action = FK_FORK, .tid = 50, .child = child},
			{.action = FK_SWITCH, .tid = child},
			{.action = FK_EXEC, .tid = child, .comm = "short"},
			{.action = FK_EXIT, .tid = child, .n = FK_EXIT_ZOMBIE},
			{.action = FK_SWITCH, .tid = 51},
		};
		child++;
		for (size_t k = 0; k < ARRAY_SIZE(life); k++) {
			steps[n] = life[k];
			steps[n++].at_ns = at_ns + k * 3 * NS_PER_US;
		}
	}
	fk_script(fk, steps, n);
	free(steps);
}

/* Tasks that start or change their name between two windows are known. */
static void test_lives(void **state)
{
	(void)state;
	static const struct storm_case storm = {.budget_percent = 0.2};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	size_t seen = 0;

	add_pair(fk);
	add_lives(fk);
	struct engine *engine = open_events(&sys, NULL, storm.budget_percent);
	snapshot_free(nth_snapshot(engine, fk, 2));
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_true(has_note(snapshot, NOTE));
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];
		if (row->tid < LIVES_FIRST)
			continue;
		assert_string_equal(row->comm, "short");
		assert_int_equal(row->ppid, 50);
		/* It ran, and has ended. */
		struct figure switches = task_figure(snapshot, row->tid, "cs_per_s");
		if (switches.state == FIGURE_VALID && switches.value == 0)
			fail_msg("%d has no switches", (int)row->tid);
		seen++;
	}
	snapshot_free(snapshot);
	assert_in_range(seen, 1, 50);
	close_all(engine, fk);
}

/*
 * A task of the CPU that is counted in whole, 70, also runs for moments on the other one: 15 us in
 * an interval, next to nothing of it in windows. Its time is right, but not its switches. Later it
 * does not, which its slices prove.
 */
static void test_moments(void **state)
{
	(void)state;
	static const struct storm_case storm = {
		.machine = {.cpus = 2}, .every_ns = 20 * NS_PER_US, .budget_percent = 0.2};
	enum {
		MOMENTS = 60,
		WHOLE_FROM = 40, /* from then on there alone */
		EVERY_NS = 20 * NS_PER_MS,
		LASTS_NS = 3 * NS_PER_US
	};
	static struct fk_step steps[MOMENTS * 2];
	struct fk *fk = fk_new(&storm.machine);
	struct sys sys = fk_sys(fk);
	unsigned exact = 0;

	add_pair(fk);
	fk_ping_pong(fk, 0, 50, 51, storm.every_ns, 100000000);
	fk_task(fk, &(struct fk_spec){.tid = 70, .comm = "moments", .rates = HALF_IPC});
	for (unsigned i = 0; i < MOMENTS; i++) {
		uint64_t at_ns = (i + 1) * EVERY_NS + i % 7 * NS_PER_MS + 5 * NS_PER_US;
		struct fk_step *moment = &steps[i * 2];
		int cpu = i % 5 == 0 || i >= WHOLE_FROM;
		moment[0] = (struct fk_step){
			.at_ns = at_ns, .action = FK_SWITCH, .cpu = cpu, .tid = 70};
		moment[1] = (struct fk_step){.at_ns = at_ns + LASTS_NS,
					     .action = FK_SWITCH,
					     .cpu = cpu,
					     .tid = cpu ? 0 : 50};
	}
	fk_script(fk, steps, ARRAY_SIZE(steps));
	struct engine *engine = open_events(&sys, NULL, storm.budget_percent);
	snapshot_free(nth_snapshot(engine, fk, 3));
	for (int n = 0; n < STORM_INTERVALS - 2; n++) {
		uint64_t before = fk_truth_task(fk, 70, FK_SWITCHES);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		uint64_t truth = fk_truth_task(fk, 70, FK_SWITCHES) - before;
		assert_true(has_note(snapshot, NOTE));
		struct figure found = event_figure(snapshot, 70, "context-switches");
		if (found.state == FIGURE_VALID) {
			exact++;
			assert_in_range((uint64_t)found.value + 1, truth, truth + 2);
		}
		snapshot_free(snapshot);
	}
	assert_true(exact > 0);
	close_all(engine, fk);
}

/* The CPU that is counted in windows goes off and comes back. */
static void test_hotplug(void **state)
{
	(void)state;
	static const struct storm_case storm = {
		.machine = {.cpus = 2}, .every_ns = 20 * NS_PER_US, .budget_percent = 0.2};
	struct fk *fk = fk_new(&storm.machine);
	struct sys sys = fk_sys(fk);

	add_pair(fk);
	fk_ping_pong(fk, 1, 50, 51, storm.every_ns, 20000);
	struct engine *engine = open_events(&sys, NULL, storm.budget_percent);
	snapshot_free(nth_snapshot(engine, fk, 3));
	snapshot_free(nth_snapshot(engine, fk, 4)); /* the storm's last */
	fk_cpu_offline(fk, 1);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	assert_int_equal(snapshot->n_cpus, 1);
	assert_false(has_note(snapshot, NOTE));
	snapshot_free(snapshot);
	fk_cpu_online(fk, 1);
	fk_task(fk, &(struct fk_spec){.tid = 70, .comm = "next", .rates = HALF_IPC});
	fk_switch(fk, 1, 70);
	snapshot = nth_snapshot(engine, fk, 6);
	assert_int_equal(task_figure(snapshot, 70, "ipc").state, FIGURE_VALID);
	expect_near("%CPU", task_figure(snapshot, 70, "cpu_percent").value, 100, 0.05);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * Some records of windows are lost too. Then their counts are marked as too low, or unattributed,
 * and never invented.
 */
static void test_lost(void **state)
{
	(void)state;
	static const struct storm_case storm = {
		.machine = {.cpus = 1}, .every_ns = 20 * NS_PER_US, .budget_percent = 0.4};
	enum { LOSSES = 500, LOST_MOST = 20 };
	static struct fk_step steps[LOSSES];
	struct fk *fk = fk_new(&storm.machine);
	struct sys sys = fk_sys(fk);
	uint64_t lost = 0, before[2];
	double counted[2] = {0};

	for (unsigned i = 0; i < LOSSES; i++)
		steps[i] = (struct fk_step){.at_ns = i * 7777 * NS_PER_US,
					    .action = FK_LOSE,
					    .n = 1 + i * 7 % LOST_MOST};
	add_storm(fk, &storm);
	fk_script(fk, steps, LOSSES);
	struct engine *engine = open_events(&sys, NULL, storm.budget_percent);
	snapshot_free(nth_snapshot(engine, fk, 2));
	for (pid_t t = 0; t < 2; t++)
		before[t] = fk_truth_task(fk, 50 + t, FK_TASK_CLOCK);
	for (int n = 0; n < STORM_INTERVALS; n++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_true(has_note(snapshot, NOTE));
		bool marked = false;
		for (pid_t t = 0; t < 2; t++)
			counted[t] += event_figure(snapshot, 50 + t, "task-clock").value;
		for (size_t i = 0; i < snapshot->threads.n; i++)
			marked |= snapshot->threads.items[i].flags & ROW_LOST;
		assert_int_equal(marked, snapshot->lost_records > 0);
		lost += snapshot->lost_records;
		snapshot_free(snapshot);
	}
	assert_true(lost > LOST_MOST);
	for (pid_t t = 0; t < 2; t++) {
		double truth = (double)(fk_truth_task(fk, 50 + t, FK_TASK_CLOCK) - before[t]);
		assert_in_range((uint64_t)counted[t], (uint64_t)(0.85 * truth),
				(uint64_t)(1.02 * truth));
	}
	close_all(engine, fk);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_calm),    cmocka_unit_test(test_lives),
		cmocka_unit_test(test_moments), cmocka_unit_test(test_hotplug),
		cmocka_unit_test(test_lost),
	};
	static const struct cases table = CASES(test_storm, storms);

	return cases_run("budget", &table, 1, others, ARRAY_SIZE(others));
}
