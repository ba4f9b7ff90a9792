// SPDX-License-Identifier: MIT
/*
 * Which task an entry of the task collector is, and since when: usage before a process was wanted
 * does not count. An ordinary user (uid 1000) on the fake kernel.
 */
#include "tests/unit/shared/engine_run.h"

#include <errno.h>

enum { ME = 1000, OTHER = 2000, MAIN = 50 };

#define ORDINARY .unprivileged = true, .uid = ME, .paranoid = 2

#define TASK(owner, number, ...)                                                \
	&(struct fk_spec)                                                       \
	{                                                                       \
		.tid = (number), .uid = (owner), .rates = HALF_IPC, __VA_ARGS__ \
	}

static struct engine *open_pid(const struct sys *sys, pid_t pid)
{
	return open_engine_with(
		sys, &(struct engine_config){.target = {.pids = (pid_t[]){pid}, .n_pids = 1}});
}

static uint64_t ran_of(const struct snapshot *snapshot, pid_t tid)
{
	return count_of(snapshot, tid, "task-clock");
}

/* An unwanted process is not read. When it becomes wanted, its hours before do not count. */
static void whoever_was_outside(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 3});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, MAIN));
	fk_task(fk, TASK(ME, 60));
	fk_task(fk, TASK(ME, 61, .pid = 60));
	fk_task(fk, TASK(OTHER, 70));
	fk_switch(fk, 0, 60);
	fk_switch(fk, 1, 61);
	fk_switch(fk, 2, 70);
	fk_advance(fk, 100 * NS_PER_S);
	struct engine *engine = open_pid(&sys, MAIN);
	snapshot_free(nth_snapshot(engine, fk, 2));
	engine_do(engine, &(struct command){.kind = COMMAND_DISMISS});
	uint64_t sums[3] = {0};
	for (int i = 0; i < 4; i++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		sums[0] += ran_of(snapshot, 60);
		sums[1] += ran_of(snapshot, 61);
		sums[2] += ran_of(snapshot, 70);
		snapshot_free(snapshot);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		assert_in_range(sums[i], 2 * INTERVAL_NS, 5 * INTERVAL_NS);
	close_all(engine, fk);
}

/* A process that may be counted only after a while is, from then on. */
static void becomes_ours(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_task(fk, TASK(ME, 60));
	fk_switch(fk, 1, 60);
	fk_fail(fk, FK_PERF_OPEN, 0, EACCES); /* it is still root's */
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_fail(fk, FK_PERF_OPEN, 0, 0);
	fk_exec(fk, 60, "mine");
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_int_equal(task_figure(snapshot, 60, "ipc").state, FIGURE_VALID);
	assert_in_range(ran_of(snapshot, 60), INTERVAL_NS / 2, 2 * INTERVAL_NS);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A process with the number of an ended one does not get its usage. */
static void last_words_are_said_once(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(OTHER, MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine(&sys);
	fk_fork(fk, MAIN, 60);
	fk_switch(fk, 1, 60);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_exit(fk, 60, FK_EXIT_REAPED);
	fk_switch(fk, 1, 0);
	fk_advance(fk, 20 * NS_PER_MS);
	fk_fork(fk, MAIN, 60);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_in_range(ran_of(snapshot, 60), 0, INTERVAL_NS / 4);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A number that was a thread's is a process's soon after: it is seen the next time already. */
static void a_thread_gives_way_to_a_process(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, MAIN));
	fk_task(fk, TASK(ME, 51, .pid = MAIN));
	fk_switch(fk, 0, MAIN);
	fk_switch(fk, 1, 51);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_exit(fk, 51, FK_EXIT_THREAD);
	fk_switch(fk, 1, 0);
	fk_fork(fk, MAIN, 51);
	fk_switch(fk, 1, 51);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	const struct row *row = row_of(snapshot, 51);
	assert_true(row && row->pid == 51);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A thread was asked for, then its process: its others are counted from then on, asleep or not. */
static void sleepers_of_who_is_attached(void **state)
{
	const pid_t tids[] = {51};
	const struct engine_config config = {.target = {.tids = tids, .n_tids = 1}};
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, MAIN));
	fk_task(fk, TASK(ME, 51, .pid = MAIN));
	fk_task(fk, TASK(ME, 52, .pid = MAIN));
	fk_switch(fk, 0, 51);
	struct engine *engine = open_engine_with(&sys, &config);
	snapshot_free(nth_snapshot(engine, fk, 2));
	engine_do(engine, &(struct command){.kind = COMMAND_ATTACH, .number = MAIN});
	snapshot_free(nth_snapshot(engine, fk, 2));
	uint64_t before = fk_truth_task_user(fk, 52, FK_CYCLES);
	fk_switch(fk, 1, 52);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(task_figure(snapshot, 52, "ipc").state, FIGURE_VALID);
	uint64_t truth = fk_truth_task_user(fk, 52, FK_CYCLES) - before;
	assert_in_range(count_of(snapshot, 52, "cycles"), truth - truth / 100, truth);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Entries that inherited counters which were closed are found. */
static void inherited_counters_go(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_fork(fk, MAIN, 60);
	engine_do(engine,
		  &(struct command){.kind = COMMAND_LEVELS,
				    .number = EVENT_LEVELS_USER}); /* opens everything anew */
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	fk_switch(fk, 1, 60);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_in_range(ran_of(snapshot, 60), INTERVAL_NS / 2, 2 * INTERVAL_NS);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* One that leaves the target gives its counters back. */
static void counters_are_given_back(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_file(fk, "/sys/fs/cgroup/a/cgroup.procs", "");
	fk_task(fk, TASK(ME, MAIN, .cgroup = "/a"));
	fk_task(fk, TASK(ME, 60, .cgroup = "/a"));
	fk_switch(fk, 0, MAIN);
	fk_switch(fk, 1, 60);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.target.cgroup = "/a"});
	snapshot_free(nth_snapshot(engine, fk, 3));
	unsigned before = fk_open_fds(fk);
	fk_file(fk, "/proc/60/cgroup", "0::/b\n");
	snapshot_free(nth_snapshot(engine, fk, 20));
	assert_int_equal(fk_open_fds(fk), before / 2);
	close_all(engine, fk);
}

/* A process that the target has twice, in two ways, is one row, also while it sleeps. */
static void asked_for_twice(void **state)
{
	(void)state;
	for (int unprivileged = 0; unprivileged <= 1; unprivileged++) {
		struct fk *fk = fk_new(&(struct fk_config){
			.unprivileged = unprivileged, .uid = ME, .paranoid = 2});
		struct sys sys = fk_sys(fk);

		fk_task(fk, TASK(ME, MAIN));
		fk_task(fk, TASK(ME, 60));
		struct engine *engine = open_engine_with(
			&sys, &(struct engine_config){.target = {.pids = (pid_t[]){60, MAIN, 60},
								 .n_pids = 3,
								 .tids = (pid_t[]){60, 60},
								 .n_tids = 2}});
		struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
		assert_int_equal(snapshot->threads.n, 2);
		assert_non_null(row_of(snapshot, MAIN));
		assert_non_null(row_of(snapshot, 60));
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* What is lost to one of its rows is lost to the target. */
static void target_is_no_better_than_its_rows(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, MAIN));
	fk_task(fk, TASK(ME, 60));
	fk_ping_pong(fk, 0, MAIN, 60, NS_PER_MS, 1000);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.target.user = "1000"});
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	int ipc = columns_metric(snapshot->columns, "ipc");
	assert_int_equal(snapshot->target_figures[ipc].state, FIGURE_VALID);
	snapshot_free(snapshot);
	fk_lose(fk, 0, 5);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_true(task_figure(snapshot, MAIN, "ipc").state == FIGURE_LOST ||
		    task_figure(snapshot, 60, "ipc").state == FIGURE_LOST);
	assert_int_equal(snapshot->target_figures[ipc].state, FIGURE_LOST);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_was_outside),
		cmocka_unit_test(becomes_ours),
		cmocka_unit_test(last_words_are_said_once),
		cmocka_unit_test(a_thread_gives_way_to_a_process),
		cmocka_unit_test(sleepers_of_who_is_attached),
		cmocka_unit_test(inherited_counters_go),
		cmocka_unit_test(counters_are_given_back),
		cmocka_unit_test(asked_for_twice),
		cmocka_unit_test(target_is_no_better_than_its_rows),
	};

	return cmocka_run_group_tests_name("proc_scan", tests, NULL, NULL);
}
