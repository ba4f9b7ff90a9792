// SPDX-License-Identifier: MIT
/*
 * The figures of every refresh are right, or marked: %CPU of tasks and the length of the interval
 * against the fake kernel's truth at each cut, on machines with lost records, rivals and late CPUs.
 */
#include "tests/unit/shared/engine_run.h"

#include "core/base/figure_mark.h"

#include <math.h>

enum {
	REFRESHES = 500,
	PAIR = 50,         /* 50 and 51 give CPU 0 to each other */
	LOOP = 60,         /* never leaves its CPU */
	VISITOR = 70,      /* is on the idle CPU for a moment in every other refresh */
	TROUBLE_EACH = 50, /* refreshes from one trouble to the next */
};
#define OFF_MOST      0.02
#define STORM_EACH_NS (50 * NS_PER_US)
#define WAIT_NS       (21 * NS_PER_MS) /* for a CPU that is late */
#define THROTTLED_NS  (30 * NS_PER_MS)
#define STOPPED_NS    (1200 * NS_PER_MS)

struct world {
	const char *name;
	bool loop, pair; /* tasks that run: the pair on CPU 0, the loop on CPU 1 */
	bool no_tick;    /* of the idle CPU: it is late for every cut */
	bool silent;     /* the idle task of CPU 1 makes no records */
	bool unreported; /* neither does the second one of the pair when it goes */
	bool storm;      /* pmctop is stopped for 1.2 s now and then, and the ring overflows */
	bool lose;       /* records of CPU 0 are lost now and then */
	bool throttle;   /* groups of CPU 0 are throttled now and then, once over a cut */
	const struct fk_rival *rival;
	double marked_most; /* share of the figures of tasks on CPU 0 */
};

static const struct fk_rival with_chain = {.chain_bytes = 120};
static const struct fk_rival elsewhere = {.other_namespace = true};
static const struct fk_rival nameless = {.other_namespace = true, .without_id = true};

static const struct world worlds[] = {
	{.name = "a loop beside a pair", .loop = true, .pair = true, .marked_most = 0.01},
	{.name = "a pair and an idle CPU", .pair = true, .marked_most = 0.01},
	{.name = "an idle CPU that does not tick",
	 .pair = true,
	 .no_tick = true,
	 .marked_most = 0.01},
	{.name = "a silent idle CPU", .pair = true, .silent = true, .marked_most = 0.01},
	{.name = "beside a call chain",
	 .loop = true,
	 .pair = true,
	 .rival = &with_chain,
	 .marked_most = 0.01},
	{.name = "beside another pid namespace",
	 .loop = true,
	 .pair = true,
	 .rival = &elsewhere,
	 .marked_most = 0.01},
	{.name = "beside one there without ids",
	 .loop = true,
	 .pair = true,
	 .rival = &nameless,
	 .marked_most = 0.01},
	{.name = "a task that is not reported",
	 .pair = true,
	 .unreported = true,
	 .marked_most = 0.01},
	{.name = "lost records", .loop = true, .pair = true, .lose = true, .marked_most = 0.05},
	{.name = "a throttled group",
	 .loop = true,
	 .pair = true,
	 .throttle = true,
	 .marked_most = 0.08},
	{.name = "a storm while stopped",
	 .loop = true,
	 .pair = true,
	 .storm = true,
	 .marked_most = 0.05},
};

static const pid_t tids[] = {PAIR, PAIR + 1, LOOP};

struct run {
	const struct world *world;
	struct fk *fk;
	uint64_t now_ns, task_ns[ARRAY_SIZE(tids)]; /* the truth at the last cut */
	size_t figures, marked;                     /* of tasks on CPU 0 */
};

static double off_by(double figure, double truth)
{
	return fabs(figure - truth) / truth;
}

/* The pair gives the CPU to each other every so often, for that time from now on. */
static void go_on(struct run *run, uint64_t each_ns, uint64_t ns)
{
	if (run->world->pair)
		fk_ping_pong(run->fk, 0, PAIR, PAIR + 1, each_ns, (unsigned)(ns / each_ns));
}

static void check_row(struct run *run, const struct snapshot *snapshot, pid_t tid, double truth)
{
	if (truth < 1)
		return;
	bool there = row_of(snapshot, tid) != NULL;
	struct figure cpu = {.value = 0};
	if (there)
		cpu = task_figure(snapshot, tid, "cpu_percent");
	/* If a task has no row, the header notes that rows are too low. */
	bool marked = there ? cpu.state != FIGURE_VALID : snapshot_rows_too_low(snapshot);

	run->figures += tid != LOOP;
	run->marked += tid != LOOP && marked;
	if (marked && tid == LOOP)
		fail_msg("%s: nothing was lost on the CPU of %d", run->world->name, tid);
	if (!marked && off_by(cpu.value, truth) > OFF_MOST)
		fail_msg("%s: refresh %llu has %.1f for %d, not %.1f", run->world->name,
			 (unsigned long long)snapshot->sequence, cpu.value, tid, truth);
}

static void check_refresh(struct run *run, struct engine *engine, uint64_t delay_ns)
{
	uint64_t deadline_ns = fk_now(run->fk) + delay_ns, before_ns = run->now_ns;
	double truth[ARRAY_SIZE(tids)], wall_ns;

	while (engine_wait(engine, deadline_ns) != 0)
		;
	run->now_ns = fk_now(run->fk);
	wall_ns = (double)(run->now_ns - before_ns);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		uint64_t ns = fk_truth_task(run->fk, tids[i], FK_TASK_CLOCK);
		truth[i] = 100 * (double)(ns - run->task_ns[i]) / wall_ns;
		run->task_ns[i] = ns;
	}
	struct snapshot *snapshot = engine_snapshot(engine);
	if (before_ns == 0) { /* only the engine has the beginning of the first */
		snapshot_free(snapshot);
		return;
	}
	if (off_by((double)snapshot->interval_ns, wall_ns) > OFF_MOST)
		fail_msg("%s: refresh %llu of %.0f ns has %llu ns", run->world->name,
			 (unsigned long long)snapshot->sequence, wall_ns,
			 (unsigned long long)snapshot->interval_ns);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		check_row(run, snapshot, tids[i], truth[i]);
	snapshot_free(snapshot);
}

/* The last record of a CPU that is idle else may be old, and of any age. */
static void visit(const struct run *run, unsigned refresh, uint64_t delay_ns)
{
	uint64_t at_ns = delay_ns / 16 * (refresh % 13);

	if (run->world->loop || refresh % 2)
		return;
	fk_script(run->fk,
		  (struct fk_step[]){{at_ns, FK_SWITCH, .cpu = 1, .tid = VISITOR},
				     {at_ns + NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 0}},
		  2);
}

/* For one tick of the kernel: within a refresh, and over the end of the next but one. */
static void throttle(const struct run *run, uint64_t delay_ns)
{
	const uint64_t within_ns = delay_ns / 3, over_ns = 2 * delay_ns - THROTTLED_NS / 2;

	fk_script(run->fk,
		  (struct fk_step[]){{within_ns, FK_THROTTLE, .cpu = 0, .n = true},
				     {within_ns + THROTTLED_NS, FK_THROTTLE, .cpu = 0},
				     {over_ns, FK_THROTTLE, .cpu = 0, .n = true},
				     {over_ns + THROTTLED_NS, FK_THROTTLE, .cpu = 0}},
		  4);
}

/* What makes this refresh hard. */
static void trouble(struct run *run, unsigned refresh, uint64_t delay_ns)
{
	const struct world *world = run->world;

	if (refresh == 1 && world->rival)
		fk_rival(run->fk, world->rival);
	if (refresh % TROUBLE_EACH != TROUBLE_EACH / 2)
		return;
	if (world->lose)
		fk_lose(run->fk, 0, 5);
	if (world->throttle)
		throttle(run, delay_ns);
	if (world->storm) {
		go_on(run, STORM_EACH_NS, STOPPED_NS);
		fk_advance(run->fk, STOPPED_NS);
	}
}

static void check_world(const struct world *world, uint64_t delay_ns, enum fk_tracefs tracefs)
{
	const struct fk_config config = {.cpus = 2, .tracefs = tracefs};
	struct run run = {.world = world, .fk = fk_new(&config)};
	struct sys sys = fk_sys(run.fk);

	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		fk_task(run.fk, &(struct fk_spec){.tid = tids[i],
						  .rates = HALF_IPC,
						  .unreported = world->unreported && i == 1});
	fk_task(run.fk, &(struct fk_spec){.tid = VISITOR});
	if (world->loop)
		fk_switch(run.fk, 1, LOOP);
	fk_no_tick(run.fk, 1, world->no_tick);
	fk_silent_idle(run.fk, 1, world->silent);
	struct engine *engine = open_engine(&sys);
	go_on(&run, delay_ns / (delay_ns < NS_PER_S / 2 ? 40 : 100),
	      REFRESHES * (delay_ns + WAIT_NS + STOPPED_NS / TROUBLE_EACH));
	for (unsigned i = 0; i < REFRESHES; i++) {
		trouble(&run, i, delay_ns);
		visit(&run, i, delay_ns);
		check_refresh(&run, engine, delay_ns);
	}
	if ((double)run.marked > world->marked_most * (double)run.figures)
		fail_msg("%s: %zu of %zu figures are marked", world->name, run.marked, run.figures);
	print_message("%s: %zu of %zu figures are marked\n", world->name, run.marked, run.figures);
	engine_free(engine);
	fk_free(run.fk);
}

static void check_all(enum fk_tracefs tracefs)
{
	static const uint64_t delays_ns[] = {NS_PER_S / 10, NS_PER_S / 5, NS_PER_S / 2, NS_PER_S};

	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		for (size_t k = 0; k < ARRAY_SIZE(delays_ns); k++)
			check_world(&worlds[i], delays_ns[k], tracefs);
}

/*
 * A CPU with a late reading has a longer part of the interval, then a shorter one. A rate that
 * is off by it is marked; the same delay each time makes none.
 */
static void test_late_readings(void **state)
{
	enum { DELAY_MS = 500 };
	static const unsigned late_ms[] = {0, 0, 5, 98, 98, 98, 30, 0, 98, 10, 0};
	const struct fk_config config = {.cpus = 2};
	struct fk *fk = fk_new(&config);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (int cpu = 0; cpu < 2; cpu++) {
		fk_task(fk, &(struct fk_spec){.tid = LOOP + cpu, .rates = HALF_IPC});
		fk_switch(fk, cpu, LOOP + cpu);
	}
	struct engine *engine = open_engine(&sys);
	for (size_t i = 0; i < ARRAY_SIZE(late_ms); i++) {
		double before_ms = i ? late_ms[i - 1] : 0, now_ms = late_ms[i];
		double mean_ms = DELAY_MS + (before_ms + now_ms) / 2;

		fk_answer_late(fk, 1, late_ms[i] * NS_PER_MS);
		struct snapshot *snapshot = next_snapshot(engine, fk, DELAY_MS * NS_PER_MS);
		for (pid_t tid = LOOP; i > 0 && tid < LOOP + 2; tid++) {
			struct figure cpu = task_figure(snapshot, tid, "cpu_percent");
			bool marked = cpu.state != FIGURE_VALID;

			if (marked != (fabs(now_ms - before_ms) / 2 > OFF_MOST * mean_ms) ||
			    (!marked && off_by(cpu.value, 100) > OFF_MOST))
				fail_msg("%zu: %.1f of %d, %s", i, cpu.value, (int)tid,
					 figure_state_name(cpu.state));
			assert_int_equal(task_figure(snapshot, tid, "ipc").state, FIGURE_VALID);
		}
		snapshot_free(snapshot);
	}
	engine_free(engine);
	fk_free(fk);
}

static void test_with_the_software_event(void **state)
{
	(void)state;
	check_all(FK_TRACEFS_NONE);
}

static void test_with_the_tracepoint(void **state)
{
	(void)state;
	check_all(FK_TRACEFS_MOUNTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_readings),
		cmocka_unit_test(test_with_the_software_event),
		cmocka_unit_test(test_with_the_tracepoint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
