// SPDX-License-Identifier: MIT
/* History and details on the screen: 130 invented seconds of a small machine. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/small_machine.h"
#include "tests/unit/shared/stage.h"

#include <math.h>

static void stage_play(struct stage *stage, unsigned width, unsigned height, bool ascii)
{
	stage_open(stage, width, height, ascii, NULL);
	for (unsigned second = 1; second <= SECONDS; second++)
		app_snapshot(&stage->app, second_of(second));
}

static void test_golden(void **state)
{
	static const struct {
		const char *name;
		unsigned width, height;
		bool ascii;
		int keys[16];
	} rows[] = {
		{"history_120x40", 120, 40, false, {0}},
		{"history_120x40_ascii", 120, 40, true, {0}},
		{"history_200x50", 200, 50, false, {0}},
		{"history_200x50_ascii", 200, 50, true, {0}},
		{"history_cpus_120x40", 120, 40, false, {'C', 0}},
		{"detail_80x24", 80, 24, false, {KEYMAP_ENTER, 0}},
		{"detail_80x24_ascii", 80, 24, true, {KEYMAP_ENTER, 0}},
		{"detail_80x24_end", 80, 24, false, {KEYMAP_ENTER, KEYMAP_END, 0}},
		{"detail_80x24_minutes",
		 80,
		 24,
		 false,
		 {KEYMAP_ENTER, KEYMAP_LEFT, KEYMAP_LEFT, KEYMAP_LEFT, KEYMAP_RIGHT, 0}},
		{"detail_120x40", 120, 40, false, {KEYMAP_ENTER, 0}},
		{"detail_200x50", 200, 50, false, {KEYMAP_ENTER, 0}},
		{"detail_200x50_ascii", 200, 50, true, {KEYMAP_ENTER, 0}},
		{"detail_thread_80x24", 80, 24, false, {'H', KEYMAP_DOWN, KEYMAP_ENTER, 0}},
		{"detail_user_80x24", 80, 24, false, {'g', KEYMAP_ENTER, 0}},
		{"detail_command_80x24", 80, 24, false, {'g', 'g', 'g', KEYMAP_ENTER, 0}},
		{"detail_cgroup_80x24", 80, 24, false, {'g', 'g', KEYMAP_ENTER, 0}},
		{"detail_cpu_120x40", 120, 40, false, {'C', KEYMAP_DOWN, KEYMAP_ENTER, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_play(&stage, rows[i].width, rows[i].height, rows[i].ascii);
		stage_keys(&stage, rows[i].keys);
		check_screen(rows[i].name, canvas_print(&stage.canvas));
		stage_close(&stage);
	}
}

/* Returns how often the text is on the screen. Its end has that style. */
static unsigned count_styled(const struct canvas *canvas, const char *text, enum style style)
{
	unsigned length = (unsigned)strlen(text), n = 0;

	for (unsigned y = 0; y < canvas->height; y++)
		for (unsigned x = 0; x + length <= canvas->width; x++) {
			unsigned i = 0;

			while (i < length && canvas_at(canvas, x + i, y)->text[0] == text[i])
				i++;
			if (i < length)
				continue;
			assert_int_equal(canvas_at(canvas, x + length - 1, y)->style, style);
			n++;
		}
	return n;
}

/* The row, its graph and its thread have one colour, which is a warning for what has weight. */
static void test_colours(void **state)
{
	static const struct {
		uint64_t cpu_ms;
		enum style style;
	} rows[] = {{49, STYLE_PLAIN}, {900, STYLE_BAD}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct sample_row row =
			screen_row(7, "ana", "a", rows[i].cpu_ms * NS_PER_MS, 0.23, 10);
		struct stage stage;

		stage_open(&stage, 120, 40, false,
			   screen_snapshot_new("overview", "armv8_pmuv3", &row, 1, 2));
		stage_keys(&stage, (int[]){KEYMAP_ENTER, 0});
		assert_int_equal(count_styled(&stage.canvas, "  0.23", rows[i].style), 2);
		stage_close(&stage);
	}
}

/* The page stays with its row, whether the row runs, sleeps or ends. */
static void test_follows(void **state)
{
	static const struct {
		unsigned until;
		const char *text;
	} rows[] = {
		{60, "process 5003 cc1"},
		{99, "threads that ran 1"},
		{100, "has ended"},
		{SECONDS, "has ended"},
	};
	struct stage stage;
	unsigned second = 1;

	(void)state;
	stage_open(&stage, 80, 24, false, second_of(second));
	stage_keys(&stage,
		   (const int[]){'>', '<', KEYMAP_ENTER, 0}); /* the compiler is the first row */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		while (second < rows[i].until)
			app_snapshot(&stage.app, second_of(++second));
		app_draw(&stage.app, &stage.canvas);
		stage_check_text(&stage, rows[i].text, true);
	}
	stage_keys(&stage, (const int[]){'q', 0});
	assert_ptr_equal(stage.app.screen, &screen_tasks);
	assert_false(stage.app.out.quit);
	stage_close(&stage);

	/* A row that only sleeps. */
	stage_open(&stage, 80, 24, false, second_of(7));
	stage_keys(&stage, (const int[]){KEYMAP_END, KEYMAP_ENTER, 0});
	app_snapshot(&stage.app, second_of(8));
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "process 600 cron", true);
	stage_check_text(&stage, "did not run in this interval", true);
	stage_close(&stage);
}

/* Totals begin when the page is opened, or at the zero key. */
static void test_totals(void **state)
{
	static const struct {
		unsigned seconds; /* snapshots before the page is read */
		int key;
		const char *text[3];
	} rows[] = {
		{0,
		 KEYMAP_END,
		 {"TOTAL covers the last 1 s", "              9               9\n", ""}},
		{3,
		 KEYMAP_END,
		 {"TOTAL covers the last 4 s", "              9              36\n", ""}},
		{0, 'z', {"TOTAL covers the last 0 s", "              9               0\n", ""}},
		{1,
		 KEYMAP_END,
		 {"TOTAL covers the last 1 s", "              9               9\n", ""}},
	};
	struct stage stage;
	unsigned second = 1;

	(void)state;
	stage_open(&stage, 80, 24, false, second_of(second));
	stage_keys(&stage, (const int[]){KEYMAP_ENTER, 0}); /* the compiler */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned n = 0; n < rows[i].seconds; n++)
			app_snapshot(&stage.app, second_of(++second));
		stage_keys(&stage, (const int[]){rows[i].key, 0});
		for (const char *const *text = rows[i].text; **text; text++)
			stage_check_text(&stage, *text, true);
	}
	stage_close(&stage);
}

/* A group that did not run has no count: "-", not 0. */
static void test_missed(void **state)
{
	struct snapshot *snapshot = second_of(1);
	const struct plan *plan = snapshot->columns->plan;
	size_t faults = SIZE_MAX;
	struct stage stage;

	(void)state;
	for (size_t i = 0; i < snapshot->columns->events.n; i++)
		if (strcmp(snapshot->columns->events.items[i].name, "page-faults") == 0)
			faults = i;
	assert_true(faults != SIZE_MAX);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		uint64_t *tally = rows_tally(snapshot->columns, &snapshot->threads, i);

		tally[faults] = 0;
		tally[tally_group(&plan->shape, plan->counters[faults].group)] = 0;
	}
	stage_open(&stage, 80, 24, false, snapshot);
	stage_keys(&stage, (const int[]){KEYMAP_ENTER, KEYMAP_END, 0});
	stage_check_text(&stage, "\npage-faults                       -   ", true);
	stage_close(&stage);
}

/* A pause keeps the snapshot and its graphs; the history grows. Then the newest is shown. */
static void test_pause(void **state)
{
	struct stage stage;
	struct history_key key = history_key_of_all(HISTORY_MACHINE);
	float values[8];

	(void)state;
	stage_open(&stage, 80, 24, false, second_of(1));
	stage_keys(&stage, (const int[]){'Z', 0});
	for (unsigned second = 2; second <= 8; second++)
		app_snapshot(&stage.app, second_of(second));
	assert_int_equal(stage.app.display.snapshot->time_ns, 101 * NS_PER_S);
	history_read(stage.app.display.history, &key, "cpu_percent", 1, 8, values);
	for (size_t i = 0; i < 8; i++)
		assert_true(i < 7 ? isnan(values[i]) : values[i] > 0);
	stage_keys(&stage, (const int[]){'Z', 0});
	assert_int_equal(stage.app.display.snapshot->time_ns, 108 * NS_PER_S);
	history_read(stage.app.display.history, &key, "cpu_percent", 1, 8, values);
	for (size_t i = 0; i < 8; i++)
		assert_true(values[i] > 0);
	stage_close(&stage);
}

/* Every size, before the first snapshot, with one, and scrolled to the end. */
static void test_every_size(void **state)
{
	static const unsigned widths[] = {1, 2, 7, 20, 40, 79, 120, 149, 150, 160, 161, 220};
	static const int screens_of[][4] = {
		{0}, {'C', 0}, {KEYMAP_ENTER, 0}, {'C', KEYMAP_ENTER, KEYMAP_END, 0}};

	(void)state;
	for (int ascii = 0; ascii < 2; ascii++)
		for (size_t i = 0; i < ARRAY_SIZE(screens_of); i++) {
			struct stage stage;

			stage_open(&stage, 80, 24, ascii, NULL);
			stage_keys(&stage, (const int[]){KEYMAP_ENTER, 0}); /* without a snapshot */
			assert_ptr_equal(stage.app.screen, &screen_tasks);
			app_snapshot(&stage.app, second_of(7));
			stage_keys(&stage, screens_of[i]);
			for (size_t k = 0; k < ARRAY_SIZE(widths); k++)
				for (unsigned height = 1; height < 60; height += 3) {
					canvas_resize(&stage.canvas, widths[k], height);
					app_draw(&stage.app, &stage.canvas);
				}
			stage_close(&stage);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),     cmocka_unit_test(test_colours),
		cmocka_unit_test(test_follows),    cmocka_unit_test(test_totals),
		cmocka_unit_test(test_missed),     cmocka_unit_test(test_pause),
		cmocka_unit_test(test_every_size),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
