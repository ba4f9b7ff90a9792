// SPDX-License-Identifier: MIT
/* Tasks that pass a filter, and roll-ups of them. */
#include "tests/unit/shared/sample.h"

#include "core/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const cgroups[] = {
	"/system.slice/nginx.service",
	"/system.slice/docker-0123456789abcdef0123456789abcdef.scope",
};

static void passes(void **state)
{
	static const struct row row = {.pid = 4121,
				       .tid = 4133,
				       .uid = 26,
				       .cgroup = 1,
				       .comm = "Postgres: wal",
				       .cmdline = "/usr/bin/postgres -D /srv/Data",
				       .user = "db"};
	static const struct {
		const char *name;
		struct row_filter_spec spec;
		bool set, want;
	} rows[] = {
		{"no words", {.text = ""}, false, true},
		{"blanks alone", {.text = " \t "}, false, true},
		{"a part of the command", {.text = "gres"}, true, true},
		{"in another case", {.text = "pOSTGRES"}, true, true},
		{"an absent word", {.text = "mysql"}, true, false},
		{"longer than the command", {.text = "postgres: walwriter"}, true, false},
		{"a user", {.text = "db"}, true, true},
		{"a part of the command line", {.text = "srv/data"}, true, true},
		{"part of a pid", {.text = "412"}, true, true},
		{"part of a tid", {.text = "33"}, true, true},
		{"another number", {.text = "4122"}, true, false},
		{"a cgroup's path", {.text = "system.slice"}, true, true},
		{"the name of the cgroup on the screen", {.text = "docker:0123"}, true, true},
		{"words in several places", {.text = "db  wal\t41"}, true, true},
		{"one of them is missing", {.text = "db wal 99"}, true, false},
		{"bytes above ASCII", {.text = "\xc3\xa4"}, true, false},
		{"as many words as there can be",
		 {.text = "d b d b d b d b d b d b d b d b d b d b d b d b d b d b d b d b "
			  "d b d b d b d b d b d b d b d b d b d b d b d b d b d b d b d b"},
		 true,
		 true},
		{"the last of so many is missing",
		 {.text = "d b d b d b d b d b d b d b d b d b d b d b d b d b d b d b d b "
			  "d b d b d b d b d b d b d b d b d b d b d b d b d b d b d b d x"},
		 true,
		 false},
		{"its user's number", {.one_user = true, .uid = 26}, true, true},
		{"root is a user like others", {.one_user = true}, true, false},
		{"the user and a word", {.text = "wal", .one_user = true, .uid = 26}, true, true},
		{"the user but not the word",
		 {.text = "x", .one_user = true, .uid = 26},
		 true,
		 false},
	};
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), NULL, 0);

	(void)state;
	sample_cgroups(snapshot, cgroups, ARRAY_SIZE(cgroups));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct row_filter filter;

		row_filter_init(&rows[i].spec, snapshot, &filter);
		if (row_filter_is_set(&rows[i].spec) != rows[i].set ||
		    row_filter_passes(&filter, &row) != rows[i].want)
			fail_msg("%s", rows[i].name);
		row_filter_fini(&filter);
	}
	snapshot_free(snapshot);
}

static void passes_rows_with_unknown_members(void **state)
{
	static const struct row_filter_spec spec = {.text = "a"};
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), NULL, 0);
	struct row_filter filter;

	(void)state;
	row_filter_init(&spec, snapshot, &filter);
	assert_false(row_filter_passes(&filter, &(struct row){.cgroup = -1}));
	assert_false(row_filter_passes(&filter, &(struct row){.cgroup = 7}));
	row_filter_fini(&filter);
	snapshot_free(snapshot);
}

#define TASK(p, t, parent, owner, group, name, ms) \
	SAMPLE_TASK(p, t, parent, owner, group, name, (ms)*NS_PER_MS)

/* 1 init, below it 10 make (20 cc1, 21 as), and 30 java, whose main thread sleeps. */
static const struct sample_row tasks[] = {
	TASK(1, 1, 0, 0, 0, "init", 1),     TASK(10, 10, 1, 7, 0, "make", 10),
	TASK(20, 20, 10, 7, 0, "cc1", 200), TASK(21, 21, 10, 7, 0, "as", 100),
	TASK(30, 31, 1, 8, 1, "GC#0", 400), TASK(30, 32, 1, 8, 1, "worker", 50),
};

static const struct row java = {
	.pid = 30, .tid = 30, .ppid = 1, .uid = 8, .cgroup = 1, .comm = "java", .user = "8"};

/* Rows and left-out tasks add up to all, for every event. */
static void check_conserves(const struct view *view, const char *name)
{
	const struct snapshot *snapshot = view->snapshot;
	uint64_t sum[SAMPLE_WIDTH] = {0};

	for (size_t i = 0; i < snapshot->threads.n; i++)
		tally_add(&snapshot->columns->plan->shape, sum,
			  rows_tally(snapshot->columns, &snapshot->threads, i));
	for (size_t line = 0; line < view->n; line++) {
		size_t index = view->order[line];

		if (view->rolled.parents && view->rolled.parents[index] != SIZE_MAX)
			continue;
		for (size_t e = 0; e < SAMPLE_WIDTH; e++)
			sum[e] -= rows_tally(snapshot->columns, view->rows, index)[e];
	}
	for (size_t e = 0; e < SAMPLE_WIDTH; e++)
		if (sum[e] != view->left_out[e])
			fail_msg("%s: event %zu does not add up", name, e);
}

static void views_show_rows_that_pass(void **state)
{
	static const struct {
		const char *name;
		struct view_spec spec;
		const char *want; /* pid, or uid, and %CPU */
	} rows[] = {
		{"a thread", {.by = ROLLUP_THREAD, .filter = {.text = "gc"}}, "30:40.0 "},
		{"the whole process of a thread", {.filter = {.text = "gc"}}, "30:45.0 "},
		{"a process by its main thread, which did not run",
		 {.filter = {.text = "java"}},
		 "30:45.0 "},
		{"a user's processes",
		 {.filter = {.one_user = true, .uid = 7}},
		 "20:20.0 21:10.0 10:1.0 "},
		{"users of the processes that pass",
		 {.by = ROLLUP_USER, .filter = {.text = "cc1"}},
		 "u7:20.0 "},
		{"users by a sleeping main thread",
		 {.by = ROLLUP_USER, .filter = {.text = "java"}},
		 "u8:45.0 "},
		{"cgroups, by their name",
		 {.by = ROLLUP_CGROUP, .filter = {.text = "docker:0"}},
		 "g1:45.0 "},
		{"commands, by a thread",
		 {.by = ROLLUP_COMMAND, .filter = {.text = "gc"}},
		 "java:45.0 "},
		{"a tree keeps ancestors, without their own counts",
		 {.by = ROLLUP_TREE, .filter = {.text = "cc1"}},
		 "(1):20.0 (10):20.0 20:20.0 "},
		{"and what is below, where it passes",
		 {.by = ROLLUP_TREE, .filter = {.text = "make"}},
		 "(1):1.0 10:1.0 "},
		{"several branches",
		 {.by = ROLLUP_TREE, .filter = {.one_user = true, .uid = 7}},
		 "(1):31.0 10:31.0 20:20.0 21:10.0 "},
		{"nothing passes", {.by = ROLLUP_TREE, .filter = {.text = "none"}}, ""},
	};
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), tasks, ARRAY_SIZE(tasks));

	(void)state;
	sample_cgroups(snapshot, cgroups, ARRAY_SIZE(cgroups));
	sample_sleeping(snapshot, &java, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view view;
		char got[1024] = "";

		view_init(snapshot, &rows[i].spec, &view);
		for (size_t line = 0; line < view.n; line++) {
			const struct row *row = view_row(&view, line);
			struct cell cell;
			char id[24];

			if (rows[i].spec.by == ROLLUP_USER)
				snprintf(id, sizeof(id), "u%u", row->uid);
			else if (rows[i].spec.by == ROLLUP_CGROUP)
				snprintf(id, sizeof(id), "g%d", row->cgroup);
			else if (rows[i].spec.by == ROLLUP_COMMAND)
				snprintf(id, sizeof(id), "%s", row->comm);
			else
				snprintf(id, sizeof(id), row->flags & ROW_ABOVE ? "(%d)" : "%d",
					 row->pid);
			figure_format(&snapshot->columns->defs[0],
				      view_figure(&view, view.order[line], 0), &cell);
			sprintf(got + strlen(got), "%s:%s ", id, cell.text);
		}
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, got);
		check_conserves(&view, rows[i].name);
		view_fini(&view);
	}
	snapshot_free(snapshot);
}

static void leaves_cpus_alone(void **state)
{
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), tasks, ARRAY_SIZE(tasks));
	struct view_spec spec = {.by = ROLLUP_CPU, .filter = {.text = "none"}};
	struct view view;

	(void)state;
	view_init(snapshot, &spec, &view);
	assert_int_equal(view.n, 2);
	assert_null(view.left_out);
	view_fini(&view);
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes),
		cmocka_unit_test(passes_rows_with_unknown_members),
		cmocka_unit_test(views_show_rows_that_pass),
		cmocka_unit_test(leaves_cpus_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
