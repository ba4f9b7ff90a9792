// SPDX-License-Identifier: MIT
/*
 * The task of an entry of the scan, and its beginning: usage from before a process was in the
 * target is not counted. An ordinary user (uid 1000) on the fake kernel.
 */
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

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

static uint64_t ran_ns(const struct snapshot *snapshot, pid_t tid)
{
	return count_of(snapshot, tid, "task-clock");
}

/* A process outside the target is not read. If it joins the target, earlier usage does not count.
 */
static void processes_outside_the_target(void **state)
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
	send_request(engine, &(struct request){.kind = REQUEST_DISMISS});
	uint64_t sums[3] = {0};
	for (int i = 0; i < 4; i++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		sums[0] += ran_ns(snapshot, 60);
		sums[1] += ran_ns(snapshot, 61);
		sums[2] += ran_ns(snapshot, 70);
		snapshot_free(snapshot);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		assert_in_range(sums[i], 2 * INTERVAL_NS, 5 * INTERVAL_NS);
	close_all(engine, fk);
}

/* A machine on which MAIN runs on CPU 0, and has been counted for a refresh. */
static struct engine *open_with_main(struct fk **fk, struct sys *sys)
{
	*fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 2});
	*sys = fk_sys(*fk);
	fk_task(*fk, TASK(ME, MAIN));
	fk_switch(*fk, 0, MAIN);
	struct engine *engine = open_engine(sys);
	snapshot_free(nth_snapshot(engine, *fk, 2));
	return engine;
}

/* A process is counted as soon as the kernel permits it. */
static void a_denied_process_is_counted_later(void **state)
{
	struct sys sys;
	struct fk *fk;
	struct engine *engine = open_with_main(&fk, &sys);

	(void)state;
	fk_task(fk, TASK(ME, 60));
	fk_switch(fk, 1, 60);
	fk_fail(fk, FK_PERF_OPEN, 0, EACCES); /* the process is still root's */
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_fail(fk, FK_PERF_OPEN, 0, 0);
	fk_exec(fk, 60, "mine");
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_int_equal(task_figure(snapshot, 60, "ipc").state, FIGURE_VALID);
	assert_in_range(ran_ns(snapshot, 60), INTERVAL_NS / 2, 2 * INTERVAL_NS);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A process with a reused pid does not have the usage of the exited one. */
static void usage_of_an_exited_process_counts_once(void **state)
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
	assert_in_range(ran_ns(snapshot, 60), 0, INTERVAL_NS / 4);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* The tid of an exited thread is reused as a pid: the next scan finds the process. */
static void the_tid_of_a_thread_is_reused_as_a_pid(void **state)
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

/* The target is a thread, then its process: then all threads count, also threads that slept. */
static void sleeping_threads_of_an_attached_process(void **state)
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
	send_request(engine, &(struct request){.kind = REQUEST_ATTACH, .number = MAIN});
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

/* A task is found although the counters that it inherited were closed. */
static void inherited_counters_are_closed(void **state)
{
	struct sys sys;
	struct fk *fk;
	struct engine *engine = open_with_main(&fk, &sys);

	(void)state;
	fk_fork(fk, MAIN, 60);
	send_request(engine,
		     &(struct request){.kind = REQUEST_LEVELS,
				       .number = EVENT_LEVELS_USER}); /* opens everything anew */
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	fk_switch(fk, 1, 60);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_in_range(ran_ns(snapshot, 60), INTERVAL_NS / 2, 2 * INTERVAL_NS);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* The counters of a task that leaves the target are closed. */
static void counters_are_closed_outside_the_target(void **state)
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
static void the_target_has_a_process_twice(void **state)
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

/* If figures of a row are LOST, the figures of its target are LOST too. */
static void the_target_is_as_lost_as_its_rows(void **state)
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

/* A kernel up to 5.10 without CONFIG_SCHEDSTATS has zeros: whether a thread ran is in its stat. */
static void schedstat_has_zeros(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 1});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, MAIN));
	fk_file(fk, "/proc/50/task/50/schedstat", "0 0 0\n");
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_switch(fk, 0, MAIN);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_in_range(ran_ns(snapshot, MAIN), INTERVAL_NS / 2, 2 * INTERVAL_NS);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static const char *refused; /* a path; NULL: none */

static ssize_t read_unless_refused(void *fk, const char *path, char *buffer, size_t size)
{
	const struct sys fake = fk_sys(fk);

	return refused && strcmp(path, refused) == 0 ? -EMFILE
						     : sys_file_read(&fake, path, buffer, size);
}

/* A growth over two intervals is attributed to none of them. */
static void a_process_that_is_not_read_once(void **state)
{
	static const struct {
		bool refuses;
		uint64_t least_ns, most_ns;
	} intervals[] = {
		{false, 9 * INTERVAL_NS / 10, 11 * INTERVAL_NS / 10},
		{true, 0, 0},
		{false, 0, 0},
		{false, 9 * INTERVAL_NS / 10, 11 * INTERVAL_NS / 10},
	};
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 2});
	struct sys sys = fk_sys(fk);
	struct sys_ops ops = *sys.ops;

	(void)state;
	ops.file_read = read_unless_refused;
	sys.ops = &ops;
	fk_task(fk, TASK(OTHER, 70));
	fk_switch(fk, 0, 70);
	struct engine *engine = open_engine(&sys);
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	for (size_t i = 0; i < ARRAY_SIZE(intervals); i++) {
		refused = intervals[i].refuses ? "/proc/70/stat" : NULL;
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_in_range(ran_ns(snapshot, 70), intervals[i].least_ns, intervals[i].most_ns);
		assert_int_equal(has_note(snapshot, "could not be read"),
				 intervals[i].most_ns == 0);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* The same of the CPUs. */
static void cpus_that_are_not_read_once(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .cpus = 2});
	struct sys sys = fk_sys(fk);
	struct sys_ops ops = *sys.ops;

	(void)state;
	ops.file_read = read_unless_refused;
	sys.ops = &ops;
	fk_task(fk, TASK(OTHER, 70));
	struct engine *engine = open_engine(&sys);
	for (size_t i = 0; i < 4; i++) {
		refused = i == 1 ? "/proc/stat" : NULL;
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_in_range(snapshot->totals[TALLY_TASK_CLOCK], 0, 22 * INTERVAL_NS / 10);
		assert_int_equal(snapshot->cpus[0].tally != NULL, i == 0 || i == 3);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_outside_the_target),
		cmocka_unit_test(a_denied_process_is_counted_later),
		cmocka_unit_test(usage_of_an_exited_process_counts_once),
		cmocka_unit_test(the_tid_of_a_thread_is_reused_as_a_pid),
		cmocka_unit_test(sleeping_threads_of_an_attached_process),
		cmocka_unit_test(inherited_counters_are_closed),
		cmocka_unit_test(counters_are_closed_outside_the_target),
		cmocka_unit_test(the_target_has_a_process_twice),
		cmocka_unit_test(the_target_is_as_lost_as_its_rows),
		cmocka_unit_test(schedstat_has_zeros),
		cmocka_unit_test(a_process_that_is_not_read_once),
		cmocka_unit_test(cpus_that_are_not_read_once),
	};

	return cmocka_run_group_tests_name("proc_scan", tests, NULL, NULL);
}
