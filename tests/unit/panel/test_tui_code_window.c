// SPDX-License-Identifier: MIT
/* How many snapshots the sum of the page of code has, and when it begins anew. */
#include "tui/panel/code_window.h"

#include "tests/unit/shared/code_scene.h"
#include "tests/unit/shared/screen_snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct history_key postgres = {HISTORY_PROCESS, 4121, 0};

struct code_run {
	struct code_window window;
	struct columns *columns;
	unsigned nth;
};

static void begin_run(struct code_run *run)
{
	*run = (struct code_run){.columns = sample_columns("overview")};
	code_window_begin(&run->window, &postgres, false);
}

static void end_run(struct code_run *run)
{
	code_window_fini(&run->window);
	columns_unref(run->columns);
}

static void add_to_run(struct code_run *run, enum code_scene scene, struct columns *columns)
{
	struct snapshot *snapshot = code_scene_snapshot(scene, ++run->nth, columns);

	code_window_add(&run->window, snapshot);
	snapshot_free(snapshot);
}

/* The number of intervals; counts and samples must be of the same. */
static size_t count_intervals(const struct code_run *run)
{
	struct code_sum sum;
	struct code_view view;

	code_window_sum(&run->window, &sum);
	size_t n = sum.intervals;
	if (n > 0) {
		code_sum_view(&sum, HISTORY_PROCESS, 0, &view);
		assert_int_equal(view.totals[0].samples, 200 * n);
		assert_int_equal(sum.tally[TALLY_TASK_CLOCK], 996000000 * n);
		assert_int_equal(sum.interval_ns, NS_PER_S * n);
		code_view_fini(&view);
	}
	code_sum_fini(&sum);
	return n;
}

static void test_is_bounded(void **state)
{
	struct code_run run;

	(void)state;
	begin_run(&run);
	assert_int_equal(count_intervals(&run), 0);
	for (size_t i = 1; i <= 200; i++) {
		add_to_run(&run, CODE_SCENE, run.columns);
		size_t n = count_intervals(&run);

		if (i <= CODE_WINDOW_MOST)
			assert_int_equal(n, i);
		else
			assert_in_range(n, CODE_WINDOW_LEAST, CODE_WINDOW_MOST);
	}
	end_run(&run);
}

/* Old samples drop out altogether. */
static void test_forgets(void **state)
{
	struct code_run run;
	struct code_sum sum;

	(void)state;
	begin_run(&run);
	add_to_run(&run, CODE_SCENE, run.columns);
	for (size_t i = 0; i < CODE_WINDOW_MOST; i++)
		add_to_run(&run, CODE_SCENE_LATER, run.columns);
	code_window_sum(&run.window, &sum);
	for (size_t i = 0; i < sum.profile->n_functions; i++)
		assert_string_not_equal(sum.profile->functions[i].name, "hash_lookup");
	code_sum_fini(&sum);
	end_run(&run);
}

/* An interval without samples adds no counts either. */
static void test_skips_intervals_without_samples(void **state)
{
	struct code_run run;

	(void)state;
	begin_run(&run);
	add_to_run(&run, CODE_SCENE_NONE, run.columns);
	add_to_run(&run, CODE_SCENE_NONE, run.columns);
	assert_int_equal(count_intervals(&run), 0);
	assert_int_equal(run.window.without, 2);
	assert_int_equal(run.window.without_ns, 2 * NS_PER_S);
	add_to_run(&run, CODE_SCENE, run.columns);
	add_to_run(&run, CODE_SCENE_NONE, run.columns);
	add_to_run(&run, CODE_SCENE, run.columns);
	assert_int_equal(count_intervals(&run), 2);
	assert_int_equal(run.window.without, 0);
	assert_int_equal(run.window.without_ns, 0);
	end_run(&run);
}

static void test_begins_anew(void **state)
{
	struct code_run run;

	(void)state;
	begin_run(&run);
	for (size_t i = 0; i < 8; i++)
		add_to_run(&run, CODE_SCENE, run.columns);
	run.nth = 3; /* a replay that went back */
	add_to_run(&run, CODE_SCENE, run.columns);
	assert_int_equal(count_intervals(&run), 1);
	add_to_run(&run, CODE_SCENE, NULL); /* another preset */
	assert_int_equal(count_intervals(&run), 1);
	code_window_clear(&run.window);
	assert_int_equal(count_intervals(&run), 0);
	add_to_run(&run, CODE_SCENE, run.columns); /* of the same row still */
	assert_int_equal(count_intervals(&run), 1);
	end_run(&run);
}

/* Each snapshot of a recording that is shown as one interval has all of the one before. */
static void test_has_a_whole_once(void **state)
{
	struct code_run run;

	(void)state;
	begin_run(&run);
	for (size_t i = 0; i < 3; i++) {
		struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE, ++run.nth, run.columns);

		snapshot->whole = true;
		code_window_add(&run.window, snapshot);
		snapshot_free(snapshot);
		assert_int_equal(count_intervals(&run), 1);
	}
	end_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_bounded),
		cmocka_unit_test(test_forgets),
		cmocka_unit_test(test_skips_intervals_without_samples),
		cmocka_unit_test(test_begins_anew),
		cmocka_unit_test(test_has_a_whole_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
