// SPDX-License-Identifier: MIT
/* Rows added up by process, tree, user, cgroup and command, and CPUs by socket and node. */
#include "tests/unit/shared/sample.h"

#include "core/base/hash_table.h"
#include "core/snapshot/rollup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* pid, tid, start, flags, comm, ns of CPU, cycles */
#define THREAD(p, t, start, what, name, ns, c)                                \
	{                                                                     \
		.row = {.pid = (p),                                           \
			.tid = (t),                                           \
			.uid = 1000,                                          \
			.start_ns = (start),                                  \
			.threads = 1,                                         \
			.flags = (what),                                      \
			.comm = name,                                         \
			.user = "db"},                                        \
		.counts = {[TALLY_TASK_CLOCK] = (ns), [SAMPLE_CYCLES] = (c)}, \
	}

/* pid, tid, parent, uid, cgroup, ns of CPU */
#define OF(p, t, parent, owner, group, ns) SAMPLE_TASK(p, t, parent, owner, group, "c", ns)

enum {
	ROWS_MAX = 6,
};

static void rolls_up_by_process(void **state)
{
	static const struct {
		const char *name;
		struct sample_row threads[ROWS_MAX];
		struct sample_row want[ROWS_MAX]; /* .row.threads 0 ends it; tid and user follow */
	} cases[] = {
		{"nothing", {{.counts = {0}}}, {{.counts = {0}}}},
		{"a process of one thread",
		 {THREAD(7, 7, 5, 0, "a", 10, 20)},
		 {THREAD(7, 7, 5, 0, "a", 10, 20)}},
		{"the main thread first",
		 {THREAD(7, 7, 5, 0, "main", 10, 20), THREAD(7, 8, 6, 0, "worker", 1, 2)},
		 {THREAD(7, 7, 5, 0, "main", 11, 22)}},
		{"the main thread last",
		 {THREAD(7, 9, 6, 0, "worker", 1, 2), THREAD(7, 8, 6, 0, "other", 1, 2),
		  THREAD(7, 7, 5, 0, "main", 10, 20)},
		 {THREAD(7, 7, 5, 0, "main", 12, 24)}},
		{"the main thread did not run",
		 {THREAD(7, 8, 6, 0, "worker", 1, 2), THREAD(7, 9, 7, 0, "other", 3, 4)},
		 {THREAD(7, 7, 0, 0, "worker", 4, 6)}},
		{"a worker ended, the process did not",
		 {THREAD(7, 8, 6, ROW_EXITED, "worker", 1, 2), THREAD(7, 7, 5, 0, "main", 1, 2)},
		 {THREAD(7, 7, 5, 0, "main", 2, 4)}},
		{"a worker ended while the main thread did not run",
		 {THREAD(7, 8, 6, ROW_EXITED, "worker", 1, 2)},
		 {THREAD(7, 7, 0, 0, "worker", 1, 2)}},
		{"the process ended",
		 {THREAD(7, 7, 5, ROW_EXITED, "main", 1, 2), THREAD(7, 8, 6, 0, "worker", 1, 2)},
		 {THREAD(7, 7, 5, ROW_EXITED, "main", 2, 4)}},
		{"a kernel thread",
		 {THREAD(2, 2, 5, ROW_KERNEL, "kthreadd", 1, 2)},
		 {THREAD(2, 2, 5, ROW_KERNEL, "kthreadd", 1, 2)}},
		{"in the order of appearance",
		 {THREAD(9, 10, 5, 0, "b", 1, 1), THREAD(3, 3, 5, 0, "c", 1, 1),
		  THREAD(9, 9, 5, 0, "b", 1, 1), THREAD(1, 1, 5, 0, "d", 1, 1)},
		 {THREAD(9, 9, 5, 0, "b", 2, 2), THREAD(3, 3, 5, 0, "c", 1, 1),
		  THREAD(1, 1, 5, 0, "d", 1, 1)}},
		{"the pid of an ended process is reused",
		 {THREAD(7, 7, 5, ROW_EXITED, "old", 1, 2), THREAD(7, 7, 9, 0, "new", 10, 20)},
		 {THREAD(7, 7, 5, ROW_EXITED, "old", 1, 2), THREAD(7, 7, 9, 0, "new", 10, 20)}},
		{"and reused again, with a worker",
		 {THREAD(7, 7, 5, ROW_EXITED, "a", 1, 1), THREAD(7, 7, 6, ROW_EXITED, "b", 1, 1),
		  THREAD(7, 7, 7, 0, "c", 1, 1), THREAD(7, 8, 8, 0, "worker", 1, 1)},
		 {THREAD(7, 7, 5, ROW_EXITED, "a", 1, 1), THREAD(7, 7, 6, ROW_EXITED, "b", 1, 1),
		  THREAD(7, 7, 7, 0, "c", 2, 2)}},
		{"a worker with lost slices",
		 {THREAD(7, 8, 6, ROW_LOST, "worker", 1, 2), THREAD(7, 7, 5, 0, "main", 1, 2)},
		 {THREAD(7, 7, 5, ROW_LOST, "main", 2, 4)}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct columns *columns = sample_columns("overview");
		struct snapshot *snapshot;
		struct rows processes;
		size_t n = 0, n_want = 0;
		unsigned in_all = 0;

		while (n < ROWS_MAX && cases[i].threads[n].row.threads)
			n++;
		while (n_want < ROWS_MAX && cases[i].want[n_want].row.threads)
			n_want++;
		snapshot = sample_snapshot(columns, cases[i].threads, n);
		rollup_rows(snapshot, ROLLUP_PROCESS, NULL, &processes);
		if (processes.n != n_want)
			fail_msg("%s: %zu rows, not %zu", cases[i].name, processes.n, n_want);
		for (size_t k = 0; k < n_want; k++) {
			const struct row *got = &processes.items[k];
			const struct row *want = &cases[i].want[k].row;
			const uint64_t *tally = rows_tally(columns, &processes, k);
			struct figure cpu = rows_figures(columns, &processes, k)[0];

			in_all += got->threads;
			assert_int_equal(got->processes, 1);
			if (got->pid != want->pid || got->tid != want->pid ||
			    got->start_ns != want->start_ns || got->flags != want->flags ||
			    strcmp(got->comm, want->comm) != 0 || strcmp(got->user, "db") != 0)
				fail_msg("%s: row %zu is pid %d tid %d \"%s\"", cases[i].name, k,
					 got->pid, got->tid, got->comm);
			for (size_t e = 0; e < SAMPLE_EVENTS; e++)
				if (tally[e] != cases[i].want[k].counts[e])
					fail_msg("%s: row %zu, event %zu", cases[i].name, k, e);
			assert_true(tally[SAMPLE_GROUP_0] == tally[TALLY_TASK_CLOCK]);
			assert_true(fabs(cpu.value - (double)tally[TALLY_TASK_CLOCK] / 1e7) <
				    1e-15);
		}
		assert_int_equal(in_all, n);
		rows_fini(&processes);
		snapshot_free(snapshot);
	}
}

/* Pids that all fall into one slot of the table, and many of them. */
static void rolls_up_many(void **state)
{
	enum {
		PROCESSES = 5000,
		THREADS_EACH = 4,
		N = PROCESSES * THREADS_EACH,
	};
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), NULL, 0);
	const struct columns *columns = snapshot->columns;

	(void)state;
	rows_fini(&snapshot->threads);
	rows_init(columns, N, &snapshot->threads);
	for (size_t i = 0; i < N; i++) {
		pid_t pid = (pid_t)(i % PROCESSES + 1) << 16;

		snapshot->threads.items[i] = (struct row){.pid = pid,
							  .tid = pid + (pid_t)(i / PROCESSES),
							  .uid = (uid_t)(i % PROCESSES),
							  .threads = 1};
		rows_tally(columns, &snapshot->threads, i)[TALLY_TASK_CLOCK] = i;
	}
	for (enum rollup by = ROLLUP_PROCESS; by <= ROLLUP_USER; by++) {
		struct rows rows;
		uint64_t sum = 0;

		rollup_rows(snapshot, by, NULL, &rows);
		assert_int_equal(rows.n, PROCESSES);
		for (size_t i = 0; i < rows.n; i++) {
			assert_int_equal(rows.items[i].threads, THREADS_EACH);
			sum += rows_tally(columns, &rows, i)[TALLY_TASK_CLOCK];
		}
		assert_true(sum == (uint64_t)N * (N - 1) / 2);
		rows_fini(&rows);
	}
	snapshot_free(snapshot);
}

/* A row is named after its main thread even if that did not run, once it is known. */
static void main_threads_that_slept_name_their_process(void **state)
{
	static const struct sample_row threads[] = {
		THREAD(7, 8, 6, ROW_LOST, "worker", 1, 2),
		THREAD(7, 9, 7, ROW_EXITED, "other", 3, 4),
		THREAD(5, 5, 1, 0, "awake", 3, 4),
	};
	static const struct row sleeping[] = {
		{.pid = 7, .tid = 7, .uid = 4, .start_ns = 5, .comm = "main"},
		{.pid = 5, .tid = 5, .comm = "unused"},
		{.pid = 4, .tid = 4, .comm = "parent"},
	};
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), threads, 3);
	struct rows rows;

	(void)state;
	sample_sleeping(snapshot, sleeping, ARRAY_SIZE(sleeping));
	rollup_rows(snapshot, ROLLUP_PROCESS, NULL, &rows);
	assert_int_equal(rows.n, 2);
	assert_string_equal(rows.items[0].comm, "main");
	assert_int_equal(rows.items[0].uid, 4);
	assert_int_equal(rows.items[0].start_ns, 5);
	assert_int_equal(rows.items[0].threads, 2);
	assert_int_equal(rows.items[0].flags, ROW_LOST);
	assert_string_equal(rows.items[1].comm, "awake");
	rows_fini(&rows);
	snapshot_free(snapshot);
}

/* The rows that add up: in a tree the roots alone. */
static uint64_t sum_of(const struct snapshot *snapshot, const struct rows *rows, size_t event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (!rows->parents || rows->parents[i] == SIZE_MAX)
			sum += rows_tally(snapshot->columns, rows, i)[event];
	return sum;
}

static void rolls_up_by_each_grouping(void **state)
{
	enum { SLEEPING_MAX = 3 };
	static const struct {
		const char *name;
		struct sample_row threads[ROWS_MAX];
		struct row sleeping[SLEEPING_MAX]; /* up to pid 0 */
		enum rollup by;
		const char *want; /* row:processes/threads=ns<parent */
	} cases[] = {
		{"nothing by tree", {{.counts = {0}}}, {{0}}, ROLLUP_TREE, ""},
		{"nothing by user", {{.counts = {0}}}, {{0}}, ROLLUP_USER, ""},
		{"users",
		 {OF(1, 1, 0, 0, 0, 1), OF(2, 2, 1, 5, 0, 2), OF(3, 3, 1, 0, 0, 4),
		  OF(2, 4, 1, 5, 0, 8)},
		 {{0}},
		 ROLLUP_USER,
		 "0:2/2=5 5:1/2=10 "},
		{"users: threads of one process with two users",
		 {OF(2, 2, 1, 5, 0, 1), OF(2, 3, 1, 6, 0, 2), OF(2, 4, 1, 5, 0, 4)},
		 {{0}},
		 ROLLUP_USER,
		 "5:1/2=5 6:1/1=2 "},
		{"users: an unknown one",
		 {OF(2, 2, 1, (uid_t)-1, 0, 1), OF(3, 3, 1, (uid_t)-1, 0, 2)},
		 {{0}},
		 ROLLUP_USER,
		 "-1:2/2=3 "},
		{"users: a reused pid is another process",
		 {OF(2, 2, 1, 5, 0, 1), OF(2, 2, 1, 5, 0, 2)},
		 {{0}},
		 ROLLUP_USER,
		 "5:2/2=3 "},
		{"cgroups",
		 {OF(1, 1, 0, 0, 1, 1), OF(2, 2, 1, 5, 0, 2), OF(3, 3, 1, 0, -1, 4),
		  OF(2, 4, 1, 5, 1, 8)},
		 {{0}},
		 ROLLUP_CGROUP,
		 "1:2/2=9 0:1/1=2 -1:1/1=4 "},
		{"a tree",
		 {OF(4, 4, 2, 0, 0, 1), OF(2, 2, 1, 0, 0, 2), OF(5, 5, 2, 0, 0, 4),
		  OF(1, 1, 0, 0, 0, 8)},
		 {{0}},
		 ROLLUP_TREE,
		 "4:1/1=1<2 2:3/3=7<1 5:1/1=4<2 1:4/4=15 "},
		{"a tree: ancestors that did not run",
		 {OF(4, 4, 2, 0, 0, 1), OF(4, 9, 2, 0, 0, 1), OF(6, 6, 2, 0, 0, 4)},
		 {{.pid = 2, .tid = 2, .ppid = 1}, {.pid = 1, .tid = 1}},
		 ROLLUP_TREE,
		 "4:1/2=2<2 6:1/1=4<2 2:2/3=6<1 1:2/3=6 "},
		{"a tree: a parent with another thread that ran",
		 {OF(4, 4, 2, 0, 0, 1), OF(2, 3, 9, 0, 0, 2)},
		 {{.pid = 2, .tid = 2, .ppid = 1}, {.pid = 1, .tid = 1}},
		 ROLLUP_TREE,
		 "4:1/1=1<2 2:2/2=3<1 1:2/2=3 "},
		{"a tree: an unknown parent",
		 {OF(4, 4, 2, 0, 0, 1)},
		 {{0}},
		 ROLLUP_TREE,
		 "4:1/1=1 "},
		{"a tree: its own parent", {OF(4, 4, 4, 0, 0, 1)}, {{0}}, ROLLUP_TREE, "4:1/1=1 "},
		{"a tree: a ring of two",
		 {OF(4, 4, 5, 0, 0, 1), OF(5, 5, 4, 0, 0, 2)},
		 {{0}},
		 ROLLUP_TREE,
		 "4:1/1=1<5 5:2/2=3 "},
		{"a tree: a ring of three, and one that hangs on it",
		 {OF(7, 7, 4, 0, 0, 8), OF(4, 4, 5, 0, 0, 1), OF(5, 5, 6, 0, 0, 2),
		  OF(6, 6, 4, 0, 0, 4)},
		 {{0}},
		 ROLLUP_TREE,
		 "7:1/1=8<4 4:2/2=9<5 5:3/3=11<6 6:4/4=15 "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot *snapshot;
		struct rows rows;
		char got[256] = "";
		size_t n = 0, n_sleeping = 0;

		while (n < ROWS_MAX && cases[i].threads[n].row.threads)
			n++;
		snapshot = sample_snapshot(sample_columns("software"), cases[i].threads, n);
		while (cases[i].sleeping[n_sleeping].pid)
			n_sleeping++;
		sample_sleeping(snapshot, cases[i].sleeping, n_sleeping);
		rollup_rows(snapshot, cases[i].by, NULL, &rows);
		for (size_t k = 0; k < rows.n; k++) {
			const struct row *row = &rows.items[k];
			int number = cases[i].by == ROLLUP_USER     ? (int)row->uid
				     : cases[i].by == ROLLUP_CGROUP ? row->cgroup
								    : row->pid;
			const uint64_t *tally = rows_tally(snapshot->columns, &rows, k);
			char *at = got + strlen(got);
			bool is_child = rows.parents && rows.parents[k] != SIZE_MAX;

			at += sprintf(at, "%d:%u/%u=%d", number, row->processes, row->threads,
				      (int)tally[TALLY_TASK_CLOCK]);
			if (is_child)
				at += sprintf(at, "<%d", rows.items[rows.parents[k]].pid);
			strcpy(at, " ");
		}
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: %s", cases[i].name, got);
		assert_true(sum_of(snapshot, &rows, TALLY_TASK_CLOCK) ==
			    sum_of(snapshot, &snapshot->threads, TALLY_TASK_CLOCK));
		rows_fini(&rows);
		snapshot_free(snapshot);
	}
}

/* A command has all processes with a main thread of that name. */
static void rolls_up_by_command(void **state)
{
	/* Two names with one hash_text() */
	static const char first[] = "nRpzaekwJME", second[] = "BQONRhi0DzK";
	static const struct {
		const char *name;
		struct sample_row threads[ROWS_MAX];
		struct row sleeping;
		const char *want; /* name:processes/threads=ns, [name] of kernel threads, ? lost */
	} cases[] = {
		{"nothing", {{.counts = {0}}}, {0}, ""},
		{"two commands",
		 {THREAD(1, 1, 5, 0, "sh", 1, 0), THREAD(2, 2, 5, 0, "cc1", 2, 0),
		  THREAD(3, 3, 5, 0, "sh", 4, 0)},
		 {0},
		 "sh:2/2=5 cc1:1/1=2 "},
		{"threads with names of their own",
		 {THREAD(7, 8, 6, 0, "gc", 1, 0), THREAD(7, 7, 5, 0, "java", 2, 0),
		  THREAD(9, 9, 5, 0, "gc", 4, 0)},
		 {0},
		 "java:1/2=3 gc:1/1=4 "},
		{"the main thread did not run",
		 {THREAD(7, 8, 6, 0, "gc", 1, 0), THREAD(9, 9, 5, 0, "java", 2, 0)},
		 {.pid = 7, .tid = 7, .comm = "java"},
		 "java:2/2=3 "},
		{"the main thread is unknown", {THREAD(7, 8, 6, 0, "gc", 1, 0)}, {0}, "gc:1/1=1 "},
		{"processes that ended, two with one number",
		 {THREAD(7, 7, 5, ROW_EXITED, "true", 1, 0),
		  THREAD(7, 7, 6, ROW_EXITED, "true", 2, 0),
		  THREAD(8, 8, 7, ROW_EXITED, "true", 4, 0)},
		 {0},
		 "true:3/3=7 "},
		{"lost slices",
		 {THREAD(7, 7, 5, 0, "sh", 1, 0), THREAD(8, 8, 5, ROW_LOST, "sh", 2, 0)},
		 {0},
		 "?sh:2/2=3 "},
		{"kernel threads",
		 {THREAD(7, 7, 5, ROW_KERNEL, "kworker", 1, 0),
		  THREAD(8, 8, 5, ROW_KERNEL, "kworker", 2, 0)},
		 {0},
		 "[kworker]:2/2=3 "},
		{"a process with the name of a kernel thread, first",
		 {THREAD(7, 7, 5, 0, "kworker", 1, 0),
		  THREAD(8, 8, 5, ROW_KERNEL, "kworker", 2, 0)},
		 {0},
		 "kworker:2/2=3 "},
		{"a process with the name of a kernel thread, last",
		 {THREAD(7, 7, 5, ROW_KERNEL, "kworker", 1, 0),
		  THREAD(8, 8, 5, 0, "kworker", 2, 0)},
		 {0},
		 "kworker:2/2=3 "},
		{"unknown names",
		 {THREAD(7, 7, 5, 0, "", 1, 0), THREAD(8, 8, 5, 0, "", 2, 0)},
		 {0},
		 ":2/2=3 "},
		{"two names with one hash",
		 {THREAD(7, 7, 5, 0, "nRpzaekwJME", 1, 0), THREAD(8, 8, 5, 0, "BQONRhi0DzK", 2, 0),
		  THREAD(9, 9, 5, 0, "nRpzaekwJME", 4, 0)},
		 {0},
		 "nRpzaekwJME:2/2=5 BQONRhi0DzK:1/1=2 "},
	};

	(void)state;
	assert_true(hash_text(first) == hash_text(second));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t n = 0;

		while (n < ROWS_MAX && cases[i].threads[n].row.threads)
			n++;
		struct snapshot *snapshot =
			sample_snapshot(sample_columns("software"), cases[i].threads, n);
		sample_sleeping(snapshot, &cases[i].sleeping, cases[i].sleeping.pid > 0);
		struct rows rows, tallies;
		char got[256] = "";

		rollup_rows(snapshot, ROLLUP_COMMAND, NULL, &rows);
		rollup_tallies(snapshot, ROLLUP_COMMAND, &tallies);
		assert_int_equal(rows.n, tallies.n);
		for (size_t k = 0; k < rows.n; k++) {
			const struct row *row = &rows.items[k];
			bool kernel = row->flags & ROW_KERNEL;
			uint64_t ns = rows_tally(snapshot->columns, &rows, k)[TALLY_TASK_CLOCK];

			assert_int_equal(row->flags & ROW_EXITED, 0);
			assert_string_equal(row->comm, tallies.items[k].comm);
			assert_true(rows_tally(snapshot->columns, &tallies, k)[TALLY_TASK_CLOCK] ==
				    ns);
			sprintf(got + strlen(got), "%s%s%s%s:%u/%u=%d ",
				row->flags & ROW_LOST ? "?" : "", kernel ? "[" : "", row->comm,
				kernel ? "]" : "", row->processes, row->threads, (int)ns);
		}
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: %s", cases[i].name, got);
		rows_fini(&tallies);
		rows_fini(&rows);
		snapshot_free(snapshot);
	}
}

/* Rows of a group have only what all their threads have. */
static void groups_are_anonymous(void **state)
{
	static const struct sample_row threads[] = {OF(7, 8, 3, 5, 2, 1)};
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), threads, 1);
	struct rows rows;

	(void)state;
	rollup_rows(snapshot, ROLLUP_USER, NULL, &rows);
	assert_int_equal(rows.items[0].pid + rows.items[0].tid + rows.items[0].ppid, 0);
	assert_int_equal(rows.items[0].cgroup, -1);
	assert_string_equal(rows.items[0].comm, "");
	assert_string_equal(rows.items[0].user, "5");
	rows_fini(&rows);
	rollup_rows(snapshot, ROLLUP_CGROUP, NULL, &rows);
	assert_int_equal(rows.items[0].cgroup, 2);
	assert_int_equal((int)rows.items[0].uid, -1);
	assert_string_equal(rows.items[0].user, "");
	rows_fini(&rows);
	rollup_rows(snapshot, ROLLUP_COMMAND, NULL, &rows);
	assert_int_equal(rows.items[0].pid + rows.items[0].tid + rows.items[0].ppid, 0);
	assert_int_equal(rows.items[0].cgroup, -1);
	assert_int_equal((int)rows.items[0].uid, -1);
	assert_string_equal(rows.items[0].user, "");
	assert_string_equal(rows.items[0].comm, "c");
	rows_fini(&rows);
	snapshot_free(snapshot);
}

/* Thousands of generations, and thousands of siblings: neither deep nor slow. */
static void trees_of_any_shape(void **state)
{
	enum { N = 20000 };

	for (int deep = 0; deep < 2; deep++) {
		struct snapshot *snapshot = sample_snapshot(sample_columns("software"), NULL, 0);
		struct rows rows;

		(void)state;
		rows_fini(&snapshot->threads);
		rows_init(snapshot->columns, N, &snapshot->threads);
		for (pid_t i = 0; i < N; i++) {
			snapshot->threads.items[i] = (struct row){
				.pid = i + 1, .tid = i + 1, .ppid = deep ? i : i > 0, .threads = 1};
			rows_tally(snapshot->columns, &snapshot->threads,
				   (size_t)i)[TALLY_TASK_CLOCK] = 1;
		}
		rollup_rows(snapshot, ROLLUP_TREE, NULL, &rows);
		assert_true(rows_tally(snapshot->columns, &rows, 0)[TALLY_TASK_CLOCK] == N);
		assert_int_equal(rows.items[0].threads, N);
		rows_fini(&rows);
		snapshot_free(snapshot);
	}
}

static void rolls_up_cpus(void **state)
{
	enum { CPUS = 6 };
	static const int sockets[CPUS] = {0, 1, 0, 1, -1, 2}, nodes[CPUS] = {1, 1, 0, 1, 0, 1};
	static const struct {
		const char *name;
		enum rollup by;
		const char *want; /* number:CPUs=busy% */
	} rows[] = {
		{"sockets, one of them offline", ROLLUP_SOCKET, "0:2=150 1:2=100 -1:1=50 2:0=? "},
		{"nodes", ROLLUP_NODE, "1:3=200 0:2=100 "},
	};
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), NULL, 0);
	const struct columns *columns = snapshot->columns;

	(void)state;
	for (int i = 0; i < 2; i++)
		sample_silence(&snapshot->cpus[i]);
	free(snapshot->cpus);
	sample_cpus(snapshot, CPUS);
	for (size_t i = 0; i < CPUS; i++) {
		struct snapshot_cpu *cpu = &snapshot->cpus[i];

		cpu->tally[TALLY_TASK_CLOCK] = NS_PER_S;
		cpu->idle[TALLY_TASK_CLOCK] = i == 0 ? 0 : NS_PER_S / 2;
		if (i == 5)
			sample_silence(cpu);
		cpu->socket = sockets[i];
		cpu->node = nodes[i];
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cpu_units units;
		char got[128] = "";

		rollup_cpus(snapshot, rows[i].by, &units);
		for (size_t k = 0; k < units.n; k++) {
			const struct snapshot_cpu *unit = &units.items[k];
			int busy = columns_metric(columns, "cpu_percent");
			char *at = got + strlen(got);

			at += sprintf(at, "%d:%u=", unit->cpu, unit->cpus);
			if (unit->figures)
				sprintf(at, "%.0f ", unit->figures[busy].value);
			else
				strcpy(at, "? ");
		}
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, got);
		cpu_units_fini(&units);
	}
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rolls_up_by_process),
		cmocka_unit_test(rolls_up_many),
		cmocka_unit_test(main_threads_that_slept_name_their_process),
		cmocka_unit_test(rolls_up_by_each_grouping),
		cmocka_unit_test(rolls_up_by_command),
		cmocka_unit_test(groups_are_anonymous),
		cmocka_unit_test(trees_of_any_shape),
		cmocka_unit_test(rolls_up_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
