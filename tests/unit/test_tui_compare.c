// SPDX-License-Identifier: MIT
/*
 * Units and the baseline, as keys change them: what is frozen lives as long as it is compared with.
 */
#include "screen_snapshot.h"
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The same machine when all has become slower: what ran has fewer instructions, one task is new. */
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

static bool shows(const struct stage *stage, const char *text)
{
	char *screen = canvas_print(&stage->canvas);
	bool found = strstr(screen, text) != NULL;

	free(screen);
	return found;
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
		assert_true(shows(&stage, words[i]));
		stage_keys(&stage, (int[]){KEYMAP_TAB, 0}); /* of CPUs the same */
		assert_true(shows(&stage, words[i]));
		stage_keys(&stage, (int[]){KEYMAP_TAB, 0});
	}
	stage_keys(&stage, (int[]){'m', 0});
	assert_false(shows(&stage, words[2]));
	stage_close(&stage);
}

/* Whatever comes in between, nothing is freed that is still compared with, or freed twice. */
static void test_lifetimes(void **state)
{
	static const int keys[][4] = {{'B'}, {'B', 'B'}, {'B', 'B', 'B'}, {'Z', 'B', 'Z'}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		for (int after = 0; after < 4; after++) {
			struct stage stage;

			stage_open(&stage, 80, 24, false, screen_snapshot(2));
			stage_keys(&stage, keys[i]);
			for (int k = 0; k < after; k++) {
				app_snapshot(&stage.app, later());
				stage_keys(&stage, (int[]){k % 2 ? 'B' : 't', KEYMAP_TAB, 0});
			}
			stage_close(&stage);
		}
}

/* Before there is anything to freeze. */
static void test_empty(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, NULL);
	stage_keys(&stage, (int[]){'B', 'm', 'B', 0});
	assert_null(stage.app.baseline);
	app_snapshot(&stage.app, screen_snapshot(2));
	stage_keys(&stage, (int[]){0});
	assert_false(shows(&stage, "baseline"));
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
