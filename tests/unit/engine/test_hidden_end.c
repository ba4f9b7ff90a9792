// SPDX-License-Identifier: MIT
/*
 * Some tasks leave their CPU without a record. If no other record comes until the end of a refresh,
 * the last one names a task that does not run any more. Each figure is right or marked.
 */
#include "core/base/figure_mark.h"
#include "core/sys/proc.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"

#include <math.h>

enum {
	LOOP = 60,   /* runs on CPU 1, if nothing else does */
	WAITER = 80, /* waits for a CPU */
	HIDDEN = 70, /* 70 and 71 leave CPU 1 without a record */
	REFRESHES = 6,
	STEPS = 6,
};
#define OFF_MOST 0.02 /* of the interval */

static const pid_t tids[] = {LOOP, HIDDEN, HIDDEN + 1};

struct hidden_case {
	const char *name;
	bool idle;                   /* the idle task of CPU 1 leaves without a record, too */
	bool known;                  /* CPU 1 had such a switch two refreshes before */
	struct fk_step steps[STEPS]; /* on CPU 1, in each refresh from the second on */
	size_t n;
	bool exact; /* from the third refresh on LOOP has no mark */
};

static const struct fk_step visit[] = {
	{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
	{21 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = LOOP},
};

static const struct hidden_case hidden_cases[] = {
	{"a task goes to sleep",
	 .steps = {{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		   {21 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = LOOP}},
	 .n = 2, .exact = true},
	{"a task goes to sleep, and another one comes that is not reported either", .known = true,
	 .steps = {{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		   {21 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN + 1},
		   {105 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = LOOP}},
	 .n = 3},
	{"a task is preempted by one that is not reported either", .known = true,
	 .steps = {{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		   {21 * NS_PER_MS, FK_BLOCK, .tid = HIDDEN, .n = FK_PREEMPTED},
		   {21 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN + 1},
		   {105 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = LOOP}},
	 .n = 4},
	{"two tasks that are not reported run one after the other", .known = true,
	 .steps = {{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		   {50 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN + 1},
		   {80 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = LOOP}},
	 .n = 3},
	{"a task goes to sleep, and the CPU is idle, for the first time", .idle = true,
	 .steps = {{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		   {21 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 0}},
	 .n = 2},
	{"a task goes to sleep, and the CPU is idle", .idle = true, .known = true,
	 .steps = {{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		   {21 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 0},
		   {105 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = LOOP}},
	 .n = 3},
};

struct run {
	const struct hidden_case *this;
	struct fk *fk;
	struct sys sys;
	struct engine *engine;
	uint64_t now_ns, task_ns[ARRAY_SIZE(tids)], idle_ns;
	bool marked;   /* LOOP, in the last refresh */
	bool untraced; /* switches have no state, and do not name the next task */
	bool before;   /* HIDDEN runs on CPU 1 when the engine is opened */
};

/* The busy time of CPU 1 is right, or marked. */
static void check_cpu(const struct run *run, const struct snapshot *snapshot, int refresh,
		      double truth)
{
	int index = columns_metric(snapshot->columns, "cpu_percent");
	struct figure busy = snapshot->cpus[1].figures[index];

	if (busy.state == FIGURE_VALID && fabs(busy.value - truth) > 100 * OFF_MOST)
		fail_msg("%s: refresh %d has %.1f for CPU 1, not %.1f", run->this->name, refresh,
			 busy.value, truth);
}

/* Each figure is right, or a lower bound. */
static void check_refresh(struct run *run, int refresh)
{
	uint64_t deadline_ns = fk_now(run->fk) + INTERVAL_NS, before_ns = run->now_ns;

	while (engine_wait(run->engine, deadline_ns) != 0)
		;
	run->now_ns = fk_now(run->fk);
	double truth[ARRAY_SIZE(tids)], wall_ns = (double)(run->now_ns - before_ns);
	uint64_t idle_ns = fk_truth_idle(run->fk, 1, FK_TASK_CLOCK);
	double busy = 100 - 100 * (double)(idle_ns - run->idle_ns) / wall_ns;
	run->idle_ns = idle_ns;
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		uint64_t ns = fk_truth_task(run->fk, tids[i], FK_TASK_CLOCK);
		truth[i] = 100 * (double)(ns - run->task_ns[i]) / wall_ns;
		run->task_ns[i] = ns;
	}
	struct snapshot *snapshot = engine_snapshot(run->engine);
	assert_true(snapshot_conserves(snapshot, NULL));
	if (before_ns)
		check_cpu(run, snapshot, refresh, busy);
	for (size_t i = 0; before_ns && i < ARRAY_SIZE(tids); i++) {
		struct figure cpu = task_figure(snapshot, tids[i], "cpu_percent");
		bool exact = cpu.state == FIGURE_VALID;
		bool high = cpu.value > truth[i] + 100 * OFF_MOST;
		bool low = cpu.value < truth[i] - 100 * OFF_MOST;

		if (figure_known(cpu) && (high || (exact && low)))
			fail_msg("%s: refresh %d has %s%.1f for %d, not %.1f", run->this->name,
				 refresh, exact ? "" : "?", cpu.value, (int)tids[i], truth[i]);
		if (tids[i] == LOOP)
			run->marked = !exact;
	}
	snapshot_free(snapshot);
}

static const struct engine_config with_idle = {.idle = true};

static void run_open(struct run *run, bool silent_idle, const struct engine_config *config)
{
	run->fk = fk_new(&(struct fk_config){
		.cpus = 2, .tracefs = run->untraced ? FK_TRACEFS_NONE : FK_TRACEFS_MOUNTED});
	run->sys = fk_sys(run->fk);
	fk_silent_idle(run->fk, 1, silent_idle);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		fk_task(run->fk, &(struct fk_spec){.tid = tids[i],
						   .rates = HALF_IPC,
						   .unreported = tids[i] != LOOP});
	fk_task(run->fk, &(struct fk_spec){.tid = WAITER});
	fk_switch(run->fk, 1, LOOP);
	if (run->before)
		fk_switch(run->fk, 1, HIDDEN);
	run->engine = open_engine_with(&run->sys, config);
}

static void test_hidden_end(void **state)
{
	struct run run = {.this = *state};

	run_open(&run, run.this->idle, &with_idle);
	check_refresh(&run, 0);
	for (int i = 0; run.this->known && i < 2; i++) {
		fk_script(run.fk, visit, ARRAY_SIZE(visit));
		check_refresh(&run, 0);
	}
	for (int i = 1; i < REFRESHES; i++) {
		fk_script(run.fk, run.this->steps, run.this->n);
		check_refresh(&run, i);
		if (i > 2 && run.this->exact)
			assert_false(run.marked);
	}
	close_all(run.engine, run.fk);
}

/* Where all switches have records, no tick is armed for the end of a refresh. */
static void test_no_tick_if_nothing_is_hidden(void **state)
{
	struct run run = {.this = &(struct hidden_case){.name = "nothing is hidden"}};

	(void)state;
	run_open(&run, false, &with_idle);
	fk_switch(run.fk, 1, 0);
	fk_switch(run.fk, 1, LOOP);
	check_refresh(&run, 0);
	unsigned calls = fk_calls(run.fk, FK_PERF_IOCTL);
	for (int i = 1; i < REFRESHES; i++) {
		check_refresh(&run, i);
		assert_false(run.marked);
	}
	assert_int_equal(fk_calls(run.fk, FK_PERF_IOCTL), calls);
	close_all(run.engine, run.fk);
}

static const struct preset states = {
	.name = "states",
	.metrics = (const char *const[]){"cpu_percent", "state", "runq_percent", NULL},
};

/* When tasks run without a record: in which refreshes, before pmctop begins (and in the first). */
static const struct state_case {
	const char *name;
	bool even, odd, before;
	unsigned end_ms; /* LOOP, or the idle task, comes back then; 0: at once */
	bool idle;       /* the idle task of CPU 1 does, and leaves without a record, too */
	bool alone;      /* one of them runs */
} state_cases[] = {
	{"states, from the second refresh on", .odd = true},
	{"states, from the first refresh on", .even = true},
	{"states, in each refresh", .even = true, .odd = true},
	{"states, one runs when pmctop begins", .before = true},
	{"states, one runs when pmctop begins and others later", .before = true, .even = true},
	{"states, one sleeps and the CPU is idle", .even = true, .idle = true, .alone = true},
	{"states, one sleeps late and the CPU is idle", .even = true, .idle = true, .alone = true,
	 .end_ms = 90},
	{"states, one sleeps just before the end", .even = true, .idle = true, .alone = true,
	 .end_ms = 99},
	{"states, two sleep and the CPU is idle", .even = true, .idle = true},
	{"states, one runs when pmctop begins, and the CPU is idle", .before = true, .idle = true},
	{"states, one runs to the end, nearly", .even = true, .odd = true, .end_ms = 99},
};

/* Tasks that went to sleep without a record are not shown as running. */
static void check_states(const struct state_case *this, bool untraced)
{
	static const struct engine_config config = {.idle = true, .preset = &states};
	const uint64_t second_ns = 20 * NS_PER_MS + 200 * NS_PER_US;
	const uint64_t end_ns =
		this->end_ms ? this->end_ms * NS_PER_MS : second_ns + 200 * NS_PER_US;
	const pid_t last = this->idle ? 0 : LOOP;
	const struct fk_step steps[] = {
		{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		{this->alone ? 20 * NS_PER_MS : second_ns, FK_SWITCH, .cpu = 1,
		 .tid = HIDDEN + !this->alone},
		{end_ns, FK_SWITCH, .cpu = 1, .tid = last},
		{170 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = LOOP},
	};
	struct run run = {.this = &(struct hidden_case){.name = "states"},
			  .before = this->before,
			  .untraced = untraced};

	run_open(&run, this->idle, &config);
	if (this->before)
		fk_script(run.fk, &steps[2], 2);
	for (int i = 0; i < REFRESHES; i++) {
		if (i % 2 ? this->odd : this->even)
			fk_script(run.fk, steps, ARRAY_SIZE(steps));
		struct snapshot *snapshot = next_snapshot(run.engine, run.fk, INTERVAL_NS);
		for (size_t k = 0; k < ARRAY_SIZE(tids); k++) {
			struct figure found = task_figure(snapshot, tids[k], "state");
			struct proc_stat stat;

			assert_int_equal(proc_thread_brief(&run.sys, tids[k], tids[k], &stat), 0);
			if (found.state == FIGURE_VALID &&
			    (int)found.value != proc_state_activity(stat.state))
				fail_msg("refresh %d: %d is not in state %d, but %c", i,
					 (int)tids[k], (int)found.value, stat.state);
		}
		snapshot_free(snapshot);
	}
	close_all(run.engine, run.fk);
}

static void test_states(void **state)
{
	check_states(*state, false);
	check_states(*state, true);
}

/*
 * Nor are they counted as runnable: a task that waits for a CPU since its wake-up is searched for
 * if the kernel has more runnable threads than the records.
 */
static void test_waits(void **state)
{
	static const struct engine_column column = {
		.kind = ENGINE_EVENTS,
		.text = "blocked_time,runq_time",
	};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1, .idle = true};
	const struct fk_step hides[] = {
		{20 * NS_PER_MS, FK_BLOCK, .tid = LOOP, .n = FK_PREEMPTED},
		{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		{20 * NS_PER_MS + 20 * NS_PER_US, FK_SWITCH, .cpu = 1, .tid = HIDDEN + 1},
		{20 * NS_PER_MS + 40 * NS_PER_US, FK_SWITCH, .cpu = 1, .tid = LOOP},
	};
	const struct fk_step waits[] = {
		{10 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = WAITER},
		{15 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 0},
		{50 * NS_PER_MS, FK_READY, .tid = WAITER},
	};
	struct run run = {.this = &(struct hidden_case){.name = "waits"}};

	(void)state;
	run_open(&run, false, &config);
	for (int i = 0; i < 3; i++) {
		fk_script(run.fk, hides, ARRAY_SIZE(hides));
		if (i == 2)
			fk_script(run.fk, waits, ARRAY_SIZE(waits));
		struct snapshot *snapshot = next_snapshot(run.engine, run.fk, INTERVAL_NS);
		struct figure blocked = event_figure(snapshot, WAITER, "blocked_time");
		/* 10 ms before its slice, and 35 ms up to its wake-up. */
		if (i == 2 && (blocked.state == FIGURE_VALID || blocked.value > 46e6))
			fail_msg("blocked_time is %s%.0f", figure_state_name(blocked.state),
				 blocked.value);
		snapshot_free(snapshot);
	}
	close_all(run.engine, run.fk);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_no_tick_if_nothing_is_hidden),
		cmocka_unit_test(test_waits),
	};
	static const struct cases tables[] = {
		CASES(test_hidden_end, hidden_cases),
		CASES(test_states, state_cases),
	};

	return cases_run("hidden ends", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
