// SPDX-License-Identifier: MIT
/*
 * The vendors' metrics as columns on fake machines: names, figures, reasons, and a recording of one
 * that names another, which is replayed without the vendor's table.
 */
#include "tests/unit/shared/recorded_scene.h"

#include "core/metric/metric_vendor.h"

#include <math.h>

/* Task 40 runs with an IPC of 0.5. */
static struct fk *machine_new(const struct fk_config *config)
{
	struct fk *fk = fk_new(config);

	fk_task(fk, &(struct fk_spec){.tid = 40, .comm = "half", .rates = HALF_IPC});
	fk_switch(fk, 0, 40);
	return fk;
}

static void test_names(void **state)
{
	static const struct {
		const struct fk_config *machine;
		const char *asked;
		const char *column; /* NULL: refused */
		const char *says;   /* of the refusal */
	} rows[] = {
		{&fk_machine_intel, "Info_Thread_IPC", "Info_Thread_IPC", NULL},
		{&fk_machine_intel, "tma_info_thread_ipc", "Info_Thread_IPC", NULL},
		{&fk_machine_intel, "VENDOR_INFO_THREAD_CPI", "Info_Thread_CPI", NULL},
		{&fk_machine_intel, "twice=2 * tma_info_thread_ipc", "twice", NULL},
		{&fk_machine_intel, "Info_Thread_IPX", NULL, "did you mean 'Info_Thread_IPC'"},
		{&fk_machine_zen, "Memory_Bound", NULL, "Unknown metric 'Memory_Bound'"},
		{&fk_machine_server, "Info_Thread_Slots_Utilization", NULL,
		 "Metric Info_Thread_Slots_Utilization: the counts of both threads of a core"},
		{&fk_machine_neoverse, "branch_mpki", "branch_mpki", NULL},
		{&fk_machine_neoverse, "vendor_branch_mpki", "vendor_branch_mpki", NULL},
		{&fk_machine_hybrid, "Info_Thread_IPC", "Info_Thread_IPC", NULL},
		{&fk_machine_hybrid, "cpu_core_info_thread_ipc", "Info_Thread_IPC", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct engine_column column = {ENGINE_METRIC, rows[i].asked};
		const struct engine_config config = {
			.preset = &preset_none, .columns = &column, .n_columns = 1};
		struct fk *fk = machine_new(rows[i].machine);
		struct sys sys = fk_sys(fk);
		struct engine *engine = NULL;
		struct error err = {0};
		int result = engine_new(&sys, &config, &engine, &err);

		if ((result == 0) != (rows[i].column != NULL) ||
		    (result < 0 && !strstr(err.text, rows[i].says)))
			fail_msg("%s: %s", rows[i].asked, err.text);
		if (result == 0) {
			struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);

			check_columns(snapshot, rows[i].column);
			snapshot_free(snapshot);
			close_all(engine, fk);
		} else {
			fk_free(fk);
		}
	}
}

/* A metric of the vendor, a formula that names it, and an estimate. */
static void test_figures(void **state)
{
	static const struct engine_column columns[] = {
		{ENGINE_METRIC, "Info_Thread_IPC"},
		{ENGINE_METRIC, "ipc"},
		{ENGINE_METRIC, "twice = 2 * Info_Thread_IPC"},
		{ENGINE_METRIC, "typical = estimate(3) * Info_Thread_IPC"},
	};
	static const struct engine_config config = {
		.preset = &preset_none, .columns = columns, .n_columns = ARRAY_SIZE(columns)};
	struct fk *fk = machine_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_engine_with(&sys, &config);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	assert_true(fabs(task_figure(snapshot, 40, "ipc").value - 0.5) < 1e-9);
	assert_true(fabs(task_figure(snapshot, 40, "Info_Thread_IPC").value - 0.5) < 1e-9);
	assert_true(fabs(task_figure(snapshot, 40, "twice").value - 1) < 1e-9);
	struct figure typical = task_figure(snapshot, 40, "typical");
	assert_int_equal(typical.state, FIGURE_SCALED);
	assert_true(fabs(typical.value - 1.5) < 1e-9);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Columns of a preset of the user that cannot be counted are notes. */
static void test_preset(void **state)
{
	static const char *const metrics[] = {"info_thread_cpi", "ipc",
					      "Info_Thread_Slots_Utilization", NULL};
	static const struct preset preset = {.name = "own", .help = "", .metrics = metrics};
	static const struct engine_config config = {.preset = &preset};
	struct fk *fk = machine_new(&fk_machine_server);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_engine_with(&sys, &config);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_columns(snapshot, "Info_Thread_CPI ipc");
	assert_true(has_note(snapshot, "both threads of a core"));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void test_recording(void **state)
{
	static const struct engine_column columns[] = {
		{ENGINE_METRIC, "Info_Thread_IPC"},
		{ENGINE_METRIC, "twice = 2 * tma_info_thread_ipc"},
	};
	const struct scene scene = {
		.machine = &fk_machine_intel,
		.config = {.preset = &preset_none, .columns = columns, .n_columns = 2}};
	struct seen seen = {0};

	(void)state;
	record(&scene, path_of("vendor"), &seen, 4);
	struct replay *replay = must_open(path_of("vendor"), NULL);
	check_replay(replay, &seen);
	replay_free(replay);
	/* A column that was removed comes back by its name, as typed on the screen. */
	replay = must_open(path_of("vendor"), NULL);
	snapshot_free(must_show(replay));
	replay_do(replay, &(struct request){.kind = REQUEST_REMOVE, .text = "Info_Thread_IPC"});
	replay_do(replay, &(struct request){.kind = REQUEST_ADD_EVENTS, .text = "Info_Thread_IPC"});
	struct snapshot *snapshot = must_show(replay);
	check_columns(snapshot, "twice Info_Thread_IPC");
	snapshot_free(snapshot);
	replay_free(replay);
	seen_fini(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_preset),
		cmocka_unit_test(test_recording),
	};

	return cmocka_run_group_tests(tests, recorded_scenes_setup, recorded_scenes_teardown);
}
