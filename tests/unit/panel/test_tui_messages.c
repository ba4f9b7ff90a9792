// SPDX-License-Identifier: MIT
/* The message log: appearances are counted, the oldest messages are dropped, and the screen. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"
#include "tui/panel/messages.h"

static void test_counts(void **state)
{
	static const struct {
		const char *name;
		const char *rounds[6]; /* each letter is a message, each text a round */
		const char *want;      /* text, appearances, "!" if current */
	} rows[] = {
		{"once", {"a"}, "a1! "},
		{"continues", {"a", "a", "a"}, "a1! "},
		{"has ended", {"a", "a", "-"}, "a1 "},
		{"appears again", {"a", "-", "a"}, "a2! "},
		{"the latest is last", {"a", "b", "-", "a"}, "b1 a2! "},
		{"twice in a round", {"aa", "aba"}, "b1! a1! "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct messages messages = {0};
		char text[64] = "";

		for (size_t k = 0; k < 6 && rows[i].rounds[k]; k++) {
			messages_begin_round(&messages, k * NS_PER_S);
			for (const char *c = rows[i].rounds[k]; *c && *c != '-'; c++)
				messages_add(&messages, (char[]){*c, '\0'});
		}
		for (size_t k = 0; k < messages.n; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u%s ",
				 messages.items[k].text, messages.items[k].times,
				 message_is_current(&messages, &messages.items[k]) ? "!" : "");
		if (strcmp(text, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, text);
		messages_fini(&messages);
	}
}

static void test_limit(void **state)
{
	struct messages messages = {0};

	(void)state;
	for (unsigned i = 0; i < 3 * MESSAGES_MAX; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%u", i);
		messages_begin_round(&messages, i);
		messages_add(&messages, text);
		messages_add(&messages, "always");
	}
	assert_int_equal(messages.n, MESSAGES_MAX);
	assert_string_equal(messages.items[MESSAGES_MAX - 1].text, "always");
	assert_int_equal(messages.items[MESSAGES_MAX - 1].times, 1);
	assert_string_equal(messages.items[0].text, "401");
	messages_fini(&messages);
}

/* Notes of snapshots and notices, during a pause too. */
static void test_screen(void **state)
{
	static const struct {
		const char *name;
		unsigned width, height;
	} rows[] = {{"log_80x24", 80, 24}, {"log_40x12", 40, 12}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *lossy = screen_snapshot_lossy(2), *later = screen_snapshot(2);
		struct stage stage;

		lossy->realtime_ns -= 61 * NS_PER_S;
		stage_open(&stage, rows[i].width, rows[i].height, false, lossy);
		stage_keys(&stage, (int[]){'Z', 0});
		app_snapshot(&stage.app, later);
		messages_show(&stage.app.messages, "%s", "The recording has ended.");
		stage_keys(&stage, (int[]){'L', 0});
		assert_ptr_equal(stage.app.screen, &screen_log);
		check_screen(rows[i].name, canvas_print(&stage.canvas));
		stage_keys(&stage, (int[]){'?', 'L', KEYMAP_END, KEYMAP_ESCAPE, 0});
		assert_ptr_equal(stage.app.screen, &screen_tasks);
		stage_close(&stage);
	}
}

/* Esc returns to the page below the log, and its row is still watched. */
static void test_page_below(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){KEYMAP_ENTER, 'L', '?', 'L', KEYMAP_ESCAPE, 0});
	assert_ptr_equal(stage.app.screen, &screen_detail);
	assert_true(stage.app.watch.on);
	stage_keys(&stage, (int[]){KEYMAP_ESCAPE, 'L', 'L', 0});
	assert_ptr_equal(stage.app.screen, &screen_tasks);
	assert_false(stage.app.watch.on);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_screen),
		cmocka_unit_test(test_page_below),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
