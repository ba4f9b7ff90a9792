// SPDX-License-Identifier: MIT
/*
 * The tasks behind rows, through the engine and the view: programs that exec, threads that change
 * their name, reused numbers, zombies, orphans, containers. Every roll-up of every snapshot
 * conserves.
 */
#include "tests/unit/shared/engine_run.h"

#include "core/view/view.h"

#include <stdio.h>

static const struct engine_config software = {.preset = NULL};

static void check_rollups(const struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;

	for (enum rollup by = ROLLUP_PROCESS; by <= ROLLUP_COMMAND; by++) {
		struct rows rows;

		rollup_rows(snapshot, by, NULL, &rows);
		for (size_t e = 0; e < columns->plan->shape.n_counters; e++) {
			uint64_t sum = snapshot->idle[e] + snapshot->unattributed[e];

			for (size_t i = 0; i < rows.n; i++)
				if (!rows.parents || rows.parents[i] == SIZE_MAX)
					sum += rows_tally(columns, &rows, i)[e];
			assert_true(sum == snapshot->totals[e]);
		}
		rows_fini(&rows);
	}
}

/* "pid user command" of each line, by pid, without the branches' width: "50 - main|60 ..." */
static char *lines_of(const struct snapshot *snapshot, enum rollup by)
{
	static char text[1024];
	struct view view;

	check_rollups(snapshot);
	view_init(snapshot, &(struct view_spec){.by = by, .sort = "pid", .ascii = true}, &view);
	text[0] = '\0';
	for (size_t line = 0; line < view.n; line++) {
		for (size_t c = 0; c < view.n_columns; c++) {
			enum view_field field = view.columns[c].field;
			struct cell cell;

			if (field == FIELD_METRIC || field == FIELD_CPU || field == FIELD_THREADS ||
			    field == FIELD_VERDICT)
				continue;
			view_cell(&view, line, c, &cell);
			strcat(text, cell.text);
			strcat(text, c + 1 == view.n_columns ? "|" : " ");
		}
		if (by == ROLLUP_USER)
			strcat(text, "|");
	}
	view_fini(&view);
	return text;
}

static void check_lines(struct engine *engine, struct fk *fk, enum rollup by, const char *want)
{
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	char *got = lines_of(snapshot, by);

	if (strcmp(got, want) != 0)
		fail_msg("by %s: %s\nnot %s", rollup_name(by), got, want);
	snapshot_free(snapshot);
}

struct scene {
	struct fk *fk;
	struct sys sys;
	struct engine *engine;
};

/* Two CPUs, the engine beside process 1 and kthreadd. */
static void scene_open(struct scene *scene)
{
	scene->fk = fk_new(&(struct fk_config){.cpus = 2, .no_pmu = true});
	scene->sys = fk_sys(scene->fk);
	fk_file(scene->fk, "/etc/passwd", "root:x:0:0::/:\nann:x:1000:1000::/:\nbob:x:1001:::\n");
	fk_task(scene->fk, &(struct fk_spec){.tid = 1, .comm = "init", .cgroup = "/init.scope"});
	fk_task(scene->fk, &(struct fk_spec){.tid = 2, .kernel = true, .comm = "kthreadd"});
	scene->engine = open_engine_with(&scene->sys, &software);
}

static void scene_close(struct scene *scene)
{
	close_all(scene->engine, scene->fk);
}

/* These run on CPU 0 for 10 ms each, one after the other, then no task. */
static void run_each(struct fk *fk, const pid_t *tids, size_t n)
{
	for (size_t i = 0; i <= n; i++)
		fk_script(fk,
			  &(struct fk_step){.at_ns = (1 + i) * 10 * NS_PER_MS,
					    .action = FK_SWITCH,
					    .tid = i < n ? tids[i] : 0},
			  1);
}
#define RUN(fk, ...) \
	run_each(fk, (pid_t[]){__VA_ARGS__}, sizeof((pid_t[]){__VA_ARGS__}) / sizeof(pid_t))

static void test_kernel_threads(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene);
	fk_task(scene.fk,
		&(struct fk_spec){.tid = 30, .ppid = 2, .kernel = true, .comm = "kworker/0:1"});
	RUN(scene.fk, 30);
	check_lines(scene.engine, scene.fk, ROLLUP_PROCESS, "30 root [kworker/0:1]|");
	RUN(scene.fk, 30);
	check_lines(scene.engine, scene.fk, ROLLUP_TREE,
		    "1 root +2 init|2 root `-+1 [kthreadd]|30 root   `-[kworker/0:1]|");
	RUN(scene.fk, 30);
	check_lines(scene.engine, scene.fk, ROLLUP_CGROUP, "1 /|");
	scene_close(&scene);
}

/* Threads have names of their own; the process has its main thread's, which sleeps. */
static void test_threads_that_rename_themselves(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene);
	fk_task(scene.fk, &(struct fk_spec){.tid = 50, .uid = 1000, .comm = "browser"});
	fk_task(scene.fk, &(struct fk_spec){.tid = 51, .pid = 50, .uid = 1000, .comm = "browser"});
	RUN(scene.fk, 51);
	fk_script(scene.fk,
		  &(struct fk_step){15 * NS_PER_MS, FK_COMM, .tid = 51, .comm = "compositor"}, 1);
	check_lines(scene.engine, scene.fk, ROLLUP_THREAD, "50 51 ann compositor|");
	RUN(scene.fk, 51);
	check_lines(scene.engine, scene.fk, ROLLUP_PROCESS, "50 ann browser|");
	RUN(scene.fk, 51);
	check_lines(scene.engine, scene.fk, ROLLUP_COMMAND, "1 browser|");
	scene_close(&scene);
}

/* A process starts while a late idle CPU is waited for at the cut. */
static void test_fork_after_the_cut(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	fk_no_tick(fk, 1, true);
	struct engine *engine = open_engine_with(&sys, &(struct engine_config){.idle = true});
	fk_script(
		fk,
		(struct fk_step[]){{INTERVAL_NS + 5 * NS_PER_MS, FK_FORK, .tid = 50, .child = 90}},
		1);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_true(fk_now(fk) > snapshot->time_ns + 5 * NS_PER_MS);
	assert_null(row_of(snapshot, 90));
	snapshot_free(snapshot);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_non_null(row_of(snapshot, 90));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void test_exec(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene);
	fk_task(scene.fk,
		&(struct fk_spec){
			.tid = 50, .uid = 1000, .comm = "sh", .cgroup = "/system.slice/a.service"});
	fk_switch(scene.fk, 0, 50);
	fk_script(scene.fk,
		  (struct fk_step[]){
			  {10 * NS_PER_MS, FK_FORK, .tid = 50, .child = 60},
			  {11 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 60},
			  {12 * NS_PER_MS, FK_EXEC, .tid = 60, .comm = "cc1"},
			  {20 * NS_PER_MS, FK_EXIT, .tid = 60, .n = FK_EXIT_REAPED},
			  {20 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 50},
			  {30 * NS_PER_MS, FK_EXEC, .tid = 50, .comm = "perl"},
			  {40 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 0},
		  },
		  7);
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, INTERVAL_NS);
	assert_string_equal(lines_of(snapshot, ROLLUP_PROCESS), "50 ann perl|60 ann (cc1)|");
	assert_string_equal(lines_of(snapshot, ROLLUP_TREE),
			    "1 root +2 init|50 ann `-+1 perl|60 ann   `-(cc1)|");
	assert_string_equal(lines_of(snapshot, ROLLUP_USER), "ann 2 |");
	assert_string_equal(lines_of(snapshot, ROLLUP_CGROUP), "2 a.service|");
	assert_string_equal(lines_of(snapshot, ROLLUP_COMMAND), "1 perl|1 cc1|");
	snapshot_free(snapshot);
	scene_close(&scene);
}

/* A shell starts a program that ends at once, again and again. The numbers are given out again. */
static void test_short_processes(void **state)
{
	enum { STARTS = 8, CHILDREN = 4 };
	struct scene scene;

	(void)state;
	scene_open(&scene);
	fk_task(scene.fk, &(struct fk_spec){.tid = 50, .comm = "sh"});
	fk_switch(scene.fk, 0, 50);
	for (unsigned i = 0; i < STARTS; i++) {
		pid_t child = 60 + (pid_t)(i % CHILDREN);
		uint64_t at_ns = (1 + i) * 10 * NS_PER_MS;

		fk_script(
			scene.fk,
			(struct fk_step[]){
				{at_ns, FK_FORK, .tid = 50, .child = child},
				{at_ns + NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = child},
				{at_ns + 2 * NS_PER_MS, FK_EXEC, .tid = child, .comm = "true"},
				{at_ns + 3 * NS_PER_MS, FK_EXIT, .tid = child, .n = FK_EXIT_REAPED},
				{at_ns + 3 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 50},
			},
			5);
	}
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, INTERVAL_NS);
	struct rows rows;

	assert_string_equal(lines_of(snapshot, ROLLUP_COMMAND), "1 sh|8 true|");
	rollup_rows(snapshot, ROLLUP_COMMAND, NULL, &rows);
	for (size_t i = 0; i < rows.n; i++)
		if (strcmp(rows.items[i].comm, "true") == 0)
			assert_true(rows_tally(snapshot->columns, &rows, i)[TALLY_TASK_CLOCK] ==
				    STARTS * 2 * NS_PER_MS);
	rows_fini(&rows);
	snapshot_free(snapshot);
	scene_close(&scene);
}

/*
 * A shell of root's that is known for long becomes another user's, without a record: what it runs
 * from then on is that user's in the same refresh, though it is gone by then.
 */
static void test_children_after_setuid(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene);
	fk_task(scene.fk, &(struct fk_spec){.tid = 50, .comm = "sh"});
	fk_switch(scene.fk, 0, 50);
	snapshot_free(nth_snapshot(scene.engine, scene.fk, 6)); /* next time it is read: 1.35 s */
	fk_setuid(scene.fk, 50, 1000);
	fk_script(scene.fk,
		  (struct fk_step[]){
			  {10 * NS_PER_MS, FK_FORK, .tid = 50, .child = 60},
			  {11 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 60},
			  {12 * NS_PER_MS, FK_EXEC, .tid = 60, .comm = "cc1"},
			  {20 * NS_PER_MS, FK_EXIT, .tid = 60, .n = FK_EXIT_REAPED},
			  {20 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 50},
		  },
		  5);
	check_lines(scene.engine, scene.fk, ROLLUP_PROCESS, "50 ann sh|60 ann (cc1)|");
	scene_close(&scene);
}

/* A process ended and another one has its number, within one interval and in the next. */
static void test_reused_pids(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene);
	fk_task(scene.fk, &(struct fk_spec){.tid = 40, .uid = 1001, .comm = "spawner"});
	fk_task(scene.fk, &(struct fk_spec){.tid = 50, .uid = 1000, .comm = "first"});
	fk_switch(scene.fk, 0, 50);
	fk_switch(scene.fk, 1, 40);
	check_lines(scene.engine, scene.fk, ROLLUP_PROCESS, "40 bob spawner|50 ann first|");
	fk_script(scene.fk,
		  (struct fk_step[]){
			  {10 * NS_PER_MS, FK_EXIT, .tid = 50, .n = FK_EXIT_REAPED},
			  {10 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 0},
			  {150 * NS_PER_MS, FK_FORK, .tid = 40, .child = 50},
			  {150 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 50},
			  {151 * NS_PER_MS, FK_COMM, .tid = 50, .comm = "second"},
			  {160 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 0},
		  },
		  6);
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, 2 * INTERVAL_NS);
	assert_string_equal(lines_of(snapshot, ROLLUP_USER), "bob 2 |ann 1 |");
	const char *lines = lines_of(snapshot, ROLLUP_PROCESS);
	assert_non_null(strstr(lines, "50 ann (first)|"));
	assert_non_null(strstr(lines, "50 bob second|"));
	assert_string_equal(
		lines_of(snapshot, ROLLUP_TREE),
		"1 root +3 init|40 bob |-+1 spawner|50 bob | `-second|50 ann `-(first)|");
	snapshot_free(snapshot);
	RUN(scene.fk, 50);
	check_lines(scene.engine, scene.fk, ROLLUP_PROCESS, "40 bob spawner|50 bob second|");
	scene_close(&scene);
}

/* A zombie has ended, also while its parent does not wait for it; its children live on. */
static void test_zombies_and_orphans(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene);
	fk_task(scene.fk, &(struct fk_spec){.tid = 40, .comm = "shell"});
	fk_switch(scene.fk, 0, 40);
	fk_script(scene.fk,
		  (struct fk_step[]){
			  {10 * NS_PER_MS, FK_FORK, .tid = 40, .child = 50},
			  {11 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 50},
			  {12 * NS_PER_MS, FK_FORK, .tid = 50, .child = 60},
			  {13 * NS_PER_MS, FK_EXIT, .tid = 50, .n = FK_EXIT_ZOMBIE},
			  {14 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 60},
			  {15 * NS_PER_MS, FK_COMM, .tid = 60, .comm = "daemon"},
			  {20 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 0},
		  },
		  7);
	/* Init is its parent now. */
	fk_file(scene.fk, "/proc/60/stat",
		"60 (daemon) S 1 60 60 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 4096 100\n");
	check_lines(scene.engine, scene.fk, ROLLUP_TREE,
		    "1 root +3 init|40 root |-+1 shell|50 root | `-(shell)|60 root `-daemon|");
	RUN(scene.fk, 60);
	check_lines(scene.engine, scene.fk, ROLLUP_TREE, "1 root +1 init|60 root `-daemon|");
	scene_close(&scene);
}

/* Containers, a move between cgroups without a record, and kernel threads in none. */
static void test_cgroups(void **state)
{
	static const char docker[] = "/system.slice/docker-0123456789abcdef.scope";
	struct scene scene;

	(void)state;
	scene_open(&scene);
	fk_task(scene.fk, &(struct fk_spec){.tid = 50, .comm = "app", .cgroup = docker});
	fk_task(scene.fk, &(struct fk_spec){.tid = 51, .pid = 50, .cgroup = docker});
	fk_task(scene.fk, &(struct fk_spec){.tid = 60, .comm = "mover", .cgroup = docker});
	RUN(scene.fk, 50, 51, 60);
	check_lines(scene.engine, scene.fk, ROLLUP_CGROUP, "2 docker:0123456789ab|");
	fk_file(scene.fk, "/proc/60/cgroup", "0::/system.slice/b.service\n");
	for (int i = 0; i < 12; i++) {
		RUN(scene.fk, 50, 60);
		snapshot_free(next_snapshot(scene.engine, scene.fk, INTERVAL_NS));
	}
	RUN(scene.fk, 50, 60);
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, INTERVAL_NS);
	const char *lines = lines_of(snapshot, ROLLUP_CGROUP);
	assert_non_null(strstr(lines, "1 docker:0123456789ab|"));
	assert_non_null(strstr(lines, "1 b.service|"));
	assert_string_equal(snapshot_cgroup(snapshot, row_of(snapshot, 50)), docker);
	snapshot_free(snapshot);
	scene_close(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_threads),
		cmocka_unit_test(test_threads_that_rename_themselves),
		cmocka_unit_test(test_fork_after_the_cut),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_short_processes),
		cmocka_unit_test(test_children_after_setuid),
		cmocka_unit_test(test_reused_pids),
		cmocka_unit_test(test_zombies_and_orphans),
		cmocka_unit_test(test_cgroups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
