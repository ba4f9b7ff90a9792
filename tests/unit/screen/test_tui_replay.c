// SPDX-License-Identifier: MIT
/* A replay on the screen: its title, its position, and the keys that move in it. */
#include "core/replay/replay_index.h"
#include "tests/unit/shared/small_machine.h"
#include "tests/unit/shared/stage.h"
#include "tui/screen/replay_control.h"

#include <errno.h>
#include <inttypes.h>

#define BEGIN_NS (100 * NS_PER_S) /* for second_of() */

/* The whole recording is indexed; the position is that second. */
static struct playback at_second(unsigned second)
{
	return (struct playback){
		.name = "run.data",
		.position_ns = second * NS_PER_S,
		.length_ns = SECONDS * NS_PER_S,
		.time_ns = BEGIN_NS + second * NS_PER_S,
		.speed = PLAYBACK_SPEED_ONE,
		.final = true,
		/*
		 * 2025-11-20 14:46:40 UTC: the clock of screen_snapshot.h, before its first second
		 */
		.begin_real_ns = 1763650000 * NS_PER_S,
	};
}

struct replay_stage {
	struct stage stage;
	struct replay_index *replay_index;
};

static void replay_open(struct replay_stage *replay, unsigned width, unsigned height, bool ascii,
			unsigned second, const struct playback *playback)
{
	struct app *app = &replay->stage.app;

	replay->replay_index = replay_index_new();
	for (unsigned i = 1; i <= SECONDS; i++) {
		struct snapshot *snapshot = second_of(i);

		replay_index_add(replay->replay_index, snapshot);
		snapshot_free(snapshot);
	}
	replay_index_finish(replay->replay_index);
	stage_open(&replay->stage, width, height, ascii, NULL);
	app_set_replay_index(app, replay->replay_index);
	replay_control_update(&app->replay, &app->messages, playback);
	app_snapshot(app, second_of(second));
}

static void replay_close(struct replay_stage *replay)
{
	stage_close(&replay->stage);
	replay_index_free(replay->replay_index);
}

static void test_golden(void **state)
{
	static const struct {
		const char *name;
		unsigned width, height;
		bool ascii;
		unsigned second;
		uint32_t speed;
		bool paused, ended, seeking, pipe, short_of; /* the playback */
		int keys[8];
	} rows[] = {
		{"replay_80x24", 80, 24, .second = 30, .speed = 2000},
		{"replay_80x24_ascii", 80, 24, .ascii = true, .second = 30, .speed = 1000},
		{"replay_80x24_paused", 80, 24, .second = 31, .speed = 1000, .paused = true},
		{"replay_80x24_end", 80, 24, .second = SECONDS, .speed = 0, .ended = true},
		{"replay_80x24_seeking", 80, 24, .second = 31, .speed = 500, .seeking = true},
		{"replay_80x24_pipe", 80, 24, .second = 31, .speed = 1000, .pipe = true},
		{"replay_80x24_go", 80, 24, .second = 31, .speed = 1000, .keys = {'G', '5', 0}},
		{"replay_80x24_broken", 80, 24, .second = 31, .speed = 1000, .short_of = true},
		{"replay_200x50", 200, 50, .second = 30, .speed = 1000},
		{"replay_200x50_ascii", 200, 50, .ascii = true, .second = 100, .speed = 1000},
		{"replay_120x40", 120, 40, .second = SECONDS, .speed = 1000, .ended = true},
		{"replay_detail_80x24", 80, 24, .second = 30, .speed = 1000, .paused = true,
		 .keys = {KEYMAP_ENTER, 0}},
		{"replay_detail_200x50", 200, 50, .second = 30, .speed = 1000,
		 .keys = {KEYMAP_ENTER, 0}},
		{"replay_detail_80x24_part", 80, 24, .second = 30, .speed = 1000,
		 .keys = {KEYMAP_ENTER, KEYMAP_RIGHT, KEYMAP_RIGHT, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct playback playback = at_second(rows[i].second);
		struct replay_stage replay;

		playback.speed = rows[i].speed;
		playback.paused = rows[i].paused;
		playback.ended = rows[i].ended || rows[i].short_of;
		playback.seeking = rows[i].seeking;
		playback.seeking_percent = rows[i].seeking ? 45 : 0;
		if (rows[i].pipe) {
			text_copy(playback.name, sizeof(playback.name), "-");
			playback.pipe = playback.waiting = true;
			playback.final = false;
			playback.length_ns = playback.position_ns;
		}
		if (rows[i].short_of)
			text_copy(playback.broken, sizeof(playback.broken),
				  "The recording is cut off here.");
		replay_open(&replay, rows[i].width, rows[i].height, rows[i].ascii, rows[i].second,
			    &playback);
		stage_keys(&replay.stage, rows[i].keys);
		check_screen(rows[i].name, canvas_print(&replay.stage.canvas));
		replay_close(&replay);
	}
}

/* The last interval of a recording can be short. */
static void test_interval(void **state)
{
	static const struct {
		uint64_t every_ns, this_ns;
		const char *text;
	} rows[] = {
		{NS_PER_S, NS_PER_S, "every 1.0s  "},
		{NS_PER_S, NS_PER_S + 3 * NS_PER_MS, "every 1.0s  "},
		{NS_PER_S, 170 * NS_PER_MS, "every 1.0s, this one 0.17s  "},
		{NS_PER_S, 1000, "every 1.0s, this one <0.01s  "},
		{0, 500 * NS_PER_MS, "every 0.5s  "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct playback playback = at_second(SECONDS);
		struct replay_stage replay;
		struct snapshot *last = second_of(SECONDS);

		playback.every_ns = rows[i].every_ns;
		last->interval_ns = rows[i].this_ns;
		replay_open(&replay, 200, 50, false, SECONDS - 1, &playback);
		app_snapshot(&replay.stage.app, last);
		stage_keys(&replay.stage, (int[]){0});
		stage_check_text(&replay.stage, rows[i].text, true);
		replay_close(&replay);
	}
}

/* The column of the position stands out on every terminal. */
static void test_mark(void **state)
{
	struct replay_stage replay;
	struct playback playback = at_second(65);
	unsigned marked = 0;

	(void)state;
	replay_open(&replay, 200, 50, false, 65, &playback);
	stage_keys(&replay.stage, (int[]){0});
	for (unsigned y = 6; y < 9; y++) /* history of the machine */
		for (unsigned x = 0; x < 200; x++)
			marked += canvas_at(&replay.stage.canvas, x, y)->selected;
	assert_int_equal(marked, 2 * 3); /* two graphs three lines high */
	replay_close(&replay);
}

static void test_keys(void **state)
{
	static const struct {
		int keys[12];
		enum request_kind kind;
		int64_t number;
	} rows[] = {
		{{'Z', 0}, REQUEST_PAUSE, 1},
		{{'Z', 0}, REQUEST_PAUSE, 0},
		{{'.', 0}, REQUEST_STEP, 1},
		{{',', 0}, REQUEST_STEP, -1},
		{{'}', 0}, REQUEST_SEEK_BY, (int64_t)(60 * NS_PER_S)},
		{{'{', 0}, REQUEST_SEEK_BY, -(int64_t)(60 * NS_PER_S)},
		{{']', 0}, REQUEST_SPEED, 2000},
		{{']', 0}, REQUEST_SPEED, 5000},
		{{'[', 0}, REQUEST_SPEED, 2000},
		{{'G', '9', '0', KEYMAP_ENTER, 0}, REQUEST_SEEK_TO, (int64_t)(90 * NS_PER_S)},
		{{'G', '-', '9', KEYMAP_ENTER, 0}, REQUEST_SEEK_BY, -(int64_t)(9 * NS_PER_S)},
		{{'e', 'i', 'p', 'c', KEYMAP_ENTER, 0}, REQUEST_ADD_METRIC, 0},
		{{'e', 'x', '=', '1', KEYMAP_ENTER, 0}, REQUEST_ADD_METRIC, 0},
		{{'e', 'r', '1', KEYMAP_ENTER, 0}, REQUEST_ADD_EVENTS, 0},
		{{'i', 0}, REQUEST_IDLE, 1},
	};
	struct replay_stage replay;
	struct playback playback = at_second(30);

	(void)state;
	replay_open(&replay, 80, 24, false, 30, &playback);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		stage_keys(&replay.stage, rows[i].keys);
		stage_check_request(&replay.stage, rows[i].kind, NULL, rows[i].number);
	}
	replay_close(&replay);
}

static void test_speeds(void **state)
{
	struct replay_stage replay;
	struct playback playback = at_second(30);
	struct app *app = &replay.stage.app;

	(void)state;
	playback.speed = 1500; /* --speed 1.5 */
	replay_open(&replay, 80, 24, false, 30, &playback);
	stage_keys(&replay.stage, (int[]){']', 0});
	assert_int_equal(app->replay.playback.speed, 2000);
	for (int i = 0; i < 30; i++)
		stage_keys(&replay.stage, (int[]){']', 0});
	assert_int_equal(app->replay.playback.speed, PLAYBACK_SPEED_MAX);
	stage_keys(&replay.stage, (int[]){'[', 0});
	assert_int_equal(app->replay.playback.speed, 1000000);
	for (int i = 0; i < 30; i++)
		stage_keys(&replay.stage, (int[]){'[', 0});
	assert_int_equal(app->replay.playback.speed, 100);
	replay_close(&replay);
}

/* Keys without a meaning in a replay show a reason and have no effect. */
static void test_refusals(void **state)
{
	static const struct {
		int key;
		const char *text;
	} recorded[] = {
		{'K', "cannot be separated"},
		{'k', "no signal is sent"},
		{KEYMAP_F0 + 7, "no priority to change"},
		{KEYMAP_F0 + 8, "no priority to change"},
		{'a', "cannot be attached"},
		{'D', "cannot be attached"},
		{'o', "nothing is recorded"},
		{'s', "the recording's"},
		{'d', "the recording's"},
	};
	static const struct {
		int key;
		const char *more; /* the key that does here what this one does in less or htop */
	} live[] = {{',', ""}, {'.', ""}, {'[', " Priority: F7 F8."},   {']', " Priority: F7 F8."},
		    {'{', ""}, {'}', ""}, {'G', " The last line: End."}};
	struct replay_stage replay;
	struct playback playback = at_second(30);
	struct stage stage;

	(void)state;
	playback.native = true;
	replay_open(&replay, 80, 24, false, 30, &playback);
	for (size_t i = 0; i < ARRAY_SIZE(recorded); i++) {
		stage_keys(&replay.stage, (int[]){recorded[i].key, 0});
		if (!strstr(replay.stage.app.messages.notice, recorded[i].text))
			fail_msg("%c: %s", recorded[i].key, replay.stage.app.messages.notice);
		assert_int_equal(app_changes(&replay.stage.app)->n, 0);
		assert_false(replay.stage.app.prompt.active);
	}
	/* Intervals of perf's recordings can be changed. */
	playback.native = false;
	replay_control_update(&replay.stage.app.replay, &replay.stage.app.messages, &playback);
	stage_keys(&replay.stage, (int[]){'s', '2', KEYMAP_ENTER, 0});
	assert_int_equal(replay.stage.app.preferences.interval_ns, 2 * NS_PER_S);
	replay_close(&replay);
	stage_open(&stage, 80, 24, false, second_of(1));
	for (size_t i = 0; i < ARRAY_SIZE(live); i++) {
		char text[128];

		stage_keys(&stage, (int[]){live[i].key, 0});
		snprintf(text, sizeof(text), "This key works only in a replay: --replay FILE.%s",
			 live[i].more);
		assert_string_equal(stage.app.messages.notice, text);
		assert_int_equal(app_changes(&stage.app)->n, 0);
	}
	stage_close(&stage);
}

/* A profile is one interval, and s divides it and joins it. */
static void test_whole(void **state)
{
	static const struct {
		uint64_t position_ns;
		bool ended;
		const char *text;
	} titles[] = {
		{30 * NS_PER_S, false, "run.data  reading  "},
		{30 * NS_PER_S, true, "run.data  WHOLE 30.0s  "},
		{111240 * NS_PER_MS, true, "run.data  WHOLE 111.2s  "},
		{832 * NS_PER_MS, true, "run.data  WHOLE 0.832s  "},
		{1000, true, "run.data  WHOLE  "},
	};
	static const struct {
		int keys[8];
		int64_t number; /* of REQUEST_WHOLE; -1: none, but a notice */
		const char *notice;
	} rows[] = {
		{{'s', 'a', 'l', 'l', KEYMAP_ENTER, 0}, 1, NULL},
		{{'s', ' ', 'A', 'L', 'L', ' ', KEYMAP_ENTER, 0}, 1, NULL},
		{{'s', '1', KEYMAP_ENTER, 0}, 0, NULL},
		{{'p', 0}, -1, "no other events"},
		{{'z', 0}, -1, "no totals"},
	};
	struct playback playback = at_second(30);
	struct snapshot *snapshot = second_of(30);
	struct replay_stage replay;

	(void)state;
	playback.profile = true;
	replay_open(&replay, 120, 40, false, 29, &playback);
	snapshot->whole = true;
	app_snapshot(&replay.stage.app, snapshot);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++) {
		playback.position_ns = titles[i].position_ns;
		playback.ended = titles[i].ended;
		replay_control_update(&replay.stage.app.replay, &replay.stage.app.messages,
				      &playback);
		stage_keys(&replay.stage, (int[]){0});
		stage_check_text(&replay.stage, titles[i].text, true);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		stage_keys(&replay.stage, rows[i].keys);
		if (rows[i].number >= 0) {
			stage_check_request(&replay.stage, REQUEST_WHOLE, NULL, rows[i].number);
			continue;
		}
		assert_non_null(strstr(replay.stage.app.messages.notice, rows[i].notice));
		assert_int_equal(app_changes(&replay.stage.app)->n, 0);
		assert_null(replay.stage.app.picker.ops);
	}
	stage_keys(&replay.stage, (int[]){'s', 0});
	stage_check_text(&replay.stage, "Interval, or all (now all):", true);
	replay_close(&replay);
}

/* At the end a pause has no effect, then or later. */
static void test_pause_at_end(void **state)
{
	struct replay_stage replay;
	struct playback playback = at_second(SECONDS);

	(void)state;
	playback.ended = true;
	replay_open(&replay, 80, 24, false, SECONDS, &playback);
	stage_keys(&replay.stage, (int[]){'Z', 0});
	assert_non_null(strstr(replay.stage.app.messages.notice, "End of the recording"));
	assert_int_equal(app_changes(&replay.stage.app)->n, 0);
	assert_false(replay.stage.app.replay.playback.paused);
	replay_close(&replay);
}

/* A message of the player is shown once. */
static void test_player_message(void **state)
{
	struct replay_stage replay;
	struct playback playback = at_second(30);
	struct app *app = &replay.stage.app;

	(void)state;
	replay_open(&replay, 80, 24, false, 30, &playback);
	text_copy(playback.text, sizeof(playback.text), "This is the end.");
	playback.n_texts = 1;
	replay_control_update(&app->replay, &app->messages, &playback);
	assert_string_equal(app->messages.notice, "This is the end.");
	stage_keys(&replay.stage, (int[]){KEYMAP_DOWN, 0});
	replay_control_update(&app->replay, &app->messages, &playback);
	assert_string_equal(app->messages.notice, "");
	playback.n_texts = 2;
	replay_control_update(&app->replay, &app->messages, &playback);
	assert_string_equal(app->messages.notice, "This is the end.");
	replay_close(&replay);
}

/*
 * Totals add no interval twice after a step back, and go on forward. The baseline can be shown
 * again.
 */
static void test_backward(void **state)
{
	struct replay_stage replay;
	struct playback playback = at_second(30);
	struct app *app = &replay.stage.app;
	struct snapshot *again = second_of(29);

	(void)state;
	replay_open(&replay, 80, 24, false, 28, &playback);
	app_snapshot(app, snapshot_ref(again));
	assert_int_equal(app->events.totals.time_ns, 2 * NS_PER_S);
	stage_keys(&replay.stage, (int[]){'B', 0});
	app_snapshot(app, second_of(30));
	app_snapshot(app, snapshot_ref(again));
	assert_int_equal(app->events.totals.time_ns, NS_PER_S);
	stage_keys(&replay.stage, (int[]){KEYMAP_ENTER, 0});
	for (unsigned i = 0; i < 3; i++) {
		app_snapshot(app, second_of(30));
		app_snapshot(app, snapshot_ref(again));
	}
	assert_int_equal(app->watch.totals.time_ns, NS_PER_S);
	stage_keys(&replay.stage, (int[]){'q', 0});
	assert_ptr_equal(app->display.snapshot, app->display.baseline);
	stage_keys(&replay.stage, (int[]){'B', 'B', 0});
	app_snapshot(app, second_of(31));
	stage_keys(&replay.stage, (int[]){'B', 0});
	snapshot_free(again);
	replay_close(&replay);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		enum replay_goal goal;
		double seconds; /* -1: the end */
	} rows[] = {
		{"90", REPLAY_GOAL_TO, 90},        {" 90", REPLAY_GOAL_TO, 90},
		{"1:30", REPLAY_GOAL_TO, 90},      {"+90", REPLAY_GOAL_BY, 90},
		{"-30", REPLAY_GOAL_BY, -30},      {"-1:30", REPLAY_GOAL_BY, -90},
		{"+0.5", REPLAY_GOAL_BY, 0.5},     {"+1:00:00", REPLAY_GOAL_BY, 3600},
		{"90:00", REPLAY_GOAL_TO, 5400},   {"14:46:50", REPLAY_GOAL_TO, 10},
		{"14:48:40", REPLAY_GOAL_TO, 120}, {"00:01:12", REPLAY_GOAL_TO, 72},
		{"0", REPLAY_GOAL_TO, 0},          {"begin", REPLAY_GOAL_TO, 0},
		{"end", REPLAY_GOAL_TO, -1},       {"50%", REPLAY_GOAL_TO, 65},
		{"0%", REPLAY_GOAL_TO, 0},         {"100%", REPLAY_GOAL_TO, -1},
		{"END", REPLAY_GOAL_TO, -1},
	};
	static const char *const wrong[] = {"",     "x",    "-",        "+",   "1:",
					    ":30",  "1:60", "1:2:3:4",  "1e3", "0x10",
					    "nan",  "inf",  "101%",     "%",   "+50%",
					    "+end", "--3",  "12:00:00", "1 2", "99999999999999",
					    "5%%",  "1..2", "-inf"};
	struct playback playback = at_second(30);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		enum replay_goal goal;
		struct error err = {0};
		int64_t ns, want = rows[i].seconds == -1
					   ? INT64_MAX
					   : (int64_t)(rows[i].seconds * (double)NS_PER_S);

		if (replay_control_parse_goal(rows[i].text, &playback, &goal, &ns, &err))
			fail_msg("'%s': %s", rows[i].text, err.text);
		if (goal != rows[i].goal || ns != want)
			fail_msg("'%s': %d %" PRId64, rows[i].text, goal, ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		enum replay_goal goal;
		struct error err = {0};
		int64_t ns;

		if (!replay_control_parse_goal(wrong[i], &playback, &goal, &ns, &err) ||
		    !err.text[0])
			fail_msg("'%s' was taken for %" PRId64, wrong[i], ns);
	}
	playback.final = false;
	/* A part that is not read yet can contain the time. */
	int64_t ns;
	assert_int_equal(replay_control_parse_goal("14:50:00", &playback, &(enum replay_goal){0},
						   &ns, &(struct error){0}),
			 0);
	assert_true(ns == 200 * (int64_t)NS_PER_S);
	assert_int_equal(replay_control_parse_goal("50%", &playback, &(enum replay_goal){0},
						   &(int64_t){0}, &(struct error){0}),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),       cmocka_unit_test(test_mark),
		cmocka_unit_test(test_keys),         cmocka_unit_test(test_speeds),
		cmocka_unit_test(test_refusals),     cmocka_unit_test(test_player_message),
		cmocka_unit_test(test_backward),     cmocka_unit_test(test_times),
		cmocka_unit_test(test_interval),     cmocka_unit_test(test_whole),
		cmocka_unit_test(test_pause_at_end),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
