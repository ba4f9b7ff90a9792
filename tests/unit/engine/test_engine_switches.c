// SPDX-License-Identifier: MIT
/* The engine where the tracepoint sched:sched_switch samples context switches. */
#include "tests/fake_kernel/internal.h" /* for calls that one test refuses */
#include "tests/unit/shared/engine_run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pid_t pair[] = {50, 60};

static struct fk *pair_new(void)
{
	struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_MOUNTED});

	fk_task(fk, &(struct fk_spec){.tid = pair[0], .comm = "a", .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = pair[1], .comm = "b", .rates = FULL_IPC});
	return fk;
}

/* In each of three intervals the pair has all counts that it made, without a mark. */
static void check_pair(struct engine *engine, struct fk *fk)
{
	for (int i = 0; i < 3; i++) {
		uint64_t cycles[ARRAY_SIZE(pair)], switches[ARRAY_SIZE(pair)];

		for (size_t t = 0; t < ARRAY_SIZE(pair); t++) {
			cycles[t] = fk_truth_task(fk, pair[t], FK_CYCLES);
			switches[t] = fk_truth_task(fk, pair[t], FK_SWITCHES);
		}
		fk_ping_pong(fk, 0, 50, 60, 3 * NS_PER_US, 10000);
		fk_script(fk, &(struct fk_step){40 * NS_PER_MS, FK_SWITCH, .tid = 0}, 1);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
		assert_int_equal(snapshot->lost_records, 0);
		for (size_t t = 0; t < ARRAY_SIZE(pair); t++) {
			assert_int_equal(count_of(snapshot, pair[t], "cycles"),
					 fk_truth_task(fk, pair[t], FK_CYCLES) - cycles[t]);
			assert_int_equal(count_of(snapshot, pair[t], "context-switches"),
					 fk_truth_task(fk, pair[t], FK_SWITCHES) - switches[t]);
			const struct row *row = row_of(snapshot, pair[t]);
			assert_true(row && !(row->flags & ROW_LOST));
		}
		snapshot_free(snapshot);
	}
}

/* With the software event the first interval beside some of them has no task. */
static void test_beside_rivals(void **state)
{
	static const struct fk_rival rivals[] = {
		{.chain_bytes = 0},
		{.chain_bytes = 1040},
		{.chain_bytes = 72, .other_namespace = true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rivals); i++) {
		struct fk *fk = pair_new();
		struct sys sys = fk_sys(fk);
		struct engine *engine = open_engine(&sys);
		unsigned fds = fk_open_fds(fk);

		fk_rival(fk, &rivals[i]);
		check_pair(engine, fk);
		assert_int_equal(fk_open_fds(fk), fds); /* no SWITCH records */
		close_all(engine, fk);
	}
}

/* Its EXIT was lost, and so was its number: the tracepoint has it. */
static void test_thread_that_has_exited(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_MOUNTED, .cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = 51, .pid = 50, .rates = HALF_IPC});
	struct engine *engine = open_engine(&sys);
	fk_switch(fk, 0, 51);
	struct snapshot *first = next_snapshot(engine, fk, INTERVAL_NS);
	fk_lose(fk, 0, 1);
	fk_exit(fk, 51, FK_EXIT_THREAD);
	fk_advance(fk, NS_PER_MS);
	fk_switch(fk, 0, 0);
	struct snapshot *second = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(second->lost_records, 1);
	assert_int_equal(count_of(first, 51, "cycles") + count_of(second, 51, "cycles"),
			 fk_truth_task(fk, 51, FK_CYCLES));
	snapshot_free(first);
	snapshot_free(second);
	close_all(engine, fk);
}

static int open_alone(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		      unsigned long flags)
{
	if (attr->type == PERF_TYPE_TRACEPOINT && group_fd >= 0)
		return -EINVAL;
	return fk_perf_open(ctx, attr, pid, cpu, group_fd, flags);
}

static void test_refused_in_groups(void **state)
{
	struct fk *fk = pair_new();
	struct sys sys = fk_sys(fk);
	struct sys_ops ops = *sys.ops;

	(void)state;
	ops.perf_open = open_alone;
	sys.ops = &ops;
	struct engine *engine = open_engine(&sys);
	check_pair(engine, fk);
	close_all(engine, fk);
}

/*
 * The last CPU has no descriptor left for its event of wake-ups. All CPUs are counted, without
 * records of wake-ups, and the tracepoint of switches stays.
 */
static void test_no_descriptor_for_wakeups(void **state)
{
	static const struct engine_column waits = {.kind = ENGINE_EVENTS, .text = "runq_time"};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = &waits, .n_columns = 1};
	unsigned fds = 0, opened = 0;

	(void)state;
	for (int limited = 0; limited < 2; limited++) {
		struct fk *fk = fk_new(&(struct fk_config){
			.cpus = 4, .no_pmu = true, .tracefs = FK_TRACEFS_MOUNTED});
		struct sys sys = fk_sys(fk);

		fk_task(fk, &(struct fk_spec){.tid = 7});
		if (limited)
			fk_fail(fk, FK_PERF_OPEN, opened, EMFILE);
		struct engine *engine = open_engine_with(&sys, &config);
		opened = fk_calls(fk, FK_PERF_OPEN);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 2);

		if (limited && fk_open_fds(fk) != fds - 4)
			fail_msg("%u descriptors, not %u", fk_open_fds(fk), fds - 4);
		fds = fk_open_fds(fk);
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(snapshot->cpus[i].figures[0].state, FIGURE_VALID);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_descriptor_for_wakeups),
		cmocka_unit_test(test_beside_rivals),
		cmocka_unit_test(test_thread_that_has_exited),
		cmocka_unit_test(test_refused_in_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
