// SPDX-License-Identifier: MIT
/*
 * Times of tasks that have no record in a refresh, and lower bounds: schedstat that counts a sleep
 * as a wait, and waits across the end of a refresh.
 */
#include "tests/unit/shared/engine_run.h"

#include "core/base/figure_mark.h"

#include <math.h>
#include <stdio.h>

enum { TASK = 7, HOG = 8, REFRESHES = 4, STEPS_MAX = 8 };

static const struct engine_column shown = {
	.kind = ENGINE_EVENTS,
	.text = "runq_time,blocked_time,uninterruptible_time,stopped_time",
};

static struct engine *open_for_task(const struct sys *sys, bool idle)
{
	static const pid_t pid = TASK;
	struct engine_config config = {
		.preset = &preset_none,
		.columns = &shown,
		.n_columns = 1,
		.idle = idle,
	};

	if (!idle)
		config.target = (struct target_spec){.pids = &pid, .n_pids = 1};
	return open_engine_with(sys, &config);
}

static double ms_of(const struct snapshot *snapshot, pid_t tid, const char *event)
{
	struct figure figure = event_figure(snapshot, tid, event);

	return figure_known(figure) ? figure.value / 1e6 : (double)NAN;
}

static double exact_ms(const struct snapshot *snapshot, pid_t tid, const char *event)
{
	return event_figure(snapshot, tid, event).state == FIGURE_VALID
		       ? ms_of(snapshot, tid, event)
		       : (double)NAN;
}

static const struct fk_step block_in_d = {.action = FK_BLOCK, .tid = TASK, .n = FK_UNINTERRUPTIBLE};
static const struct fk_step block_stopped = {.action = FK_BLOCK, .tid = TASK, .n = FK_STOPPED};

/* A task that does not run while pmctop does. */
static void test_without_a_record(void **state)
{
	static const struct {
		const char *name;
		const struct fk_step *block;
		bool queued;
		double runq, blocked, d, stopped; /* parts of the refresh */
	} rows[] = {
		{"asleep", NULL, false, 0, 1, 0, 0},
		{"uninterruptible", &block_in_d, false, 0, 1, 1, 0},
		{"stopped", &block_stopped, false, 0, 1, 0, 1},
		{"in a run queue", NULL, true, 1, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		size_t at = i / 2;
		struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_SWITCHES});
		struct sys sys = fk_sys(fk);

		fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "still"});
		fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
		fk_switch(fk, 0, TASK);
		fk_advance(fk, NS_PER_MS);
		if (rows[at].block)
			fk_block(fk, TASK, (enum fk_state)rows[at].block->n);
		fk_switch(fk, 0, HOG);
		fk_advance(fk, NS_PER_MS);
		if (rows[at].queued)
			fk_ready(fk, TASK);
		struct engine *engine = open_for_task(&sys, i % 2);
		for (unsigned k = 0; k < REFRESHES; k++) {
			struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
			double ms = (double)snapshot->interval_ns / 1e6;
			const double figures[] = {
				exact_ms(snapshot, TASK, "runq_time") - ms * rows[at].runq,
				exact_ms(snapshot, TASK, "blocked_time") - ms * rows[at].blocked,
				exact_ms(snapshot, TASK, "uninterruptible_time") - ms * rows[at].d,
				exact_ms(snapshot, TASK, "stopped_time") - ms * rows[at].stopped,
			};
			/* When pmctop begins, nothing tells since when it is runnable. */
			bool unknown = rows[at].queued && (k == 0 || i % 2);
			for (size_t n = 0; !unknown && k > 0 && n < ARRAY_SIZE(figures); n++)
				if (!(fabs(figures[n]) < ms / 1000))
					fail_msg("%s, %s, refresh %u: figure %zu is off by %.3f ms",
						 rows[at].name, i % 2 ? "-i" : "-p", k, n,
						 figures[n]);
			/* Never a false figure. */
			double runq = exact_ms(snapshot, TASK, "runq_time");
			if (rows[at].queued && runq < ms * 0.99)
				fail_msg("refresh %u: runq_time is %.3f ms", k, runq);
			snapshot_free(snapshot);
		}
		close_all(engine, fk);
	}
}

/* What the task does, in ms since the engine was opened. Refreshes are of 100 ms. */
struct bound_step {
	unsigned at_ms;
	enum { NOTHING, SLEEP, SLEEP_IDLE, MOVE, MOVE_BACK, WAKE, RUN, RUN_ON_1 } what;
};

static void do_step(struct fk *fk, void *arg)
{
	const struct bound_step *step = arg;

	switch (step->what) {
	case NOTHING:
		break;
	case SLEEP:
	case SLEEP_IDLE: /* its CPU has nothing else to run */
		fk_switch(fk, 0, step->what == SLEEP ? HOG : 0);
		break;
	case MOVE:
	case MOVE_BACK:
		fk_move_asleep(fk, TASK, step->what == MOVE ? 0 : 2);
		break;
	case WAKE:
		fk_ready(fk, TASK);
		break;
	case RUN:
	case RUN_ON_1:
		fk_switch(fk, step->what == RUN ? 0 : 1, TASK);
		break;
	}
}

/*
 * Every figure is true. A marked figure is at most the true one. If wake-ups have
 * records, all are exact.
 */
static void test_bounds(void **state)
{
	static const struct {
		const char *name;
		struct bound_step steps[STEPS_MAX];
		unsigned exact; /* least number of refreshes with an exact runq_time */
	} rows[] = {
		{"a sleep across three refreshes that the kernel counts as a wait",
		 {{10, SLEEP}, {12, MOVE}, {380, WAKE}, {381, RUN_ON_1}},
		 4},
		{"the same within a refresh",
		 {{110, SLEEP}, {112, MOVE}, {180, WAKE}, {181, RUN_ON_1}},
		 4},
		{"... and back on its CPU",
		 {{110, SLEEP}, {112, MOVE_BACK}, {180, WAKE}, {181, RUN}},
		 4},
		{"a wait across the end of a refresh", {{150, SLEEP}, {186, WAKE}, {230, RUN}}, 5},
		{"a long wait across two ends", {{150, SLEEP}, {186, WAKE}, {330, RUN}}, 5},
		{"a wait that ends within the refresh", {{110, SLEEP}, {150, WAKE}, {170, RUN}}, 4},
		{"a wake-up on another CPU", {{110, SLEEP_IDLE}, {150, WAKE}, {170, RUN_ON_1}}, 5},
	};
	enum { N = 6 };

	(void)state;
	for (size_t k = 0; k < 2 * ARRAY_SIZE(rows); k++) {
		size_t i = k / 2;
		bool wakeups = k % 2;
		struct fk *fk = fk_new(&(struct fk_config){
			.cpus = 2, .tracefs = wakeups ? FK_TRACEFS_MOUNTED : FK_TRACEFS_SWITCHES});
		struct sys sys = fk_sys(fk);
		unsigned exact = 0;
		uint64_t before_ns = 0;

		fk_file(fk, "/proc/sys/kernel/osrelease", "6.18.0\n");
		fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "napper"});
		fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
		fk_switch(fk, 0, TASK);
		struct engine *engine = open_for_task(&sys, false);
		for (const struct bound_step *step = rows[i].steps; step->at_ms; step++)
			fk_after(fk, step->at_ms * NS_PER_MS, do_step, (void *)(uintptr_t)step);
		for (unsigned refresh = 0; refresh < N; refresh++) {
			struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
			uint64_t now_ns = fk_truth_state(fk, TASK, FK_WOKEN);
			struct figure figure = event_figure(snapshot, TASK, "runq_time");
			double off = figure.value - (double)(now_ns - before_ns);
			before_ns = now_ns;
			exact += figure.state == FIGURE_VALID;
			if ((figure.state == FIGURE_VALID && fabs(off) > 200e3) ||
			    (figure_known(figure) && off > 200e3))
				fail_msg("%s: refresh %u: runq_time is %.0f, off by %.0f",
					 rows[i].name, refresh, figure.value, off);
			snapshot_free(snapshot);
		}
		if (exact < (wakeups ? N : rows[i].exact))
			fail_msg("%s%s: only %u figures are exact", rows[i].name,
				 wakeups ? ", by wake-ups" : "", exact);
		close_all(engine, fk);
	}
}

static const struct engine_column exit_events = {
	.kind = ENGINE_EVENTS,
	.text = "task-clock,runq_time,preempted_time,blocked_time",
};

/*
 * A task is preempted after its EXIT, and waits across the end of a refresh for its last slice. It
 * lives until then.
 */
static void test_preempted_after_its_exit(void **state)
{
	static const enum fk_exit hows[] = {FK_EXIT_THREAD, FK_EXIT_REAPED, FK_EXIT_ZOMBIE};
	static const struct engine_config config = {
		.preset = &preset_none,
		.columns = &exit_events,
		.n_columns = 1,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hows); i++) {
		const struct fk_step steps[] = {
			{80 * NS_PER_MS, FK_SWITCH, .tid = TASK},
			{90 * NS_PER_MS, FK_EXIT, .tid = TASK, .n = hows[i]},
			{91 * NS_PER_MS, FK_BLOCK, .tid = TASK, .n = FK_PREEMPTED},
			{91 * NS_PER_MS, FK_SWITCH, .tid = HOG},
			{330 * NS_PER_MS, FK_SWITCH, .tid = TASK},
			{332 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		};
		struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_SWITCHES});
		struct sys sys = fk_sys(fk);
		uint64_t waited_ns = 0, ran_ns = 0;

		fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "ends"});
		fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
		fk_switch(fk, 0, HOG);
		struct engine *engine = open_engine_with(&sys, &config);
		fk_script(fk, steps, ARRAY_SIZE(steps));
		for (unsigned k = 0; k < REFRESHES; k++) {
			struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
			uint64_t waits_ns = fk_truth_state(fk, TASK, FK_PREEMPTED);
			uint64_t runs_ns = fk_truth_state(fk, TASK, FK_RUNNING);
			double waited = ms_of(snapshot, TASK, "preempted_time");
			double ran = ms_of(snapshot, TASK, "task-clock");
			double off = waited - (double)(waits_ns - waited_ns) / 1e6;

			if (!(fabs(off) < 0.1) ||
			    !(fabs(ran - (double)(runs_ns - ran_ns) / 1e6) < 0.1))
				fail_msg("%zu, refresh %u: %.3f ms, off by %.3f; ran %.3f", i, k,
					 waited, off, ran);
			waited_ns = waits_ns;
			ran_ns = runs_ns;
			snapshot_free(snapshot);
		}
		close_all(engine, fk);
	}
}

/*
 * The same within a refresh, without the tracepoint: after an EXIT the records have no number of
 * the task any more. It is not known that it was not preempted.
 */
static void test_preempted_after_its_exit_untraced(void **state)
{
	enum { OTHER = 60 };
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &exit_events, .n_columns = 1};
	const struct fk_step steps[] = {
		{40 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		{50 * NS_PER_MS, FK_EXIT, .tid = TASK, .n = FK_EXIT_THREAD},
		{51 * NS_PER_MS, FK_BLOCK, .tid = TASK, .n = FK_PREEMPTED},
		{51 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		{80 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		{82 * NS_PER_MS, FK_SWITCH, .tid = HOG},
	};

	(void)state;
	for (int hides = 0; hides < 2; hides++) {
		struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
		struct sys sys = fk_sys(fk);

		fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "ends"});
		fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
		fk_switch(fk, 0, HOG);
		if (hides) { /* then there are SWITCH records */
			fk_task(fk, &(struct fk_spec){.tid = OTHER, .comm = "other"});
			fk_ping_pong(fk, 1, OTHER, 0, 3 * NS_PER_MS, 300);
			fk_silent_idle(fk, 1, true);
		}
		struct engine *engine = open_engine_with(&sys, &config);
		snapshot_free(nth_snapshot(engine, fk, 3));
		fk_script(fk, steps, ARRAY_SIZE(steps));
		struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
		struct figure figure = event_figure(snapshot, TASK, "preempted_time");
		if (figure.state == FIGURE_VALID || figure.value > 29.1e6)
			fail_msg("hides %d: preempted_time is %s %.0f", hides,
				 figure_state_name(figure.state), figure.value);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

static void wake_while_it_runs(struct fk *fk, void *arg)
{
	(void)arg;
	fk_wake_running(fk, 0, TASK);
}

/*
 * With records of wake-ups: a task is woken just before it goes to sleep, which is no wake-up or a
 * very early one. It sleeps, and is runnable again only after the end of the refresh, when pmctop
 * still reads the counters of a CPU that is late.
 */
static void test_woken_after_the_end(void **state)
{
	static const struct engine_column column = {.kind = ENGINE_EVENTS,
						    .text = "runq_time,blocked_time,wakeups"};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	const struct fk_step steps[] = {
		{50 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = HOG},
		{102 * NS_PER_MS, FK_READY, .tid = TASK},
	};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "sleeps"});
	fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
	fk_switch(fk, 0, TASK);
	struct engine *engine = open_engine_with(&sys, &config);
	snapshot_free(next_snapshot(engine, fk, 100 * NS_PER_MS));
	fk_answer_late(fk, 1, 5 * NS_PER_MS);
	fk_after(fk, 50 * NS_PER_MS - 20 * NS_PER_US, wake_while_it_runs, NULL);
	fk_script(fk, steps, ARRAY_SIZE(steps));
	struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
	struct figure runq = event_figure(snapshot, TASK, "runq_time");
	struct figure blocked = event_figure(snapshot, TASK, "blocked_time");
	if (!(runq.value < 1e6) || (blocked.state == FIGURE_VALID && blocked.value < 49e6))
		fail_msg("runq_time %.0f, blocked_time %.0f", runq.value, blocked.value);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * Where switches are hidden, so are wake-ups. A wake-up just before a task leaves its CPU is then
 * no proof that it was runnable from there on: the one that ended its sleep may have no record.
 */
static void test_hidden_wakeup(void **state)
{
	static const struct engine_column column = {.kind = ENGINE_EVENTS,
						    .text = "runq_time,blocked_time,wakeups"};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	const struct fk_step hides[] = {
		{10 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HOG},
		{15 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 0},
		{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HOG},
		{25 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 0},
	};
	/* CPUs wake up in turn, and CPU 1 has no record of it. */
	const struct fk_step steps[] = {
		{30 * NS_PER_MS, FK_READY, .tid = HOG},
		{30 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 0},
		{80 * NS_PER_MS, FK_READY, .tid = TASK},
		{81 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = TASK},
	};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_silent_idle(fk, 1, true);
	fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "sleeps"});
	fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
	fk_switch(fk, 0, TASK);
	struct engine *engine = open_engine_with(&sys, &config);
	for (unsigned k = 0; k < 3; k++) {
		fk_script(fk, hides, ARRAY_SIZE(hides));
		snapshot_free(next_snapshot(engine, fk, 100 * NS_PER_MS));
	}
	fk_after(fk, 30 * NS_PER_MS - 20 * NS_PER_US, wake_while_it_runs, NULL);
	fk_script(fk, steps, ARRAY_SIZE(steps));
	struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
	struct figure runq = event_figure(snapshot, TASK, "runq_time");
	if (runq.state == FIGURE_VALID || runq.value > 1.1e6)
		fail_msg("runq_time is %s %.0f", figure_state_name(runq.state), runq.value);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * A task of which the kernel hides switches is woken up without a record, and waits for the rest of
 * the refresh. Another one left its CPU without a record, so the threads that run by the records
 * are as many as the kernel's runnable ones. Its state in /proc shows whether it waits or sleeps.
 */
static void test_hidden_sleeper(void **state)
{
	enum { OTHER = 60, HIDDEN, WAITS };
	static const struct engine_column column = {.kind = ENGINE_EVENTS,
						    .text = "runq_time,blocked_time"};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	const struct fk_step usual[] = {
		{5 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = OTHER},
		{8 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = WAITS},
		{12 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = OTHER},
		{15 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		{30 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 0},
	};
	const struct fk_step wakes = {40 * NS_PER_MS, FK_READY, .tid = WAITS};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_silent_idle(fk, 1, true);
	fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
	fk_task(fk, &(struct fk_spec){.tid = OTHER, .comm = "other"});
	fk_task(fk, &(struct fk_spec){.tid = HIDDEN, .comm = "hidden", .unreported = true});
	fk_task(fk, &(struct fk_spec){.tid = WAITS, .comm = "waits", .unreported = true});
	fk_switch(fk, 0, HOG);
	struct engine *engine = open_engine_with(&sys, &config);
	for (unsigned k = 0; k < 8; k++) {
		bool waits = k % 2 && k > 2;

		fk_script(fk, usual, ARRAY_SIZE(usual));
		if (waits)
			fk_script(fk, &wakes, 1);
		struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
		if (k > 3) { /* it is known to be such a task */
			struct figure blocked = event_figure(snapshot, WAITS, "blocked_time");
			bool wrong = waits ? blocked.value > 40e6 : !(blocked.value > 60e6);
			if (wrong)
				fail_msg("refresh %u: blocked_time is %s %.0f", k,
					 figure_state_name(blocked.state), blocked.value);
		}
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/*
 * Tasks that run at the end of a refresh are the kernel's runnable threads. So none of the others
 * waits for a CPU, and a task without a record was blocked. One that waits unseen is in doubt, and
 * so are they all.
 */
static void test_all_runnable_tasks_are_known(void **state)
{
	enum { ME = 9, OTHER = 10 };
	const struct fk_step steps[] = {
		{10 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = OTHER},
		{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 0},
		{90 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = ME},
		{104 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 0},
	};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .tracefs = FK_TRACEFS_SWITCHES});
	struct sys sys = fk_sys(fk);

	(void)state;
	for (pid_t tid = TASK; tid <= OTHER; tid++)
		fk_task(fk, &(struct fk_spec){.tid = tid});
	fk_switch(fk, 0, HOG);
	fk_self_task(fk, ME);
	struct engine *engine = open_for_task(&sys, true);
	for (unsigned k = 0; k < 2 * REFRESHES; k++) {
		bool waits = k >= REFRESHES;

		fk_script(fk, steps, ARRAY_SIZE(steps));
		if (waits) {
			const struct fk_step wakes = {60 * NS_PER_MS, FK_READY, .tid = OTHER};
			fk_script(fk, &wakes, 1);
		}
		struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
		double ms = (double)snapshot->interval_ns / 1e6;
		double still = exact_ms(snapshot, TASK, "blocked_time");
		double other = exact_ms(snapshot, OTHER, "blocked_time");
		if (k > 1 && !waits && !(still > ms - 0.1 && other > ms - 10.2))
			fail_msg("refresh %u: blocked for %.3f and %.3f ms", k, still, other);
		if (waits && (still > 0 || other > ms - 40))
			fail_msg("refresh %u: blocked for %.3f and %.3f ms, exact", k, still,
				 other);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/*
 * A task waits for a CPU by its last record. The switches with which it runs and goes to sleep are
 * lost: its wait is a lower bound, and no more than it was.
 */
static void test_waits_over_a_loss(void **state)
{
	enum { OTHER = 10 };
	const struct fk_step steps[] = {
		{10 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		{20 * NS_PER_MS, FK_BLOCK, .tid = TASK, .n = FK_PREEMPTED},
		{20 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		{24 * NS_PER_MS, FK_LOSE, .n = 3},
		{25 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		{30 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		{35 * NS_PER_MS, FK_SWITCH, .tid = OTHER},
		{40 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		{45 * NS_PER_MS, FK_SWITCH, .tid = OTHER},
		{50 * NS_PER_MS, FK_SWITCH, .tid = HOG},
	};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &exit_events, .n_columns = 1, .idle = true};
	struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_SWITCHES});
	struct sys sys = fk_sys(fk);

	(void)state;
	for (pid_t tid = TASK; tid <= OTHER; tid++)
		fk_task(fk, &(struct fk_spec){.tid = tid});
	fk_switch(fk, 0, HOG);
	struct engine *engine = open_engine_with(&sys, &config);
	snapshot_free(next_snapshot(engine, fk, 100 * NS_PER_MS));
	fk_script(fk, steps, ARRAY_SIZE(steps));
	struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
	struct figure waited = event_figure(snapshot, TASK, "preempted_time");
	assert_int_not_equal(waited.state, FIGURE_VALID);
	if (figure_known(waited) && waited.value > 5.1e6)
		fail_msg("preempted_time is ?%.0f", waited.value);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * Waits before, after and over a gap, with and without records of wake-ups. A bound is at most the
 * true time, and at least what the records outside of the gap prove.
 */
static void test_bounds_over_gaps(void **state)
{
	enum { OTHER = 10, GAP_STEPS = 12 };
	static const struct {
		const char *name;
		struct fk_step steps[GAP_STEPS];
		double preempted, runq[2], blocked[2]; /* least ms; [1]: with wake-ups */
	} rows[] = {
		{"waits before and after it",
		 {{5 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		  {10 * NS_PER_MS, FK_BLOCK, .tid = TASK, .n = FK_PREEMPTED},
		  {10 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {20 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		  {25 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {30 * NS_PER_MS, FK_LOSE, .n = 2},
		  {31 * NS_PER_MS, FK_SWITCH, .tid = OTHER},
		  {40 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {45 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		  {60 * NS_PER_MS, FK_BLOCK, .tid = TASK, .n = FK_PREEMPTED},
		  {60 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {85 * NS_PER_MS, FK_SWITCH, .tid = TASK}},
		 35,
		 {35, 35},
		 {0, 0}},
		{"a wait in which it has run, and slept",
		 {{10 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		  {20 * NS_PER_MS, FK_BLOCK, .tid = TASK, .n = FK_PREEMPTED},
		  {20 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {24 * NS_PER_MS, FK_LOSE, .n = 3},
		  {25 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		  {30 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {35 * NS_PER_MS, FK_SWITCH, .tid = OTHER},
		  {40 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {80 * NS_PER_MS, FK_READY, .tid = TASK},
		  {82 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		  {90 * NS_PER_MS, FK_SWITCH, .tid = HOG}},
		 0,
		 {0, 0},
		 {0, 0}},
		{"a sleep, and its wake-up after it",
		 {{5 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		  {10 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {30 * NS_PER_MS, FK_SWITCH, .tid = OTHER},
		  {32 * NS_PER_MS, FK_LOSE, .n = 2},
		  {33 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {35 * NS_PER_MS, FK_SWITCH, .tid = OTHER},
		  {40 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {70 * NS_PER_MS, FK_READY, .tid = TASK},
		  {80 * NS_PER_MS, FK_SWITCH, .tid = TASK}},
		 0,
		 {10, 10},
		 {10, 20}},
		{"a sleep, in which it has run, and waited",
		 {{5 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		  {10 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {30 * NS_PER_MS, FK_SWITCH, .tid = OTHER},
		  {32 * NS_PER_MS, FK_LOSE, .n = 2},
		  {33 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		  {35 * NS_PER_MS, FK_BLOCK, .tid = TASK, .n = FK_PREEMPTED},
		  {35 * NS_PER_MS, FK_SWITCH, .tid = OTHER},
		  {40 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		  {80 * NS_PER_MS, FK_SWITCH, .tid = TASK}},
		 0,
		 {0, 0},
		 {0, 0}},
	};
	/* Its schedstat is read at the end. */
	static const struct fk_step before[] = {
		{20 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		{30 * NS_PER_MS, FK_SWITCH, .tid = HOG},
	};
	static const struct engine_column columns[] = {
		{.kind = ENGINE_EVENTS, .text = "runq_time,preempted_time,blocked_time"},
		{.kind = ENGINE_EVENTS, .text = "runq_time,preempted_time,blocked_time,wakeups"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		size_t at = i / 2, wakeups = i % 2;
		const struct engine_config config = {.preset = &preset_none,
						     .columns = &columns[wakeups],
						     .n_columns = 1,
						     .idle = true};
		struct fk *fk = fk_new(&(struct fk_config){
			.tracefs = wakeups ? FK_TRACEFS_MOUNTED : FK_TRACEFS_SWITCHES});
		struct sys sys = fk_sys(fk);
		uint64_t before_ns[FK_STATES], ns[FK_STATES];

		for (pid_t tid = TASK; tid <= OTHER; tid++)
			fk_task(fk, &(struct fk_spec){.tid = tid});
		fk_switch(fk, 0, HOG);
		struct engine *engine = open_engine_with(&sys, &config);
		fk_script(fk, before, ARRAY_SIZE(before));
		snapshot_free(next_snapshot(engine, fk, 100 * NS_PER_MS));
		for (unsigned k = 0; k < FK_STATES; k++)
			before_ns[k] = fk_truth_state(fk, TASK, (enum fk_state)k);
		fk_script(fk, rows[at].steps, GAP_STEPS);
		struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
		for (unsigned k = 0; k < FK_STATES; k++)
			ns[k] = fk_truth_state(fk, TASK, (enum fk_state)k) - before_ns[k];
		const struct {
			const char *event;
			double least, most;
		} wants[] = {
			{"preempted_time", rows[at].preempted, (double)ns[FK_PREEMPTED]},
			{"runq_time", rows[at].runq[wakeups],
			 (double)(ns[FK_PREEMPTED] + ns[FK_WOKEN])},
			{"blocked_time", rows[at].blocked[wakeups], (double)ns[FK_SLEEPING]},
		};
		for (size_t k = 0; k < ARRAY_SIZE(wants); k++) {
			struct figure figure = event_figure(snapshot, TASK, wants[k].event);
			double ms = figure_known(figure) ? figure.value / 1e6 : 0;

			if (figure.state == FIGURE_VALID || ms > wants[k].most / 1e6 + 0.1 ||
			    ms < wants[k].least - 0.1)
				fail_msg("%s, %zu: %s is %s %.3f, not %.3f to %.3f", rows[at].name,
					 wakeups, wants[k].event, figure_state_name(figure.state),
					 ms, wants[k].least, wants[k].most / 1e6);
		}
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/*
 * A task that began while pmctop runs has run, and sleeps while records of others are lost. It is
 * no new task then, which waits for a CPU since its FORK. `wakeups`: they have records.
 */
static void test_asleep_over_a_loss(void **state)
{
	enum { PARENT = 9, CHILD = 10 };
	static const struct engine_column columns[] = {
		{.kind = ENGINE_EVENTS, .text = "runq_time,blocked_time"},
		{.kind = ENGINE_EVENTS, .text = "wakeups"},
	};
	const struct fk_step born[] = {
		{10 * NS_PER_MS, FK_SWITCH, .tid = PARENT},
		{11 * NS_PER_MS, FK_FORK, .tid = PARENT, .child = CHILD},
		{12 * NS_PER_MS, FK_SWITCH, .tid = CHILD},
		{13 * NS_PER_MS, FK_SWITCH, .tid = HOG},
	};
	const struct fk_step lost[] = {
		{24 * NS_PER_MS, FK_LOSE, .n = 2},       {25 * NS_PER_MS, FK_SWITCH, .tid = PARENT},
		{30 * NS_PER_MS, FK_SWITCH, .tid = HOG}, {35 * NS_PER_MS, FK_SWITCH, .tid = PARENT},
		{40 * NS_PER_MS, FK_SWITCH, .tid = HOG},
	};
	const struct fk_step runs[] = {
		{60 * NS_PER_MS, FK_READY, .tid = CHILD},
		{63 * NS_PER_MS, FK_SWITCH, .tid = CHILD},
		{65 * NS_PER_MS, FK_SWITCH, .tid = HOG},
	};

	(void)state;
	for (size_t wakeups = 0; wakeups < 2; wakeups++) {
		const struct engine_config config = {
			.preset = &preset_none, .columns = columns, .n_columns = 1 + wakeups};
		struct fk *fk = fk_new(&(struct fk_config){
			.tracefs = wakeups ? FK_TRACEFS_MOUNTED : FK_TRACEFS_SWITCHES});
		struct sys sys = fk_sys(fk);

		fk_task(fk, &(struct fk_spec){.tid = PARENT, .comm = "parent"});
		fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
		fk_switch(fk, 0, HOG);
		struct engine *engine = open_engine_with(&sys, &config);
		fk_script(fk, born, ARRAY_SIZE(born));
		snapshot_free(next_snapshot(engine, fk, 100 * NS_PER_MS));
		fk_script(fk, lost, ARRAY_SIZE(lost));
		snapshot_free(next_snapshot(engine, fk, 100 * NS_PER_MS));
		for (unsigned k = 0; k < 2; k++) {
			fk_script(fk, runs, ARRAY_SIZE(runs));
			struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
			struct figure runq = event_figure(snapshot, CHILD, "runq_time");
			struct figure blocked = event_figure(snapshot, CHILD, "blocked_time");
			bool exact = runq.state == FIGURE_VALID && blocked.state == FIGURE_VALID;
			if (runq.value > 3.1e6 || (k == 1 && !exact) ||
			    (exact && !(runq.value > 2.9e6 && blocked.value > 94.5e6)))
				fail_msg("wakeups %zu, refresh %u: runq %s %.0f, blocked %s %.0f",
					 wakeups, k, figure_state_name(runq.state), runq.value,
					 figure_state_name(blocked.state), blocked.value);
			snapshot_free(snapshot);
		}
		close_all(engine, fk);
	}
}

/* What a task does around the end of a refresh of 100 ms, in ms; `later`: in steps of 0.5 ms. */
struct edge_step {
	unsigned at_ms;
	enum { AT_SLEEP = 1, AT_WAKE, AT_RUN, AT_PREEMPT, AT_MOVE, AT_RUN_ON_1, AT_EXIT } what;
	bool later;
};

static void do_edge_step(struct fk *fk, void *arg)
{
	const struct edge_step *step = arg;

	switch (step->what) {
	case AT_PREEMPT:
		fk_block(fk, TASK, FK_PREEMPTED);
		fk_switch(fk, 0, HOG);
		break;
	case AT_SLEEP:
		fk_switch(fk, 0, HOG);
		break;
	case AT_WAKE:
		fk_ready(fk, TASK);
		break;
	case AT_MOVE:
		fk_move_queued(fk, TASK, 1);
		break;
	case AT_RUN:
	case AT_RUN_ON_1:
		fk_switch(fk, step->what == AT_RUN ? 0 : 1, TASK);
		break;
	case AT_EXIT:
		fk_exit(fk, TASK, FK_EXIT_REAPED);
		fk_switch(fk, 1, 0);
		break;
	}
}

/* How long the task was in a run queue between two times, by its steps. */
static double edge_waits(const struct edge_step *steps, uint64_t open_ns, uint64_t shift_ns,
			 uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t since_ns = 0, ns = 0;

	for (const struct edge_step *step = steps; step->what; step++) {
		uint64_t at_ns = open_ns + step->at_ms * NS_PER_MS + (step->later ? shift_ns : 0);
		bool runs = step->what == AT_RUN || step->what == AT_RUN_ON_1;
		if (step->what == AT_WAKE || step->what == AT_PREEMPT)
			since_ns = at_ns;
		if (runs && u64_min(at_ns, end_ns) > begin_ns)
			ns += u64_growth(since_ns > begin_ns ? since_ns : begin_ns,
					 u64_min(at_ns, end_ns));
		since_ns = runs ? 0 : since_ns;
	}
	return (double)ns;
}

/*
 * Files take a while before the end of a refresh, and after it, where a CPU answers late, too. The
 * task is woken up, runs, is preempted, moved or ends meanwhile.
 */
static size_t check_edge(const char *name, const struct edge_step *steps, unsigned later)
{
	enum { WAITER = 9, N = 5, LATE_MS = 8 };
	const uint64_t shift_ns = later * NS_PER_MS / 2;
	struct fk *fk = fk_new(&(struct fk_config){
		.cpus = 2, .tracefs = FK_TRACEFS_SWITCHES, .file_ns = 3 * NS_PER_MS});
	struct sys sys = fk_sys(fk);
	size_t exact = 0;

	fk_file(fk, "/proc/sys/kernel/osrelease", "6.1.0\n");
	for (pid_t tid = TASK; tid <= WAITER; tid++)
		fk_task(fk, &(struct fk_spec){.tid = tid});
	fk_switch(fk, 0, TASK);
	fk_ready(fk, WAITER);
	struct engine *engine = open_for_task(&sys, false);
	const uint64_t open_ns = fk_now(fk);
	uint64_t before_ns = open_ns;
	fk_answer_late(fk, 1, LATE_MS * NS_PER_MS);
	for (const struct edge_step *step = steps; step->what; step++)
		fk_after(fk, step->at_ms * NS_PER_MS + (step->later ? shift_ns : 0), do_edge_step,
			 (void *)(uintptr_t)step);
	for (unsigned k = 0; k < N; k++) {
		engine_wait(engine, open_ns + (k + 1) * 100 * NS_PER_MS);
		fk_asked_late_ns(fk);
		struct snapshot *snapshot = engine_snapshot(engine);
		const uint64_t end_ns = fk_asked_late_ns(fk);
		struct figure runq = {0};
		if (row_of(snapshot, TASK))
			runq = event_figure(snapshot, TASK, "runq_time");
		double waited = edge_waits(steps, open_ns, shift_ns, before_ns, end_ns);
		bool valid = runq.state == FIGURE_VALID;
		exact += valid && k > 0;
		if ((figure_known(runq) && runq.value > waited + 1.1e6) ||
		    (valid && runq.value < waited - 1.1e6))
			fail_msg("%s, %u, refresh %u: runq_time is %s %.0f, not %.0f", name, later,
				 k, figure_state_name(runq.state), runq.value, waited);
		before_ns = end_ns;
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
	return exact;
}

static void test_edges(void **state)
{
	static const struct {
		const char *name;
		struct edge_step steps[STEPS_MAX];
		size_t exact; /* figures of the 40 * 4, at least */
	} rows[] = {
		{"woken while /proc is searched",
		 {{10, AT_SLEEP}, {190, AT_WAKE, true}, {240, AT_RUN}, {250, AT_SLEEP}},
		 120},
		{"runs, is preempted and runs again before its number is read",
		 {{10, AT_SLEEP},
		  {130, AT_WAKE},
		  {140, AT_RUN},
		  {195, AT_PREEMPT, true},
		  {198, AT_RUN, true},
		  {250, AT_SLEEP}},
		 140},
		{"gets a CPU before its number is read",
		 {{10, AT_SLEEP}, {180, AT_WAKE}, {195, AT_RUN, true}, {250, AT_SLEEP}},
		 140},
		{"moved to another run queue",
		 {{10, AT_SLEEP},
		  {170, AT_WAKE},
		  {172, AT_RUN},
		  {175, AT_PREEMPT},
		  {190, AT_MOVE, true},
		  {240, AT_RUN_ON_1},
		  {250, AT_SLEEP}},
		 120},
		{"ends right after the refresh",
		 {{10, AT_SLEEP}, {150, AT_WAKE}, {195, AT_RUN_ON_1, true}, {196, AT_EXIT, true}},
		 120},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t exact = 0;
		for (unsigned later = 0; later < 40; later++)
			exact += check_edge(rows[i].name, rows[i].steps, later);
		if (exact < rows[i].exact)
			fail_msg("%s: only %zu are exact", rows[i].name, exact);
	}
}

/*
 * A thread forks a process and ends. The process is the main thread's then, which has no record: it
 * sleeps.
 */
static void test_forks_of_an_ended_thread(void **state)
{
	enum { THREAD = 9, CHILD = 10 };
	static const struct engine_column column = {.kind = ENGINE_EVENTS,
						    .text = "runq_time,blocked_time,forks"};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	const struct fk_step steps[] = {
		{10 * NS_PER_MS, FK_SWITCH, .tid = THREAD},
		{11 * NS_PER_MS, FK_FORK, .tid = THREAD, .child = CHILD},
		{12 * NS_PER_MS, FK_EXIT, .tid = THREAD, .n = FK_EXIT_THREAD},
		{12 * NS_PER_MS, FK_SWITCH, .tid = CHILD},
		{20 * NS_PER_MS, FK_SWITCH, .tid = HOG},
	};
	struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_SWITCHES});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "main"});
	fk_task(fk, &(struct fk_spec){.tid = THREAD, .pid = TASK, .comm = "thread"});
	fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
	fk_switch(fk, 0, HOG);
	struct engine *engine = open_engine_with(&sys, &config);
	snapshot_free(next_snapshot(engine, fk, 100 * NS_PER_MS));
	fk_script(fk, steps, ARRAY_SIZE(steps));
	struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
	assert_true(event_figure(snapshot, TASK, "forks").value > 0);
	struct figure blocked = event_figure(snapshot, TASK, "blocked_time");
	if (blocked.value < 99e6)
		fail_msg("blocked_time is %s %.0f", figure_state_name(blocked.state),
			 blocked.value);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * A task that was preempted before pmctop began, and gets no CPU, has no record. Whether it waits
 * is not known, so it is not known either that it was not preempted.
 */
static void test_preempted_before(void **state)
{
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &exit_events, .n_columns = 1, .idle = true};
	struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_SWITCHES});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "starves"});
	fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
	fk_switch(fk, 0, TASK);
	fk_advance(fk, NS_PER_MS);
	fk_block(fk, TASK, FK_PREEMPTED);
	fk_switch(fk, 0, HOG);
	struct engine *engine = open_engine_with(&sys, &config);
	for (unsigned k = 0; k < REFRESHES; k++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
		struct figure figure = event_figure(snapshot, TASK, "preempted_time");
		if (figure.state == FIGURE_VALID && figure.value < 99e6)
			fail_msg("refresh %u: preempted_time is %.0f", k, figure.value);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* The kernel's number lacks even the waits that have records: it proves nothing. */
static void test_number_without_waits(void **state)
{
	const struct fk_step steps[] = {
		{10 * NS_PER_MS, FK_READY, .tid = TASK},
		{30 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		{40 * NS_PER_MS, FK_BLOCK, .tid = TASK, .n = FK_PREEMPTED},
		{40 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		{70 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		{80 * NS_PER_MS, FK_SWITCH, .tid = HOG},
	};
	struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_SWITCHES});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "waits"});
	fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
	fk_file(fk, "/proc/7/task/7/schedstat", "1000 1000 5\n");
	fk_switch(fk, 0, HOG);
	struct engine *engine = open_for_task(&sys, false);
	for (unsigned k = 0; k < REFRESHES; k++) {
		fk_script(fk, steps, ARRAY_SIZE(steps));
		struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
		struct figure runq = event_figure(snapshot, TASK, "runq_time");
		if (runq.state == FIGURE_VALID || runq.value > 50.1e6)
			fail_msg("refresh %u: runq_time is %s %.0f", k,
				 figure_state_name(runq.state), runq.value);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/*
 * The kernel's number had a slice, and the wait before it, when the record of the slice was not
 * written yet. The next growth has neither.
 */
static void test_number_before_the_record(void **state)
{
	static const struct fk_step steps[2][7] = {
		{{50 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		 {90 * NS_PER_MS, FK_BLOCK, .tid = TASK, .n = FK_PREEMPTED},
		 {90 * NS_PER_MS, FK_SWITCH, .tid = HOG}},
		{{1 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		 {10 * NS_PER_MS, FK_SWITCH, .tid = HOG},
		 {50 * NS_PER_MS, FK_READY, .tid = TASK},
		 {70 * NS_PER_MS, FK_SWITCH, .tid = TASK},
		 {80 * NS_PER_MS, FK_SWITCH, .tid = HOG}},
	};
	static const size_t n_steps[2] = {3, 5};
	/* Waits of 11 and 20 ms. */
	static const char *const numbers[3] = {"1000000 0 5\n", "1000000 11000000 7\n",
					       "1000000 31000000 8\n"};
	struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_SWITCHES});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = TASK, .comm = "waits"});
	fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
	fk_switch(fk, 0, TASK);
	fk_file(fk, "/proc/7/task/7/schedstat", numbers[0]);
	struct engine *engine = open_for_task(&sys, false);
	fk_switch(fk, 0, HOG);
	snapshot_free(next_snapshot(engine, fk, 100 * NS_PER_MS));
	for (unsigned k = 0; k < 2; k++) {
		fk_script(fk, steps[k], n_steps[k]);
		fk_file(fk, "/proc/7/task/7/schedstat", numbers[k + 1]);
		struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
		struct figure runq = event_figure(snapshot, TASK, "runq_time");
		struct figure blocked = event_figure(snapshot, TASK, "blocked_time");
		print_message("refresh %u: runq %s %.0f, blocked %s %.0f\n", k,
			      figure_state_name(runq.state), runq.value,
			      figure_state_name(blocked.state), blocked.value);
		/* The second one: 1 and 20 ms, and 40 and 20 ms. */
		if (k == 1 && (runq.value > 21.1e6 || blocked.value > 60.1e6 ||
			       (runq.state == FIGURE_VALID && runq.value < 20.9e6)))
			fail_msg("runq_time is %s %.0f, blocked_time %s %.0f",
				 figure_state_name(runq.state), runq.value,
				 figure_state_name(blocked.state), blocked.value);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_record),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_preempted_after_its_exit),
		cmocka_unit_test(test_preempted_after_its_exit_untraced),
		cmocka_unit_test(test_woken_after_the_end),
		cmocka_unit_test(test_hidden_wakeup),
		cmocka_unit_test(test_hidden_sleeper),
		cmocka_unit_test(test_all_runnable_tasks_are_known),
		cmocka_unit_test(test_waits_over_a_loss),
		cmocka_unit_test(test_bounds_over_gaps),
		cmocka_unit_test(test_asleep_over_a_loss),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_forks_of_an_ended_thread),
		cmocka_unit_test(test_preempted_before),
		cmocka_unit_test(test_number_without_waits),
		cmocka_unit_test(test_number_before_the_record),
	};

	return cmocka_run_group_tests_name("wait bounds", tests, NULL, NULL);
}
