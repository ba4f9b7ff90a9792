// SPDX-License-Identifier: MIT
/* Histories of handmade snapshots. */
#include "core/snapshot/history.h"
#include "core/snapshot/snapshot_sum.h"
#include "tests/unit/shared/allocated.h"
#include "tests/unit/shared/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct sample_row task(pid_t pid, uint64_t start_ns, uint64_t ran_ns, double ipc)
{
	return (struct sample_row){
		.row = {.pid = pid,
			.tid = pid,
			.start_ns = start_ns,
			.uid = 1000,
			.cgroup = -1,
			.threads = 1},
		.counts = {[TALLY_TASK_CLOCK] = ran_ns,
			   [SAMPLE_CYCLES] = ran_ns,
			   [SAMPLE_INSTRUCTIONS] = (uint64_t)((double)ran_ns * ipc)},
	};
}

/* A run of snapshots, one after the other. */
struct graph_range {
	struct history *history;
	struct columns *columns;
	uint64_t now_ns;
};

static void graph_range_open(struct graph_range *graph_range)
{
	*graph_range =
		(struct graph_range){history_new(), sample_columns("overview"), 100 * NS_PER_S};
}

static void graph_range_close(struct graph_range *graph_range)
{
	history_free(graph_range->history);
	columns_unref(graph_range->columns);
}

static struct snapshot *graph_range_snapshot(struct graph_range *graph_range, uint64_t interval_ns,
					     const struct sample_row *rows, size_t n)
{
	struct snapshot *snapshot = sample_snapshot(columns_ref(graph_range->columns), rows, n);

	graph_range->now_ns += interval_ns;
	snapshot->time_ns = graph_range->now_ns;
	snapshot->interval_ns = interval_ns;
	rows_evaluate(graph_range->columns, snapshot_scope(snapshot), &snapshot->threads);
	return snapshot;
}

static void graph_range_add(struct graph_range *graph_range, uint64_t interval_ns,
			    const struct sample_row *rows, size_t n)
{
	struct snapshot *snapshot = graph_range_snapshot(graph_range, interval_ns, rows, n);

	history_add(graph_range->history, snapshot);
	snapshot_free(snapshot);
}

static const struct history_key machine = {.kind = HISTORY_MACHINE};

static struct history_key process(pid_t pid, uint64_t start_ns)
{
	return (struct history_key){HISTORY_PROCESS, (uint32_t)pid, start_ns};
}

/* The last values, the newest first; -1 is unknown. */
static void check_values(const struct graph_range *graph_range, struct history_key key,
			 const char *metric, unsigned step, const double *want, size_t n)
{
	float values[16];

	history_read(graph_range->history, &key, metric, step, n, values);
	for (size_t i = 0; i < n; i++) {
		float value = values[n - 1 - i];

		if (want[i] < 0)
			assert_true(isnan(value));
		else /* as exact as eight bits are */
			if (!(fabs((double)value - want[i]) <= want[i] / 256 + 1e-9))
				fail_msg("%s %zu: %g, not %g", metric, i, (double)value, want[i]);
	}
}

#define CHECK(graph_range, key, metric, step, ...)                                  \
	check_values(graph_range, key, metric, step, (const double[]){__VA_ARGS__}, \
		     ARRAY_SIZE(((const double[]){__VA_ARGS__})))

static void test_bucket_a_second(void **state)
{
	struct graph_range graph_range;
	struct sample_row first[] = {task(7, 5, NS_PER_S / 2, 1.5), task(8, 6, NS_PER_S / 4, 2)};
	struct sample_row second[] = {task(8, 6, NS_PER_S, 0.5)};

	(void)state;
	graph_range_open(&graph_range);
	CHECK(&graph_range, machine, "cpu_percent", 1, -1, -1);
	graph_range_add(&graph_range, NS_PER_S, first, 2);
	graph_range_add(&graph_range, NS_PER_S, second, 1);
	CHECK(&graph_range, process(7, 5), "cpu_percent", 1, -1, 50, -1);
	CHECK(&graph_range, process(8, 6), "cpu_percent", 1, 100, 25, -1);
	CHECK(&graph_range, process(8, 6), "ipc", 1, 0.5, 2, -1);
	CHECK(&graph_range, process(8, 6), "no_such_metric", 1, -1, -1);
	CHECK(&graph_range, ((struct history_key){HISTORY_THREAD, 8, 6}), "ipc", 1, 0.5, 2, -1);
	CHECK(&graph_range, ((struct history_key){HISTORY_USER, 1000, 0}), "cpu_percent", 1, 100,
	      75);
	CHECK(&graph_range, ((struct history_key){HISTORY_CPU, 0, 0}), "cpu_percent", 1, 100, 100);
	CHECK(&graph_range, ((struct history_key){HISTORY_CPU, 2, 0}), "cpu_percent", 1, -1, -1);
	assert_int_equal(history_span_ns(graph_range.history, 1, 3), 3 * NS_PER_S);
	graph_range_close(&graph_range);
}

static struct history_key group_key(const struct snapshot *snapshot, enum rollup by, int cgroup,
				    const char *command)
{
	struct row row = {.cgroup = cgroup};

	text_copy(row.comm, sizeof(row.comm), command);
	return history_key_of_row(snapshot, by, &row);
}

/* A group whose name is unknown is a group of its own, and not any of them. */
static void test_named_groups(void **state)
{
	struct graph_range graph_range;
	struct sample_row rows[] = {task(7, 5, NS_PER_S / 2, 1), task(8, 6, NS_PER_S / 4, 1),
				    task(9, 7, NS_PER_S / 8, 1)};

	(void)state;
	text_copy(rows[0].row.comm, sizeof(rows[0].row.comm), "sh");
	text_copy(rows[1].row.comm, sizeof(rows[1].row.comm), "sh");
	text_copy(rows[2].row.comm, sizeof(rows[2].row.comm), "cc1");
	rows[1].row.cgroup = rows[2].row.cgroup = 0;
	graph_range_open(&graph_range);
	struct snapshot *snapshot = graph_range_snapshot(&graph_range, NS_PER_S, rows, 3);
	SAMPLE_CGROUPS(snapshot, "/a");
	history_add(graph_range.history, snapshot);
	CHECK(&graph_range, group_key(snapshot, ROLLUP_COMMAND, -1, "sh"), "cpu_percent", 1, 75);
	CHECK(&graph_range, group_key(snapshot, ROLLUP_COMMAND, -1, "cc1"), "cpu_percent", 1, 12.5);
	CHECK(&graph_range, group_key(snapshot, ROLLUP_COMMAND, -1, ""), "cpu_percent", 1, -1);
	CHECK(&graph_range, group_key(snapshot, ROLLUP_CGROUP, 0, ""), "cpu_percent", 1, 37.5);
	CHECK(&graph_range, group_key(snapshot, ROLLUP_CGROUP, -1, ""), "cpu_percent", 1, 50);
	snapshot_free(snapshot);
	snapshot = graph_range_snapshot(&graph_range, NS_PER_S, &rows[2], 1);
	SAMPLE_CGROUPS(snapshot, "/a");
	history_add(graph_range.history, snapshot);
	CHECK(&graph_range, group_key(snapshot, ROLLUP_CGROUP, -1, ""), "cpu_percent", 1, -1);
	snapshot_free(snapshot);
	graph_range_close(&graph_range);
}

/* A held history shows the same values, and keeps new snapshots. */
static void test_held(void **state)
{
	struct graph_range graph_range;
	struct sample_row rows[] = {task(7, 5, NS_PER_S / 4, 1), task(7, 5, NS_PER_S, 1)};

	(void)state;
	graph_range_open(&graph_range);
	graph_range_add(&graph_range, NS_PER_S, &rows[0], 1);
	history_hold(graph_range.history, true);
	graph_range_add(&graph_range, NS_PER_S, &rows[1], 1);
	CHECK(&graph_range, process(7, 5), "cpu_percent", 1, 25, -1);
	assert_int_equal(history_span_ns(graph_range.history, 1, 2), 2 * NS_PER_S);
	history_hold(graph_range.history, false);
	CHECK(&graph_range, process(7, 5), "cpu_percent", 1, 100, 25);
	graph_range_close(&graph_range);
}

/* Values are cut to eight bits, never to another state. */
static void test_values(void **state)
{
	static const double values[] = {0, 1e-30, 0.001, 1, 99.6, 1e9, 3e38, 1e300, 5e-324};
	struct graph_range graph_range;

	(void)state;
	graph_range_open(&graph_range);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct snapshot *snapshot = graph_range_snapshot(&graph_range, NS_PER_S, NULL, 0);
		float read;

		snapshot->targeted = true;
		snapshot->target_figures =
			xcalloc(graph_range.columns->n_metrics, sizeof(struct figure));
		snapshot->target_figures[0] = (struct figure){.value = values[i]};
		snapshot->target_figures[1] = (struct figure){.state = FIGURE_DENIED, .value = 3};
		history_add(graph_range.history, snapshot);
		snapshot_free(snapshot);
		struct history_key key = history_key_of_all(HISTORY_TARGET);
		history_read(graph_range.history, &key, "cpu_percent", 1, 1, &read);
		if (values[i] > 3.4e38)
			assert_true(isnan(read));
		else
			assert_true(fabs((double)read - values[i]) <= values[i] / 256 + 1e-38);
		history_read(graph_range.history, &key, "ghz", 1, 1, &read);
		assert_true(isnan(read));
	}
	graph_range_close(&graph_range);
}

/* Ten refreshes of 0.1 s: what was counted is added up before it is divided. */
static void test_short_intervals(void **state)
{
	struct graph_range graph_range;
	struct sample_row busy = task(7, 5, 80 * NS_PER_MS, 2),
			  rare = task(8, 6, 50 * NS_PER_MS, 1);
	struct sample_row slow = task(7, 5, 20 * NS_PER_MS, 0.5);

	(void)state;
	graph_range_open(&graph_range);
	for (int second = 0; second < 700; second++)
		for (int i = 0; i < 10; i++) {
			struct sample_row rows[] = {i % 2 ? busy : slow, rare};

			graph_range_add(&graph_range, 100 * NS_PER_MS, rows, i == 3 ? 2 : 1);
		}
	CHECK(&graph_range, process(7, 5), "cpu_percent", 1, 50, 50, 50);
	CHECK(&graph_range, process(7, 5), "ipc", 1, 1.7, 1.7, 1.7);
	CHECK(&graph_range, process(8, 6), "cpu_percent", 1, 5, 5, 5);
	CHECK(&graph_range, process(8, 6), "ipc", 1, 1, 1, 1);
	/* Ten minutes are kept, and values do not exceed the input. */
	float values[HISTORY_BUCKETS + 1];
	struct history_key key = process(7, 5);
	history_read(graph_range.history, &key, "ipc", 1, ARRAY_SIZE(values), values);
	for (size_t i = 1; i < ARRAY_SIZE(values); i++)
		assert_false(isnan(values[i]));
	assert_true(isnan(values[0]));
	assert_true(history_span_ns(graph_range.history, 1, HISTORY_BUCKETS) >= 600 * NS_PER_S);
	graph_range_close(&graph_range);
}

/* Refreshes that are slightly late or early are one bucket each. */
static void test_unsteady_intervals(void **state)
{
	struct graph_range graph_range;
	struct sample_row row = task(7, 5, NS_PER_S / 10, 1);

	(void)state;
	graph_range_open(&graph_range);
	for (int i = 0; i < 6; i++)
		graph_range_add(&graph_range, NS_PER_S + (i % 2 ? 40 : -40) * (int)NS_PER_MS, &row,
				1);
	CHECK(&graph_range, process(7, 5), "ipc", 1, 1, 1, 1, 1, 1, 1, -1);
	/* 10 s each from here on. */
	graph_range_add(&graph_range, 10 * NS_PER_S, &row, 1);
	CHECK(&graph_range, process(7, 5), "cpu_percent", 1, 1, 10 / 1.04);
	assert_int_equal(history_span_ns(graph_range.history, 1, 2), 11040 * NS_PER_MS);
	graph_range_close(&graph_range);
}

/* The buckets of a value do not change later. */
static void test_steps(void **state)
{
	struct graph_range graph_range;

	(void)state;
	graph_range_open(&graph_range);
	for (int i = 1; i <= 9; i++) {
		struct sample_row row = task(7, 5, (uint64_t)i * NS_PER_S / 10, 1);

		graph_range_add(&graph_range, NS_PER_S, &row, 1);
	}
	CHECK(&graph_range, process(7, 5), "cpu_percent", 4, 65, 25, -1);
	CHECK(&graph_range, process(7, 5), "cpu_percent", 3, 80, 50, 20, -1);
	graph_range_add(&graph_range, NS_PER_S, NULL, 0);
	CHECK(&graph_range, process(7, 5), "cpu_percent", 4, 65, 25, -1);
	CHECK(&graph_range, process(7, 5), "cpu_percent", 5, 75, 30, -1); /* a gap is not 0 */
	graph_range_close(&graph_range);
}

static void test_another_of_that_pid(void **state)
{
	struct graph_range graph_range;
	struct sample_row first = task(7, 5, NS_PER_S / 10, 1),
			  second = task(7, 9, NS_PER_S / 5, 2);
	struct sample_row nameless = task(7, 0, NS_PER_S / 2, 3);

	(void)state;
	graph_range_open(&graph_range);
	graph_range_add(&graph_range, NS_PER_S, &first, 1);
	graph_range_add(&graph_range, NS_PER_S, (struct sample_row[]){first, second}, 2);
	graph_range_add(&graph_range, NS_PER_S, &second, 1);
	CHECK(&graph_range, process(7, 5), "ipc", 1, -1, 1, 1);
	CHECK(&graph_range, process(7, 9), "ipc", 1, 2, 2, -1);
	CHECK(&graph_range, process(7, 0), "ipc", 1, 2, 2, 1);
	/* An unknown start matches any start. */
	graph_range_add(&graph_range, NS_PER_S, &nameless, 1);
	CHECK(&graph_range, process(7, 9), "ipc", 1, 3, 2, 2, -1);
	graph_range_close(&graph_range);
}

static void test_columns_change(void **state)
{
	struct graph_range graph_range;
	struct sample_row row = task(7, 5, NS_PER_S / 10, 2);
	struct columns *overview, *branch = sample_columns("branch");

	(void)state;
	graph_range_open(&graph_range);
	overview = graph_range.columns;
	graph_range_add(&graph_range, NS_PER_S, &row, 1);
	graph_range_add(&graph_range, NS_PER_S / 2, &row,
			1); /* cut off by the change: a bucket by itself */
	graph_range.columns = branch;
	graph_range_add(&graph_range, NS_PER_S, &row, 1);
	CHECK(&graph_range, process(7, 5), "ipc", 1, 2, 2, 2, -1);
	CHECK(&graph_range, process(7, 5), "cpu_percent", 1, 10, 20, 10, -1);
	CHECK(&graph_range, process(7, 5), "mips", 1, -1, 400, 200);
	CHECK(&graph_range, process(7, 5), "branch_mpki", 1, 0, 0, 0);
	CHECK(&graph_range, process(7, 5), "branch_density", 1, -1, -1, -1);
	graph_range.columns = overview; /* earlier values are found again */
	graph_range_add(&graph_range, NS_PER_S, &row, 1);
	CHECK(&graph_range, process(7, 5), "mips", 1, 200, -1, 400, 200);
	columns_unref(branch);
	graph_range_close(&graph_range);
}

/* A time without snapshots is a gap of that length. */
static void test_gap(void **state)
{
	struct graph_range graph_range;
	struct sample_row row = task(7, 5, NS_PER_S / 10, 2);

	(void)state;
	graph_range_open(&graph_range);
	graph_range_add(&graph_range, NS_PER_S, &row, 1);
	graph_range_add(&graph_range, NS_PER_S / 10, &row, 1);
	graph_range.now_ns += 3 * NS_PER_S;
	graph_range_add(&graph_range, NS_PER_S, &row, 1);
	CHECK(&graph_range, machine, "ipc", 1, 2, -1, -1, -1, 2, 2, -1);
	graph_range.now_ns += 100000 * NS_PER_S;
	graph_range_add(&graph_range, NS_PER_S, &row, 1);
	CHECK(&graph_range, machine, "ipc", 1, 2, -1, -1);
	graph_range_close(&graph_range);
}

/* A task that did not run has a row but no values, in buckets of one snapshot and of more. */
static void test_still(void **state)
{
	static const uint64_t intervals_ns[] = {NS_PER_S, NS_PER_S / 2};
	const struct sample_row rows[] = {task(7, 5, NS_PER_S / 2, 2), task(8, 6, 0, 0)};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(intervals_ns); i++) {
		struct graph_range graph_range;
		graph_range_open(&graph_range);
		for (int k = 0; k < 2; k++) {
			struct snapshot *snapshot =
				graph_range_snapshot(&graph_range, intervals_ns[i], rows, 2);
			snapshot->threads.n_still = 1;
			history_add(graph_range.history, snapshot);
			assert_int_equal(snapshot->threads.n, 2);
			snapshot_free(snapshot);
		}
		CHECK(&graph_range, process(7, 5), "ipc", 1, 2);
		CHECK(&graph_range, process(8, 6), "cpu_percent", 1, -1);
		graph_range_close(&graph_range);
	}
}

/* 20,000 tasks in threads of 5,000 processes: the busiest are kept, the whole is bounded. */
static void test_crowd(void **state)
{
	enum { TASKS = 20000, BUCKETS = 10 };
	struct graph_range graph_range;
	struct sample_row *rows = xcalloc(TASKS, sizeof(*rows));

	(void)state;
	graph_range_open(&graph_range);
	for (int i = 0; i < TASKS; i++) {
		rows[i] = task(100000 + i, 5, (uint64_t)(i + 1) * 1000, 1);
		rows[i].row.pid = 100000 + i / 4 * 4;
	}
	struct snapshot *snapshot = graph_range_snapshot(&graph_range, NS_PER_S, rows, TASKS);
	size_t before = allocated_bytes();
	for (int i = 0; i < BUCKETS; i++, snapshot->time_ns += NS_PER_S)
		history_add(graph_range.history, snapshot);
	assert_true(allocated_bytes() <=
		    before + BUCKETS * HISTORY_BUCKET_BYTES + ALLOCATED_SLACK_BYTES);

	CHECK(&graph_range, machine, "ipc", 1, 1, 1);
	CHECK(&graph_range, ((struct history_key){HISTORY_USER, 1000, 0}), "ipc", 1, 1, 1);
	CHECK(&graph_range, process(100000 + TASKS - 4, 5), "cpu_percent", 1, 7.9994, 7.9994);
	CHECK(&graph_range, ((struct history_key){HISTORY_THREAD, 100000 + TASKS - 1, 5}), "ipc", 1,
	      1, 1);
	CHECK(&graph_range, process(100000, 5), "ipc", 1, -1, -1);
	CHECK(&graph_range, ((struct history_key){HISTORY_THREAD, 100000, 5}), "ipc", 1, -1, -1);
	snapshot_free(snapshot);
	free(rows);
	graph_range_close(&graph_range);
}

/* What a key cut short, and the rest, are one bucket: the mean of both. */
static void test_cut_short(void **state)
{
	struct graph_range graph_range;
	const struct sample_row rows[] = {task(7, 5, 2 * NS_PER_S, 2), task(7, 5, 0, 2)};
	uint64_t end_ns = 10 * NS_PER_S;

	(void)state;
	graph_range_open(&graph_range);
	for (int i = 0; i < 2; i++) {
		struct snapshot *snapshot =
			sample_snapshot(columns_ref(graph_range.columns), &rows[i], 1);

		snapshot->cut_short = i == 0;
		snapshot->interval_ns = 2 * NS_PER_S;
		snapshot->time_ns = end_ns += snapshot->interval_ns;
		history_add(graph_range.history, snapshot);
		snapshot_free(snapshot);
		CHECK(&graph_range, process(7, 5), "cpu_percent", 1, i == 0 ? -1 : 50);
	}
	assert_true(history_span_ns(graph_range.history, 1, 1) == 4 * NS_PER_S);
	graph_range_close(&graph_range);
}

/* More CPUs than a bucket has room for. */
static void test_many_cpus(void **state)
{
	struct graph_range graph_range;
	struct sample_row row = task(7, 5, NS_PER_S / 10, 2);
	struct snapshot *snapshot;

	(void)state;
	graph_range_open(&graph_range);
	snapshot = sample_snapshot_new(columns_ref(graph_range.columns), "h", "");
	sample_fill_rows(snapshot, &row, 1);
	sample_cpus(snapshot, 5000);
	sample_evaluate(snapshot);
	history_add(graph_range.history, snapshot);
	CHECK(&graph_range, ((struct history_key){HISTORY_CPU, 3, 0}), "cpu_percent", 1, 0);
	CHECK(&graph_range, ((struct history_key){HISTORY_CPU, 4999, 0}), "cpu_percent", 1, -1);
	CHECK(&graph_range, process(7, 5), "ipc", 1, -1);
	snapshot_free(snapshot);
	graph_range_close(&graph_range);
}

/* A sum of snapshots has the last known names, flags and cgroups. */
static void test_sum(void **state)
{
	struct columns *columns = sample_columns("overview");
	struct sample_row rows[] = {task(7, 5, 1000, 1), task(9, 6, 500, 1)};
	struct snapshot *first, *second, *sum;

	(void)state;
	rows[0].row.cgroup = 0;
	rows[0].row.cmdline = "its own";
	rows[0].row.flags = ROW_LOST;
	text_copy(rows[0].row.comm, sizeof(rows[0].row.comm), "sh");
	first = sample_snapshot(columns_ref(columns), rows, 1);
	SAMPLE_CGROUPS(first, "/a");
	rows[0].row.flags = ROW_EXITED;
	rows[0].row.comm[0] = '\0';
	second = sample_snapshot(columns_ref(columns), rows, 2);
	SAMPLE_CGROUPS(second, "/b", "/a");
	sample_sleeping(second, &(struct row){.pid = 3, .tid = 3, .cgroup = 1}, 1);

	machine_set(&first->machine, MACHINE_FORKS, 4);
	machine_set(&second->machine, MACHINE_FORKS, 8);
	struct snapshot_sum all;
	snapshot_sum_init(&all, first->columns, ROLLUP_THREAD);
	sum = all.sum;
	snapshot_sum_add(&all, first);
	snapshot_sum_add(&all, second);
	assert_true(sum->machine.values[MACHINE_FORKS] == 6);
	assert_int_equal(sum->threads.n, 2);
	assert_int_equal(rows_tally(columns, &sum->threads, 0)[TALLY_TASK_CLOCK], 2000);
	assert_int_equal(sum->threads.items[0].flags, ROW_LOST | ROW_EXITED);
	assert_string_equal(sum->threads.items[0].comm, "sh");
	assert_null(sum->threads.items[0].cmdline);
	assert_string_equal(snapshot_cgroup(sum, &sum->threads.items[0]), "/b");
	assert_string_equal(snapshot_cgroup(sum, &sum->sleeping[0]), "/a");
	assert_int_equal(sum->threads.items[1].cgroup, -1);
	assert_int_equal(sum->interval_ns, 2 * NS_PER_S);
	assert_int_equal(sum->n_cpus, 2);
	assert_true(snapshot_conserves(sum, NULL));
	snapshot_sum_evaluate(sum);
	/* The task has moved, and the sum has both cgroups. The other task is in none. */
	struct rows by_cgroup;
	rollup_tallies(sum, ROLLUP_CGROUP, &by_cgroup);
	assert_int_equal(by_cgroup.n, 3);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(snapshot_cgroup(sum, &by_cgroup.items[i]), i ? "/b" : "/a");
		assert_int_equal(rows_tally(columns, &by_cgroup, i)[TALLY_TASK_CLOCK], 1000);
		assert_int_equal(by_cgroup.items[i].doubt_ns, 0);
	}
	rows_fini(&by_cgroup);
	struct figure figures[64];
	assert_in_range(columns->n_metrics, 1, ARRAY_SIZE(figures));
	rows_evaluate_one(columns, snapshot_scope(sum), &sum->threads, 0, figures);
	assert_float_equal(figures[0].value, 1e-4, 1e-9);
	assert_float_equal(sum->figures[columns_metric(columns, "ipc")].value, 1, 1e-9);
	snapshot_free(first);
	snapshot_free(second);
	snapshot_sum_fini(&all);
	columns_unref(columns);
}

/* The doubts of gaps add up over intervals, rounding to ticks does not. */
static void test_sum_of_doubts(void **state)
{
	enum { N = 10 };
	static const struct {
		uint64_t gaps_ms, ticks_ms, want_ms; /* each; of the sum */
		enum figure_state state;
	} rows[] = {
		{0, 10, 10, FIGURE_VALID},
		{5, 0, 50, FIGURE_SCALED},
		{5, 10, 60, FIGURE_SCALED},
	};
	struct columns *columns = sample_columns("kernel");
	int index = columns_metric(columns, "cpu_percent");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row row = task(7, 5, 100 * NS_PER_MS, 1);
		struct snapshot *one = sample_snapshot(columns_ref(columns), &row, 1);
		struct snapshot_sum all;

		snapshot_sum_init(&all, columns, ROLLUP_THREAD);
		struct snapshot *sum = all.sum;
		one->interval_ns = 100 * NS_PER_MS;
		one->cpus[0].tally[TALLY_TASK_CLOCK] = 100 * NS_PER_MS;
		one->cpus[0].doubt_ns = (rows[i].gaps_ms + rows[i].ticks_ms) * NS_PER_MS;
		one->cpus[0].ticks_ns = rows[i].ticks_ms * NS_PER_MS;
		for (size_t k = 0; k < N; k++)
			snapshot_sum_add(&all, one);
		snapshot_sum_evaluate(sum);
		assert_int_equal(sum->cpus[0].doubt_ns, rows[i].want_ms * NS_PER_MS);
		assert_int_equal(sum->cpus[0].figures[index].state, rows[i].state);
		snapshot_free(one);
		snapshot_sum_fini(&all);
	}
	columns_unref(columns);
}

/* Makes n tasks, each in a cgroup of its own, from the last to the first. */
static struct snapshot *in_cgroups(struct columns *columns, size_t n, size_t n_cgroups)
{
	struct sample_row *rows = xcalloc(n, sizeof(*rows));

	for (size_t i = 0; i < n; i++) {
		rows[i] = task((pid_t)i + 1, 5, 1000, 1);
		rows[i].row.cgroup = (int)(n_cgroups - 1 - i);
	}
	struct snapshot *snapshot = sample_snapshot(columns_ref(columns), rows, n);
	snapshot->cgroups = xcalloc(n_cgroups, sizeof(char *));
	while (snapshot->n_cgroups < n_cgroups) {
		char path[32];

		snprintf(path, sizeof(path), "/%zu", n_cgroups - 1 - snapshot->n_cgroups);
		snapshot->cgroups[snapshot->n_cgroups++] = xstrdup(path);
	}
	free(rows);
	return snapshot;
}

/* Of thousands of cgroups, each that has a row is in the sum once. */
static void test_sum_cgroups(void **state)
{
	enum { FEW = 1500, MANY = 2000, ALL = 5000 };
	struct columns *columns = sample_columns("overview");
	struct snapshot *first = in_cgroups(columns, FEW, ALL);
	struct snapshot *second = in_cgroups(columns, MANY, MANY);
	struct snapshot_sum all;
	snapshot_sum_init(&all, first->columns, ROLLUP_THREAD);
	struct snapshot *sum = all.sum;
	snapshot_sum_add(&all, first);

	(void)state;
	assert_int_equal(sum->n_cgroups, FEW);
	snapshot_sum_add(&all, second);
	snapshot_sum_add(&all, first);
	assert_int_equal(sum->n_cgroups, MANY);
	assert_int_equal(sum->threads.n, MANY);
	for (size_t i = 0; i < sum->threads.n; i++) {
		const struct row *row = &sum->threads.items[i];
		char path[32];

		snprintf(path, sizeof(path), "/%d", row->tid - 1);
		assert_string_equal(snapshot_cgroup(sum, row), path);
	}
	snapshot_free(first);
	snapshot_free(second);
	snapshot_sum_fini(&all);
	columns_unref(columns);
}

static void whole_open(struct graph_range *graph_range)
{
	graph_range_open(graph_range);
	history_free(graph_range->history);
	graph_range->history = history_new_recorded();
}

/* n parts of the whole history; -1 is unknown. */
static void check_whole(const struct graph_range *graph_range, struct history_key key,
			const char *metric, const double *want, size_t n)
{
	uint64_t begin_ns, end_ns;
	float values[16];

	assert_true(history_reach(graph_range->history, &begin_ns, &end_ns));
	history_read_range(graph_range->history, &key, metric, begin_ns, end_ns, n, values);
	for (size_t i = 0; i < n; i++) {
		if (want[i] < 0 ? !isnan(values[i])
				: !(fabs((double)values[i] - want[i]) <= want[i] / 64 + 1e-9))
			fail_msg("%s %zu of %zu: %g, not %g", metric, i, n, (double)values[i],
				 want[i]);
	}
}

#define CHECK_WHOLE(graph_range, key, metric, ...)                           \
	check_whole(graph_range, key, metric, (const double[]){__VA_ARGS__}, \
		    ARRAY_SIZE(((const double[]){__VA_ARGS__})))

static void test_whole(void **state)
{
	struct graph_range graph_range;
	uint64_t begin_ns, end_ns;
	struct sample_row rows[] = {task(7, 5, NS_PER_S / 2, 1.5), task(8, 6, NS_PER_S / 4, 2)};

	(void)state;
	whole_open(&graph_range);
	assert_false(history_reach(graph_range.history, &begin_ns, &end_ns));
	for (int i = 0; i < 4; i++)
		graph_range_add(&graph_range, NS_PER_S, rows, i == 2 ? 2 : 1);
	assert_true(history_reach(graph_range.history, &begin_ns, &end_ns));
	assert_int_equal(begin_ns, 100 * NS_PER_S);
	assert_int_equal(end_ns, 104 * NS_PER_S);
	CHECK_WHOLE(&graph_range, process(8, 6), "cpu_percent", -1, -1, 25, -1);
	CHECK_WHOLE(&graph_range, process(8, 6), "cpu_percent", -1, 25);
	/* Finer than the buckets: values repeat. */
	CHECK_WHOLE(&graph_range, process(8, 6), "ipc", -1, -1, -1, -1, 2, 2, -1, -1);
	CHECK_WHOLE(&graph_range, process(7, 5), "ipc", 1.5, 1.5, 1.5);
	/* A part of it. */
	float values[2];
	struct history_key key = process(8, 6);
	history_read_range(graph_range.history, &key, "ipc", begin_ns + NS_PER_S,
			   begin_ns + 3 * NS_PER_S, 2, values);
	assert_true(isnan(values[0]) && !isnan(values[1]));
	graph_range_close(&graph_range);
}

/* A long recording is kept from its beginning, with right means, in bounded memory. */
static void test_whole_day(void **state)
{
	static const struct {
		uint64_t interval_ns;
		unsigned n;
	} rows[] = {
		{NS_PER_S, 641},      {NS_PER_S, 5000},       {NS_PER_S, 20000},
		{NS_PER_S / 4, 8000}, {10 * NS_PER_S, 20000}, {NS_PER_S + 13 * NS_PER_MS, 9999},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t ns = rows[i].interval_ns;
		struct graph_range graph_range;

		whole_open(&graph_range);
		size_t before = allocated_bytes();
		for (unsigned k = 0; k < rows[i].n; k++) {
			unsigned quarter = 4 * k / rows[i].n;
			/* 20, 40, 60, 80 %, each of them by turns more and less */
			uint64_t ran_ns = ns / 10 * (2 * (quarter + 1) + (k % 2 ? 1 : -1));
			struct sample_row row = task(7, 5, ran_ns, 1 + quarter);

			graph_range_add(&graph_range, ns, &row, 1);
		}
		history_end(graph_range.history);
		CHECK_WHOLE(&graph_range, process(7, 5), "cpu_percent", 20, 40, 60, 80);
		CHECK_WHOLE(&graph_range, process(7, 5), "cpu_percent", 30, 70);
		CHECK_WHOLE(&graph_range, process(7, 5), "ipc", 1, 2, 3, 4);
		assert_true(allocated_bytes() <=
			    before + HISTORY_BUCKETS * 2000 + ALLOCATED_SLACK_BYTES);
		graph_range_close(&graph_range);
	}
}

/* A mean is over the time in which the value was known, also if that is short. */
static void test_whole_moment(void **state)
{
	struct graph_range graph_range;
	struct sample_row rows[] = {task(7, 5, NS_PER_S / 2, 1), task(8, 6, NS_PER_S, 2),
				    task(8, 6, NS_PER_S / 2, 1)};

	(void)state;
	whole_open(&graph_range);
	for (int i = 0; i < 6400; i++) {
		if (i == 3000 || i == 3002)
			graph_range_add(&graph_range, NS_PER_S,
					(struct sample_row[]){rows[0], rows[1]}, 2);
		else if (i == 3005)
			graph_range_add(&graph_range, NS_PER_S,
					(struct sample_row[]){rows[0], rows[2]}, 2);
		else
			graph_range_add(&graph_range, NS_PER_S, rows, 1);
	}
	history_end(graph_range.history);
	CHECK_WHOLE(&graph_range, process(8, 6), "cpu_percent", 83.3);
	CHECK_WHOLE(&graph_range, process(8, 6), "ipc", -1, 1.667, -1, -1);
	graph_range_close(&graph_range);
}

/* A gap in the recording that is longer than a bucket is seen. */
static void test_whole_gap(void **state)
{
	struct graph_range graph_range;
	struct sample_row row = task(7, 5, NS_PER_S / 2, 1);

	(void)state;
	whole_open(&graph_range);
	for (int i = 0; i < 2000; i++) {
		if (i == 1000)
			graph_range.now_ns += 1000 * NS_PER_S;
		graph_range_add(&graph_range, NS_PER_S, &row, 1);
	}
	history_end(graph_range.history);
	CHECK_WHOLE(&graph_range, process(7, 5), "cpu_percent", 50, -1, 50);
	/* Years later: one bucket for all before. */
	graph_range.now_ns += 3000000000 * NS_PER_S;
	graph_range_add(&graph_range, NS_PER_S, &row, 1);
	history_end(graph_range.history);
	CHECK_WHOLE(&graph_range, process(7, 5), "cpu_percent", 50, -1, -1, 50);
	graph_range_close(&graph_range);
}

/* A metric that is counted from the middle on is found by its name. */
static void test_whole_columns_change(void **state)
{
	struct graph_range graph_range;
	struct sample_row row = task(7, 5, NS_PER_S / 2, 2);
	struct columns *overview, *branch = sample_columns("branch");

	(void)state;
	whole_open(&graph_range);
	overview = graph_range.columns;
	for (int i = 0; i < 6000; i++) {
		graph_range.columns = i < 3000 ? overview : branch;
		graph_range_add(&graph_range, NS_PER_S, &row, 1);
	}
	history_end(graph_range.history);
	CHECK_WHOLE(&graph_range, process(7, 5), "ipc", 2, 2, 2, 2);
	CHECK_WHOLE(&graph_range, process(7, 5), "mips", 1000, 1000, 1000, -1, -1);
	CHECK_WHOLE(&graph_range, process(7, 5), "branch_miss_percent", -1, -1, -1, -1);
	columns_unref(branch);
	graph_range.columns = overview;
	graph_range_close(&graph_range);
}

/* Other tasks run all the time: the busiest of each bucket stay, in bounded memory. */
static void test_whole_crowd(void **state)
{
	enum { TASKS = 600, SECONDS = 1500 };
	struct graph_range graph_range;
	struct sample_row *rows = xcalloc(TASKS + 1, sizeof(*rows));

	(void)state;
	whole_open(&graph_range);
	size_t before = allocated_bytes();
	for (int second = 0; second < SECONDS; second++) {
		for (int i = 0; i < TASKS; i++)
			rows[i] = task(100000 + second * TASKS + i, 5, 1000000, 1);
		rows[TASKS] = task(7, 5, NS_PER_S / 2, 2);
		graph_range_add(&graph_range, NS_PER_S, rows, TASKS + 1);
	}
	assert_true(allocated_bytes() <=
		    before + (HISTORY_BUCKETS + 32) * HISTORY_BUCKET_BYTES + ALLOCATED_SLACK_BYTES);
	history_end(graph_range.history);
	CHECK_WHOLE(&graph_range, machine, "ipc", 1.45, 1.45);
	CHECK_WHOLE(&graph_range, process(7, 5), "ipc", 2, 2, 2, 2, 2, 2, 2, 2);
	CHECK_WHOLE(&graph_range, ((struct history_key){HISTORY_USER, 1000, 0}), "cpu_percent", 110,
		    110);
	free(rows);
	graph_range_close(&graph_range);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bucket_a_second),
		cmocka_unit_test(test_named_groups),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_short_intervals),
		cmocka_unit_test(test_unsteady_intervals),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_another_of_that_pid),
		cmocka_unit_test(test_columns_change),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_still),
		cmocka_unit_test(test_crowd),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_many_cpus),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_sum_of_doubts),
		cmocka_unit_test(test_sum_cgroups),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_whole_day),
		cmocka_unit_test(test_whole_moment),
		cmocka_unit_test(test_whole_gap),
		cmocka_unit_test(test_whole_columns_change),
		cmocka_unit_test(test_whole_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
