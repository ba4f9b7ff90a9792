// SPDX-License-Identifier: MIT
/* The screen of code: how it is opened and left, its tabs, keys and words. Goldens of its looks. */
#include "core/base/text.h"
#include "core/view/code_hottest.h"
#include "tests/unit/shared/code_scene.h"
#include "tests/unit/shared/profile_samples.h"
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A stage with the columns that all its snapshots have. */
struct code_stage {
	struct stage stage;
	struct columns *columns;
	unsigned nth;
};

static void add_snapshot(struct code_stage *code, enum code_scene scene)
{
	app_snapshot(&code->stage.app, code_scene_snapshot(scene, ++code->nth, code->columns));
}

/* Before the first key, with one snapshot without samples. */
static void open_code(struct code_stage *code, unsigned width, unsigned height, bool ascii)
{
	struct snapshot *first = code_scene_snapshot(CODE_SCENE_NONE, 0, NULL);

	code->columns = columns_ref(first->columns);
	code->nth = 0;
	stage_open(&code->stage, width, height, ascii, first);
}

/* With the page of code, after a snapshot with samples. */
static void open_page(struct code_stage *code, unsigned width, unsigned height, bool ascii,
		      enum code_scene scene)
{
	open_code(code, width, height, ascii);
	stage_press(&code->stage, 'w');
	add_snapshot(code, scene);
}

static void close_code(struct code_stage *code)
{
	stage_close(&code->stage);
	columns_unref(code->columns);
}

static void test_golden(void **state)
{
	static const struct {
		const char *name;
		unsigned width, height;
		bool ascii;
		int keys[8];
		enum code_scene scene, last;
		int later_keys[8];
	} rows[] = {
		{"code_80x24", 80, 24, false, {'w'}, CODE_SCENE, CODE_SCENE, {0}},
		{"code_80x24_ascii", 80, 24, true, {'w'}, CODE_SCENE, CODE_SCENE, {0}},
		{"code_120x40", 120, 40, false, {'w'}, CODE_SCENE, CODE_SCENE, {0}},
		{"code_200x50", 200, 50, false, {'w'}, CODE_SCENE, CODE_SCENE, {0}},
		{"code_callers_200x50",
		 200,
		 50,
		 false,
		 {'w'},
		 CODE_SCENE,
		 CODE_SCENE,
		 {KEYMAP_DOWN, KEYMAP_ENTER, KEYMAP_ENTER}},
		{"code_baseline_160x24",
		 160,
		 24,
		 false,
		 {'w'},
		 CODE_SCENE,
		 CODE_SCENE_LATER,
		 {KEYMAP_END}},
		{"code_40x12", 40, 12, false, {'w'}, CODE_SCENE, CODE_SCENE, {KEYMAP_RIGHT}},
		{"code_misses_80x24",
		 80,
		 24,
		 false,
		 {'w'},
		 CODE_SCENE,
		 CODE_SCENE,
		 {KEYMAP_LEFT, '>', '>', '>', '>'}},
		{"code_clock_80x24", 80, 24, false, {'w'}, CODE_SCENE_CLOCK, CODE_SCENE_CLOCK, {0}},
		{"code_machine_80x24",
		 80,
		 24,
		 false,
		 {KEYMAP_TAB, KEYMAP_TAB, 'w'},
		 CODE_SCENE,
		 CODE_SCENE,
		 {0}},
		{"code_callers_80x24",
		 80,
		 24,
		 false,
		 {'w'},
		 CODE_SCENE,
		 CODE_SCENE,
		 {KEYMAP_ENTER}},
		{"code_callers_120x40_ascii",
		 120,
		 40,
		 true,
		 {'w'},
		 CODE_SCENE,
		 CODE_SCENE,
		 {KEYMAP_ENTER, KEYMAP_ENTER}},
		{"code_baseline_120x40", 120, 40, false, {'w'}, CODE_SCENE, CODE_SCENE_LATER, {0}},
		{"code_none_80x24", 80, 24, false, {'w'}, CODE_SCENE_NONE, CODE_SCENE_NONE, {0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;

		open_code(&code, rows[i].width, rows[i].height, rows[i].ascii);
		stage_keys(&code.stage, rows[i].keys);
		add_snapshot(&code, rows[i].scene);
		if (rows[i].last != rows[i].scene)
			stage_press(&code.stage, 'B');
		add_snapshot(&code, rows[i].last);
		stage_keys(&code.stage, rows[i].later_keys);
		check_screen(rows[i].name, canvas_print(&code.stage.canvas));
		close_code(&code);
	}
}

static void test_golden_styles(void **state)
{
	static const struct {
		const char *name;
		unsigned width, height;
		int keys[3];
	} rows[] = {
		{"code_80x24_styles", 80, 24, {0}},
		{"code_200x12_styles", 200, 12, {KEYMAP_DOWN}},
		{"code_callers_200x12_styles", 200, 12, {KEYMAP_DOWN, KEYMAP_ENTER}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;

		open_code(&code, rows[i].width, rows[i].height, false);
		stage_press(&code.stage, 'w');
		add_snapshot(&code, CODE_SCENE);
		stage_keys(&code.stage, rows[i].keys);
		app_draw(&code.stage.app, &code.stage.canvas);
		check_screen(rows[i].name, canvas_print_styles(&code.stage.canvas));
		close_code(&code);
	}
}

/* The list with the column HOTTEST. */
static void test_golden_hottest(void **state)
{
	static const struct {
		const char *name;
		unsigned width, height;
		int keys[2];
	} rows[] = {
		{"hottest_80x24", 80, 24, {0}},
		{"hottest_120x40", 120, 40, {0}},
		{"hottest_cpus_120x40", 120, 40, {'C'}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;

		open_code(&code, rows[i].width, rows[i].height, false);
		column_choice_parse(&code.stage.app.preferences.columns,
				    "-ghz, -mips, -cs_per_s, -faults_per_s, hottest");
		add_snapshot(&code, CODE_SCENE);
		stage_keys(&code.stage, rows[i].keys);
		check_screen(rows[i].name, canvas_print(&code.stage.canvas));
		close_code(&code);
	}
}

/* A few samples do not show the hottest function; samples of user mode alone are marked. */
static void test_hottest_cells(void **state)
{
	static const struct {
		const char *event;
		uint64_t samples;
		const char *cell;
		bool there;
	} rows[] = {
		{"cpu-clock", CODE_HOTTEST_LEAST, "~100% hash_lookup", true},
		{"cpu-clock", CODE_HOTTEST_LEAST - 1, "hash_lookup", false},
		{"cpu-clock:u", CODE_HOTTEST_LEAST, "~100%:u hash_lookup", true},
		{"cycles:ppp", CODE_HOTTEST_LEAST, "~100%:ppp hash_lookup ", true},
		{"cycles:u:k", CODE_HOTTEST_LEAST, "~100%:k hash_lookup", true},
		/* no modifiers: the cell ends before the next column */
		{"sched:sched_switch", CODE_HOTTEST_LEAST, "~100% hash_lookup ", true},
		{"cpu/event=1,name=a:b/", CODE_HOTTEST_LEAST, "~100% hash_lookup ", true},
		{"cycles:", CODE_HOTTEST_LEAST, "~100% hash_lookup ", true},
		{"cycles:uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu", CODE_HOTTEST_LEAST,
		 "~100% hash_lookup ", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct profile_samples samples = {
			4121, 4121, 0, rows[i].event, "hash_lookup@postgres", rows[i].samples,
			100,  0};
		struct code_stage code;

		open_code(&code, 120, 24, false);
		column_choice_parse(&code.stage.app.preferences.columns, "hottest");
		struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE_NONE, 1, code.columns);
		snapshot->code = profile_of_samples(NULL, 0, &samples, 1);
		app_snapshot(&code.stage.app, snapshot);
		app_draw(&code.stage.app, &code.stage.canvas);
		stage_check_text(&code.stage, rows[i].cell, rows[i].there);
		close_code(&code);
	}
}

/* The last line has how functions get names, as long as they lack them. */
static void test_hint(void **state)
{
	static const char *const stacks[] = {"[unknown]@[anon]!" CODE_WHY_COMPILED ";main@node",
					     "JS:inner@[jit];main@node"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
		const struct profile_samples samples = {4121,      4121, 0,   "cycles",
							stacks[i], 100,  100, 0};
		struct code_stage code;

		open_code(&code, 80, 24, false);
		stage_press(&code.stage, 'w');
		struct snapshot *snapshot = code_scene_snapshot(CODE_SCENE_NONE, 1, code.columns);
		snapshot->code = profile_of_samples(NULL, 0, &samples, 1);
		app_snapshot(&code.stage.app, snapshot);
		app_draw(&code.stage.app, &code.stage.canvas);
		stage_check_text(&code.stage, i == 0 ? "[unknown], no symbols" : "JS:inner", true);
		stage_check_text(&code.stage, "node --perf-basic-prof.", i == 0);
		close_code(&code);
	}
}

/* The help about this screen: its keys and columns. Keys and columns of lists are left out. */
static void test_help(void **state)
{
	static const struct {
		const char *name;
		int keys[4];
		const char *words;
		bool there;
	} rows[] = {
		{"the list sorts", {'w', '?'}, "sort by the column to the left", true},
		{"callers do not",
		 {'w', KEYMAP_ENTER, '?'},
		 "sort by the column to the left",
		 false},
		{"a row", {'w', '?'}, "the row, or the whole machine", true},
		{"no row", {KEYMAP_TAB, KEYMAP_TAB, 'w', '?'}, "the whole machine", false},
		{"nothing of lists", {'w', '?'}, "VERDICT", false},
		{"no keys of lists", {'w', '?'}, "tag the row", false},
		{"of a list", {'?'}, "tag the row", true},
		{"left", {'w', 'q', '?'}, "VERDICT", true},
		{"of the details", {KEYMAP_ENTER, '?'}, "VERDICT", true},
	};
	struct code_stage code;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		open_code(&code, 120, 60, false);
		add_snapshot(&code, CODE_SCENE);
		for (size_t k = 0; k < ARRAY_SIZE(rows[i].keys) && rows[i].keys[k]; k++)
			stage_press(&code.stage, rows[i].keys[k]);
		stage_check_text(&code.stage, rows[i].words, rows[i].there);
		close_code(&code);
	}
	open_page(&code, 120, 40, true, CODE_SCENE);
	stage_press(&code.stage, '?');
	check_screen("help_code_120x40_ascii", canvas_print(&code.stage.canvas));
	close_code(&code);
}

/* What is requested from the engine, after each key. */
static void test_requests(void **state)
{
	enum { NOTHING = -1 };
	static const struct {
		const char *name;
		const char *columns;
		int keys[6];
		int64_t requested[6];
	} rows[] = {
		{"opened and left", "", {'w', 'q'}, {50, 0}},
		{"by Esc", "", {'w', KEYMAP_ESCAPE}, {50, 0}},
		{"by the key of another screen", "", {'w', 'C'}, {50, 0}},
		{"kept below the help", "", {'w', '?', 'q', 'q'}, {50, NOTHING, NOTHING, 0}},
		{"kept below the log", "", {'w', 'L', 'q', 'q'}, {50, NOTHING, NOTHING, 0}},
		{"below log and help",
		 "",
		 {'w', 'L', '?', 'q', 'q'},
		 {50, NOTHING, NOTHING, NOTHING, 0}},
		{"kept below the setup",
		 "",
		 {'w', KEYMAP_F0 + 2, 'q', 'q'},
		 {50, NOTHING, NOTHING, 0}},
		{"from the details", "", {KEYMAP_ENTER, 'w', 'q', 'q'}, {NOTHING, 50, 0, NOTHING}},
		{"the whole machine", "", {'w', 'w', 'w'}, {50, NOTHING, NOTHING}},
		{"tabs", "", {'w', KEYMAP_TAB, KEYMAP_LEFT}, {50, NOTHING, NOTHING}},
		{"the callers", "", {'w', KEYMAP_ENTER, 'q', 'q'}, {50, NOTHING, NOTHING, 0}},
		{"beside the column", "hottest", {'w', 'q'}, {NOTHING, NOTHING}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;
		struct request_list *commands = &code.stage.app.out.list;

		open_code(&code, 80, 24, false);
		code.stage.app.config.frequency = 50;
		column_choice_parse(&code.stage.app.preferences.columns, rows[i].columns);
		add_snapshot(&code, CODE_SCENE);
		app_changes(&code.stage.app);
		assert_int_equal(commands->n, rows[i].columns[0] ? 1 : 0);
		request_list_clear(commands);
		for (size_t k = 0; rows[i].keys[k]; k++) {
			int64_t last = NOTHING;

			stage_press(&code.stage, rows[i].keys[k]);
			for (size_t c = 0; c < commands->n; c++)
				if (commands->items[c].kind == REQUEST_CODE)
					last = commands->items[c].number;
			if (last != rows[i].requested[k])
				fail_msg("%s: key %zu", rows[i].name, k);
			request_list_clear(commands);
		}
		close_code(&code);
	}
}

/* The column is chosen and hidden again on the setup screen. */
static void test_requests_of_the_column(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;

	(void)state;
	open_code(&code, 80, 40, false);
	stage_press(stage, 'f');
	/* Over the metrics and the verdict. */
	for (size_t i = 0; i < stage->app.display.snapshot->columns->n_shown + 1; i++)
		stage_press(stage, KEYMAP_DOWN);
	stage_check_text(stage, "[ ] hottest", true);
	stage_press(stage, ' ');
	stage_check_text(stage, "[x] hottest", true);
	stage_check_request(stage, REQUEST_CODE, NULL, OPTIONS_FREQUENCY);
	stage_press(stage, ' ');
	stage_check_request(stage, REQUEST_CODE, NULL, 0);
	assert_int_equal(stage->app.preferences.columns.n, 0);
	close_code(&code);
}

/* A recording has samples or not; none are requested. */
static void test_replay(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;

	(void)state;
	open_code(&code, 80, 24, false);
	stage->app.replay.active = true;
	stage_press(stage, 'w');
	stage_check_text(stage, "The recording has no samples of code", true);
	assert_int_equal(app_changes(&stage->app)->n, 0);
	add_snapshot(&code, CODE_SCENE);
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "hash_lookup", true);
	add_snapshot(&code, CODE_SCENE);
	code.nth = 0; /* back */
	add_snapshot(&code, CODE_SCENE);
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "200 samples in 1.0 s", true);
	close_code(&code);
}

/* Never an empty table without words. */
static void test_words(void **state)
{
	static const struct {
		const char *name;
		int keys[6]; /* that open the screen */
		enum code_scene scene;
		size_t n; /* snapshots after them */
		const char *note, *words;
	} rows[] = {
		{"just opened", {'w'}, CODE_SCENE_NONE, 0, NULL, "Sampling begins with this"},
		{"still", {'w'}, CODE_SCENE_NONE, 1, NULL, "Sampling begins with this"},
		{"no samples, with a reason",
		 {'w'},
		 CODE_SCENE_NONE,
		 3,
		 "Functions need the right to count whole CPUs.",
		 "No samples were taken. Functions need the right"},
		{"no samples, without one",
		 {'w'},
		 CODE_SCENE_NONE,
		 3,
		 "For example, the rings are full.",
		 "The message log (L)"},
		{"a row that hardly ran",
		 {KEYMAP_END, 'w'},
		 CODE_SCENE,
		 2,
		 NULL,
		 "in the last 2.0 s, without a sample of cycles"},
		{"an event without samples",
		 {'w'},
		 CODE_SCENE_SILENT,
		 11,
		 NULL,
		 "in the last 11 s, without a sample of cycles"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;
		char *notes[] = {(char *)(uintptr_t)rows[i].note};

		open_code(&code, 80, 24, false);
		stage_keys(&code.stage, rows[i].keys);
		for (size_t k = 0; k < rows[i].n; k++)
			add_snapshot(&code, rows[i].scene);
		struct snapshot *shown = code.stage.app.display.snapshot;
		shown->notes = rows[i].note ? notes : NULL;
		shown->n_notes = rows[i].note != NULL;
		stage_keys(&code.stage, (int[]){0});
		stage_check_text(&code.stage, rows[i].words, true);
		shown->notes = NULL;
		shown->n_notes = 0;
		close_code(&code);
	}
}

#define HUNG_NOTE                                                                                \
	"Functions of /tmp/a-folder-of-tests/hung-mount/hung-load have no names: the file does " \
	"not answer. Restore or unmount (umount -f) its file system."

/* Notes about functions are on the last lines above the key bar, if the lines leave room. */
static void test_notes(void **state)
{
	static const struct {
		const char *name;
		unsigned width, height;
		int keys[3];
		const char *notes[3];
		const char *words; /* NULL: no line of notes */
	} rows[] = {
		{"names",
		 80,
		 24,
		 {'w'},
		 {"Some functions have no names: x."},
		 "\nSome functions have no names: x.\nEsc"},
		{"rate",
		 80,
		 24,
		 {'w'},
		 {"Sampling of functions costs more."},
		 "\nSampling of functions costs more.\nEsc"},
		{"both",
		 120,
		 24,
		 {'w'},
		 {"Functions are not sampled.", "Else.", "No functions."},
		 "\nFunctions are not sampled. No functions.\nEsc"},
		{"beside the pane", 160, 24, {'w'}, {"No functions."}, "\nNo functions.\nEsc"},
		{"callers", 80, 24, {'w', KEYMAP_ENTER}, {"No functions."}, "\nNo functions.\nEsc"},
		{"on two lines",
		 80,
		 24,
		 {'w'},
		 {HUNG_NOTE},
		 "\n\nFunctions of /tmp/a-folder-of-tests/hung-mount/hung-load have no names: the "
		 "file\ndoes not answer. Restore or unmount (umount -f) its file system.\nEsc"},
		{"on all free lines",
		 40,
		 14,
		 {'w'},
		 {HUNG_NOTE},
		 "[unknown]\nFunctions of\n/tmp/a-folder-of-tests/hung-mount/hun...\nhave no "
		 "names: the file does not answer.\nRestore or unmount (umount...  (more: "
		 "L)\nEsc"},
		{"under callers",
		 80,
		 24,
		 {'w', KEYMAP_ENTER},
		 {HUNG_NOTE},
		 "file\ndoes not answer. Restore or unmount (umount -f) its file system.\nEsc"},
		{"below a long list",
		 40,
		 10,
		 {'w'},
		 {"Functions of some threads are not sampled: why. Functions of other users are."},
		 "\nFunctions of some threads are not\nsampled: why. Functions of...  (more: "
		 "L)\nEsc"},
		{"another note", 80, 24, {'w'}, {"CPUs are offline."}, NULL},
		{"a low screen", 80, 7, {'w'}, {"No functions."}, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;
		char *notes[3], *drawn;

		open_code(&code, rows[i].width, rows[i].height, true);
		stage_press(&code.stage, 'w');
		add_snapshot(&code, CODE_SCENE);
		stage_keys(&code.stage, rows[i].keys + 1);
		struct snapshot *shown = code.stage.app.display.snapshot;
		shown->notes = notes;
		while (shown->n_notes < 3 && rows[i].notes[shown->n_notes]) {
			notes[shown->n_notes] = (char *)(uintptr_t)rows[i].notes[shown->n_notes];
			shown->n_notes++;
		}
		app_draw(&code.stage.app, &code.stage.canvas);
		drawn = canvas_print(&code.stage.canvas);
		if (rows[i].words ? !strstr(drawn, rows[i].words)
				  : !!strstr(drawn, rows[i].notes[0]))
			fail_msg("%s:\n%s", rows[i].name, drawn);
		free(drawn);
		shown->notes = NULL;
		shown->n_notes = 0;
		close_code(&code);
	}
}

/* A notice in place of the tabs that is cut has the key of the log, from which Esc returns. */
static void test_notice(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;

	(void)state;
	open_page(&code, 80, 24, false, CODE_SCENE);
	messages_show(&stage->app.messages, "Not written: '%060d' is full. Write elsewhere.", 0);
	app_draw(&stage->app, &stage->canvas);
	stage_check_text(stage, "elsewhere.", false);
	stage_check_text(stage, " (more: L)\n", true);
	stage_press(stage, 'L');
	stage_check_text(stage, "elsewhere.", true);
	stage_press(stage, KEYMAP_ESCAPE);
	assert_ptr_equal(stage->app.screen, &screen_code);
	close_code(&code);
}

/* Without the right to count whole CPUs, rows of others have no samples, and the page says why. */
static void test_words_of_others(void **state)
{
	static const struct {
		const char *name;
		enum count_mode mode;
		uid_t own, uid;
		unsigned flags;
		bool replays, whole;
		const char *words;
	} rows[] = {
		{"of another user", COUNT_MODE_TASK, 7, 8, 0, 0, 0, "Tasks of other users are not"},
		{"its remedy", COUNT_MODE_TASK, 7, 8, 0, 0, 0, "pmctop --doctor"},
		{"of this user", COUNT_MODE_TASK, 8, 8, 0, 0, 0, "without a sample of cycles"},
		{"of the kernel", COUNT_MODE_TASK, 0, 0, ROW_KERNEL, 0, 0,
		 "Kernel threads are not"},
		{"unknown user", COUNT_MODE_TASK, 7, (uid_t)-1, 0, 0, 0, "without a sample"},
		{"a recording", COUNT_MODE_TASK, 7, 8, 0, true, 0, "without a sample of cycles"},
		{"whole CPUs", COUNT_MODE_SYSTEM, 7, 8, 0, 0, 0, "without a sample of cycles"},
		{"all rows", COUNT_MODE_TASK, 7, 8, 0, 0, true, "without a sample of cycles"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;
		struct app *app = &code.stage.app;

		open_code(&code, 80, 24, false);
		stage_keys(&code.stage, (int[]){'w', rows[i].whole ? 'w' : 0, 0});
		add_snapshot(&code, CODE_SCENE_SILENT);
		app->config.uid = rows[i].own;
		app->replay.active = rows[i].replays;
		app->display.snapshot->mode = rows[i].mode;
		app->code.subject.row.uid = rows[i].uid;
		app->code.subject.row.flags = rows[i].flags;
		stage_keys(&code.stage, (int[]){0});
		app_draw(app, &code.stage.canvas);
		stage_check_text(&code.stage, rows[i].words, true);
		close_code(&code);
	}
}

/* During a pause the screen stays, and what was sampled meanwhile is shown after it. */
static void test_pause(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;

	(void)state;
	open_page(&code, 80, 24, false, CODE_SCENE);
	stage_press(stage, 'Z');
	for (int i = 0; i < 3; i++)
		add_snapshot(&code, CODE_SCENE_LATER);
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "PAUSED", true);
	stage_check_text(stage, "200 samples in 1.0 s", true);
	stage_check_text(stage, "btree_search", false);
	stage_press(stage, 'Z');
	stage_check_text(stage, "800 samples in 4.0 s", true);
	stage_check_text(stage, "btree_search", true);
	close_code(&code);
}

/* Which event is shown after each key, and after the next snapshot. */
static void test_tabs(void **state)
{
	static const struct {
		int keys[5];
		const char *shown;
	} rows[] = {
		{{0}, "[cycles]"},
		{{KEYMAP_TAB}, "[instructions]"},
		{{KEYMAP_RIGHT, KEYMAP_RIGHT}, "[branch-misses]"},
		{{KEYMAP_LEFT}, "[cache-misses]"},
		{{KEYMAP_SHIFT_TAB}, "[cache-misses]"},
		{{KEYMAP_RIGHT, KEYMAP_LEFT}, "[cycles]"},
		{{KEYMAP_ENTER, KEYMAP_TAB}, "[instructions]"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;

		open_page(&code, 80, 24, false, CODE_SCENE);
		stage_keys(&code.stage, rows[i].keys);
		stage_check_text(&code.stage, rows[i].shown, true);
		add_snapshot(&code, CODE_SCENE);
		stage_keys(&code.stage, (int[]){0});
		stage_check_text(&code.stage, rows[i].shown, true);
		close_code(&code);
	}
}

/* A metric without a figure keeps its column until the screen is left. */
static void test_columns_stay(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;

	(void)state;
	open_page(&code, 120, 24, false, CODE_SCENE_LATER);
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "caMPKI", false);
	add_snapshot(&code, CODE_SCENE);
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "caMPKI", true);
	stage_press(stage, 'z');
	add_snapshot(&code, CODE_SCENE_LATER);
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "hash_lookup", false);
	stage_check_text(stage, "caMPKI", true);
	stage_keys(stage, (int[]){'q', 'w', 0});
	stage_check_text(stage, "btree_search", true);
	stage_check_text(stage, "caMPKI", false);
	close_code(&code);
}

/* Each column as the sort column: no two titles touch. */
static void test_titles_never_touch(void **state)
{
	static const unsigned screens[] = {80, 120, 200};

	(void)state;
	for (size_t s = 0; s < 2 * ARRAY_SIZE(screens); s++) {
		bool ascii = s % 2;
		struct code_stage code;

		open_page(&code, screens[s / 2], 24, ascii, CODE_SCENE);
		for (size_t sort = 0; sort < 20; sort++) {
			struct code_page *page = &code.stage.app.code.page;
			struct code_columns columns;
			unsigned widths[CODE_COLUMNS_MAX];

			stage_keys(&code.stage, (int[]){'>', sort == 10 ? 'R' : 0, 0});

			unsigned width = page->table.place.width;
			struct table_rows rows = code_page_rows(page, width, &columns);
			table_fit(&page->table, &rows, width, widths);
			char *screen = canvas_print(&code.stage.canvas), *rest = NULL;
			char *words = strstr(screen, "SHARE%");

			words = strtok_r(words, " \n", &rest);
			for (size_t c = 0; c < columns.n; c++) {
				const char *title = columns.items[c].title;
				bool sorts = strcmp(page->sort, columns.items[c].name) == 0;
				char want[80];

				if (widths[c] == 0 || !title[0])
					continue;
				bool down = page->reverse == code_page_sorts_by_text(page);
				snprintf(want, sizeof(want), "%s%s", title,
					 !sorts  ? ""
					 : ascii ? (down ? "v" : "^")
						 : (down ? "▼" : "▲"));
				assert_string_equal(words, want);
				words = strtok_r(NULL, " \n", &rest);
			}
			free(screen);
		}
		close_code(&code);
	}
}

static const char *selected_name(const struct code_stage *code)
{
	const struct code_page_line *line = code_page_selected(&code->stage.app.code.page);

	return line ? line->function->name : "";
}

/* Sorting and searching: the function of the selected line after the keys. */
static void test_lines(void **state)
{
	static const struct {
		const char *name;
		int keys[10];
		const char *selected;
	} rows[] = {
		{"by share", {0}, "hash_lookup"},
		{"reversed", {'R'}, "[unknown]"},
		{"down", {KEYMAP_DOWN, KEYMAP_DOWN}, "copy_user_generic"},
		{"the end", {KEYMAP_END}, "[unknown]"},
		{"by function", {'<'}, "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop"},
		{"by function, reversed", {'<', 'R'}, NULL},
		{"by module", {'<', '<', 'R'}, "hash_lookup"},
		{"search", {'/', 'J', 'I', 'T', KEYMAP_ENTER}, "libjit.so+0x1234"},
		{"search of a module", {'/', 'k', 'e', 'r', KEYMAP_ENTER}, "copy_user_generic"},
		{"a search that was cancelled", {'/', 'j', 'i', 't', KEYMAP_ESCAPE}, "hash_lookup"},
		{"the next match",
		 {'/', 'l', 'i', 'b', KEYMAP_ENTER, 'n'},
		 "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;

		open_page(&code, 80, 24, false, CODE_SCENE);
		stage_keys(&code.stage, rows[i].keys);
		if (rows[i].selected && strcmp(selected_name(&code), rows[i].selected) != 0)
			fail_msg("%s: %s", rows[i].name, selected_name(&code));
		if (!rows[i].selected)
			assert_non_null(strstr(selected_name(&code), "std::"));
		close_code(&code);
	}
}

/* A found function stays selected when its line moves, until the selection moves. */
static void test_follows_a_match(void **state)
{
	struct code_stage code;

	(void)state;
	open_page(&code, 80, 24, false, CODE_SCENE);
	stage_keys(&code.stage, (int[]){'/', 'u', 's', 'e', 'r', KEYMAP_ENTER, 0});
	for (int i = 0; i < 4; i++)
		add_snapshot(&code, CODE_SCENE_LATER);
	assert_string_equal(selected_name(&code), "copy_user_generic");
	stage_keys(&code.stage, (int[]){'R', 0});
	assert_string_equal(selected_name(&code), "copy_user_generic");
	stage_keys(&code.stage, (int[]){KEYMAP_HOME, 'R', 0});
	assert_int_equal(code.stage.app.code.page.table.selected, 0);
	close_code(&code);
}

/* Enter goes to callers and on to theirs; Esc and q go back one step. */
static void test_callers(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;

	(void)state;
	open_page(&code, 80, 24, false, CODE_SCENE);
	stage_press(stage, KEYMAP_ENTER);
	stage_check_text(stage, "Callers, of 124 samples; 4 have none", true);
	stage_press(stage, KEYMAP_ENTER);
	stage_check_text(stage, "exec_scan in process 4121 postgres", true);
	stage_check_text(stage, "main", true);
	add_snapshot(&code, CODE_SCENE); /* the function has another index in this sum */
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "exec_scan in process 4121 postgres", true);
	stage_check_text(stage, "Callers, of 328 samples", true);
	stage_keys(stage, (int[]){KEYMAP_LEFT, KEYMAP_LEFT, 0});
	stage_check_text(stage, "Callers, of 140 samples", true);
	stage_press(stage, 'q');
	stage_check_text(stage, "hash_lookup in process 4121 postgres", true);
	stage_check_text(stage, "Callers, of 40 samples", true); /* of that event, of both sums */
	stage_press(stage, 'q');
	stage_check_text(stage, "FUNCTION", true);
	assert_ptr_equal(stage->app.screen, &screen_code);
	stage_press(stage, 'q');
	assert_ptr_equal(stage->app.screen, &screen_tasks);
	assert_false(stage->app.out.quit);
	close_code(&code);
}

/* Esc goes back one function at a time, to the line that Enter was on, and then to the list. */
static void test_path(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;
	const struct code_screen *screen = &stage->app.code;

	(void)state;
	open_page(&code, 80, 24, false, CODE_SCENE);
	stage_press(stage, KEYMAP_ENTER);
	stage_keys(stage, (int[]){KEYMAP_ENTER, KEYMAP_END, KEYMAP_UP, KEYMAP_UP, KEYMAP_ENTER, 0});
	assert_string_equal(screen->callers.name, "hash_lookup");
	stage_press(stage, KEYMAP_ESCAPE);
	assert_string_equal(screen->callers.name, "exec_scan");
	assert_string_equal(code_callers_selected(&screen->callers)->name, "hash_lookup");
	stage_press(stage, KEYMAP_ESCAPE);
	assert_string_equal(screen->callers.name, "hash_lookup");
	stage_press(stage, KEYMAP_ESCAPE);
	stage_check_text(stage, "FUNCTION", true);
	assert_string_equal(selected_name(&code), "hash_lookup");

	stage_press(stage, KEYMAP_ENTER); /* and round in a circle, longer than the path */
	for (int i = 0; i < CODE_PATH_MAX; i++)
		stage_keys(stage, (int[]){KEYMAP_HOME, KEYMAP_DOWN, KEYMAP_ENTER, KEYMAP_END,
					  KEYMAP_UP, KEYMAP_UP, KEYMAP_ENTER, 0});
	assert_int_equal(screen->n_path, CODE_PATH_MAX);
	for (int i = 0; i < CODE_PATH_MAX; i++)
		stage_press(stage, KEYMAP_ESCAPE);
	assert_int_equal(screen->n_path, 0);
	assert_non_null(screen->callers.name);
	stage_press(stage, KEYMAP_ESCAPE);
	stage_check_text(stage, "FUNCTION", true);
	assert_ptr_equal(stage->app.screen, &screen_code);
	stage_keys(stage, (int[]){KEYMAP_ENTER, KEYMAP_ENTER, 'w', 0}); /* another row: the list */
	assert_int_equal(screen->n_path, 0);
	stage_check_text(stage, "FUNCTION", true);
	close_code(&code);
}

/* What is shown, and where Esc leads back. */
static void test_subjects(void **state)
{
	static const struct {
		int keys[6];
		const char *title;
		const struct screen *back;
	} rows[] = {
		{{'w'}, "process 4121 postgres", &screen_tasks},
		{{'H', KEYMAP_DOWN, 'w'}, "thread 4122 postgres", &screen_tasks},
		{{'t', 'w'}, "process 4121 postgres and descendants", &screen_tasks},
		{{'g', 'w'}, "user db", &screen_tasks},
		{{'g', 'g', 'g', 'w'}, "command postgres", &screen_tasks},
		{{'C', 'w'}, "CPU ", &screen_cpus},
		{{'C', 'g', 'w'}, "socket ", &screen_cpus},
		{{KEYMAP_ENTER, 'w'}, "process 4121 postgres", &screen_detail},
		{{KEYMAP_TAB, KEYMAP_TAB, 'w'}, "the machine", &screen_events},
		{{'w', 'w'}, "the machine", &screen_tasks},
		{{'w', 'w', 'w'}, "process 4121 postgres", &screen_tasks},
		{{'?', 'w'}, "the machine", &screen_tasks},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;

		open_code(&code, 80, 24, false);
		stage_keys(&code.stage, rows[i].keys);
		stage_check_text(&code.stage, rows[i].title, true);
		add_snapshot(&code, CODE_SCENE);
		stage_keys(&code.stage, (int[]){0});
		stage_check_text(&code.stage, rows[i].title, true);
		stage_check_text(&code.stage, "cycles", true);
		stage_press(&code.stage, KEYMAP_ESCAPE);
		assert_ptr_equal(code.stage.app.screen, rows[i].back);
		close_code(&code);
	}
}

/* What the title has besides the row; a long name of a row leaves room for it. */
static void test_titles(void **state)
{
	static const struct {
		const char *name;
		unsigned width;
		int keys[4]; /* before the snapshots */
		bool replays;
		int later_keys[2];
		const char *title;
	} rows[] = {
		{"recorded", 80, {'w'}, false, {0}, ": 400 samples in 2.0 s  REC"},
		{"recorded and paused", 80, {'w'}, false, {'Z'}, "s in 2.0 s  REC  PAUSED"},
		{"the details", 80, {KEYMAP_ENTER}, false, {0}, "process 4121 postgres  REC"},
		{"a narrow screen",
		 40,
		 {'w'},
		 false,
		 {0},
		 "process 412..: 400 samples in 2.0 s  REC"},
		{"callers", 60, {'w'}, false, {KEYMAP_ENTER}, "hash_lookup in process 4121 "},
		{"a replay",
		 56,
		 {'w'},
		 true,
		 {0},
		 "REPLAY   process 4121 postgres: 400 samples in 2.0 s"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;
		struct app *app = &code.stage.app;

		open_code(&code, rows[i].width, 24, false);
		app->replay.active = rows[i].replays;
		stage_keys(&code.stage, rows[i].keys);
		add_snapshot(&code, CODE_SCENE);
		add_snapshot(&code, CODE_SCENE);
		app->display.snapshot->recorded_bytes = rows[i].replays ? 0 : 1 << 20;
		stage_keys(&code.stage, rows[i].later_keys);
		app_draw(app, &code.stage.canvas);
		stage_check_text(&code.stage, rows[i].title, true);
		close_code(&code);
	}
}

/* Samples of a process that has ended stay; samples of the machine never end. */
static void test_title_of_ended(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;

	(void)state;
	open_page(&code, 80, 24, false, CODE_SCENE);
	stage_keys(stage, (int[]){0});
	app_draw(&stage->app, &stage->canvas);
	stage_check_text(stage, "ended", false);
	struct snapshot *last = code_scene_snapshot(CODE_SCENE, ++code.nth, code.columns);
	for (size_t i = 0; i < last->threads.n; i++)
		if (last->threads.items[i].pid == 4121)
			last->threads.items[i].flags |= ROW_EXITED;
	app_snapshot(&stage->app, last);
	app_draw(&stage->app, &stage->canvas);
	stage_check_text(stage, "process 4121 postgres, ended: 400 samples in 2.0 s", true);
	stage_press(stage, 'w');
	stage_check_text(stage, "ended", false);
	close_code(&code);
}

/* The verdict has the function at the end of its words, and all of them are on the screen. */
static void test_verdict_of_details(void **state)
{
	struct code_stage code;
	char *drawn;

	(void)state;
	open_code(&code, 80, 24, false);
	add_snapshot(&code, CODE_SCENE);
	stage_press(&code.stage, KEYMAP_ENTER);
	drawn = canvas_print(&code.stage.canvas);
	for (char *at = drawn; (at = strchr(at, '\n')); at++)
		*at = ' ';
	if (!strstr(drawn, "; 62 % of its time is in hash_lookup (postgres) "))
		fail_msg("%s", drawn);
	free(drawn);
	close_code(&code);
}

/* B compares on all screens at once; z begins anew. */
static void test_baseline(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;

	(void)state;
	open_page(&code, 120, 24, false, CODE_SCENE);
	stage_press(stage, 'B');
	stage_check_text(stage, "change since the baseline", true);
	stage_check_text(stage, "  0.0 ±", true);
	add_snapshot(&code, CODE_SCENE_LATER);
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "-62.0 ±", true); /* hash_lookup is gone */
	stage_check_text(stage, "200 samples in 1.0 s", true);
	stage_press(stage, 'B');
	stage_check_text(stage, "change since the baseline", false);
	stage_check_text(stage, "hash_lookup", false);
	stage_keys(stage, (int[]){'B', 'q', 'w', 0}); /* the list's baseline has samples */
	add_snapshot(&code, CODE_SCENE);
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "change since the baseline", true);
	stage_press(stage, 'z');
	stage_check_text(stage, "Sampling begins", true);
	close_code(&code);
}

/* A line of the canvas that has the text, and the column of its first letter. */
static void find_text(const struct code_stage *code, const char *text, unsigned *x, unsigned *y)
{
	char *drawn = canvas_print(&code->stage.canvas), *at = strstr(drawn, text), *line = drawn;

	assert_non_null(at);
	*y = 0;
	for (char *end; (end = strchr(line, '\n')) && end < at; line = end + 1)
		++*y;
	*at = '\0';
	*x = text_width(line);
	free(drawn);
}

static void click_text(struct code_stage *code, const char *text, bool twice)
{
	unsigned x, y;

	find_text(code, text, &x, &y);
	app_click(&code->stage.app, x, y, twice);
	app_draw(&code->stage.app, &code->stage.canvas);
}

/* What a click on a text shows: selected line, order, tab, and the function of the callers. */
static void test_clicks(void **state)
{
	static const struct {
		const char *name;
		unsigned width;
		int keys[3]; /* before the clicks */
		const char *clicks[2];
		bool twice; /* the last one */
		const char *selected, *sort;
		bool reverse;
		const char *event, *callers;
	} rows[] = {
		{"a line", 80, {0}, {"copy_user"}, 0, "copy_user_generic", "", 0, "[cycles]", ""},
		{"twice",
		 80,
		 {0},
		 {"hash_l"},
		 true,
		 "hash_lookup",
		 "",
		 0,
		 "[cycles]",
		 "hash_lookup"},
		{"below the lines", 80, {0}, {"Esc"}, false, NULL, NULL, 0, NULL, NULL},
		{"a title", 80, {0}, {"MODULE"}, false, NULL, "module", 0, "[cycles]", ""},
		{"a title twice",
		 80,
		 {0},
		 {"IPC", "IPC"},
		 false,
		 NULL,
		 "ipc",
		 true,
		 "[cycles]",
		 ""},
		{"the sort column", 80, {0}, {"SHARE"}, false, NULL, "", true, "[cycles]", ""},
		{"the gap of the first title",
		 80,
		 {0},
		 {"▼"},
		 false,
		 NULL,
		 "",
		 true,
		 "[cycles]",
		 ""},
		{"the bar", 140, {'>', 0}, {"   SAMPLES"}, false, NULL, "share", 0, "[cycles]", ""},
		{"a tab", 80, {0}, {"cache-misses"}, false, NULL, "", 0, "[cache-misses]", ""},
		{"the shown tab", 80, {0}, {"cycles]"}, false, NULL, "", 0, "[cycles]", ""},
		{"a tab alone", 40, {0}, {"cycles]"}, false, NULL, "", 0, "[instructions]", ""},
		{"a tab of the callers",
		 80,
		 {KEYMAP_ENTER},
		 {"instructions"},
		 false,
		 "hash_lookup",
		 "",
		 0,
		 "[instructions]",
		 "hash_lookup"},
		{"a caller",
		 80,
		 {KEYMAP_ENTER},
		 {"exec_scan"},
		 true,
		 "hash_lookup",
		 "",
		 0,
		 "[cycles]",
		 "exec_scan"},
		{"a heading",
		 80,
		 {KEYMAP_ENTER},
		 {"Callees"},
		 true,
		 "hash_lookup",
		 "",
		 0,
		 "[cycles]",
		 "hash_lookup"},
		{"the key bar",
		 80,
		 {0},
		 {"Callers"},
		 false,
		 "hash_lookup",
		 "",
		 0,
		 "[cycles]",
		 "hash_lookup"},
		{"beside the list",
		 160,
		 {0},
		 {"exec_scan"},
		 false,
		 "hash_lookup",
		 "",
		 0,
		 "[cycles]",
		 "hash_lookup"},
		{"beside the list, twice",
		 160,
		 {0},
		 {"exec_scan"},
		 true,
		 "hash_lookup",
		 "",
		 0,
		 "[cycles]",
		 "exec_scan"},
		{"a heading beside the list",
		 160,
		 {0},
		 {"Callees"},
		 true,
		 "hash_lookup",
		 "",
		 0,
		 "[cycles]",
		 ""},
		{"back to the list",
		 160,
		 {0},
		 {"exec_scan", "copy_user"},
		 false,
		 "copy_user_generic",
		 "",
		 0,
		 "[cycles]",
		 ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_stage code;
		const struct code_screen *screen = &code.stage.app.code;

		open_code(&code, rows[i].width, 24, false);
		stage_press(&code.stage, 'w');
		add_snapshot(&code, CODE_SCENE);
		stage_keys(&code.stage, rows[i].keys);
		app_draw(&code.stage.app, &code.stage.canvas);
		for (size_t k = 0; k < 2 && rows[i].clicks[k]; k++)
			click_text(&code, rows[i].clicks[k],
				   rows[i].twice && (k == 1 || !rows[i].clicks[k + 1]));
		if (!rows[i].sort) {
			assert_ptr_equal(code.stage.app.screen, &screen_tasks);
			close_code(&code);
			continue;
		}
		const char *callers = screen->callers.name ? screen->callers.name : "";
		if ((rows[i].selected && strcmp(selected_name(&code), rows[i].selected) != 0) ||
		    strcmp(screen->page.sort, rows[i].sort) != 0 ||
		    screen->page.reverse != rows[i].reverse ||
		    strcmp(callers, rows[i].callers) != 0)
			fail_msg("%s: %s, by %s, callers of %s", rows[i].name, selected_name(&code),
				 screen->page.sort, callers);
		stage_check_text(&code.stage, rows[i].event, true);
		close_code(&code);
	}
}

/* The wheel moves the selection, of the callers too. */
static void test_wheel(void **state)
{
	struct code_stage code;
	struct app *app = &code.stage.app;

	(void)state;
	open_page(&code, 80, 24, false, CODE_SCENE);
	app_draw(app, &code.stage.canvas);
	app_wheel(app, true);
	assert_int_equal(app->code.page.table.selected, 3);
	app_wheel(app, false);
	assert_int_equal(app->code.page.table.selected, 0);
	stage_press(&code.stage, KEYMAP_ENTER);
	app_wheel(app, true);
	assert_int_equal(app->code.callers.table.selected, 4);
	assert_int_equal(app->code.page.table.selected, 0);
	close_code(&code);
}

/* Beside the list on a wide screen: of the selected function, in each sum and of each event. */
static void test_beside(void **state)
{
	struct code_stage code;
	struct stage *stage = &code.stage;

	(void)state;
	open_code(&code, 160, 24, false);
	stage_press(stage, 'w');
	stage_check_text(stage, "Sampling begins with this interval", true);
	add_snapshot(&code, CODE_SCENE);
	stage_keys(stage, (int[]){0});
	stage_check_text(stage, "Callers of hash_lookup, of 124 samples; 4 have none", true);
	stage_press(stage, KEYMAP_DOWN);
	stage_check_text(stage, "_M_find_before_node() const, of 32 samples", true);
	stage_check_text(stage, "have none", false);
	add_snapshot(&code, CODE_SCENE);
	stage_keys(stage, (int[]){KEYMAP_UP, 0});
	stage_check_text(stage, "Callers of hash_lookup, of 248 samples; 8 have none", true);
	stage_press(stage, KEYMAP_LEFT);
	stage_check_text(stage, "Callers of hash_lookup, of 160 samples", true);
	stage_press(stage, 'B');
	add_snapshot(&code, CODE_SCENE_LATER);
	stage_keys(stage, (int[]){KEYMAP_RIGHT, KEYMAP_END, 0});
	stage_check_text(stage, "Callers of hash_lookup, of 0 samples", true);
	stage_check_text(stage, "It has no sample of this event", true);
	stage_keys(stage, (int[]){KEYMAP_HOME, KEYMAP_ENTER, KEYMAP_ENTER, 0});
	stage_check_text(stage, "Callers of exec_scan", true);
	stage_check_text(stage, "FUNCTION", true);
	free(stage_print_resized(stage, 80, 24));
	stage_check_text(stage, "FUNCTION", false);
	stage_check_text(stage, "Callers, of 182 samples", true);
	stage_keys(stage, (int[]){'q', 'q', 0});
	stage_check_text(stage, "FUNCTION", true);
	stage_check_text(stage, "Callers of", false);
	close_code(&code);
}

static void test_every_size(void **state)
{
	static const int keys[] = {'w',
				   KEYMAP_END,
				   KEYMAP_ENTER,
				   KEYMAP_DOWN,
				   KEYMAP_TAB,
				   KEYMAP_ENTER,
				   KEYMAP_ESCAPE,
				   '>',
				   'B',
				   '/',
				   'x',
				   KEYMAP_ESCAPE,
				   KEYMAP_HOME,
				   'w',
				   KEYMAP_PAGE_DOWN,
				   0};

	(void)state;
	for (unsigned height = 1; height <= 30; height += height < 6 ? 1 : 4)
		for (unsigned width = 1; width <= 170; width += width < 30 ? 1 : 7) {
			struct code_stage code;

			open_code(&code, width, height, width % 2);
			add_snapshot(&code, CODE_SCENE);
			stage_keys(&code.stage, keys);
			add_snapshot(&code, CODE_SCENE_LATER);
			stage_keys(&code.stage, keys);
			close_code(&code);
		}
}

/* Keys before the first snapshot. */
static void test_empty(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, NULL);
	stage_keys(&stage, (int[]){'w', KEYMAP_ENTER, KEYMAP_TAB, '>', 'R', 'B', 'z', '/', 'x', 0});
	stage_keys(&stage, (int[]){KEYMAP_ESCAPE, KEYMAP_DOWN, 'n', 'w', 0});
	stage_check_text(&stage, "Sampling begins", true);
	app_snapshot(&stage.app, code_scene_snapshot(CODE_SCENE, 1, NULL));
	stage_keys(&stage, (int[]){0});
	stage_check_text(&stage, "the machine: 214 samples", true);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_golden_styles),
		cmocka_unit_test(test_golden_hottest),
		cmocka_unit_test(test_hottest_cells),
		cmocka_unit_test(test_hint),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_requests_of_the_column),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_words_of_others),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_notice),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_tabs),
		cmocka_unit_test(test_columns_stay),
		cmocka_unit_test(test_titles_never_touch),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_follows_a_match),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_subjects),
		cmocka_unit_test(test_titles),
		cmocka_unit_test(test_title_of_ended),
		cmocka_unit_test(test_verdict_of_details),
		cmocka_unit_test(test_baseline),
		cmocka_unit_test(test_clicks),
		cmocka_unit_test(test_wheel),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
