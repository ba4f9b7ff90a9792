// SPDX-License-Identifier: MIT
/* The user's choice of columns and their order, for any preset. */
#include "core/base/util.h"
#include "core/view/view.h"
#include "tests/unit/shared/sample.h"
#include "tests/unit/shared/screen_snapshot.h"
#include "tui/options/column_choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_text(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{"", ""},
		{" , ", ""},
		{"ipc,-mips , ghz", "ipc, -mips, ghz"},
		{"-", ""},
		{"cpu/event=1,umask=2/u, -a", "cpu/event=1,umask=2/u, -a"},
		{"a,b/c", "a, b/c"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct column_choice choice = {0};

		column_choice_parse(&choice, rows[i].text);
		char *text = column_choice_text(&choice);
		assert_string_equal(text, rows[i].expected);
		free(text);
		column_choice_fini(&choice);
	}
}

/* The names of all places, hidden ones with a '-'. */
static char *describe(const struct column_choice *choice, const struct columns *columns)
{
	struct column_place *places =
		xcalloc(columns->n_metrics + COLUMN_CHOICE_EXTRA, sizeof(*places));
	size_t n = column_choice_places(choice, columns, places), size;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	for (size_t i = 0; i < n; i++)
		fprintf(file, "%s%s%s", i ? " " : "", places[i].hidden ? "-" : "", places[i].name);
	fclose(file);
	free(places);
	return text;
}

#define USUAL                                                                            \
	"cpu_percent ghz ipc mips branch_mpki cache_mpki cs_per_s faults_per_s verdict " \
	"-hottest"

static void test_places(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{"", USUAL},
		{"nosuch, -other", USUAL},
		{"-ghz", "cpu_percent -ghz ipc mips branch_mpki cache_mpki cs_per_s faults_per_s "
			 "verdict -hottest"},
		{"mips, x, ipc", "cpu_percent ghz mips ipc branch_mpki cache_mpki cs_per_s "
				 "faults_per_s verdict -hottest"},
		{"verdict, -ghz, cpu_percent, cpu_percent",
		 "verdict -ghz ipc mips branch_mpki cache_mpki cs_per_s faults_per_s cpu_percent "
		 "-hottest"},
		{"hottest", "cpu_percent ghz ipc mips branch_mpki cache_mpki cs_per_s faults_per_s "
			    "verdict hottest"},
		{"hottest, ipc", "cpu_percent ghz hottest mips branch_mpki cache_mpki cs_per_s "
				 "faults_per_s verdict ipc"},
	};
	struct snapshot *snapshot = screen_snapshot(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct column_choice choice = {0};

		column_choice_parse(&choice, rows[i].text);
		char *text = describe(&choice, snapshot->columns);
		assert_string_equal(text, rows[i].expected);
		free(text);
		column_choice_fini(&choice);
	}
	snapshot_free(snapshot);
}

static void test_changes(void **state)
{
	struct snapshot *snapshot = screen_snapshot(1);
	const struct columns *columns = snapshot->columns;
	struct column_choice choice = {0};
	const char **shown;
	size_t n = 0;

	(void)state;
	assert_null(column_choice_shown(&choice, columns));
	assert_true(column_choice_toggle(&choice, columns, 1));
	assert_int_equal(column_choice_move(&choice, columns, 2, false), 1);
	assert_int_equal(column_choice_move(&choice, columns, 0, false), 0);
	assert_int_equal(column_choice_move(&choice, columns, 9, true), 9);

	char *text = describe(&choice, columns);
	assert_string_equal(text, "cpu_percent ipc -ghz mips branch_mpki cache_mpki cs_per_s "
				  "faults_per_s verdict -hottest");
	free(text);
	shown = column_choice_shown(&choice, columns);
	while (shown[n] && strcmp(shown[n], "ipc") != 0)
		n++;
	assert_string_equal(shown[n - 1], "cpu_percent");
	assert_string_equal(shown[n + 1], "mips");
	free(shown);

	/* Undone changes leave no choice. */
	column_choice_move(&choice, columns, 1, true);
	column_choice_toggle(&choice, columns, 1);
	assert_int_equal(choice.n, 0);

	/* The last column of figures cannot be hidden. */
	for (size_t i = 0; i < 7; i++)
		assert_true(column_choice_toggle(&choice, columns, i));
	assert_false(column_choice_toggle(&choice, columns, 7));
	assert_true(column_choice_toggle(&choice, columns, 8));
	column_choice_fini(&choice);
	snapshot_free(snapshot);
}

/* The column of functions is shown only while it is chosen. */
static void test_hottest(void **state)
{
	struct snapshot *snapshot = screen_snapshot(1);
	const struct columns *columns = snapshot->columns;
	struct column_choice choice = {0};
	const char **shown;
	size_t n = 0;

	(void)state;
	assert_false(column_choice_has(&choice, "hottest"));
	assert_true(column_choice_toggle(&choice, columns, 9));
	assert_true(column_choice_has(&choice, "hottest"));
	shown = column_choice_shown(&choice, columns);
	while (shown[n] && strcmp(shown[n], "hottest") != 0)
		n++;
	assert_non_null(shown[n]);
	assert_string_equal(shown[n - 1], "verdict");
	free(shown);
	assert_int_equal(column_choice_move(&choice, columns, 9, false), 8);
	assert_true(column_choice_toggle(&choice, columns, 8));
	assert_false(column_choice_has(&choice, "hottest"));
	column_choice_fini(&choice);
	column_choice_parse(&choice, "-hottest, ipc");
	assert_false(column_choice_has(&choice, "hottest"));
	column_choice_fini(&choice);
	snapshot_free(snapshot);
}

/* A hidden column takes no other away, however the lines are grouped. */
static void test_others_stay(void **state)
{
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), NULL, 0);
	struct column_choice choice = {0};

	(void)state;
	strcpy(snapshot->cpus[0].type, "core"); /* for TYPE */
	column_choice_parse(&choice, "-cs_per_s");
	const char **shown = column_choice_shown(&choice, snapshot->columns);
	for (enum rollup by = 0; rollup_name(by); by++) {
		struct view all, rest;
		size_t at = 0;

		view_init(snapshot, &(struct view_spec){.by = by}, &all);
		view_init(snapshot, &(struct view_spec){.by = by, .shown = shown}, &rest);
		for (size_t i = 0; i < all.n_columns; i++) {
			if (strcmp(all.columns[i].name, "cs_per_s") == 0)
				continue;
			assert_true(at < rest.n_columns);
			assert_string_equal(rest.columns[at++].title, all.columns[i].title);
		}
		assert_int_equal(at, rest.n_columns);
		view_fini(&all);
		view_fini(&rest);
	}
	free(shown);
	column_choice_fini(&choice);
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),        cmocka_unit_test(test_places),
		cmocka_unit_test(test_changes),     cmocka_unit_test(test_hottest),
		cmocka_unit_test(test_others_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
