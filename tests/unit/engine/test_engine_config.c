// SPDX-License-Identifier: MIT
/* Columns of a configuration file may be missing on a machine, columns of the command line may not.
 */
#include "core/base/util.h"
#include "core/output/out_csv.h"
#include "core/output/out_json.h"
#include "core/output/out_text.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/send_request.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static struct fk *open_machine(void)
{
	struct fk *fk = fk_new(NULL);

	fk_task(fk, &(struct fk_spec){.tid = 50, .rates = {[FK_CYCLES] = {2, 1}}});
	fk_switch(fk, 0, 50);
	return fk;
}

static const char *const own_metrics[] = {"ipc", "cycles:u", "nosuchevent", "{page-faults,faults}",
					  NULL};
static const struct preset own_preset = {.name = "mine", .metrics = own_metrics};

static void test_optional(void **state)
{
	static const struct engine_column columns[] = {
		{ENGINE_EVENTS, "page-faults, never-heard-of,faults", true},
		{ENGINE_METRIC, "nosuchmetric", true},
		{ENGINE_METRIC, "cpi", true},
	};
	struct notes notes = {0};
	struct engine_config config = {.preset = &preset_none,
				       .columns = columns,
				       .n_columns = ARRAY_SIZE(columns),
				       .presets = &own_preset,
				       .n_presets = 1,
				       .notes = &notes};
	struct fk *fk = open_machine();
	struct sys sys = fk_sys(fk);

	(void)state;
	notes_add(&notes, "f:7: a complaint");
	struct engine *engine = open_engine_with(&sys, &config);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);

	check_columns(snapshot, "page-faults faults cpi");
	assert_true(has_note(snapshot, "'never-heard-of'"));
	assert_true(has_note(snapshot, "'nosuchmetric'"));
	assert_true(has_note(snapshot, "f:7: a complaint"));
	snapshot_free(snapshot);

	send_request(engine, &(struct request){.kind = REQUEST_PRESET, .text = "mine"});
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_columns(snapshot, "ipc cycles:u page-faults faults cpi");
	assert_true(has_note(snapshot, "'nosuchevent'"));
	snapshot_free(snapshot);
	engine_free(engine);
	fk_free(fk);
	notes_fini(&notes);
}

/* A column of the command line must exist. */
static void test_wanted(void **state)
{
	static const struct engine_column column = {ENGINE_EVENTS, "branches,never-heard-of",
						    false};
	struct engine_config config = {.preset = &own_preset, .columns = &column, .n_columns = 1};
	struct fk *fk = open_machine();
	struct sys sys = fk_sys(fk);
	struct engine *engine = NULL;
	struct error err;

	(void)state;
	assert_int_equal(engine_new(&sys, &config, &engine, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'never-heard-of'"));
	fk_free(fk);
}

/* All that the outputs print of a snapshot. The caller frees it. */
static char *print_outputs(const struct snapshot *snapshot)
{
	struct csv *csv = csv_new();
	struct view view;
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	view_init(snapshot, &(struct view_spec){.by = ROLLUP_THREAD}, &view);
	out_json(&view, out);
	out_csv(csv, &view, out);
	out_text(&view, out);
	fclose(out);
	view_fini(&view);
	csv_free(csv);
	return text;
}

/* Without a PMU the default columns have content, and 80 columns of a terminal have room for all.
 */
static void test_no_pmu(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.no_pmu = true, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);
	unsigned widths[16];
	struct view view;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 50});
	fk_switch(fk, 0, 50);
	struct engine *engine = open_engine(&sys);
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_columns(snapshot,
		      "cpu_percent state kernel_percent runq_percent cs_per_s faults_per_s");
	view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS}, &view);
	assert_in_range(view.n_columns, 10, ARRAY_SIZE(widths));
	view_fit(view.columns, view.n_columns, view.sort_column, 80, widths);
	for (size_t i = 0; i < view.n_columns; i++)
		assert_true(widths[i] > 0);
	for (size_t i = 0; i < snapshot->columns->n_shown; i++)
		assert_int_equal(task_figure(snapshot, 50, snapshot->columns->defs[i].name).state,
				 FIGURE_VALID);
	view_fini(&view);
	snapshot_free(snapshot);
	engine_free(engine);
	fk_free(fk);
}

/* Only tasks that ran have a blocked time. So a sum of processes has none, and other waits. */
static void test_sum_of_blocked(void **state)
{
	struct fk *fk = open_machine();
	struct sys sys = fk_sys(fk);
	struct engine *engine;
	struct view view;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 60});
	engine = open_engine(&sys);
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	fk_switch(fk, 0, 60);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	int blocked = columns_metric(snapshot->columns, "blocked_percent");
	int runq = columns_metric(snapshot->columns, "runq_percent");
	assert_true(figure_known(task_figure(snapshot, 50, "blocked_percent")));
	assert_int_equal(snapshot->figures[blocked].state, FIGURE_UNDEFINED);
	assert_true(figure_known(snapshot->figures[runq]));
	view_init(snapshot, &(struct view_spec){.by = ROLLUP_COMMAND}, &view);
	assert_int_equal(view.n, 1);
	assert_int_equal(view_row(&view, 0)->processes, 2);
	assert_int_equal(view_figure(&view, 0, blocked).state, FIGURE_UNDEFINED);
	assert_true(figure_known(view_figure(&view, 0, runq)));
	view_fini(&view);
	snapshot_free(snapshot);
	engine_free(engine);
	fk_free(fk);
}

/* The metrics that verdicts need have figures with any columns, and no output has them. */
static void test_hidden(void **state)
{
	static const struct engine_column column = {ENGINE_METRIC, "ipc"};
	struct engine_config config = {.preset = &preset_none, .columns = &column, .n_columns = 1};
	struct fk *fk = open_machine();
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine_with(&sys, &config);

	(void)state;
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_columns(snapshot, "ipc");
	assert_false(columns_show(snapshot->columns, "runq_percent"));
	assert_int_equal(task_figure(snapshot, 50, "runq_percent").state, FIGURE_VALID);
	assert_true(task_figure(snapshot, 50, "cpu_percent").value > 99);
	char *text = print_outputs(snapshot);
	assert_null(strstr(text, "runq"));
	assert_null(strstr(text, "blocked"));
	assert_null(strstr(text, "cpu_percent\":9"));
	assert_non_null(strstr(text, "\"ipc\""));
	free(text);
	snapshot_free(snapshot);
	engine_free(engine);
	fk_free(fk);
}

/* Users that are not in /etc/passwd: -u finds them, and rows have their names late. */
static void test_users_of_a_server(void **state)
{
	enum { ALICE = 5000, TASK = 60 };
	static const struct {
		const char *name, *user; /* of -u; NULL: all tasks */
		int result;
	} rows[] = {
		{"all", NULL, 0},
		{"a user", "alice.ldap", 0},
		{"users", "root,alice.ldap", 0},
		{"a number", "5000", 0},
		{"nobody's name", "eve", -EINVAL},
		{"one is nobody's name", "alice.ldap,eve", -EINVAL},
	};
	char folder[] = "/tmp/pmctop-getent-XXXXXX", getent[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0755), 0);
	snprintf(getent, sizeof(getent), "%s/getent", folder);
	write_file(getent, "#!/bin/sh\n[ $2 != eve ] && echo alice.ldap:x:5000:5000::/:\n");
	assert_int_equal(chmod(getent, 0755), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct engine_config config = {.getent = getent, .target.user = rows[i].user};
		struct fk *fk = open_machine();
		struct sys sys = fk_sys(fk);
		struct engine *engine;
		struct error err;
		bool named = false;

		fk_file(fk, "/etc/passwd", "root:x:0:0::/:\n");
		fk_task(fk, &(struct fk_spec){.tid = TASK, .uid = ALICE});
		fk_switch(fk, 0, TASK);
		int result = engine_new(&sys, &config, &engine, &err);
		if (result != rows[i].result)
			fail_msg("%s: %d, %s", rows[i].name, result, err.text);
		if (result < 0) {
			assert_non_null(strstr(err.text, "There is no user 'eve'"));
			fk_free(fk);
			continue;
		}
		while (!named) {
			struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
			const struct row *row = row_of(snapshot, TASK);

			assert_non_null(row);
			named = row && strcmp(row->user, "alice.ldap") == 0;
			if (row && !named)
				assert_string_equal(row->user, "5000");
			snapshot_free(snapshot);
			usleep(1000);
		}
		engine_free(engine);
		fk_free(fk);
	}
	remove_tree(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_optional),       cmocka_unit_test(test_users_of_a_server),
		cmocka_unit_test(test_wanted),         cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_sum_of_blocked), cmocka_unit_test(test_no_pmu),
	};

	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
