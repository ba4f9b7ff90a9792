// SPDX-License-Identifier: MIT
/*
 * Functions in snapshots: only while they are wanted, only of the target, with the names that
 * the machine's files have, and with the start of their tasks.
 */
#include "core/engine/engine_internal.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <limits.h>
#include <math.h>

enum { TASK = 50, OTHER = 60, HZ = 199 };

static const struct fk_place places[] = {
	{.ip = 0xffffffff81000010, .weight = 3},
	{.ip = 0xffffffff81000110, .weight = 1},
};

static const struct fk_place mixed_places[] = {
	{.ip = 0x401000, .weight = 70},
	{.ip = 0xffffffff81000010, .weight = 30},
};

static struct fk *machine(const struct fk_config *config)
{
	struct fk *fk = fk_new(config);

	fk_file(fk, "/proc/kallsyms",
		"ffffffff81000000 T first\nffffffff81000100 T second\nffffffff81000200 T third\n");
	fk_task(fk, &(struct fk_spec){.tid = TASK, .uid = config->uid, .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = OTHER, .uid = config->uid, .rates = HALF_IPC});
	fk_places(fk, TASK, places, ARRAY_SIZE(places));
	fk_places(fk, OTHER, places, ARRAY_SIZE(places));
	fk_switch(fk, 0, TASK);
	if (config->cpus > 1)
		fk_switch(fk, 1, OTHER);
	return fk;
}

/* Samples of a task, of a function (NULL: of all). */
static uint64_t samples_of(const struct code_profile *profile, pid_t tid, const char *name)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < profile->n_entries; i++) {
		const struct code_entry *entry = &profile->entries[i];
		const struct code_function *function =
			&profile->functions[profile->frames[entry->frame]];
		if (profile->tasks[entry->task].tid == tid &&
		    (!name || strcmp(function->name, name) == 0))
			samples += entry->samples;
	}
	return samples;
}

static void functions_have_names(void **state)
{
	static const struct fk_config configs[] = {{.cpus = 2}, {.cpus = 2, .no_pmu = true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		struct fk *fk = machine(&configs[i]);
		struct sys sys = fk_sys(fk);
		struct engine *engine =
			open_engine_with(&sys, &(struct engine_config){.code_hz = HZ});
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		const struct code_profile *profile = snapshot->code;
		assert_non_null(profile);
		uint64_t all = samples_of(profile, TASK, NULL);
		assert_true(all >= 20);
		assert_int_equal(samples_of(profile, TASK, "first") +
					 samples_of(profile, TASK, "second"),
				 all);
		assert_true(samples_of(profile, TASK, "first") >
			    samples_of(profile, TASK, "second"));
		assert_true(samples_of(profile, OTHER, "first") > 0);
		assert_int_equal(samples_of(profile, 0, NULL), 0);
		assert_string_equal(profile->events[0].name, i ? "cpu-clock" : "cycles");
		assert_int_equal(profile->events[0].counted,
				 event_index(snapshot, i ? "task-clock" : "cycles"));
		for (size_t k = 0; k < profile->n_functions; k++)
			assert_string_equal(profile->functions[k].module, "[kernel]");
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

static void only_while_wanted(void **state)
{
	struct fk *fk = machine(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine(&sys);
	unsigned fds = fk_open_fds(fk), mapped = fk_mapped(fk), files = fk_calls(fk, FK_FILE_READ);

	(void)state;
	for (int round = 0; round < 3; round++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		assert_null(snapshot->code);
		assert_int_equal(fk_open_fds(fk), fds);
		assert_int_equal(fk_mapped(fk), mapped);
		snapshot_free(snapshot);
		send_request(engine, &(struct request){.kind = REQUEST_CODE, .number = HZ});
		snapshot_free(next_snapshot(engine, fk, NS_PER_S));
		snapshot = next_snapshot(engine, fk, NS_PER_S);
		assert_non_null(snapshot->code);
		assert_true(samples_of(snapshot->code, TASK, NULL) > 0);
		snapshot_free(snapshot);
		send_request(engine, &(struct request){.kind = REQUEST_CODE});
		snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	}
	assert_true(fk_calls(fk, FK_FILE_READ) > files);
	close_all(engine, fk);
}

static void only_of_the_target(void **state)
{
	static const pid_t pids[] = {TASK};
	struct fk *fk = machine(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine_with(
		&sys,
		&(struct engine_config){.code_hz = HZ, .target = {.pids = pids, .n_pids = 1}});
	struct snapshot *snapshot = nth_snapshot(engine, fk, 10);

	(void)state;
	assert_true(samples_of(snapshot->code, TASK, NULL) > 0);
	assert_int_equal(samples_of(snapshot->code, OTHER, NULL), 0);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Samples come before the records of the start of their tasks. */
static void of_tasks_that_are_known_later(void **state)
{
	static const pid_t pids[] = {TASK};
	static const struct {
		pid_t tid, parent;
	} children[] = {{70, TASK}, {80, OTHER}};
	struct fk *fk = machine(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine_with(
		&sys,
		&(struct engine_config){.code_hz = HZ, .target = {.pids = pids, .n_pids = 1}});

	(void)state;
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
		const struct code_sample sample = {
			.pid = children[i].tid,
			.tid = children[i].tid,
			.time_ns = sys_now_ns(&sys) + NS_PER_MS,
			.weight = 1,
			.ip = places[0].ip,
			.kernel = true,
			.chain = &places[1].ip,
			.n_chain = 1,
		};
		engine->code.request.sink.sample(&engine->code, &sample);
		fk_fork(fk, children[i].parent, children[i].tid);
	}
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
	assert_int_equal(samples_of(snapshot->code, 70, NULL), 1);
	assert_int_equal(samples_of(snapshot->code, 80, NULL), 0);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A task that began meanwhile is the one of its row. */
static void tasks_have_their_start(void **state)
{
	struct fk *fk = machine(&(struct fk_config){.cpus = 1});
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine_with(&sys, &(struct engine_config){.code_hz = HZ});
	uint64_t start_ns = 0;

	(void)state;
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	fk_fork(fk, TASK, 70);
	fk_switch(fk, 0, 70);
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
	const struct row *row = row_of(snapshot, 70);
	assert_non_null(row);
	for (size_t i = 0; i < snapshot->code->n_tasks; i++)
		if (snapshot->code->tasks[i].tid == 70)
			start_ns = snapshot->code->tasks[i].start_ns;
	assert_true(start_ns > 0);
	assert_int_equal(start_ns, row->start_ns);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* What is open while nothing is sampled, of one more engine of the same user. */
static void check_closed(const struct fk *fk, unsigned fds, unsigned mapped)
{
	assert_int_equal(fk_open_fds(fk), fds);
	assert_int_equal(fk_mapped(fk), mapped);
}

static void check_share(const struct code_profile *profile, const char *name, double share)
{
	double n = (double)samples_of(profile, TASK, NULL);
	double found = (double)samples_of(profile, TASK, name) / n;

	if (!(n >= 100) || fabs(found - share) > 3 * sqrt(share * (1 - share) / n))
		fail_msg("%s: %.3f of %.0f samples", name, found, n);
}

/* Ordinary users: own threads are sampled one by one, and only in user mode at paranoid 2. */
static void functions_of_own_threads(void **state)
{
	static const struct {
		int paranoid;
		const char *event;
		bool kernel;
	} rows[] = {{2, "cpu-clock:u", false}, {1, "cpu-clock", true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = machine(&(struct fk_config){.cpus = 2,
							    .unprivileged = true,
							    .uid = 1000,
							    .paranoid = rows[i].paranoid});
		struct sys sys = fk_sys(fk);
		fk_places(fk, TASK, mixed_places, ARRAY_SIZE(mixed_places));
		struct engine *engine = open_engine(&sys);
		snapshot_free(next_snapshot(engine, fk, NS_PER_S));
		unsigned fds = fk_open_fds(fk), mapped = fk_mapped(fk);
		send_request(engine, &(struct request){.kind = REQUEST_CODE, .number = HZ});
		snapshot_free(next_snapshot(engine, fk, NS_PER_S));
		assert_true(fk_open_fds(fk) > fds && fk_mapped(fk) == mapped + 2);
		struct snapshot *snapshot = next_snapshot(engine, fk, 10 * NS_PER_S);
		const struct code_profile *profile = snapshot->code;
		assert_int_equal(snapshot->mode, COUNT_MODE_TASK);
		assert_non_null(profile);
		assert_int_equal(profile->n_events, 2);
		assert_string_equal(profile->events[0].name, rows[i].event);
		assert_int_equal(profile->events[0].counted,
				 rows[i].kernel ? event_index(snapshot, "task-clock") : UINT_MAX);
		uint64_t kernel = samples_of(profile, TASK, "first");
		assert_true(rows[i].kernel ? kernel > 0 : kernel == 0);
		if (rows[i].kernel)
			check_share(profile, "first", 0.3);
		assert_true(samples_of(profile, OTHER, NULL) == 0 || rows[i].kernel);
		assert_true(count_of(snapshot, TASK, "task-clock") >= 9 * NS_PER_S);
		snapshot_free(snapshot);
		send_request(engine, &(struct request){.kind = REQUEST_CODE});
		snapshot_free(next_snapshot(engine, fk, NS_PER_S));
		check_closed(fk, fds, mapped);
		close_all(engine, fk);
	}
}

/* Where nothing is counted, nothing is sampled: a note has the right that is missing. */
static void users_without_counters_read_why_not(void **state)
{
	struct fk *fk = machine(
		&(struct fk_config){.cpus = 1, .unprivileged = true, .uid = 1000, .paranoid = 3});
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine_with(&sys, &(struct engine_config){.code_hz = HZ});
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);

	(void)state;
	assert_int_equal(snapshot->mode, COUNT_MODE_PROC);
	assert_null(snapshot->code);
	assert_true(has_note(snapshot, "Functions: perf_event_paranoid=3 denies all counters. "
				       "To count: sudo pmctop"));
	snapshot_free(snapshot);
	send_request(engine, &(struct request){.kind = REQUEST_CODE});
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	snapshot = next_snapshot(engine, fk, NS_PER_S);
	assert_false(has_note(snapshot, "Functions: "));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_names),
		cmocka_unit_test(only_while_wanted),
		cmocka_unit_test(only_of_the_target),
		cmocka_unit_test(of_tasks_that_are_known_later),
		cmocka_unit_test(tasks_have_their_start),
		cmocka_unit_test(functions_of_own_threads),
		cmocka_unit_test(users_without_counters_read_why_not),
	};

	return cmocka_run_group_tests_name("engine: functions", tests, NULL, NULL);
}
