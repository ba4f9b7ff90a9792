// SPDX-License-Identifier: MIT
/* Units and the baseline. The baseline must live as long as a list compares with it. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The same machine, slower: the tasks that ran have fewer instructions, and one task is new. */
static struct snapshot *later(void)
{
	struct sample_row rows[] = {
		screen_row(4121, "db", "postgres", 500000000, 0.31, 812),
		screen_row(4122, "db", "postgres", 730000000, 0.42, 456),
		screen_row(5000, "ana", "\xe7\xbc\x96\xe8\xaf\x91\xe5\x99\xa8", 70000000, 1.9, 3),
		screen_row(6000, "ana", "newcomer", 300000000, 0.7, 30000),
	};
	struct snapshot *snapshot =
		screen_snapshot_new("overview", "armv8_pmuv3", rows, ARRAY_SIZE(rows), 2);

	snapshot->realtime_ns += 60 * NS_PER_S;
	return snapshot;
}

static void test_golden(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){'B', 0});
	app_snapshot(&stage.app, later());
	stage_keys(&stage, (int[]){0});
	check_screen("baseline_80x24", canvas_print(&stage.canvas));
	check_screen("baseline_80x24_styles", canvas_print_styles(&stage.canvas));
	stage_keys(&stage,
		   (int[]){'B', 'm', 'm', 'm', KEYMAP_RIGHT, KEYMAP_RIGHT, KEYMAP_RIGHT, 0});
	check_screen("per_ki_80x24", canvas_print(&stage.canvas));
	stage_close(&stage);
}

static void test_units(void **state)
{
	static const char *const words[] = {"counts", "per second", "per 1000 instructions"};
	struct stage stage;

	(void)state;
	stage_open(&stage, 200, 24, false, screen_snapshot(2));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		stage_keys(&stage, (int[]){'m', 0});
		stage_check_text(&stage, words[i], true);
		stage_keys(&stage, (int[]){KEYMAP_TAB, 0}); /* the same for CPUs */
		stage_check_text(&stage, words[i], true);
		stage_keys(&stage, (int[]){KEYMAP_TAB, 0});
	}
	stage_keys(&stage, (int[]){'m', 0});
	stage_check_text(&stage, words[2], false);
	stage_close(&stage);
}

/* The screens of tasks, CPUs, events and tasks again, plain and compared. */
static void check_compared(const struct stage *stage, int screen, const char *baseline)
{
	static const char *const plain[] = {"4121 db         99.6  3.00", "1    0.0   47.0  3.00",
					    "task-clock", " db         50.0  3.00"};
	static const char *const compared[] = {"4121 db           0.0   0.00",
					       "1    0.0     0.0   0.00", "task-clock",
					       " db           0.0   0.00"};

	stage_check_text(stage, "baseline of ", baseline != NULL);
	stage_check_text(stage, baseline ? baseline : plain[screen], true);
	stage_check_text(stage, baseline ? compared[screen] : plain[screen], true);
}

/* The baseline is shown after any sequence of keys and is freed exactly once. */
static void test_lifetimes(void **state)
{
	static const char first[] = "baseline of 14:46:40", later_on[] = "baseline of 14:47:40";
	static const struct {
		int keys[4];
		const char *baselines[4]; /* number of snapshots before the check; the second one
					     has the key B */
	} rows[] = {
		{{'B'}, {first, first, NULL, NULL}},
		{{'B', 'B'}, {NULL, NULL, later_on, later_on}},
		{{'B', 'B', 'B'}, {first, first, NULL, NULL}},
		{{'Z', 'B', 'Z'}, {first, first, NULL, NULL}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int after = 0; after < 4; after++) {
			struct stage stage;

			stage_open(&stage, 80, 24, false, screen_snapshot(2));
			stage_keys(&stage, rows[i].keys);
			for (int k = 0; k < after; k++) {
				app_snapshot(&stage.app, later());
				stage_keys(&stage, (int[]){k % 2 ? 'B' : 't', KEYMAP_TAB, 0});
				if (k == 2)
					stage_keys(&stage, (int[]){KEYMAP_TAB, 0});
			}
			check_compared(&stage, after, rows[i].baselines[after]);
			stage_close(&stage);
		}
}

/* Before the first snapshot. */
static void test_empty(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, NULL);
	stage_keys(&stage, (int[]){'B', 'm', 'B', 0});
	assert_null(stage.app.display.baseline);
	app_snapshot(&stage.app, screen_snapshot(2));
	stage_keys(&stage, (int[]){0});
	stage_check_text(&stage, "baseline", false);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_lifetimes),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
