// SPDX-License-Identifier: MIT
/* P, M and T sort by a metric, and add or show its column. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"

/* A snapshot of the overview, or of these columns. */
static struct snapshot *seen(bool with_facts)
{
	static const char *const facts[] = {"cpu_percent", "ipc", "rss", "total_time", NULL};
	struct sample_row row = screen_row(4121, "db", "postgres", 1000000, 1, 1);

	return sample_snapshot(with_facts ? sample_columns_of("overview", facts)
					  : sample_columns("overview"),
			       &row, 1);
}

static void test_sort(void **state)
{
	static const struct {
		const char *name;
		bool with_facts; /* it has the columns of memory and time */
		int keys[4];
		bool idle;
		const char *sort;    /* then */
		const char *added;   /* the command; NULL: none */
		const char *message; /* NULL: none */
	} rows[] = {
		{"P", false, {'>', 'P'}, false, "cpu_percent", NULL, NULL},
		{"P, reversed", false, {'R', 'P'}, false, "cpu_percent", NULL, NULL},
		{"M",
		 false,
		 {'M'},
		 false,
		 "rss",
		 "rss",
		 "Sorted by RES, tasks that ran (i: all). Column added (x: remove)."},
		{"M, idle tasks too",
		 false,
		 {'M'},
		 true,
		 "rss",
		 "rss",
		 "Sorted by RES. Column added (x: remove)."},
		{"M, a column", true, {'M'}, true, "rss", NULL, NULL},
		{"T",
		 false,
		 {'T'},
		 true,
		 "total_time",
		 "total_time",
		 "Sorted by TIME+. Column added (x: remove). The theme has moved (F2: setup)."},
		{"T, a column",
		 true,
		 {'T'},
		 true,
		 "total_time",
		 NULL,
		 "Sorted by TIME+. The theme has moved (F2: setup)."},
		{"T again", true, {'T', 'T'}, true, "total_time", NULL, NULL},
		{"CPUs", true, {'C', 'P'}, true, "cpu_percent", NULL, NULL},
		{"memory of CPUs",
		 true,
		 {'C', 'M'},
		 true,
		 "worst",
		 NULL,
		 "CPUs have no RES to sort by (C: tasks)."},
		{"events", true, {KEYMAP_TAB, KEYMAP_TAB, 'M'}, true, "", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, 100, 24, false, seen(rows[i].with_facts));
		stage.app.preferences.idle = rows[i].idle;
		stage_keys(&stage, rows[i].keys);

		const struct list *list =
			stage.app.screen == &screen_cpus ? &stage.app.cpus : &stage.app.tasks;
		if (strcmp(list->spec.sort, rows[i].sort) != 0 || list->spec.reverse)
			fail_msg("%s: sorted by %s", rows[i].name, list->spec.sort);
		if (rows[i].added)
			stage_check_request(&stage, REQUEST_ADD_METRIC, rows[i].added, 0);
		assert_int_equal(app_changes(&stage.app)->n, 0);
		if (rows[i].message)
			stage_check_text(&stage, rows[i].message, true);
		else
			assert_string_equal(stage.app.messages.notice, "");
		stage_close(&stage);
	}
}

/* A column that the user has hidden is shown again. */
static void test_hidden(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 120, 24, false, seen(true));
	column_choice_parse(&stage.app.preferences.columns, "-rss");
	app_show_columns(&stage.app);
	stage_press(&stage, KEYMAP_HOME);
	stage_check_text(&stage, " RES", false);
	stage_press(&stage, 'M');
	stage_check_text(&stage, " RES", true);
	stage_close(&stage);
}

/* The theme has no key of its own, but a configuration can bind T to it, or another key. */
static void test_theme(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){KEYMAP_F0 + 2, KEYMAP_DOWN, KEYMAP_ENTER, 0});
	stage_check_text(&stage, "Theme ─", true);
	stage_keys(&stage, (int[]){KEYMAP_ESCAPE, KEYMAP_ESCAPE, '?', 0});
	stage_check_text(&stage, "choose a theme", false);
	stage_press(&stage, 'q');
	stage.app.keymap.keys[ACTION_THEME][0] = 'y';
	stage_press(&stage, 'T');
	stage_check_text(&stage, "theme has moved", false);
	stage_press(&stage, 'y');
	stage_check_text(&stage, "Theme ─", true);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_theme),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
