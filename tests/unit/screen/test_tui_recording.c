// SPDX-License-Identifier: MIT
/* The key that records: its prompt, its command, and the title. */
#include "core/base/util.h"
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"

#include <unistd.h>

static struct request *only_command(struct app *app)
{
	assert_int_equal(app_changes(app)->n, 1);
	assert_int_equal(app_changes(app)->items[0].kind, REQUEST_RECORD);
	return &app_changes(app)->items[0];
}

static void test_begin(void **state)
{
	struct stage stage;
	struct app *app = &stage.app;
	struct snapshot *snapshot = screen_snapshot(2);

	(void)state;
	snprintf(snapshot->host, sizeof(snapshot->host), "a b/../c");
	stage_open(&stage, 80, 24, false, snapshot);
	stage_keys(&stage, (int[]){'o', 0});
	assert_true(app->prompt.active);
	assert_memory_equal(app->prompt.text, "pmctop-a_b_.._c-20", 18);
	assert_string_equal(app->prompt.text + strlen(app->prompt.text) - 5, ".data");
	stage_keys(&stage, (int[]){KEYMAP_ESCAPE, 0});
	assert_int_equal(app_changes(app)->n, 0);
	stage_keys(&stage, (int[]){'o', KEYMAP_CONTROL('U'), 'x', KEYMAP_ENTER, 0});
	assert_string_equal(only_command(app)->text, "x");
	stage_close(&stage);
}

static void test_end(void **state)
{
	struct stage stage;
	struct app *app = &stage.app;
	struct snapshot *snapshot = screen_snapshot(2);

	(void)state;
	snapshot->recorded_bytes = 1234567;
	stage_open(&stage, 80, 24, false, snapshot);
	stage_keys(&stage, (int[]){0});
	stage_check_text(&stage, "REC 1.2M", true);
	stage_keys(&stage, (int[]){'o', 0});
	assert_false(app->prompt.active);
	assert_null(only_command(app)->text);
	assert_string_equal(app->messages.notice, "The recording has ended.");
	stage_close(&stage);
}

/* The next recording begins before a snapshot has shown the end of the last one. */
static void test_end_and_begin(void **state)
{
	struct stage stage;
	struct app *app = &stage.app;
	struct snapshot *recorded = screen_snapshot(2);

	(void)state;
	recorded->recorded_bytes = 1;
	stage_open(&stage, 80, 24, false, recorded);
	stage_keys(&stage, (int[]){'o', 0});
	assert_null(only_command(app)->text);
	request_list_clear(&app->out.list);
	/* An interval that began before the end still reports the recording. */
	recorded = screen_snapshot(2);
	recorded->recorded_bytes = 2;
	app_snapshot(app, recorded);
	stage_keys(&stage, (int[]){'o', KEYMAP_CONTROL('U'), 'x', KEYMAP_ENTER, 0});
	assert_string_equal(only_command(app)->text, "x");
	request_list_clear(&app->out.list);
	/* It ends like any other, after it has begun or when it ends by itself. */
	stage_keys(&stage, (int[]){'o', 0});
	assert_null(only_command(app)->text);
	assert_string_equal(app->messages.notice,
			    "The recording has ended. To see it: pmctop --replay x");
	app_snapshot(app, screen_snapshot(2));
	assert_false(app->recording_ends);
	stage_keys(&stage, (int[]){'o', 0});
	assert_true(app->prompt.active);
	stage_close(&stage);
}

/* With --ssh the recording is on the host, and the user sees the host's name. */
static void test_on_host(void **state)
{
	static const struct {
		int name;
		const char *notice;
	} rows[] = {
		{'x', "The recording has ended. To copy it: scp root@box:/x ."},
		{'/', "The recording has ended. To copy it: scp root@box:/ ."},
	};

	(void)state;
	assert_int_equal(chdir("/"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;
		struct app *app = &stage.app;
		struct snapshot *recorded = screen_snapshot(2);

		stage_open(&stage, 80, 24, false, screen_snapshot(2));
		app->config.host = "root@box";
		stage_keys(&stage, (int[]){'o', 0});
		assert_string_equal(app->prompt.query, "Record to file on root@box:");
		stage_keys(&stage, (int[]){KEYMAP_CONTROL('U'), rows[i].name, KEYMAP_ENTER, 0});
		recorded->recorded_bytes = 1;
		app_snapshot(app, recorded);
		stage_keys(&stage, (int[]){'o', 0});
		assert_string_equal(app->messages.notice, rows[i].notice);
		stage_close(&stage);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_end_and_begin),
		cmocka_unit_test(test_on_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
