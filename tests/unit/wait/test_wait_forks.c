// SPDX-License-Identifier: MIT
/*
 * Forks and the CPU time of new descendants, in scenes of one CPU on the fake kernel. A scene is a
 * text of steps. Each begins with the task that the CPU switches to, which then runs for 1 ms:
 *
 *     a       runs       af:b  forks process b      at:b  starts thread b
 *     ax      exits      |     the interval ends
 *
 * The task p is older than the counting; its parent is g, and q is a second thread of p.
 */
#include "tests/fake_kernel/mixed_load.h"
#include "tests/unit/shared/engine_run.h"

#include <math.h>
#include <stdio.h>

enum {
	STEP_NS = NS_PER_MS,
	CLOCK_STEPS_NS = 20000, /* reading the fake's clock moves it */
	TICK_NS = NS_PER_MS,    /* tasks run on while the ends of the CPUs are read */
};

static const struct engine_column column = {.kind = ENGINE_EVENTS,
					    .text = "forks,forked_time,runq_time"};

static const struct {
	const char *name, *steps;
	char task;      /* the row to look at, in the last interval */
	unsigned forks; /* ... and what it is to have */
	unsigned time_ms;
	enum fk_tracefs tracefs;
} scenes[] = {
	{"no fork", "p", 'p', 0, 0, FK_TRACEFS_MOUNTED},
	{"a child runs", "pf:a a a", 'p', 1, 2, FK_TRACEFS_MOUNTED},
	{"a child has no forks", "pf:a a a p", 'a', 0, 0, FK_TRACEFS_MOUNTED},
	{"a child ends", "pf:a a ax p", 'p', 1, 2, FK_TRACEFS_MOUNTED},
	{"a child that did not run yet", "pf:a p", 'p', 1, 0, FK_TRACEFS_MOUNTED},
	{"children of children", "pf:a af:b bf:c c cx bx ax p", 'p', 3, 6, FK_TRACEFS_MOUNTED},
	{"a middle one that ended first", "pf:a af:b ax b b p", 'p', 2, 4, FK_TRACEFS_MOUNTED},
	{"two children", "pf:a pf:b a b a bx p", 'p', 2, 4, FK_TRACEFS_MOUNTED},
	{"threads of a child count as its time", "pf:a at:b b b p", 'p', 1, 3, FK_TRACEFS_MOUNTED},
	{"a thread of a child forks", "pf:a at:b bf:c c p", 'p', 2, 3, FK_TRACEFS_MOUNTED},
	{"an own new thread is no fork", "pt:a a p", 'p', 0, 0, FK_TRACEFS_MOUNTED},
	{"a new thread forks: the thread has it", "pt:a af:b b p", 'a', 1, 1, FK_TRACEFS_MOUNTED},
	{"... and if it ended, its main thread", "pt:a af:b ax b p", 'p', 1, 1, FK_TRACEFS_MOUNTED},
	{"an old thread forks", "qf:a a p q", 'q', 1, 1, FK_TRACEFS_MOUNTED},
	{"... not its main thread", "qf:a a p q", 'p', 0, 0, FK_TRACEFS_MOUNTED},
	{"... or if it ended, though that did not run", "qf:a a qx a g", 'p', 1, 2,
	 FK_TRACEFS_MOUNTED},
	{"a child of an earlier interval", "pf:a a | a p", 'p', 0, 0, FK_TRACEFS_MOUNTED},
	{"... has its own children", "pf:a a | af:b b ax p", 'p', 1, 1, FK_TRACEFS_MOUNTED},
	{"... as long as it lives", "pf:a a | af:b b a", 'a', 1, 1, FK_TRACEFS_MOUNTED},
	{"a parent that ended: its own parent", "pf:a a | pf:b b px b g", 'g', 1, 2,
	 FK_TRACEFS_MOUNTED},
	{"a fork per interval", "pf:a a ax | pf:b b b bx p", 'p', 1, 3, FK_TRACEFS_MOUNTED},
	{"without prev_state", "pf:a af:b bx a ax p", 'p', 2, 4, FK_TRACEFS_NONE},
};

static pid_t tid_of(char letter)
{
	return 100 + letter - 'a';
}

static void run_step(struct fk *fk, const char *step, pid_t *running)
{
	pid_t tid = tid_of(step[0]);

	if (*running != tid)
		fk_switch(fk, 0, tid);
	*running = tid;
	if (step[1] == 'f')
		fk_fork(fk, tid, tid_of(step[3]));
	if (step[1] == 't')
		fk_thread(fk, tid, tid_of(step[3]));
	fk_advance(fk, STEP_NS);
	if (step[1] == 'x')
		fk_exit(fk, tid, FK_EXIT_ZOMBIE);
}

/* Runs the steps. Returns the snapshot of the last interval, which the caller frees. */
static struct snapshot *run_scene(struct engine *engine, struct fk *fk, const char *steps)
{
	pid_t running = 0;

	for (const char *at = steps; *at; at += strcspn(at, " "), at += *at == ' ') {
		if (*at == '|')
			snapshot_free(next_snapshot(engine, fk, 0));
		else
			run_step(fk, at, &running);
	}
	fk_switch(fk, 0, 0);
	return next_snapshot(engine, fk, STEP_NS);
}

static void check_scene(size_t i)
{
	const struct fk_config config = {.cpus = 1, .tracefs = scenes[i].tracefs};
	const struct engine_config engine_config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	struct fk *fk = fk_new(&config);
	struct sys sys = fk_sys(fk);

	fk_task(fk, &(struct fk_spec){.tid = tid_of('g')});
	fk_task(fk, &(struct fk_spec){.tid = tid_of('p'), .ppid = tid_of('g')});
	fk_task(fk, &(struct fk_spec){.tid = tid_of('q'), .pid = tid_of('p')});
	struct engine *engine = open_engine_with(&sys, &engine_config);
	struct snapshot *snapshot = run_scene(engine, fk, scenes[i].steps);

	struct figure forks = event_figure(snapshot, tid_of(scenes[i].task), "forks");
	struct figure time = event_figure(snapshot, tid_of(scenes[i].task), "forked_time");
	if (forks.state != FIGURE_VALID || time.state != FIGURE_VALID ||
	    forks.value != scenes[i].forks ||
	    fabs(time.value - scenes[i].time_ms * 1e6) > CLOCK_STEPS_NS)
		fail_msg("%s: %g forks (state %d), %g ns (state %d)", scenes[i].name, forks.value,
			 (int)forks.state, time.value, (int)time.state);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void test_scenes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		check_scene(i);
}

static void test_lost_records(void **state)
{
	const struct fk_config config = {.cpus = 1, .tracefs = FK_TRACEFS_MOUNTED};
	const struct engine_config engine_config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	struct fk *fk = fk_new(&config);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = tid_of('p')});
	struct engine *engine = open_engine_with(&sys, &engine_config);
	snapshot_free(run_scene(engine, fk, "p"));
	fk_lose(fk, 0, 2);
	struct snapshot *snapshot = run_scene(engine, fk, "pf:a a p ax pf:b b p b p");
	assert_int_equal(event_figure(snapshot, tid_of('p'), "forks").state, FIGURE_LOST);
	assert_int_equal(event_figure(snapshot, tid_of('p'), "forked_time").state, FIGURE_LOST);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* What is attributed to a task of a mixed load. */
struct account {
	unsigned forks;
	uint64_t forked_ns;
};

enum { FIRST_TID = 100, TASKS = 12, SECONDS = 60 };

/* Attributes the tasks from `begin` on, the newest first, by what the load did. */
static void attribute_truth(struct fk *fk, const struct mixed_load *load, pid_t begin,
			    struct account *accounts)
{
	for (pid_t tid = mixed_load_end(load); tid-- > begin;) {
		struct account *own = &accounts[tid - FIRST_TID];
		pid_t to = mixed_load_parent(load, tid);
		while (to && to < begin && mixed_load_has_ended(load, to))
			to = mixed_load_parent(load, to);
		if (to) {
			accounts[to - FIRST_TID].forks += own->forks + 1;
			accounts[to - FIRST_TID].forked_ns +=
				own->forked_ns + fk_truth_task(fk, tid, FK_TASK_CLOCK);
		}
		own->forks = 0;
		own->forked_ns = 0;
	}
}

/* Compares the rows with the truth. Returns how many have forks. */
static size_t check_rows(const struct snapshot *snapshot, const struct account *accounts, pid_t end)
{
	size_t found = 0;

	for (pid_t tid = FIRST_TID; tid < end; tid++) {
		const struct account *truth = &accounts[tid - FIRST_TID];
		if (!row_of(snapshot, tid)) {
			assert_int_equal(truth->forks, 0);
			continue;
		}
		struct figure forks = event_figure(snapshot, tid, "forks");
		struct figure time = event_figure(snapshot, tid, "forked_time");
		if (forks.value != truth->forks ||
		    fabs(time.value - (double)truth->forked_ns) > TICK_NS)
			fail_msg("refresh %d: %d has %g forks, %g ns, not %u, %g",
				 (int)snapshot->sequence, (int)tid, forks.value, time.value,
				 truth->forks, (double)truth->forked_ns);
		found += truth->forks > 0;
	}
	return found;
}

static void test_mixed_load(void **state)
{
	const struct fk_config config = {.cpus = 4, .tracefs = FK_TRACEFS_MOUNTED};
	const struct engine_config engine_config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	const struct mixed_load_spec spec = {.cpus = 4,
					     .tasks = TASKS,
					     .first = FIRST_TID,
					     .seed = 3,
					     .fork_percent = 4,
					     .deep = true,
					     .queue_ns = 500 * NS_PER_US};
	struct fk *fk = fk_new(&config);
	struct sys sys = fk_sys(fk);
	struct mixed_load *load = mixed_load_new(fk, &spec);
	struct engine *engine = open_engine_with(&sys, &engine_config);
	pid_t begin = mixed_load_end(load);
	size_t found = 0;

	(void)state;
	for (unsigned second = 0; second < SECONDS; second++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		pid_t end = mixed_load_end(load);
		struct account *accounts = xcalloc((size_t)(end - FIRST_TID), sizeof(*accounts));
		attribute_truth(fk, load, begin, accounts);
		found += check_rows(snapshot, accounts, end);
		begin = end;
		free(accounts);
		snapshot_free(snapshot);
	}
	assert_true(found > 10 * SECONDS);
	close_all(engine, fk);
	mixed_load_free(load);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scenes),
		cmocka_unit_test(test_lost_records),
		cmocka_unit_test(test_mixed_load),
	};

	return cmocka_run_group_tests_name("wait forks", tests, NULL, NULL);
}
