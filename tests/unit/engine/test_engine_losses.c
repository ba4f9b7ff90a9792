// SPDX-License-Identifier: MIT
/*
 * After a loss each task that may have run unseen is marked in that refresh: records were lost, the
 * counters were taken, a CPU came online. The marks are gone in the next one, and tasks whose time
 * elsewhere is proof have none.
 */
#include "core/base/figure_mark.h"
#include "core/sys/proc.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"

#include <math.h>

enum {
	PAIR = 50,    /* 50 and 51 give CPU 0 to each other */
	LOOP = 60,    /* never leaves CPU 1 */
	MOVED = 70,   /* runs on CPU 2 and, in the middle of the refresh, on CPU 0 */
	BRIEF = 71,   /* runs on CPU 2 for a moment */
	SLEEPER = 80, /* does not run */
};
#define OFF_MOST 0.02 /* of the interval */

static const pid_t tids[] = {PAIR, PAIR + 1, LOOP, MOVED, BRIEF, SLEEPER};
#define ALL ((1u << ARRAY_SIZE(tids)) - 1)

struct loss_case {
	const char *name;
	struct fk_step trouble[2]; /* between 20 and 80 ms of the interval */
};

static const struct loss_case losses[] = {
	{
		"lost records",
		{{25 * NS_PER_MS, FK_LOSE, .cpu = 0, .n = 20},
		 {50 * NS_PER_MS, FK_LOSE, .cpu = 0, .n = 20}},
	},
	{"counters taken",
	 {{25 * NS_PER_MS, FK_HOLD, .cpu = 0, .n = FK_HOLD_ALL},
	  {75 * NS_PER_MS, FK_HOLD, .cpu = 0}}},
	{"throttled",
	 {{25 * NS_PER_MS, FK_THROTTLE, .cpu = 0, .n = true},
	  {75 * NS_PER_MS, FK_THROTTLE, .cpu = 0}}},
};

struct run {
	struct fk *fk;
	struct sys sys;
	struct engine *engine;
	uint64_t now_ns, task_ns[ARRAY_SIZE(tids)];
};

static void run_open(struct run *run, const struct engine_config *config, unsigned cpus)
{
	run->fk = fk_new(&(struct fk_config){.cpus = cpus, .tracefs = FK_TRACEFS_MOUNTED});
	run->sys = fk_sys(run->fk);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		fk_task(run->fk, &(struct fk_spec){.tid = tids[i], .rates = HALF_IPC});
	fk_switch(run->fk, 1, LOOP);
	run->engine = open_engine_with(&run->sys, config);
	snapshot_free(nth_snapshot(run->engine, run->fk, 2));
	run->now_ns = fk_now(run->fk);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		run->task_ns[i] = fk_truth_task(run->fk, tids[i], FK_TASK_CLOCK);
}

/* Each figure is right or a lower bound. Returns the marked tasks, as bits. */
static unsigned check_refresh(struct run *run)
{
	uint64_t deadline_ns = fk_now(run->fk) + INTERVAL_NS, before_ns = run->now_ns;
	unsigned marked = 0;

	while (engine_wait(run->engine, deadline_ns) != 0)
		;
	run->now_ns = fk_now(run->fk);
	double truth[ARRAY_SIZE(tids)], wall_ns = (double)(run->now_ns - before_ns);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		uint64_t ns = fk_truth_task(run->fk, tids[i], FK_TASK_CLOCK);
		truth[i] = 100 * (double)(ns - run->task_ns[i]) / wall_ns;
		run->task_ns[i] = ns;
	}
	struct snapshot *snapshot = engine_snapshot(run->engine);
	assert_true(snapshot_conserves(snapshot, NULL));
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		struct figure cpu = task_figure(snapshot, tids[i], "cpu_percent");
		struct figure cycles = event_figure(snapshot, tids[i], "cycles");
		bool exact = cpu.state == FIGURE_VALID;

		marked |= (unsigned)!exact << i;
		if (exact && fabs(cpu.value - truth[i]) > 100 * OFF_MOST)
			fail_msg("%d: %.1f, not %.1f", (int)tids[i], cpu.value, truth[i]);
		if (cpu.state == FIGURE_LOST && cpu.value > truth[i] + 100 * OFF_MOST)
			fail_msg("%d: ?%.1f, not %.1f", (int)tids[i], cpu.value, truth[i]);
		if (exact != (cycles.state == FIGURE_VALID))
			fail_msg("%d: cycles are %s", (int)tids[i],
				 figure_state_name(cycles.state));
	}
	/* The note stays only while figures depend on it. */
	if (marked == 0)
		assert_false(has_note(snapshot, "(marked ?)") || has_note(snapshot, "? marks"));
	snapshot_free(snapshot);
	return marked;
}

static unsigned bit_of(pid_t tid)
{
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		if (tids[i] == tid)
			return 1u << i;
	return 0;
}

/* What runs in a refresh on the first CPUs. If MOVED moves, it has CPU 0 from 30 to 70 ms. */
static void script(struct run *run, bool moves, int cpus)
{
	const struct fk_step steps[] = {
		{5 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = MOVED},
		{20 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = BRIEF},
		{21 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = 0},
		{30 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = MOVED},
		{80 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = MOVED},
		{90 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = 0},
	};

	for (unsigned ms = 0; ms < 100; ms++)
		if (!moves || ms < 30 || ms >= 70)
			fk_script(run->fk,
				  &(struct fk_step){ms * NS_PER_MS, FK_SWITCH, .cpu = 0,
						    .tid = PAIR + (pid_t)ms % 2},
				  1);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i].cpu < cpus && (moves || steps[i].cpu != 0))
			fk_script(run->fk, &steps[i], 1);
}

static void test_loss(void **state)
{
	static const struct engine_config config = {.idle = true};
	const struct loss_case *this = *state;
	struct run run;

	run_open(&run, &config, 3);
	script(&run, false, 3);
	assert_int_equal(check_refresh(&run), 0);
	script(&run, true, 3);
	fk_script(run.fk, this->trouble, ARRAY_SIZE(this->trouble));
	assert_int_equal(check_refresh(&run), ALL & ~bit_of(LOOP));
	script(&run, false, 3);
	assert_int_equal(check_refresh(&run), 0);
	close_all(run.engine, run.fk);
}

/* A CPU that was offline comes online in a refresh, and is counted from the end of it on. */
static void test_cpu_comes_online(void **state)
{
	static const struct engine_config config = {.idle = true};
	struct run run;

	(void)state;
	run_open(&run, &config, 3);
	fk_cpu_offline(run.fk, 2);
	for (int i = 0; i < 2; i++) {
		script(&run, false, 2);
		assert_int_equal(check_refresh(&run), 0);
	}
	const struct fk_step steps[] = {
		{7 * NS_PER_MS, FK_ONLINE, .cpu = 2},
		{8 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = MOVED},
	};
	fk_script(run.fk, steps, ARRAY_SIZE(steps));
	script(&run, false, 2);
	/* Not LOOP, which has CPU 1. */
	assert_int_equal(check_refresh(&run), ALL & ~bit_of(LOOP));
	for (int i = 0; i < 3; i++) {
		script(&run, false, 2);
		unsigned marked = check_refresh(&run);
		assert_int_equal(marked, 0);
	}
	close_all(run.engine, run.fk);
}

/* A CPU goes offline and comes back within a refresh. Its counters never count again. */
static void test_cpu_goes_and_comes(void **state)
{
	static const struct engine_config config = {.idle = true};
	struct run run;

	(void)state;
	run_open(&run, &config, 3);
	script(&run, false, 2);
	assert_int_equal(check_refresh(&run), 0);
	const struct fk_step steps[] = {
		{40 * NS_PER_MS, FK_OFFLINE, .cpu = 2},
		{45 * NS_PER_MS, FK_ONLINE, .cpu = 2},
		{50 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = MOVED},
	};
	fk_script(run.fk, steps, ARRAY_SIZE(steps));
	script(&run, false, 2);
	/* Not LOOP, which has CPU 1. */
	assert_int_equal(check_refresh(&run), ALL & ~bit_of(LOOP));
	for (int i = 0; i < 3; i++) {
		script(&run, false, 2);
		assert_int_equal(check_refresh(&run), 0);
	}
	close_all(run.engine, run.fk);
}

static const struct preset states = {
	.name = "states",
	.metrics = (const char *const[]){"cpu_percent", "state", "runq_percent", NULL},
};

static void check_state(struct run *run, char state, bool exact)
{
	struct snapshot *snapshot = next_snapshot(run->engine, run->fk, INTERVAL_NS);
	struct figure found = task_figure(snapshot, MOVED, "state");
	struct figure runq = task_figure(snapshot, MOVED, "runq_percent");

	assert_int_equal(found.state, FIGURE_VALID);
	assert_int_equal((int)found.value, proc_state_activity(state));
	assert_int_equal(figure_known(runq) && runq.state == FIGURE_VALID, exact);
	snapshot_free(snapshot);
}

/*
 * A task waits for CPU 0 by its last record. The records with which it runs and goes to sleep are
 * lost. Then it sleeps.
 */
static void test_states_end_with_the_records(void **state)
{
	static const struct engine_config config = {.idle = true, .preset = &states};
	const struct fk_step waits[] = {
		{5 * NS_PER_MS, FK_SWITCH, .tid = MOVED},
		{10 * NS_PER_MS, FK_BLOCK, .tid = MOVED, .n = FK_PREEMPTED},
		{10 * NS_PER_MS, FK_SWITCH, .tid = PAIR},
	};
	const struct fk_step sleeps[] = {
		{20 * NS_PER_MS, FK_LOSE, .n = 3},
		{25 * NS_PER_MS, FK_SWITCH, .tid = MOVED},
		{30 * NS_PER_MS, FK_SWITCH, .tid = PAIR},
		{35 * NS_PER_MS, FK_SWITCH, .tid = PAIR + 1},
		{40 * NS_PER_MS, FK_SWITCH, .tid = PAIR},
		{45 * NS_PER_MS, FK_SWITCH, .tid = PAIR + 1},
	};
	struct run run;

	(void)state;
	run_open(&run, &config, 2);
	fk_script(run.fk, waits, ARRAY_SIZE(waits));
	/* Its waits before are unknown; then it waits all the time. */
	check_state(&run, 'R', false);
	check_state(&run, 'R', true);
	fk_script(run.fk, sleeps, ARRAY_SIZE(sleeps));
	check_state(&run, 'S', false);
	check_state(&run, 'S', true);
	check_state(&run, 'S', true);
	close_all(run.engine, run.fk);
}

/*
 * Without records an idle CPU would look busy. /proc/stat has how much of that time was idle, from
 * the second such refresh on.
 */
static void test_idle_without_counters(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = LOOP, .rates = HALF_IPC});
	fk_switch(fk, 0, LOOP);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	for (int cpu = 0; cpu < 2; cpu++)
		fk_hold(fk, cpu, FK_HOLD_ALL);
	for (int i = 0; i < 5; i++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		double busy_ns = (double)snapshot->totals[TALLY_TASK_CLOCK] -
				 (double)snapshot->idle[TALLY_TASK_CLOCK];

		if (i > 0 && fabs(busy_ns / (double)snapshot->interval_ns - 1) > 0.15)
			fail_msg("refresh %d: %.2f CPUs are busy", i,
				 busy_ns / (double)snapshot->interval_ns);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

enum { STORM = 50, BESIDE = 52, WHOLE = 53, REFRESHES = 60 };
/* The first refresh shows the storm, the next has no reading before it, and half a window. */
enum { WINDOWS_SETTLE = 3 };
#define STORM_NS      (60 * NS_PER_MS)
#define STORM_EACH_NS (20 * NS_PER_US)

struct window_world {
	struct fk *fk;
	uint64_t before_ns[3];
	unsigned unseen; /* refreshes in which BESIDE ran and was not seen */
	unsigned exact;  /* figures of WHOLE and SLEEPER without a mark */
};

static void check_windows(struct window_world *world, const struct snapshot *snapshot,
			  uint64_t wall_ns)
{
	static const pid_t watched[] = {BESIDE, WHOLE, SLEEPER};

	for (size_t i = 0; i < ARRAY_SIZE(watched); i++) {
		uint64_t now_ns = fk_truth_task(world->fk, watched[i], FK_TASK_CLOCK);
		double truth = 100 * (double)(now_ns - world->before_ns[i]) / (double)wall_ns;
		struct figure cpu = task_figure(snapshot, watched[i], "cpu_percent");

		world->before_ns[i] = now_ns;
		if (snapshot->sequence == 1) /* only the engine has its beginning */
			continue;
		if (cpu.state == FIGURE_VALID && fabs(cpu.value - truth) > 100 * OFF_MOST)
			fail_msg("refresh %u: %.1f of %d, not %.1f", (unsigned)snapshot->sequence,
				 cpu.value, (int)watched[i], truth);
		if (cpu.state == FIGURE_LOST && cpu.value > truth + 1)
			fail_msg("refresh %u: ?%.1f of %d, not %.1f", (unsigned)snapshot->sequence,
				 cpu.value, (int)watched[i], truth);
		world->unseen += watched[i] == BESIDE && cpu.value < 0.1 && truth > 1;
		/* All rows are estimates where the lengths of the CPUs' intervals seem to differ.
		 */
		world->exact += watched[i] != BESIDE && cpu.state != FIGURE_LOST;
	}
}

/*
 * CPU 0 is counted in windows. A task that ran there only beside them has no exact 0, but one that
 * did not run has, and so is what ran on CPU 1 alone.
 */
static void test_windows(void **state)
{
	static const pid_t roots[] = {BESIDE, WHOLE, SLEEPER};
	static const struct engine_config config = {
		.budget_percent = 0.1, .target = {.pids = roots, .n_pids = ARRAY_SIZE(roots)}};
	struct window_world world = {.fk = fk_new(&(struct fk_config){.cpus = 2})};
	struct sys sys = fk_sys(world.fk);
	uint64_t begin_ns = fk_now(world.fk);

	(void)state;
	for (pid_t tid = STORM; tid <= WHOLE; tid++)
		fk_task(world.fk, &(struct fk_spec){.tid = tid, .rates = HALF_IPC});
	fk_task(world.fk, &(struct fk_spec){.tid = SLEEPER, .rates = HALF_IPC});
	fk_switch(world.fk, 1, SLEEPER);
	fk_advance(world.fk, NS_PER_MS);
	fk_switch(world.fk, 1, 0);
	struct engine *engine = open_engine_with(&sys, &config);
	for (unsigned i = 0; i < REFRESHES; i++) {
		const struct fk_step steps[] = {
			{10 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = WHOLE},
			{40 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 0},
			{STORM_NS + 5 * NS_PER_MS, FK_SWITCH, .tid = BESIDE},
			{STORM_NS + 10 * NS_PER_MS, FK_SWITCH, .tid = 0},
		};

		fk_ping_pong(world.fk, 0, STORM, STORM + 1, STORM_EACH_NS,
			     STORM_NS / STORM_EACH_NS);
		fk_script(world.fk, steps, ARRAY_SIZE(steps));
		struct snapshot *snapshot = next_snapshot(engine, world.fk, INTERVAL_NS);
		if (i == WINDOWS_SETTLE)
			world.exact = 0;
		check_windows(&world, snapshot, fk_now(world.fk) - begin_ns);
		begin_ns = fk_now(world.fk);
		assert_int_equal(snapshot->windowed_cpus, i > 0);
		snapshot_free(snapshot);
	}
	assert_true(world.unseen > 5);
	assert_int_equal(world.exact, 2 * (REFRESHES - WINDOWS_SETTLE));
	close_all(engine, world.fk);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_cpu_comes_online),
		cmocka_unit_test(test_cpu_goes_and_comes),
		cmocka_unit_test(test_states_end_with_the_records),
		cmocka_unit_test(test_idle_without_counters),
		cmocka_unit_test(test_windows),
	};
	static const struct cases table = CASES(test_loss, losses);

	return cases_run("losses", &table, 1, others, ARRAY_SIZE(others));
}
