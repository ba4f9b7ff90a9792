// SPDX-License-Identifier: MIT
/* Details of one row of a handmade snapshot. */
#include "core/snapshot/detail.h"
#include "tests/unit/shared/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct sample_row task(pid_t pid, pid_t tid, uint64_t start_ns, uid_t uid, int cgroup,
			      uint64_t ran_ns)
{
	return (struct sample_row){
		.row = {.pid = pid,
			.tid = tid,
			.start_ns = start_ns,
			.uid = uid,
			.cgroup = cgroup,
			.threads = 1},
		.counts = {[TALLY_TASK_CLOCK] = ran_ns, [SAMPLE_CYCLES] = ran_ns},
	};
}

static struct snapshot *make_snapshot(void)
{
	struct sample_row rows[] = {
		task(7, 8, 20, 1000, 0, 300000000), task(7, 7, 10, 1000, 0, 100000000),
		task(9, 9, 30, 1000, 1, 50000000),  task(11, 12, 41, 33, 0, 200000000),
		task(7, 7, 60, 1000, 0, 10000000), /* the pid reused */
	};
	static const struct snapshot_place places[] = {
		{0, 0, 100000000}, {0, 1, 200000000}, {1, 0, 100000000}, {2, 1, 50000000},
		{3, 0, 20000000},  {3, 1, 180000000}, {4, 1, 10000000},
	};
	static const struct row nginx = {.pid = 11, .tid = 11, .start_ns = 40, .comm = "nginx"};
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), rows, ARRAY_SIZE(rows));

	text_copy(snapshot->threads.items[0].comm, 16, "worker");
	text_copy(snapshot->threads.items[1].comm, 16, "main");
	snapshot->threads.items[1].flags = ROW_EXITED;
	snapshot->threads.items[3].flags = ROW_EXITED;
	snapshot->threads.items[0].flags = ROW_LOST;
	snapshot->places = xcalloc(1, sizeof(places));
	memcpy(snapshot->places, places, sizeof(places));
	snapshot->n_places = ARRAY_SIZE(places);
	SAMPLE_CGROUPS(snapshot, "/a", "/b");
	sample_sleeping(snapshot, &nginx, 1);
	snapshot->cpus[0].socket = 0;
	snapshot->cpus[1].socket = 1;
	return snapshot;
}

/* The time of each thread that may be another row's is in doubt in the process too. */
static void test_doubt(void **state)
{
	const struct history_key process = {.kind = HISTORY_PROCESS, .number = 7, .start = 10};

	(void)state;
	for (size_t thread = 0; thread < 2; thread++) {
		struct snapshot *snapshot = make_snapshot();
		struct detail detail;

		snapshot->threads.items[thread].doubt_ns = 40000000;
		detail_init(snapshot, &process, &detail);
		assert_int_equal(detail.sum.items[0].doubt_ns, 40000000);
		int metric = columns_metric(snapshot->columns, "cpu_percent");
		assert_int_equal(rows_figures(snapshot->columns, &detail.sum, 0)[metric].state,
				 FIGURE_SCALED);
		detail_fini(&detail);
		snapshot_free(snapshot);
	}
}

enum { MOST = 4 };

static void test_subjects(void **state)
{
	static const struct {
		const char *name;
		enum history_kind kind;
		uint32_t number;
		uint64_t start;
		uint64_t ran_ns; /* 0: no such row */
		const char *comm;
		uint64_t sum_start;
		unsigned flags;
		struct detail_thread threads[MOST]; /* up to ns 0 */
		struct detail_place places[MOST];   /* the same */
	} rows[] = {
		{"a process with its threads, and not its follower's",
		 HISTORY_PROCESS,
		 7,
		 10,
		 400000000,
		 "main",
		 10,
		 ROW_EXITED | ROW_LOST,
		 {{0, 300000000}, {1, 100000000}},
		 {{0, 200000000}, {1, 200000000}}},
		{"a process with a main thread that did not run",
		 HISTORY_PROCESS,
		 11,
		 40,
		 200000000,
		 "nginx",
		 40,
		 0,
		 {{3, 200000000}},
		 {{1, 180000000}, {0, 20000000}}},
		{"a process that did not run", HISTORY_PROCESS, 5, 1, 0, "", 0, 0, {{0}}, {{0}}},
		{"another process of that pid that did not run",
		 HISTORY_PROCESS,
		 9,
		 99,
		 0,
		 "",
		 0,
		 0,
		 {{0}},
		 {{0}}},
		{"a thread",
		 HISTORY_THREAD,
		 8,
		 20,
		 300000000,
		 "worker",
		 20,
		 ROW_LOST,
		 {{0, 300000000}},
		 {{1, 200000000}, {0, 100000000}}},
		{"a user, not ended with a thread",
		 HISTORY_USER,
		 33,
		 0,
		 200000000,
		 "",
		 41,
		 0,
		 {{3, 200000000}},
		 {{1, 180000000}, {0, 20000000}}},
		{"a CPU and the threads that ran there",
		 HISTORY_CPU,
		 0,
		 0,
		 660000000,
		 "",
		 0,
		 0,
		 {{0, 100000000}, {1, 100000000}, {3, 20000000}},
		 {{0}}},
		{"a socket",
		 HISTORY_SOCKET,
		 1,
		 0,
		 0,
		 "",
		 0,
		 0,
		 {{0, 200000000}, {3, 180000000}, {2, 50000000}, {4, 10000000}},
		 {{1, 440000000}}},
		{"a CPU that does not exist", HISTORY_CPU, 77, 0, 0, "", 0, 0, {{0}}, {{0}}},
	};
	struct snapshot *snapshot = make_snapshot();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct history_key key = {rows[i].kind, rows[i].number, rows[i].start};
		struct detail detail;
		size_t n = 0;

		detail_init(snapshot, &key, &detail);
		if (rows[i].ran_ns && detail.sum.tallies[TALLY_TASK_CLOCK] != rows[i].ran_ns)
			fail_msg("%s: ran %llu", rows[i].name,
				 (unsigned long long)detail.sum.tallies[TALLY_TASK_CLOCK]);
		if (rows[i].kind <= HISTORY_TARGET || rows[i].kind >= HISTORY_THREAD)
			assert_int_equal(detail.sum.n, rows[i].ran_ns > 0);
		assert_string_equal(detail.sum.items[0].comm, rows[i].comm);
		if (detail.sum.n > 0 && rows[i].comm[0])
			assert_int_equal(detail.sum.items[0].start_ns, rows[i].sum_start);
		if (detail.sum.n > 0 && detail.sum.items[0].flags != rows[i].flags)
			fail_msg("%s: flags %u", rows[i].name, detail.sum.items[0].flags);
		for (n = 0; n < MOST && rows[i].threads[n].ns; n++) {
			assert_int_equal(detail.threads[n].row, rows[i].threads[n].row);
			assert_int_equal(detail.threads[n].ns, rows[i].threads[n].ns);
		}
		if (detail.n_threads != n)
			fail_msg("%s: %zu threads", rows[i].name, detail.n_threads);
		for (n = 0; n < MOST && rows[i].places[n].ns; n++) {
			assert_int_equal(detail.places[n].cpu, rows[i].places[n].cpu);
			assert_int_equal(detail.places[n].ns, rows[i].places[n].ns);
		}
		if (detail.n_places != n)
			fail_msg("%s: %zu places", rows[i].name, detail.n_places);
		detail_fini(&detail);
	}
	snapshot_free(snapshot);
}

/* A command has all threads of its processes, whatever their own names. */
static void test_command(void **state)
{
	static const struct {
		const char *command;
		size_t rows[MOST]; /* of the threads, the busiest first */
		size_t n;
	} rows[] = {
		{"main", {0, 1}, 2},
		{"nginx", {3}, 1}, /* the main thread sleeps */
		{"worker", {0}, 0},
	};
	struct snapshot *snapshot = make_snapshot();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct row row = {.threads = 1};
		struct detail detail;

		text_copy(row.comm, sizeof(row.comm), rows[i].command);
		struct history_key key = history_key_of_row(snapshot, ROLLUP_COMMAND, &row);
		detail_init(snapshot, &key, &detail);
		if (detail.n_threads != rows[i].n)
			fail_msg("%s: %zu threads", rows[i].command, detail.n_threads);
		for (size_t k = 0; k < detail.n_threads; k++)
			assert_int_equal(detail.threads[k].row, rows[i].rows[k]);
		detail_fini(&detail);
	}
	snapshot_free(snapshot);
}

static void test_cgroup(void **state)
{
	struct snapshot *snapshot = make_snapshot();
	struct row row = {.cgroup = 1};
	struct history_key key = history_key_of_row(snapshot, ROLLUP_CGROUP, &row);
	struct detail detail;

	(void)state;
	detail_init(snapshot, &key, &detail);
	assert_int_equal(detail.n_threads, 1);
	assert_int_equal(detail.threads[0].row, 2);
	assert_string_equal(snapshot_cgroup(snapshot, &detail.sum.items[0]), "/b");
	detail_fini(&detail);
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subjects),
		cmocka_unit_test(test_doubt),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
