// SPDX-License-Identifier: MIT
/*
 * Machines with very many tasks, cgroups, users, names or threads: all are shown, memory is bounded
 * and is freed.
 */
#include "core/snapshot/rollup.h"
#include "tests/unit/shared/allocated.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <stdio.h>

/* False with a sanitizer's allocator. */
static bool allocated_is_counted(void)
{
	void *memory = xmalloc(1 << 20);
	size_t with = allocated_bytes();

	free(memory);
	return allocated_bytes() < with;
}

/* Idle rows cost little, and nothing after they are switched off. */
static void a_hundred_thousand_sleep(void **state)
{
	enum { N = 100 * 1000, ROW_BYTES = 1024 };
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	for (pid_t tid = 1; tid <= N; tid++)
		fk_task(fk, &(struct fk_spec){.tid = tid, .ppid = 1, .rates = HALF_IPC});
	fk_switch(fk, 0, 7);
	struct engine *engine = open_engine_with(&sys, &(struct engine_config){.idle = true});
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	for (unsigned i = 0; i < 200 && snapshot->threads.n < N; i++) {
		snapshot_free(snapshot);
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	}
	assert_int_equal(snapshot->threads.n, N);
	assert_int_equal(snapshot_ran(snapshot), 1);
	assert_in_range(snapshot_bytes(snapshot), 1, (size_t)N * ROW_BYTES);
	size_t before = allocated_bytes();
	snapshot_free(snapshot);
	send_request(engine, &(struct request){REQUEST_IDLE, NULL, 0});
	snapshot_free(nth_snapshot(engine, fk, 4));
	assert_true(allocated_bytes() < before || !allocated_is_counted());
	/* The rest is the tasks themselves. */
	close_all(engine, fk);
}

/* Each in a cgroup, and of a user, of its own; all of them run in one interval, and then none. */
static void ten_thousand_of_each(void **state)
{
	enum { N = 10000, NAME_BYTES = 48, KEPT_BYTES = 2 << 20 };
	static char cgroups[N][NAME_BYTES];
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1});
	struct sys sys = fk_sys(fk);
	struct rows rows;

	(void)state;
	for (pid_t i = 0; i < N; i++) {
		snprintf(cgroups[i], NAME_BYTES, "/pods/pod%d/ctr%d", i / 10, i);
		fk_task(fk, &(struct fk_spec){.tid = 100 + i,
					      .uid = 5000 + (uid_t)i,
					      .cgroup = cgroups[i],
					      .rates = HALF_IPC});
	}
	struct engine *engine = open_engine(&sys);
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	size_t before = allocated_bytes() - fk_bytes(fk);
	for (pid_t i = 0; i < N; i++) {
		fk_switch(fk, 0, 100 + i);
		fk_advance(fk, 10 * NS_PER_US);
		if (i % 1000 == 999)
			snapshot_free(next_snapshot(engine, fk, NS_PER_MS));
	}
	for (pid_t i = N; i-- > 0;) {
		fk_switch(fk, 0, 100 + i);
		fk_advance(fk, 10 * NS_PER_US);
		fk_exit(fk, 100 + i, FK_EXIT_REAPED);
	}
	fk_switch(fk, 0, 0);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	static const enum rollup by[] = {ROLLUP_CGROUP, ROLLUP_USER, ROLLUP_PROCESS};
	for (size_t i = 0; i < ARRAY_SIZE(by); i++) {
		rollup_tallies(snapshot, by[i], &rows);
		assert_in_range(rows.n, N, N + 1);
		rows_fini(&rows);
	}
	snapshot_free(snapshot);
	for (unsigned i = 0; i < 12; i++)
		snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	fk_bury(fk);
	size_t after = allocated_bytes() - fk_bytes(fk);
	if (allocated_is_counted() && after > before + KEPT_BYTES)
		fail_msg("%zu bytes are kept, and were %zu", after, before);
	close_all(engine, fk);
}

/* Names that change all the time: the last one counts, and they are kept nowhere. */
static void thousands_of_names(void **state)
{
	enum { N = 20000, TID = 7 };
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1});
	struct sys sys = fk_sys(fk);
	char comm[16];

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = TID, .rates = HALF_IPC});
	fk_switch(fk, 0, TID);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	size_t before = allocated_bytes();
	for (unsigned i = 0; i < N; i++) {
		snprintf(comm, sizeof(comm), "name%u", i);
		fk_comm(fk, TID, comm);
		if (i % 1000 == 999)
			snapshot_free(next_snapshot(engine, fk, NS_PER_MS));
	}
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_string_equal(row_of(snapshot, TID)->comm, comm);
	assert_int_equal(snapshot->threads.n, 1);
	snapshot_free(snapshot);
	/* Memory for the forks of a batch is kept for a while (core/attrib/fork_scan.h). */
	assert_true(allocated_bytes() <= before + (256 << 10) || !allocated_is_counted());
	close_all(engine, fk);
}

/* One process. All its threads run. */
static void a_process_of_32000_threads(void **state)
{
	enum { N = 32000, MAIN = 10 };
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1});
	struct sys sys = fk_sys(fk);
	struct rows rows;
	uint64_t wanted = 0;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = MAIN, .comm = "java", .rates = HALF_IPC});
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine(&sys);
	for (pid_t i = 1; i < N; i++) {
		fk_thread(fk, MAIN, MAIN + i);
		fk_switch(fk, 0, MAIN + i);
		engine_wait(engine, fk_now(fk) + 2 * NS_PER_US); /* the ring holds fewer */
		/* Or /proc would add up all of them for each. */
		fk_exit(fk, MAIN + i, FK_EXIT_THREAD);
		fk_switch(fk, 0, MAIN);
	}
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	for (pid_t i = 1; i < N; i++)
		wanted += fk_truth_task(fk, MAIN + i, FK_INSTRUCTIONS);
	assert_int_equal(snapshot->threads.n, N);
	rollup_tallies(snapshot, ROLLUP_PROCESS, &rows);
	assert_int_equal(rows.n, 1);
	uint64_t counted =
		plan_count(snapshot->columns->plan, rows_tally(snapshot->columns, &rows, 0),
			   event_index(snapshot, "instructions"));
	/* The main thread began before the engine counted. */
	assert_in_range(counted, wanted, wanted + fk_truth_task(fk, MAIN, FK_INSTRUCTIONS));
	rows_fini(&rows);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hundred_thousand_sleep),
		cmocka_unit_test(ten_thousand_of_each),
		cmocka_unit_test(thousands_of_names),
		cmocka_unit_test(a_process_of_32000_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
