// SPDX-License-Identifier: MIT
/*
 * Sums of a row over intervals, its hottest function, and where these are shown: the column HOTTEST
 * and the sentences of verdicts.
 */
#include "core/view/code_sum.h"

#include "core/view/code_hottest.h"
#include "core/view/finding.h"
#include "core/view/view.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/code_scene.h"
#include "tests/unit/shared/profile_samples.h"
#include "tests/unit/shared/screen_snapshot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct history_key postgres = {HISTORY_PROCESS, 4121, 0};

/* Which tally a row has, and how many samples of cycles. */
struct row_case {
	const char *name;
	struct history_key key;
	bool tree;
	uint64_t ran_ns; /* 0: the machine without the idle tasks */
	uint64_t samples;
};

static const struct row_case row_cases[] = {
	{"a process", {HISTORY_PROCESS, 4121, 0}, false, 996000000, 200},
	{"a thread", {HISTORY_THREAD, 5000, 0}, false, 70000000, 14},
	{"a process with its descendants", {HISTORY_PROCESS, 4121, 0}, true, 996000000, 200},
	{"a process that is not there", {HISTORY_PROCESS, 1, 0}, false, 0, 0},
	{"the machine", {HISTORY_MACHINE, 0, 0}, false, 490000000, 214},
};

static void has_the_row(void **state)
{
	const struct row_case *row = *state;
	struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE, 1, NULL);
	struct code_sum sum;
	struct code_view view;

	assert_true(code_sum_init(&sum, snapshot, &row->key, row->tree));
	assert_int_equal(sum.tally[TALLY_TASK_CLOCK], row->ran_ns);
	assert_int_equal(sum.interval_ns, snapshot->interval_ns);
	snapshot_free(snapshot); /* the sum lives on */
	code_sum_view(&sum, row->key.kind, code_time_event(sum.profile), &view);
	assert_int_equal(view.totals[0].samples, row->samples);
	assert_int_equal(sum.profile->n_tasks, row->samples ? 1 : 0);
	code_view_fini(&view);
	code_sum_fini(&sum);
}

/* The idle tasks of a CPU have no samples, so their counts take no part. */
static void has_the_busy_time_of_a_cpu(void **state)
{
	struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE, 1, NULL);
	const struct snapshot_cpu *cpu = &snapshot->cpus[1];
	const struct history_key key = {HISTORY_CPU, 1, 0};
	struct code_sum sum;

	(void)state;
	assert_true(code_sum_init(&sum, snapshot, &key, false));
	assert_int_equal(sum.tally[SAMPLE_CYCLES],
			 cpu->tally[SAMPLE_CYCLES] - cpu->idle[SAMPLE_CYCLES]);
	code_sum_fini(&sum);
	snapshot_free(snapshot);
}

/* Lost samples of other rows are not known, so only the machine has them. */
static void has_lost_samples(void **state)
{
	const struct history_key machine = {HISTORY_MACHINE, 0, 0};
	struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE, 1, NULL);
	struct code_sum sum;

	(void)state;
	snapshot->code->lost = 7;
	assert_true(code_sum_init(&sum, snapshot, &machine, false));
	assert_int_equal(sum.profile->lost, 7);
	code_sum_fini(&sum);
	assert_true(code_sum_init(&sum, snapshot, &postgres, false));
	assert_int_equal(sum.profile->lost, 0);
	code_sum_fini(&sum);
	snapshot_free(snapshot);
}

/* Addresses of a file without names are one function, also of several intervals. */
static void has_addresses_without_names_together(void **state)
{
	static const struct profile_samples first[] = {
		{4121, 4121, 0, "cycles", "go+0x10@go!no symbols;main@go", 3, 30, 0},
		{4121, 4121, 0, "cycles", "go+0x20@go!no symbols;main@go", 4, 40, 0},
	};
	static const struct profile_samples second[] = {
		{4121, 4121, 0, "cycles", "go+0x30@go!no symbols;main@go", 5, 50, 0},
	};
	struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE, 1, NULL);
	struct code_sum sum, more;
	struct code_view view;

	(void)state;
	code_profile_free(snapshot->code);
	snapshot->code = profile_of_samples(NULL, 0, first, ARRAY_SIZE(first));
	assert_true(code_sum_init(&sum, snapshot, &postgres, false));
	code_profile_free(snapshot->code);
	snapshot->code = profile_of_samples(NULL, 0, second, ARRAY_SIZE(second));
	assert_true(code_sum_init(&more, snapshot, &postgres, false));
	snapshot_free(snapshot);
	assert_int_equal(sum.profile->n_entries, 1); /* the stacks are equal */
	code_sum_add(&sum, &more);
	assert_int_equal(sum.profile->n_functions, 2);
	assert_int_equal(sum.profile->n_entries, 1);
	code_sum_view(&sum, HISTORY_PROCESS, 0, &view);
	assert_int_equal(view.n, 1);
	assert_string_equal(view.lines[0].function->name, "go+0x..., no symbols");
	assert_int_equal(view.lines[0].events[0].samples, 12);
	code_view_fini(&view);
	code_sum_fini(&more);
	code_sum_fini(&sum);
}

/* IPC of hash_lookup, from the exact IPC of the row and both shares. */
static void figures_use_both(void **state)
{
	struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE, 1, NULL);
	int ipc = columns_metric(snapshot->columns, "ipc");
	struct code_sum sum;
	struct code_view view;

	(void)state;
	assert_true(code_sum_init(&sum, snapshot, &postgres, false));
	code_sum_view(&sum, HISTORY_PROCESS, 0, &view);
	assert_string_equal(view.lines[0].function->name, "hash_lookup");
	struct figure figure = view.lines[0].figures[ipc];
	assert_int_equal(figure.state, FIGURE_SCALED);
	assert_true(fabs(figure.value - 0.31 * (600.0 / 1980) / (1240.0 / 2000)) < 1e-6);
	code_view_fini(&view);
	code_sum_fini(&sum);
	snapshot_free(snapshot);
}

static void adds_intervals(void **state)
{
	struct snapshot *first = code_scene_snapshot(CODE_SCENE, 1, NULL);
	struct snapshot *second = code_scene_snapshot(CODE_SCENE, 2, first->columns);
	struct snapshot *without = code_scene_snapshot(CODE_SCENE_NONE, 3, first->columns);
	struct code_sum sum = {0}, more;
	struct code_view view;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_true(code_sum_init(&more, i ? second : first, &postgres, false));
		code_sum_add(&sum, &more);
		code_sum_fini(&more);
	}
	assert_false(code_sum_init(&more, without, &postgres, false));
	code_sum_add(&sum, &more); /* empty */
	snapshot_free(second);
	assert_int_equal(sum.intervals, 2);
	assert_int_equal(sum.interval_ns, 2 * first->interval_ns);
	assert_int_equal(sum.tally[TALLY_TASK_CLOCK], 2 * 996000000);
	code_sum_view(&sum, HISTORY_PROCESS, 0, &view);
	assert_int_equal(view.totals[0].samples, 400);
	assert_true(fabs(view.lines[0].events[0].share - 0.62) < 1e-9);
	/* sqrt(p (1 - p) / n) */
	assert_true(fabs(view.lines[0].events[0].error - sqrt(0.62 * 0.38 / 400)) < 1e-3);
	code_view_fini(&view);
	code_sum_fini(&sum);
	snapshot_free(without);
	snapshot_free(first);
}

struct column_case {
	const char *name;
	enum code_scene scene;
	enum rollup by;
	const char *row; /* another cell of the line */
	const char *cell;
	enum cell_role role;
};

static const struct column_case column_cases[] = {
	{"a process", CODE_SCENE, ROLLUP_PROCESS, "4121", " ~62% hash_lookup", CELL_NAME},
	{"a thread", CODE_SCENE, ROLLUP_THREAD, "5000", "~100% encode_frame", CELL_NAME},
	{"a tree", CODE_SCENE, ROLLUP_TREE, "4121", " ~62% hash_lookup", CELL_NAME},
	{"a long name", CODE_SCENE_LATER, ROLLUP_PROCESS, "4121", " ~66% ..ore_node() const",
	 CELL_NAME},
	{"by the clock", CODE_SCENE_CLOCK, ROLLUP_PROCESS, "4121", " ~76% hash_lookup", CELL_NAME},
	{"a row without samples", CODE_SCENE, ROLLUP_PROCESS, "4122", "-", CELL_DIM},
	{"no samples", CODE_SCENE_NONE, ROLLUP_PROCESS, "4121", "-", CELL_DIM},
	{"a CPU", CODE_SCENE, ROLLUP_CPU, "0", " ~69% hash_lookup", CELL_NAME},
};

/* The index of a column; n_columns: there is none. */
static size_t column_of(const struct view *view, const char *name)
{
	size_t i = 0;

	while (i < view->n_columns && strcmp(view->columns[i].name, name) != 0)
		i++;
	return i;
}

static bool has_column(const struct view *view, const char *name)
{
	return column_of(view, name) < view->n_columns;
}

static void is_a_column(void **state)
{
	static const char *const shown[] = {"cpu_percent", "hottest", NULL};
	const struct column_case *row = *state;
	struct snapshot *snapshot = code_scene_snapshot(row->scene, 1, NULL);
	const struct view_spec spec = {.by = row->by, .shown = shown};
	struct view view;
	bool found = false;

	view_init(snapshot, &spec, &view);
	size_t column = column_of(&view, "hottest");
	assert_string_equal(view.columns[column].title, "HOTTEST");
	for (size_t i = 0; i < view.n; i++) {
		struct cell cell;

		view_cell(&view, i, 0, &cell);
		if (strcmp(cell.text, row->row) != 0)
			continue;
		view_cell(&view, i, column, &cell);
		assert_string_equal(cell.text, row->cell);
		assert_int_equal(cell.role, row->role);
		found = true;
	}
	assert_true(found);
	view_fini(&view);
	snapshot_free(snapshot);
}

static void is_no_column_unless_chosen(void **state)
{
	struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE, 1, NULL);
	const struct view_spec spec = {.sort = "hottest"};
	struct view view;

	(void)state;
	view_init(snapshot, &spec, &view);
	assert_false(has_column(&view, "hottest"));
	assert_null(view.code);
	view_fini(&view);
	snapshot_free(snapshot);
}

/* perf records no users, and verdicts need run times. */
static void is_a_column_of_a_profile(void **state)
{
	static const enum rollup rollups[] = {ROLLUP_PROCESS, ROLLUP_THREAD, ROLLUP_TREE};
	static const enum code_scene scenes[] = {CODE_SCENE, CODE_SCENE_NONE};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rollups) * ARRAY_SIZE(scenes); i++) {
		enum code_scene scene = scenes[i % ARRAY_SIZE(scenes)];
		struct snapshot *snapshot = code_scene_snapshot(scene, 1, NULL);
		struct columns *columns = snapshot->columns;
		const struct view_spec spec = {.by = rollups[i / ARRAY_SIZE(scenes)]};
		struct view view;

		assert_false(columns_of_profile(columns));
		assert_int_equal(columns_rank(columns), TALLY_TASK_CLOCK);
		columns->events.items[TALLY_FIRST_COUNTED].kind = EVENT_SAMPLED;
		assert_true(columns_of_profile(columns));
		assert_int_equal(columns_rank(columns), TALLY_FIRST_COUNTED);
		view_init(snapshot, &spec, &view);
		assert_int_equal(has_column(&view, "hottest"), scene == CODE_SCENE);
		assert_false(has_column(&view, "user"));
		assert_false(has_column(&view, "verdict"));
		view_fini(&view);
		snapshot_free(snapshot);
	}
}

/* By name, rows without samples last. */
static void sorts_by_function(void **state)
{
	static const char *const shown[] = {"cpu_percent", "hottest", NULL};
	struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE, 1, NULL);
	const struct view_spec spec = {.sort = "hottest", .shown = shown};
	struct view view;

	(void)state;
	view_init(snapshot, &spec, &view);
	assert_int_equal(view_row(&view, 0)->pid, 5000);
	assert_int_equal(view_row(&view, 1)->pid, 4121);
	view_fini(&view);
	snapshot_free(snapshot);
}

/* The sentence of a row of 4121 that misses its cache, by what is sampled. */
struct sentence_case {
	const char *name;
	enum code_scene scene;
	double cache_mpki, ipc; /* of the row */
	const char *end;        /* of the sentence; NULL: no function */
};

static const struct sentence_case sentence_cases[] = {
	{"misses", CODE_SCENE, 24, 0.31,
	 "; 80 % of its cache-misses are in hash_lookup (postgres)"},
	{"time", CODE_SCENE_CLOCK, 24, 0.31, "; 76 % of its time is in hash_lookup (postgres)"},
	{"no function of a tenth", CODE_SCENE_FLAT, 24, 0.31, NULL},
	{"misses that are not sampled now", CODE_SCENE_LATER, 24, 0.31, NULL},
	{"no verdict", CODE_SCENE, 1, 1.3, NULL},
	{"no samples", CODE_SCENE_NONE, 24, 0.31, NULL},
	{"a profile without samples", CODE_SCENE_SILENT, 24, 0.31, NULL},
};

static void is_in_sentences(void **state)
{
	const struct sentence_case *row = *state;
	struct snapshot *snapshot = code_scene_snapshot(row->scene, 1, NULL);
	struct detail detail;
	struct judge judge;
	char text[512];

	detail_init(snapshot, &postgres, &detail);
	detail.sum.figures[columns_metric(snapshot->columns, "cache_mpki")].value = row->cache_mpki;
	detail.sum.figures[columns_metric(snapshot->columns, "ipc")].value = row->ipc;
	detail.sum.figures[columns_metric(snapshot->columns, "cpu_percent")].value = 50;
	judge_init(&judge, snapshot);
	struct verdict_subject subject = {
		.figures = detail.sum.figures, .row = detail.sum.items, .detail = &detail};
	const struct judgement judgement = judge_subject(&judge, &subject);
	verdict_explain(&judge, &judgement, &subject, text, sizeof(text));
	if (row->end && (!strstr(text, row->end) || strcmp(strstr(text, row->end), row->end) != 0))
		fail_msg("'%s' does not end in '%s'", text, row->end);
	if (!row->end)
		assert_null(strstr(text, " in "));
	subject.detail = NULL; /* without: for json */
	verdict_explain(&judge, &judgement, &subject, text, sizeof(text));
	assert_null(strstr(text, " in "));
	detail_fini(&detail);
	snapshot_free(snapshot);
}

static void is_in_the_sentence_of_the_machine(void **state)
{
	struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE, 1, NULL);
	struct findings findings;

	(void)state;
	findings_of_snapshot(snapshot, &findings);
	assert_non_null(
		strstr(findings.items[0].text, "(IPC 0.31); 62 % of its time is in hash_lookup"));
	snapshot_free(snapshot);
}

int main(void)
{
	static const struct cases tables[] = {
		CASES(has_the_row, row_cases),
		CASES(is_a_column, column_cases),
		CASES(is_in_sentences, sentence_cases),
	};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(has_the_busy_time_of_a_cpu),
		cmocka_unit_test(has_lost_samples),
		cmocka_unit_test(has_addresses_without_names_together),
		cmocka_unit_test(figures_use_both),
		cmocka_unit_test(adds_intervals),
		cmocka_unit_test(is_no_column_unless_chosen),
		cmocka_unit_test(is_a_column_of_a_profile),
		cmocka_unit_test(sorts_by_function),
		cmocka_unit_test(is_in_the_sentence_of_the_machine),
	};

	return cases_run("code_sum", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
