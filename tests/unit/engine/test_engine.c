// SPDX-License-Identifier: MIT
/* The whole core on the fake kernel: the counts of snapshots against the true counts of tasks. */
#include "tests/fake_kernel/internal.h" /* to break rings that no kernel breaks */
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Task 50 runs all the time, on CPU 0. */
static struct engine *open_busy(struct fk *fk, const struct sys *sys)
{
	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	return open_engine(sys);
}

/* Tasks 50 and 60, which do not run yet. */
static struct engine *open_pair(struct fk *fk, const struct sys *sys)
{
	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = 60, .rates = FULL_IPC});
	return open_engine(sys);
}

static void test_busy_loop_that_never_switches(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .uid = 0, .comm = "loop", .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	struct engine *engine = open_engine(&sys);
	for (int i = 0; i < 3; i++) {
		uint64_t before = fk_truth_task(fk, 50, FK_CYCLES);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		uint64_t made = fk_truth_task(fk, 50, FK_CYCLES) - before;
		struct figure ipc = task_figure(snapshot, 50, "ipc");
		struct figure cpu = task_figure(snapshot, 50, "cpu_percent");
		assert_int_equal(snapshot->mode, COUNT_MODE_SYSTEM);
		assert_string_equal(row_of(snapshot, 50)->comm, "loop");
		assert_int_equal(ipc.state, FIGURE_VALID);
		assert_true(ipc.value > 0.4999 && ipc.value < 0.5001);
		assert_true(cpu.value > 99 && cpu.value < 101);
		/* The first cut waits 0.1 ms for its tick: of 100 ms a thousandth, and a little. */
		uint64_t counted = count_of(snapshot, 50, "cycles");
		assert_true(counted > made - made / 500 && counted < made + made / 500);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* The glimpse before the first interval has true figures, and is no part of an interval. */
static void test_glimpse(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct snapshot *glimpse = NULL;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .comm = "loop", .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	fk_task(fk, &(struct fk_spec){.tid = 60, .comm = "sleeper"});
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.glimpse = &glimpse, .idle = true});
	assert_non_null(glimpse);
	assert_int_equal(glimpse->sequence, 0);
	assert_true(glimpse->interval_ns < 30 * NS_PER_MS);
	assert_null(row_of(glimpse, 60)); /* tasks that do not run are read later */
	assert_true(snapshot_conserves(glimpse, &(size_t){0}));
	assert_string_equal(row_of(glimpse, 50)->comm, "loop");
	struct figure ipc = task_figure(glimpse, 50, "ipc");
	assert_int_equal(ipc.state, FIGURE_VALID);
	assert_true(ipc.value > 0.4999 && ipc.value < 0.5001);

	struct snapshot *first = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(first->sequence, 1);
	assert_non_null(row_of(first, 60));
	assert_true(first->time_ns - glimpse->time_ns >= INTERVAL_NS);
	assert_true(count_of(first, 50, "cycles") > 0);
	assert_true(count_of(glimpse, 50, "cycles") + count_of(first, 50, "cycles") <=
		    fk_truth_task(fk, 50, FK_CYCLES));
	snapshot_free(first);
	snapshot_free(glimpse);
	close_all(engine, fk);
}

/* If threads are counted one by one, the glimpse has the length of its measurement. */
static void test_glimpse_of_tasks(void **state)
{
	struct fk *fk =
		fk_new(&(struct fk_config){.unprivileged = true, .uid = 1000, .paranoid = 2});
	struct sys sys = fk_sys(fk);
	struct snapshot *glimpse = NULL;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .uid = 1000, .comm = "loop", .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.glimpse = &glimpse});
	assert_int_equal(glimpse->mode, COUNT_MODE_TASK);
	assert_true(glimpse->interval_ns > 0 && glimpse->interval_ns < NS_PER_S);
	snapshot_free(glimpse);
	close_all(engine, fk);
}

static void test_switching_pair_is_exact(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	uint64_t counted[2] = {0}, switches = 0;

	(void)state;
	struct engine *engine = open_pair(fk, &sys);
	uint64_t before[2] = {fk_truth_task(fk, 50, FK_CYCLES), fk_truth_task(fk, 60, FK_CYCLES)};
	fk_ping_pong(fk, 0, 50, 60, 3 * NS_PER_US, 10000);
	fk_script(fk, &(struct fk_step){40 * NS_PER_MS, FK_SWITCH, .tid = 0}, 1);
	for (int i = 0; i < 2; i++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		counted[0] += count_of(snapshot, 50, "cycles");
		counted[1] += count_of(snapshot, 60, "cycles");
		switches += count_of(snapshot, 50, "context-switches");
		assert_int_equal(snapshot->lost_records, 0);
		assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
		snapshot_free(snapshot);
	}
	assert_int_equal(counted[0], fk_truth_task(fk, 50, FK_CYCLES) - before[0]);
	assert_int_equal(counted[1], fk_truth_task(fk, 60, FK_CYCLES) - before[1]);
	assert_int_equal(switches, fk_truth_task(fk, 50, FK_SWITCHES));
	close_all(engine, fk);
}

/* All applied records are counted, also in the interval after everything was opened again. */
static void test_records_are_counted(void **state)
{
	enum { SWITCHES = 1000 };
	const struct engine_config config = {.counts_itself = true};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = 60, .rates = FULL_IPC});
	struct engine *engine = open_engine_with(&sys, &config);
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			send_request(engine, &(struct request){.kind = REQUEST_ADD_EVENTS,
							       .text = "page-faults"});
		fk_ping_pong(fk, 0, 50, 60, 3 * NS_PER_US, SWITCHES);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_in_range(snapshot->cost.records, SWITCHES, 2 * SWITCHES + 100);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/*
 * Another listener to switches (pmctop, perf record -g, one in another pid namespace) began after
 * us: our samples have its numbers. SWITCH records name the tasks soon after, and the figures of
 * the next refresh are exact. The tasks that ran until then are unknown.
 */
static void check_beside(const struct fk_rival *rival)
{
	static const pid_t tids[] = {50, 60};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	struct engine *engine = open_pair(fk, &sys);
	fk_rival(fk, rival);
	for (int i = 0; i < 4; i++) {
		uint64_t before[ARRAY_SIZE(tids)];

		for (size_t t = 0; t < ARRAY_SIZE(tids); t++)
			before[t] = fk_truth_task(fk, tids[t], FK_CYCLES);
		fk_ping_pong(fk, 0, 50, 60, 3 * NS_PER_US, 10000);
		fk_script(fk, &(struct fk_step){40 * NS_PER_MS, FK_SWITCH, .tid = 0}, 1);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_int_equal(snapshot->lost_records, 0);
		assert_true(snapshot_rows_too_low(snapshot) == (i == 0));
		for (size_t t = 0; t < ARRAY_SIZE(tids) && i > 0; t++) {
			uint64_t cycles = fk_truth_task(fk, tids[t], FK_CYCLES) - before[t];

			assert_int_equal(count_of(snapshot, tids[t], "cycles"), cycles);
			assert_false(has_lost(snapshot, tids[t]));
		}
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

static void test_rival(void **state)
{
	(void)state;
	check_beside(&(struct fk_rival){.chain_bytes = 0});
	check_beside(&(struct fk_rival){.chain_bytes = 8});
	check_beside(&(struct fk_rival){.chain_bytes = 1040});
	check_beside(&(struct fk_rival){.chain_bytes = 72, .other_namespace = true});
}

/* In a long interval too, only 50 ms (RIVAL_CHECK_NS) and the slice under way are unattributed. */
static void test_rival_in_a_long_interval(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_pair(fk, &sys);
	fk_rival(fk, &(struct fk_rival){.other_namespace = true});
	fk_ping_pong(fk, 0, 50, 60, 100 * NS_PER_US, UINT32_MAX);
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
	assert_true(snapshot->unattributed[TALLY_TASK_CLOCK] > 40 * NS_PER_MS);
	assert_true(snapshot->unattributed[TALLY_TASK_CLOCK] < 60 * NS_PER_MS);
	assert_true(has_lost(snapshot, 50));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* They count as lost, and all tasks that ran on that CPU in that interval have too low counts. */
static void test_records_that_cannot_be_decoded(void **state)
{
	static const unsigned lost[] = {0, 3, 0};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_pair(fk, &sys);
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++) {
		fk_garble(fk, 0, lost[i]);
		fk_ping_pong(fk, 0, 50, 60, 3 * NS_PER_US, 1000);
		fk_script(fk, &(struct fk_step){40 * NS_PER_MS, FK_SWITCH, .tid = 0}, 1);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_int_equal(snapshot->lost_records, lost[i]);
		assert_true(snapshot_conserves(snapshot, NULL));
		for (pid_t tid = 50; tid <= 60; tid += 10)
			assert_int_equal(has_lost(snapshot, tid), lost[i] > 0);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* Ten thousand processes that live a millisecond: each is there with its own counts and name. */
enum { SWARM = 10000, SWARM_FIRST = 1000 };

struct swarm {
	pid_t next;
	bool child_runs;
};

static void swarm_step(struct fk *fk, void *arg)
{
	struct swarm *swarm = arg;

	if (swarm->child_runs) {
		fk_exit(fk, swarm->next, swarm->next % 2 ? FK_EXIT_REAPED : FK_EXIT_ZOMBIE);
		fk_switch(fk, 0, 50);
		swarm->next++;
		swarm->child_runs = false;
		if (swarm->next < SWARM_FIRST + SWARM)
			fk_after(fk, 20 * NS_PER_US, swarm_step, swarm);
		return;
	}
	fk_fork(fk, 50, swarm->next);
	fk_switch(fk, 0, swarm->next);
	fk_comm(fk, swarm->next, "kid");
	swarm->child_runs = true;
	fk_after(fk, NS_PER_MS, swarm_step, swarm);
}

static void test_short_lived_processes(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct swarm swarm = {.next = SWARM_FIRST};
	uint64_t kids = 0, counted = 0, truth = 0;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .comm = "swarm", .rates = HALF_IPC});
	struct engine *engine = open_engine(&sys);
	fk_switch(fk, 0, 50);
	fk_after(fk, NS_PER_MS, swarm_step, &swarm);
	while (swarm.next < SWARM_FIRST + SWARM) {
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		for (size_t i = 0; i < snapshot->threads.n; i++) {
			const struct row *row = &snapshot->threads.items[i];
			if (row->tid < SWARM_FIRST)
				continue;
			assert_string_equal(row->comm, "kid");
			kids += row_has_just_ended(row);
			counted += rows_tally(snapshot->columns, &snapshot->threads,
					      i)[event_index(snapshot, "cycles")];
		}
		assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
		snapshot_free(snapshot);
	}
	for (pid_t tid = SWARM_FIRST; tid < SWARM_FIRST + SWARM; tid++)
		truth += fk_truth_task(fk, tid, FK_CYCLES);
	assert_int_equal(kids, SWARM);
	assert_int_equal(counted, truth);
	close_all(engine, fk);
}

/*
 * A tid is reused within half a millisecond: each task with that tid keeps its own counts. The
 * tasks run on the CPU that is read first, and start on the other.
 */
enum { GENERATIONS = 100, GENERATION_US = 300 };

struct wrap {
	int generation;
	bool drains; /* in the midst of it, too */
};

static void next_generation(struct fk *fk, void *arg);

static void end_generation(struct fk *fk, void *arg)
{
	const struct wrap *wrap = arg;

	fk_exit(fk, 50, FK_EXIT_ZOMBIE);
	fk_switch(fk, 0, 0);
	if (wrap->generation < GENERATIONS)
		fk_after(fk, 10 * NS_PER_US, next_generation, arg);
}

static void next_generation(struct fk *fk, void *arg)
{
	struct wrap *wrap = arg;
	char comm[16];

	snprintf(comm, sizeof(comm), "kid%d", wrap->generation++);
	fk_fork(fk, 40, 50);
	fk_rate(fk, 50, FK_CYCLES, (struct fk_rate){(uint32_t)wrap->generation, 1});
	fk_switch(fk, 0, 50);
	fk_comm(fk, 50, comm);
	if (wrap->drains)
		fk_script(fk, &(struct fk_step){GENERATION_US / 2 * NS_PER_US, FK_WAKE}, 1);
	fk_after(fk, GENERATION_US * NS_PER_US, end_generation, wrap);
}

static void check_reused_tids(bool drains)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct wrap wrap = {.drains = drains};
	int found = 0;

	fk_task(fk, &(struct fk_spec){.tid = 40, .comm = "parent", .rates = HALF_IPC});
	fk_switch(fk, 1, 40);
	struct engine *engine = open_engine(&sys);
	fk_after(fk, NS_PER_MS, next_generation, &wrap);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];
		const uint64_t *tally = rows_tally(snapshot->columns, &snapshot->threads, i);
		int generation;
		if (row->tid != 50)
			continue;
		assert_int_equal(sscanf(row->comm, "kid%d", &generation), 1);
		assert_int_equal(tally[TALLY_TASK_CLOCK], GENERATION_US * NS_PER_US);
		assert_int_equal(tally[event_index(snapshot, "cycles")],
				 (generation + 1) * GENERATION_US * NS_PER_US);
		assert_true(row->flags & ROW_EXITED);
		found++;
	}
	assert_int_equal(found, GENERATIONS);
	assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
	snapshot_free(snapshot);
	for (int i = 0; i < 3; i++) {
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_null(row_of(snapshot, 50));
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

static void test_tids_are_reused(void **state)
{
	(void)state;
	check_reused_tids(false);
	check_reused_tids(true);
}

static void test_loss_is_unattributed(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_pair(fk, &sys);
	fk_ping_pong(fk, 0, 50, 60, NS_PER_MS, 50);
	fk_script(fk, &(struct fk_step){10 * NS_PER_MS + 10, FK_LOSE, .cpu = 0, .n = 5}, 1);
	unsigned opened = fk_calls(fk, FK_PERF_OPEN);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_true(snapshot->lost_records >= 5);
	/* The loss is no hidden switch, for which SWITCH records would be opened. */
	assert_int_equal(fk_calls(fk, FK_PERF_OPEN), opened);
	/* Five lost records and the one after them: six slices of a millisecond. */
	assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 6 * NS_PER_MS);
	assert_true(count_of(snapshot, 50, "cycles") < fk_truth_task(fk, 50, FK_CYCLES));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* The next record of the first ring has no size: all up to the next reading is skipped. */
static void break_ring(struct fk *fk, void *arg)
{
	struct fk_ring *ring = fk->rings[0];

	(void)arg;
	memset(ring->data + ring->page->data_head % ring->page->data_size, 0, 8);
	ring->page->data_head += 8;
}

static void test_broken_ring_is_a_loss(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_pair(fk, &sys);
	fk_ping_pong(fk, 0, 50, 60, NS_PER_MS, 50);
	fk_after(fk, 10 * NS_PER_MS + 10, break_ring, NULL);
	unsigned opened = fk_calls(fk, FK_PERF_OPEN);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(snapshot->lost_records, 1);
	assert_int_equal(fk_calls(fk, FK_PERF_OPEN), opened);
	snapshot_free(snapshot);
	/* Later records are decoded again. */
	fk_ping_pong(fk, 0, 50, 60, NS_PER_MS, 50);
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	fk_ping_pong(fk, 0, 50, 60, NS_PER_MS, 50);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(snapshot->lost_records, 0);
	assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A kernel without records of its idle task: SWITCH records have the times. */
static void test_silent_idle(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.no_pmu = true});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_silent_idle(fk, 0, true);
	fk_task(fk, &(struct fk_spec){.tid = 50});
	fk_ping_pong(fk, 0, 50, 0, 3 * NS_PER_MS, 1000); /* half busy */
	struct engine *engine = open_engine(&sys);
	for (int i = 0; i < 3; i++) {
		uint64_t task_ns = fk_truth_task(fk, 50, FK_TASK_CLOCK);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		task_ns = fk_truth_task(fk, 50, FK_TASK_CLOCK) - task_ns;
		uint64_t counted_ns = count_of(snapshot, 50, "task-clock");
		/* An idle CPU has no tick here, so a turn may count in the next interval. */
		assert_true(counted_ns + 4 * NS_PER_MS > task_ns);
		assert_true(counted_ns < task_ns + 4 * NS_PER_MS);
		assert_true(snapshot->idle[TALLY_TASK_CLOCK] > 40 * NS_PER_MS);
		assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* Task 50, a task without records, and the idle task without records, in turns of 10 ms. */
static void add_hidden_turns(struct fk *fk, int cpu, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t at_ns = i * 10 * NS_PER_MS;
		const struct fk_step steps[] = {
			{.at_ns = at_ns, .action = FK_SWITCH, .cpu = cpu, .tid = 50},
			{.at_ns = at_ns + 3 * NS_PER_MS,
			 .action = FK_SWITCH,
			 .cpu = cpu,
			 .tid = 60},
			{.at_ns = at_ns + 5 * NS_PER_MS, .action = FK_SWITCH, .cpu = cpu, .tid = 0},
		};
		fk_script(fk, steps, ARRAY_SIZE(steps));
	}
}

/*
 * Of time that no record names, /proc/stat has in ticks how much was idle. So the busy time is an
 * estimate in a short interval, within a tick of the truth.
 */
static void test_idle_time_of_ticks(void **state)
{
	static const struct {
		uint64_t interval_ns;
		enum figure_state state;
	} rows[] = {
		{100 * NS_PER_MS, FIGURE_SCALED},
		{500 * NS_PER_MS, FIGURE_SCALED},
		{2 * NS_PER_S, FIGURE_VALID},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config){.no_pmu = true, .cpus = 2});
		struct sys sys = fk_sys(fk);

		fk_silent_idle(fk, 1, true);
		fk_task(fk, &(struct fk_spec){.tid = 50});
		fk_task(fk, &(struct fk_spec){.tid = 60, .unreported = true});
		struct engine *engine = open_engine(&sys);
		add_hidden_turns(fk, 1, 900);
		snapshot_free(nth_snapshot(engine, fk, 4));
		struct snapshot *snapshot = next_snapshot(engine, fk, rows[i].interval_ns);
		int index = columns_metric(snapshot->columns, "cpu_percent");
		const struct figure figure = snapshot->cpus[1].figures[index];
		assert_int_equal(snapshot->cpus[0].figures[index].state, FIGURE_VALID);
		if (figure.state != rows[i].state)
			fail_msg("row %zu: %f, state %u", i, figure.value, figure.state);
		double error = 100 * 10.0 * NS_PER_MS / (double)rows[i].interval_ns;
		if (fabs(figure.value - 50) > error)
			fail_msg("row %zu: %f", i, figure.value);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/*
 * SWITCH records cost time at each switch, so they are made only where the kernel hides switches. A
 * kernel that hides some on one CPU may do so on any: otherwise each CPU has a first gap of its
 * own.
 */
static void test_silent_idle_of_one_cpu(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.no_pmu = true, .cpus = 4});
	struct sys sys = fk_sys(fk);

	(void)state;
	for (int cpu = 0; cpu < 4; cpu++) {
		fk_task(fk, &(struct fk_spec){.tid = 50 + cpu});
		fk_ping_pong(fk, cpu, 50 + cpu, 0, 3 * NS_PER_MS, 300);
	}
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 3));
	unsigned fds = fk_open_fds(fk);
	fk_silent_idle(fk, 2, true);
	snapshot_free(nth_snapshot(engine, fk, 3));
	assert_int_equal(fk_open_fds(fk), fds + 4);
	close_all(engine, fk);
}

static void test_unsupported_event_costs_its_column_alone(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){
		.events = FK_BIT(FK_CYCLES) | FK_BIT(FK_INSTRUCTIONS), /* as the emulated Arm */
	});
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_busy(fk, &sys);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(task_figure(snapshot, 50, "ipc").state, FIGURE_VALID);
	assert_int_equal(task_figure(snapshot, 50, "cache_mpki").state, FIGURE_UNSUPPORTED);
	assert_int_equal(task_figure(snapshot, 50, "branch_mpki").state, FIGURE_UNSUPPORTED);
	assert_true(has_note(snapshot, "cache-misses is not supported on this CPU"));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void test_counters_taken(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	fk_hold(fk, 0, FK_HOLD_ALL);
	struct engine *engine = open_engine(&sys);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 5);
	/* The running task is known; its counts are unknown and marked. */
	struct figure cpu = task_figure(snapshot, 50, "cpu_percent");
	assert_true(cpu.value > 99 && cpu.value < 101);
	assert_int_equal(task_figure(snapshot, 50, "ipc").state, FIGURE_NOT_COUNTED);
	assert_true(has_note(snapshot, "counters taken"));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Another profiler has all counters for 4 ms of each 8 ms. */
static void hold_by_turns(struct fk *fk, void *arg)
{
	bool *held = arg;

	*held = !*held;
	fk_hold(fk, 0, *held ? FK_HOLD_ALL : 0);
	fk_after(fk, 4 * NS_PER_MS, hold_by_turns, held);
}

static void test_counters_shared(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct snapshot *snapshot = NULL;
	bool held = false;

	(void)state;
	struct engine *engine = open_busy(fk, &sys);
	hold_by_turns(fk, &held);
	for (int i = 0; i < 5; i++) {
		snapshot_free(snapshot);
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		if (i == 0) /* unattributed and noted, until the counters are known to be taken */
			assert_true(has_note(snapshot, "shared with another profiler"));
	}
	struct figure cpu = task_figure(snapshot, 50, "cpu_percent");
	assert_true(cpu.value > 99 && cpu.value < 101);
	/* Slices with the counters for their whole time are counted, the others are estimated. */
	struct figure ipc = task_figure(snapshot, 50, "ipc");
	assert_true(ipc.state == FIGURE_NOT_COUNTED || ipc.state == FIGURE_SCALED);
	assert_true(ipc.state == FIGURE_NOT_COUNTED || fabs(ipc.value - 0.5) < 0.001);
	assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void hold_both(struct fk *fk, void *arg)
{
	for (int cpu = 0; cpu < 2; cpu++)
		fk_hold(fk, cpu, *(const unsigned *)arg);
}

/*
 * Another profiler has all counters from the middle of one interval to the middle of another. No
 * time is missing: it is attributed, or unattributed and noted. The note ends with the profiler.
 */
static void check_taken_for(uint64_t taken_ns)
{
	static unsigned all = FK_HOLD_ALL, none;
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	bool known = false;

	struct engine *engine = open_busy(fk, &sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_after(fk, 30 * NS_PER_MS, hold_both, &all);
	fk_after(fk, 30 * NS_PER_MS + taken_ns, hold_both, &none);
	for (size_t i = 0; i < 40; i++) {
		uint64_t begin_ns = fk_now(fk);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		double cpus = (double)snapshot->totals[TALLY_TASK_CLOCK] /
			      (double)(snapshot->time_ns - begin_ns);
		/* A cut may wait 20 ms for ticks that do not come: they are the next one's. */
		if (fabs(cpus - 2) > 0.5)
			fail_msg("taken for %" PRIu64 " ns, interval %zu: %g CPUs", taken_ns, i,
				 cpus);
		uint64_t unattributed_ns = snapshot->unattributed[TALLY_TASK_CLOCK];
		known = unattributed_ns == 0;
		if (!known && unattributed_ns > 2 * INTERVAL_NS / 10)
			assert_true(has_note(snapshot, "with another profiler"));
		if (known) {
			struct figure ipc = task_figure(snapshot, 50, "ipc");
			assert_true(ipc.state == FIGURE_NOT_COUNTED ||
				    fabs(ipc.value - 0.5) < 0.001);
		}
		if (i == 39) {
			assert_true(known);
			assert_int_equal(task_figure(snapshot, 50, "ipc").state, FIGURE_VALID);
			assert_int_equal(snapshot->n_notes, 0);
		}
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

static void test_counters_taken_for_a_while(void **state)
{
	(void)state;
	check_taken_for(20 * NS_PER_MS);
	check_taken_for(100 * NS_PER_MS);
	check_taken_for(200 * NS_PER_MS);
	check_taken_for(900 * NS_PER_MS);
}

/*
 * In the interval in which a CPU goes away, rates are of the time that passed on the CPUs that
 * stay; one that went and came back within it is counted again from its end on. A note lists both
 * kinds of CPUs.
 */
struct going {
	const char *name;
	uint64_t off_ms, on_ms; /* 0: it stays away */
};

static const struct going goings[] = {
	{"early in the interval", 10, 0},  {"late in it", 80, 0},          {"at its end", 99, 0},
	{"and came back at once", 60, 61}, {"and came back late", 20, 95},
};

#define WENT "Offline, or without counters: CPU 1."
#define CAME "Online, and counted from now on: CPU 1."

static void check_busy(struct snapshot *snapshot, pid_t tid)
{
	struct figure cpu = task_figure(snapshot, tid, "cpu_percent");
	struct figure ipc = task_figure(snapshot, tid, "ipc");

	if (cpu.value < 99.9 || cpu.value > 100.1)
		fail_msg("%d: %f %%", (int)tid, cpu.value);
	assert_int_equal(ipc.state, FIGURE_VALID);
	assert_true(fabs(ipc.value - 0.5) < 0.001);
	assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
}

static void test_goes_within_an_interval(void **state)
{
	const struct going *this = *state;
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = 60, .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	fk_switch(fk, 1, 60);
	struct engine *engine = open_engine(&sys);
	unsigned fds = fk_open_fds(fk);
	fk_script(fk, &(struct fk_step){this->off_ms * NS_PER_MS, FK_OFFLINE, .cpu = 1}, 1);
	if (this->on_ms > 0) {
		const struct fk_step back[] = {
			{this->on_ms * NS_PER_MS, FK_ONLINE, .cpu = 1},
			{this->on_ms * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 60},
		};
		fk_script(fk, back, ARRAY_SIZE(back));
	}
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	/* Where it came back, tasks ran on it uncounted: but none that had CPU 0 all the time. */
	check_busy(snapshot, 50);
	assert_int_equal(has_lost(snapshot, 60), this->on_ms > 0);
	assert_true(has_note(snapshot, WENT));
	snapshot_free(snapshot);

	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_busy(snapshot, 50);
	assert_int_equal(snapshot->n_cpus, this->on_ms > 0 ? 2 : 1);
	assert_int_equal(has_note(snapshot, CAME), this->on_ms > 0);
	assert_int_equal(has_note(snapshot, WENT), this->on_ms == 0);
	if (this->on_ms > 0) { /* since it was opened */
		snapshot_free(snapshot);
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		check_busy(snapshot, 60);
	}
	snapshot_free(snapshot);
	assert_int_equal(fk_open_fds(fk), this->on_ms > 0 ? fds : fds / 2);
	close_all(engine, fk);
}

/* CPUs that came online are noted for some intervals, offline CPUs while they are offline. */
static void test_notes_of_cpus_end(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50});
	fk_cpu_offline(fk, 1); /* before the engine opened: no note */
	struct engine *engine = open_engine(&sys);
	const struct {
		enum fk_action action;
		int intervals; /* after the first, in which it is noticed */
		bool went, came;
	} steps[] = {
		{FK_WAKE, 1, false, false},    {FK_ONLINE, 1, false, true},
		{FK_OFFLINE, 30, true, false}, {FK_ONLINE, 9, false, true},
		{FK_WAKE, 3, false, false},
	};
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		fk_script(fk, &(struct fk_step){NS_PER_MS, steps[i].action, .cpu = 1}, 1);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		for (int n = 0; n < steps[i].intervals; n++) {
			snapshot_free(snapshot);
			snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		}
		assert_int_equal(has_note(snapshot, WENT), steps[i].went);
		assert_int_equal(has_note(snapshot, CAME), steps[i].came);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/*
 * A CPU without descriptors: any task may have run there too, until it is counted. Not one that has
 * another CPU all the time.
 */
static void test_cpu_without_descriptors(void **state)
{
	static const struct engine_config with_idle = {.idle = true};
	static const struct {
		int error; /* of perf_event_open */
		size_t cpus;
	} steps[] = {{0, 2}, {EMFILE, 1}, {0, 2}, {EMFILE, 1}};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = 60, .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	struct engine *engine = open_engine_with(&sys, &with_idle);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		bool lost = steps[i].error != 0;

		fk_cpu_offline(fk, 1);
		snapshot_free(nth_snapshot(engine, fk, 2));
		fk_fail(fk, FK_PERF_OPEN, 0, steps[i].error);
		fk_cpu_online(fk, 1);
		fk_switch(fk, 1, 60);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
		assert_int_equal(snapshot->n_cpus, steps[i].cpus);
		assert_int_equal(has_note(snapshot, "some CPUs are not counted"), lost);
		assert_false(has_lost(snapshot, 50));
		assert_int_equal(has_lost(snapshot, 60), lost);
		assert_int_equal(task_figure(snapshot, 60, "cpu_percent").state,
				 lost ? FIGURE_LOST : FIGURE_VALID);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

static struct engine *open_limited(struct fk **fk, struct sys *sys, unsigned fd_limit,
				   const struct target_spec *target)
{
	*fk = fk_new(&(struct fk_config){
		.cpus = 2, .fd_limit = fd_limit, .unprivileged = true, .uid = 1000, .paranoid = 0});
	*sys = fk_sys(*fk);
	fk_task(*fk, &(struct fk_spec){.tid = 50, .uid = 1000, .rates = HALF_IPC});
	fk_task(*fk, &(struct fk_spec){.tid = 60, .uid = 1000, .rates = HALF_IPC});
	fk_task(*fk, &(struct fk_spec){.tid = 70, .uid = 1001, .rates = HALF_IPC});
	fk_switch(*fk, 0, 50);
	fk_switch(*fk, 1, 60);
	return open_engine_with(sys, &(struct engine_config){.target = *target});
}

/* The most descriptors with which one CPU of two is counted. */
static unsigned find_fd_limit(void)
{
	for (unsigned limit = 64; limit > 0; limit--) {
		struct fk *fk;
		struct sys sys;
		struct engine *engine = open_limited(&fk, &sys, limit, &(struct target_spec){0});
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		size_t cpus = snapshot->n_cpus;

		snapshot_free(snapshot);
		close_all(engine, fk);
		if (cpus == 1)
			return limit;
	}
	fail_msg("no limit");
	return 0;
}

/* Tasks of a target may run on the CPU that is not counted, so they are counted one by one. */
static void test_target_without_descriptors(void **state)
{
	static const struct {
		const char *name;
		pid_t pid;
		const char *cpus;
		enum count_mode mode;
	} rows[] = {
		{"own", 60, NULL, COUNT_MODE_TASK},
		{"of CPUs that were chosen", 60, "0-1", COUNT_MODE_SYSTEM},
		{"another user's", 70, NULL, COUNT_MODE_SYSTEM},
	};
	unsigned limit = find_fd_limit();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct target_spec target = {
			.pids = &rows[i].pid, .n_pids = 1, .cpus = rows[i].cpus};
		struct fk *fk;
		struct sys sys;
		struct engine *engine = open_limited(&fk, &sys, limit, &target);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 2);

		print_message("# %s\n", rows[i].name);
		assert_int_equal(snapshot->mode, rows[i].mode);
		assert_true(has_note(snapshot, "some CPUs are not counted"));
		if (rows[i].pid == 60) {
			struct figure cpu = task_figure(snapshot, 60, "cpu_percent");
			bool known = rows[i].mode == COUNT_MODE_TASK;

			assert_int_equal(figure_known(cpu) && cpu.value > 99.9, known);
		}
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/*
 * The counters of an online CPU cannot be read: every row of that interval is marked, except the
 * row of a task that had another CPU all the time.
 */
static void test_cpu_is_not_read(void **state)
{
	static const struct engine_config with_idle = {.idle = true};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = 60, .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = 70, .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	fk_switch(fk, 1, 60);
	struct engine *engine = open_engine_with(&sys, &with_idle);
	snapshot_free(nth_snapshot(engine, fk, 3));
	fk_fail(fk, FK_PERF_READ, 1, EIO);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 1);
	assert_true(has_lost(snapshot, 50));
	assert_true(has_lost(snapshot, 70));
	assert_false(has_lost(snapshot, 60));
	snapshot_free(snapshot);
	fk_fail(fk, FK_PERF_READ, 0, 0);
	snapshot = nth_snapshot(engine, fk, 3);
	assert_false(has_lost(snapshot, 50));
	assert_false(has_lost(snapshot, 60));
	assert_false(has_lost(snapshot, 70));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Time in which the machine slept is in no interval. A note reports it. */
static void test_suspend(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_busy(fk, &sys);

	(void)state;
	for (int i = 0; i < 4; i++) {
		if (i == 1)
			fk_sleep(fk, 3600 * NS_PER_S);
		if (i == 3)
			fk_sleep(fk, 1500 * NS_PER_MS);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		check_busy(snapshot, 50);
		assert_true(snapshot->interval_ns < INTERVAL_NS + NS_PER_MS);
		assert_int_equal(has_note(snapshot, "The machine slept for 3600.0 s"), i > 0);
		assert_int_equal(has_note(snapshot, "The machine slept for 1.5 s"), i == 3);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* Stolen time is noted from a twentieth of all time on. */
static void test_stolen(void **state)
{
	static const struct {
		unsigned stolen; /* in 1/1000 of the time of both CPUs */
		const char *note;
	} intervals[] = {
		{10, NULL}, {250, "takes 20% or more of"}, {60, "takes 5% or more of"}, {0, NULL},
		{40, NULL},
	};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	fk_advance(fk, NS_PER_S);
	fk_steal(fk, 100 * NS_PER_MS);
	struct engine *engine = open_engine(&sys);
	for (size_t i = 0; i < ARRAY_SIZE(intervals); i++) {
		fk_steal(fk, intervals[i].stolen * 2 * NS_PER_S / 1000);
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		assert_int_equal(has_note(snapshot, "The hypervisor takes "), !!intervals[i].note);
		if (intervals[i].note)
			assert_true(has_note(snapshot, intervals[i].note));
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

struct refusal {
	const char *name;
	struct fk_config config;
	const char *note;     /* a part of the sentence; NULL: none */
	enum count_mode mode; /* what it goes on with */
	const char *preset;
};

static const struct refusal refusals[] = {
	{"a VM without a PMU",
	 {.no_pmu = true},
	 "No hardware counters",
	 COUNT_MODE_SYSTEM,
	 "software"},
	{"an ordinary user, paranoid 2",
	 {.unprivileged = true, .uid = 1000, .paranoid = 2},
	 "perf_event_paranoid=2 allows only your own tasks. All: sudo pmctop",
	 COUNT_MODE_TASK,
	 "overview"},
	{"an ordinary user, paranoid 1",
	 {.unprivileged = true, .uid = 1000, .paranoid = 1},
	 "perf_event_paranoid=1 allows only your own tasks. All: sudo pmctop",
	 COUNT_MODE_TASK,
	 "overview"},
	{"an ordinary user, paranoid 2, without a PMU",
	 {.unprivileged = true, .uid = 1000, .paranoid = 2, .no_pmu = true},
	 "perf_event_paranoid=2 allows only your own tasks. All: sudo pmctop",
	 COUNT_MODE_TASK,
	 "software"},
	{"Ubuntu's paranoid 4",
	 {.unprivileged = true, .uid = 1000, .paranoid = 4},
	 "perf_event_paranoid=4 denies all counters. To count: sudo pmctop",
	 COUNT_MODE_PROC,
	 "software"},
	{"Debian's paranoid 3",
	 {.unprivileged = true, .uid = 1000, .paranoid = 3},
	 "perf_event_paranoid=3 denies all counters. To count: sudo pmctop",
	 COUNT_MODE_PROC,
	 "software"},
	{"a container's seccomp filter",
	 {.denied = EPERM},
	 "Start the container with --cap-add PERFMON",
	 COUNT_MODE_PROC,
	 "software"},
	{"no perf_event_open at all",
	 {.denied = ENOSYS},
	 "blocked by a seccomp filter",
	 COUNT_MODE_PROC,
	 "software"},
	{"nothing wrong", {.paranoid = 2}, NULL, COUNT_MODE_SYSTEM, "overview"},
};

static void test_refusal(void **state)
{
	const struct refusal *this = *state;
	struct fk *fk = fk_new(&this->config);
	struct sys sys = fk_sys(fk);

	fk_task(fk, &(struct fk_spec){.tid = 50, .comm = "loop", .rates = HALF_IPC});
	fk_switch(fk, 0, 50);
	struct engine *engine = open_engine(&sys);
	uint64_t deadline_ns = fk_now(fk) + NS_PER_S;
	while (engine_wait(engine, deadline_ns))
		;
	struct snapshot *snapshot = engine_snapshot(engine);
	assert_int_equal(snapshot->mode, this->mode);
	assert_string_equal(snapshot->columns->preset, this->preset);
	if (this->note)
		assert_true(has_note(snapshot, this->note));
	else
		assert_int_equal(snapshot->n_notes, 0);
	struct figure cpu = task_figure(snapshot, 50, "cpu_percent");
	assert_true(cpu.value > 97 && cpu.value < 103);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* 516 KiB a CPU, the kernel's default, and a page more for each ring: all get the same. */
static void test_ring_memory_is_shared(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){
		.cpus = 2, .unprivileged = true, .uid = 1000, .paranoid = 0, .mlock_kb = 132});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50});
	struct engine *engine = open_engine(&sys);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(snapshot->mode, COUNT_MODE_SYSTEM);
	assert_int_equal(snapshot->n_cpus, 2);
	assert_int_equal(fk_mapped(fk), 2);
	assert_true(has_note(snapshot, "perf_event_mlock_kb: using 128 KiB per CPU"));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A failed wait does not shorten an interval. */
static void test_failing_wait(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_busy(fk, &sys);

	(void)state;
	uint64_t deadline_ns = fk_now(fk) + INTERVAL_NS;
	fk_fail(fk, FK_WAIT, 1, EINVAL);
	unsigned waits = fk_calls(fk, FK_WAIT);
	assert_int_equal(engine_wait(engine, deadline_ns), 0);
	assert_true(fk_now(fk) >= deadline_ns);
	/* The failed wait, one to the check for rivals half way, one to the end. */
	assert_int_equal(fk_calls(fk, FK_WAIT) - waits, 3);
	close_all(engine, fk);
}

/* A wake is no deadline: the request behind it is handled at once. */
static void test_wake_ends_the_wait(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50});
	struct engine *engine = open_engine(&sys);
	uint64_t deadline_ns = fk_now(fk) + INTERVAL_NS;
	fk_script(fk, &(struct fk_step){10 * NS_PER_MS, FK_WAKE}, 1);
	assert_int_equal(engine_wait(engine, deadline_ns), 1);
	assert_true(fk_now(fk) < deadline_ns);
	close_all(engine, fk);
}

/* After a CPU went offline, polling its descriptors returns POLLHUP at once, always. */
static void hang_up(struct fk *fk, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < fk->n_perfs; i++)
		if (fk->perfs[i]->cpu == 1)
			fk->perfs[i]->ring = NULL;
}

static void test_dead_descriptor_is_polled_once(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50});
	struct engine *engine = open_engine(&sys);
	uint64_t deadline_ns = fk_now(fk) + INTERVAL_NS;
	fk_after(fk, 10 * NS_PER_MS, hang_up, NULL);
	fk_fail(fk, FK_WAIT, 100, EINVAL); /* ends a busy loop: the rings are left out then */
	unsigned waits = fk_calls(fk, FK_WAIT);
	assert_int_equal(engine_wait(engine, deadline_ns), 0);
	assert_true(fk_now(fk) >= deadline_ns);
	assert_in_range(fk_calls(fk, FK_WAIT) - waits, 1, 4);
	close_all(engine, fk);
}

/*
 * A task that exited is freed after its last interval, else the table would grow with every
 * process. A last switch that comes much too late is therefore unattributed.
 */
static void test_exited_tasks_are_freed(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct snapshot *snapshot = NULL;

	(void)state;
	struct engine *engine = open_busy(fk, &sys);
	fk_script(fk, &(struct fk_step){10 * NS_PER_MS, FK_EXIT, .tid = 50, .n = FK_EXIT_REAPED},
		  1);
	for (uint64_t ns = 0; ns <= TASKS_REUSE_NS + 3 * INTERVAL_NS; ns += INTERVAL_NS) {
		snapshot_free(snapshot);
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		const struct row *row = row_of(snapshot, 50);
		if (ns < TASKS_REUSE_NS / 2)
			assert_true(row && row->flags & ROW_EXITED);
	}
	assert_null(row_of(snapshot, 50));
	assert_true(snapshot->unattributed[TALLY_TASK_CLOCK] > 99 * NS_PER_MS);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* /proc/loadavg has the threads of the machine, also where /proc has the tasks of a container. */
static void threads_of_a_pid_namespace(void **state)
{
	static const struct {
		const char *name, *link;
		unsigned tasks;
	} rows[] = {
		{"the first", "pid:[4026531836]", 3141},
		{"another", "pid:[4026532300]", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);

		fk_task(fk, &(struct fk_spec){.tid = 100});
		fk_file(fk, "/proc/self/ns/pid", rows[i].link);
		fk_file(fk, "/proc/loadavg", "0.00 0.00 0.00 1/3141 100\n");
		struct engine *engine = open_engine(&sys);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		if (snapshot->tasks != rows[i].tasks)
			fail_msg("%s: %u", rows[i].name, snapshot->tasks);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_busy_loop_that_never_switches),
		cmocka_unit_test(threads_of_a_pid_namespace),
		cmocka_unit_test(test_glimpse),
		cmocka_unit_test(test_glimpse_of_tasks),
		cmocka_unit_test(test_switching_pair_is_exact),
		cmocka_unit_test(test_records_are_counted),
		cmocka_unit_test(test_rival),
		cmocka_unit_test(test_rival_in_a_long_interval),
		cmocka_unit_test(test_records_that_cannot_be_decoded),
		cmocka_unit_test(test_short_lived_processes),
		cmocka_unit_test(test_tids_are_reused),
		cmocka_unit_test(test_loss_is_unattributed),
		cmocka_unit_test(test_broken_ring_is_a_loss),
		cmocka_unit_test(test_silent_idle),
		cmocka_unit_test(test_idle_time_of_ticks),
		cmocka_unit_test(test_silent_idle_of_one_cpu),
		cmocka_unit_test(test_unsupported_event_costs_its_column_alone),
		cmocka_unit_test(test_counters_taken),
		cmocka_unit_test(test_counters_taken_for_a_while),
		cmocka_unit_test(test_counters_shared),
		cmocka_unit_test(test_notes_of_cpus_end),
		cmocka_unit_test(test_cpu_without_descriptors),
		cmocka_unit_test(test_cpu_is_not_read),
		cmocka_unit_test(test_target_without_descriptors),
		cmocka_unit_test(test_suspend),
		cmocka_unit_test(test_stolen),
		cmocka_unit_test(test_ring_memory_is_shared),
		cmocka_unit_test(test_failing_wait),
		cmocka_unit_test(test_wake_ends_the_wait),
		cmocka_unit_test(test_dead_descriptor_is_polled_once),
		cmocka_unit_test(test_exited_tasks_are_freed),
	};
	static const struct cases tables[] = {
		CASES(test_refusal, refusals),
		CASES(test_goes_within_an_interval, goings),
	};

	return cases_run("engine", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
