// SPDX-License-Identifier: MIT
/* The processes that ran on the CPUs of a row, in a handmade snapshot. */
#include "core/snapshot/competitors.h"
#include "tests/unit/shared/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ON_ALL = -1 };

/*
 * CPU 0: starved 40 ms, hog 900 ms. CPU 1: two threads of pool 300 and 500 ms, hog 100 ms. The
 * main thread of pool sleeps, the main thread of `late` waited all the time.
 */
static struct snapshot *make_snapshot(bool places)
{
	static const struct sample_row rows[] = {
		SAMPLE_TASK(10, 10, 1, 0, -1, "starved", 40000000),
		SAMPLE_TASK(20, 20, 1, 0, -1, "hog", 1000000000),
		SAMPLE_TASK(30, 31, 1, 0, -1, "worker/1", 300000000),
		SAMPLE_TASK(30, 32, 1, 0, -1, "worker/2", 500000000),
		SAMPLE_TASK(40, 40, 1, 0, -1, "late", 0),
		SAMPLE_TASK(50, 51, 1, 0, -1, "orphan", 20000000),
	};
	static const struct snapshot_place at[] = {
		{0, 0, 40000000},  {1, 0, 900000000}, {1, 1, 100000000},
		{2, 1, 300000000}, {3, 1, 500000000}, {5, 3, 20000000},
	};
	static const struct row pool = {.pid = 30, .tid = 30, .comm = "pool"};
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), rows, ARRAY_SIZE(rows));

	sample_sleeping(snapshot, &pool, 1);
	if (!places)
		return snapshot;
	snapshot->places = xcalloc(1, sizeof(at));
	memcpy(snapshot->places, at, sizeof(at));
	snapshot->n_places = ARRAY_SIZE(at);
	return snapshot;
}

static void find(const struct snapshot *snapshot, const struct history_key *key, int last_cpu,
		 struct competitors *competitors)
{
	struct detail detail;

	detail_init(snapshot, key, &detail);
	if (last_cpu >= 0) {
		detail.sum.facts = xcalloc(FACTS, sizeof(struct figure));
		facts_clear(detail.sum.facts, FIGURE_UNDEFINED);
		detail.sum.facts[FACT_LAST_CPU] = figure_exact(last_cpu);
	}
	competitors_find(snapshot, &detail, competitors);
	detail_fini(&detail);
}

static void test_competitors(void **state)
{
	static const struct {
		const char *name;
		struct history_key key;
		int last_cpu; /* ON_ALL: unknown */
		unsigned cpus;
		size_t n_cpus;
		struct {
			const char *comm;
			uint64_t ms;
		} items[4]; /* up to NULL */
	} rows[] = {
		{"on its CPU",
		 {HISTORY_THREAD, 10, 0},
		 1,
		 COMPETITORS_ON_ITS_CPUS,
		 1,
		 {{"hog", 900}}},
		{"threads of a process are added up and have its name",
		 {HISTORY_PROCESS, 20, 0},
		 ON_ALL,
		 COMPETITORS_ON_ITS_CPUS,
		 2,
		 {{"pool", 800}, {"starved", 40}}},
		{"a thread, beside another of its process",
		 {HISTORY_THREAD, 31, 0},
		 ON_ALL,
		 COMPETITORS_ON_ITS_CPUS,
		 1,
		 {{"pool", 500}, {"hog", 100}}},
		{"a process, without its threads",
		 {HISTORY_PROCESS, 30, 0},
		 ON_ALL,
		 COMPETITORS_ON_ITS_CPUS,
		 1,
		 {{"hog", 100}}},
		{"it did not run: on its last CPU",
		 {HISTORY_PROCESS, 40, 0},
		 1,
		 COMPETITORS_ON_LAST_CPU,
		 1,
		 {{"pool", 800}, {"hog", 100}}},
		{"its last CPU ran no task",
		 {HISTORY_PROCESS, 40, 0},
		 7,
		 COMPETITORS_ON_LAST_CPU,
		 1,
		 {{NULL, 0}}},
		{"it did not run: on all CPUs that ran a task",
		 {HISTORY_PROCESS, 40, 0},
		 ON_ALL,
		 COMPETITORS_EVERYWHERE,
		 2,
		 {{"hog", 1000}, {"pool", 800}, {"starved", 40}, {"orphan", 20}}},
		{"none", {HISTORY_PROCESS, 50, 0}, ON_ALL, COMPETITORS_ON_ITS_CPUS, 1, {{NULL, 0}}},
		{"a CPU has none",
		 {HISTORY_CPU, 0, 0},
		 ON_ALL,
		 COMPETITORS_UNKNOWN,
		 0,
		 {{NULL, 0}}},
	};
	struct snapshot *snapshot = make_snapshot(true);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct competitors found;
		uint64_t ns = 0;
		size_t n = 0;

		find(snapshot, &rows[i].key, rows[i].last_cpu, &found);
		if ((unsigned)found.cpus != rows[i].cpus || found.n_cpus != rows[i].n_cpus)
			fail_msg("%s: CPUs %d, %zu", rows[i].name, (int)found.cpus, found.n_cpus);
		for (; n < ARRAY_SIZE(rows[i].items) && rows[i].items[n].comm; n++) {
			if (n >= found.n || found.items[n].ns != rows[i].items[n].ms * 1000000)
				fail_msg("%s: item %zu", rows[i].name, n);
			assert_string_equal(found.items[n].row->comm, rows[i].items[n].comm);
			ns += found.items[n].ns;
		}
		if (found.n != n || found.n_processes != n || found.ns != ns)
			fail_msg("%s: %zu competitors", rows[i].name, found.n);
	}
	snapshot_free(snapshot);
}

static void test_unknown_without_places(void **state)
{
	static const struct history_key key = {HISTORY_THREAD, 10, 0};
	struct snapshot *snapshot = make_snapshot(false);
	struct competitors found;

	(void)state;
	find(snapshot, &key, 0, &found);
	assert_int_equal(found.cpus, COMPETITORS_UNKNOWN);
	assert_int_equal(found.n, 0);
	snapshot_free(snapshot);
}

/* More than COMPETITORS_MAX: the sums have all of them. */
static void test_many(void **state)
{
	enum { N = COMPETITORS_MAX + 4 };
	static const struct history_key key = {HISTORY_THREAD, 1, 0};
	struct sample_row rows[N] = {0};
	struct competitors found;

	(void)state;
	for (int i = 0; i < N; i++)
		rows[i] = (struct sample_row)SAMPLE_TASK(i + 1, i + 1, 0, 0, -1, "task", 1000);
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), rows, N);
	snapshot->places = xcalloc(N, sizeof(*snapshot->places));
	snapshot->n_places = N;
	for (size_t i = 0; i < N; i++)
		snapshot->places[i] = (struct snapshot_place){i, 0, 1000 + i};
	find(snapshot, &key, ON_ALL, &found);
	assert_int_equal(found.n, COMPETITORS_MAX);
	assert_int_equal(found.items[0].row->pid, N);
	assert_int_equal(found.n_processes, N - 1);
	assert_int_equal(found.ns, (N - 1) * 1000 + N * (N - 1) / 2);
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_competitors),
		cmocka_unit_test(test_unknown_without_places),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
