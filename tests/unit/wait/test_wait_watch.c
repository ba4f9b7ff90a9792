// SPDX-License-Identifier: MIT
/* Single waits of a watched task: their histogram, and which of them are counted. */
#include "core/wait/wait_watch.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <inttypes.h>

static const struct engine_column column = {.kind = ENGINE_EVENTS, .text = "runq_time"};

static void test_percentiles(void **state)
{
	static const struct {
		const char *name;
		uint64_t from_ns, step_ns, n, last_ns; /* n waits, and one of last_ns (0: none) */
		uint64_t p50_ns, p99_ns, max_ns;       /* exact: the histogram has up to 1/4 more */
	} rows[] = {
		{"none", 0, 0, 0, 0, 0, 0, 0},
		{"one", 1500, 0, 1, 0, 1500, 1500, 1500},
		{"1 ns to 100 ns", 1, 1, 100, 0, 50, 99, 100},
		{"1 us to 1 s", 1000, 1000, 1000000, 0, 500000000, 990000000, 1000000000},
		{"one is long", 2000, 0, 99, 5000000000, 2000, 2000, 5000000000},
		{"longer than all buckets", UINT64_MAX / 2, 0, 3, 0, UINT64_MAX / 2, UINT64_MAX / 2,
		 UINT64_MAX / 2},
		{"0 ns", 0, 0, 5, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wait_histogram histogram = {0};

		for (uint64_t k = 0; k < rows[i].n; k++)
			wait_histogram_add(&histogram, rows[i].from_ns + k * rows[i].step_ns);
		if (rows[i].last_ns)
			wait_histogram_add(&histogram, rows[i].last_ns);
		uint64_t p50_ns = wait_histogram_percentile(&histogram, 0.5);
		uint64_t p99_ns = wait_histogram_percentile(&histogram, 0.99);
		if (p50_ns < rows[i].p50_ns || p50_ns > rows[i].p50_ns + rows[i].p50_ns / 4)
			fail_msg("%s: p50 is %" PRIu64, rows[i].name, p50_ns);
		if (p99_ns < rows[i].p99_ns || p99_ns > rows[i].p99_ns + rows[i].p99_ns / 4)
			fail_msg("%s: p99 is %" PRIu64, rows[i].name, p99_ns);
		assert_int_equal(histogram.max_ns, rows[i].max_ns);
		assert_int_equal(wait_histogram_percentile(&histogram, 1), rows[i].max_ns);
	}
}

static void test_merge(void **state)
{
	struct wait_histogram sum = {0}, more = {0};

	(void)state;
	wait_histogram_add(&sum, 100);
	wait_histogram_add(&more, 1000);
	wait_histogram_add(&more, 100);
	wait_histogram_merge(&sum, &more);
	assert_int_equal(sum.n, 3);
	assert_int_equal(sum.max_ns, 1000);
	assert_in_range(wait_histogram_percentile(&sum, 0.5), 100, 125);
}

enum { MS = 1000000 };

/*
 * On one CPU: 7 is preempted for 4 ms, sleeps 30 ms, and is in state D from 60 ms to 130 ms, beyond
 * the end of the interval. Thread 9 of its process sleeps 20 ms.
 */
static const struct fk_step steps[] = {
	{1 * MS, FK_SWITCH, 0, 7},
	{10 * MS, FK_BLOCK, .tid = 7, .n = FK_PREEMPTED},
	{10 * MS, FK_SWITCH, 0, 8},
	{14 * MS, FK_SWITCH, 0, 7},
	{20 * MS, FK_SWITCH, 0, 9},
	{30 * MS, FK_SWITCH, 0, 0},
	{50 * MS, FK_SWITCH, 0, 9},
	{51 * MS, FK_SWITCH, 0, 7},
	{60 * MS, FK_BLOCK, .tid = 7, .n = FK_UNINTERRUPTIBLE},
	{60 * MS, FK_SWITCH, 0, 8},
	{130 * MS, FK_SWITCH, 0, 7},
	{140 * MS, FK_SWITCH, 0, 0},
};

struct kind_want {
	uint64_t n, max_ms;
};

static void check_kind(const char *name, const struct wait_histogram *histogram,
		       struct kind_want want)
{
	uint64_t max_ns = want.max_ms * MS, about = MS / 10;

	if (histogram->n != want.n || histogram->max_ns > max_ns + about ||
	    histogram->max_ns + about < max_ns)
		fail_msg("%s: %" PRIu64 " waits, max %" PRIu64, name, histogram->n,
			 histogram->max_ns);
}

static void test_watched(void **state)
{
	static const struct {
		const char *name;
		int64_t watched;
		struct kind_want preempted, blocked, later;
	} rows[] = {
		{"a thread", -7, {1, 4}, {1, 31}, {1, 70}},
		{"all threads of a process", 7, {1, 4}, {2, 31}, {1, 70}},
		{"another process", 8, {0, 0}, {1, 46}, {0, 0}},
		{"a thread that did not wait", -6, {0, 0}, {0, 0}, {0, 0}},
	};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk =
			fk_new(&(struct fk_config){.cpus = 1, .tracefs = FK_TRACEFS_MOUNTED});
		struct sys sys = fk_sys(fk);

		fk_task(fk, &(struct fk_spec){.tid = 7, .comm = "seven"});
		fk_task(fk, &(struct fk_spec){.tid = 8, .comm = "eight"});
		fk_task(fk, &(struct fk_spec){.tid = 9, .pid = 7, .comm = "nine"});
		struct engine *engine = open_engine_with(&sys, &config);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_null(snapshot->waits);
		snapshot_free(snapshot);
		send_request(engine, &(struct request){REQUEST_WATCH, NULL, rows[i].watched});
		snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));

		fk_script(fk, steps, ARRAY_SIZE(steps));
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_non_null(snapshot->waits);
		check_kind(rows[i].name, &snapshot->waits->kinds[WAIT_KIND_PREEMPTED],
			   rows[i].preempted);
		check_kind(rows[i].name, &snapshot->waits->kinds[WAIT_KIND_BLOCKED],
			   rows[i].blocked);
		assert_false(snapshot->waits->lost);
		snapshot_free(snapshot);

		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		check_kind(rows[i].name, &snapshot->waits->kinds[WAIT_KIND_BLOCKED], rows[i].later);
		snapshot_free(snapshot);

		send_request(engine, &(struct request){REQUEST_WATCH, NULL, 0});
		snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_null(snapshot->waits);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* Without the tracepoint no record has why a task left its CPU. */
static void test_no_reason(void **state)
{
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1, .tracefs = FK_TRACEFS_NONE});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 7, .comm = "seven"});
	fk_task(fk, &(struct fk_spec){.tid = 8, .comm = "eight"});
	fk_task(fk, &(struct fk_spec){.tid = 9, .pid = 7, .comm = "nine"});
	struct engine *engine = open_engine_with(&sys, &config);
	send_request(engine, &(struct request){REQUEST_WATCH, NULL, -7});
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	fk_script(fk, steps, ARRAY_SIZE(steps));
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_kind("off", &snapshot->waits->kinds[WAIT_KIND_OFF], (struct kind_want){2, 31});
	check_kind("blocked", &snapshot->waits->kinds[WAIT_KIND_BLOCKED], (struct kind_want){0, 0});
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* After lost records the wait is not counted that began before: it may be several. */
static void test_lost_records(void **state)
{
	static const struct fk_step lossy[] = {
		{1 * MS, FK_SWITCH, 0, 7},
		{10 * MS, FK_SWITCH, 0, 0},
		{20 * MS, FK_LOSE, .cpu = 0, .n = 2},
		{21 * MS, FK_SWITCH, 0, 7},
		{22 * MS, FK_SWITCH, 0, 0},
		{120 * MS, FK_SWITCH, 0, 7},
		{130 * MS, FK_SWITCH, 0, 0},
		{150 * MS, FK_SWITCH, 0, 7},
		{160 * MS, FK_SWITCH, 0, 0},
	};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 7, .comm = "seven"});
	struct engine *engine = open_engine_with(&sys, &config);
	send_request(engine, &(struct request){REQUEST_WATCH, NULL, 7});
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	fk_script(fk, lossy, ARRAY_SIZE(lossy));
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_true(snapshot->waits->lost);
	snapshot_free(snapshot);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_kind("after a gap", &snapshot->waits->kinds[WAIT_KIND_BLOCKED],
		   (struct kind_want){1, 20});
	snapshot_free(snapshot);
	close_all(engine, fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percentiles),  cmocka_unit_test(test_merge),
		cmocka_unit_test(test_watched),      cmocka_unit_test(test_no_reason),
		cmocka_unit_test(test_lost_records),
	};

	return cmocka_run_group_tests_name("wait_watch", tests, NULL, NULL);
}
