// SPDX-License-Identifier: MIT
/* Clicks and the wheel, at places of the last drawing. */
#include "core/base/util.h"
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"
#include "tui/screen/app.h"

/* Clicks the middle of the first such word on the screen, from line y on. */
static void stage_click(struct stage *stage, unsigned from_y, const char *word, bool twice)
{
	unsigned length = (unsigned)strlen(word);

	app_draw(&stage->app, &stage->canvas);
	for (unsigned y = from_y; y < stage->canvas.height; y++)
		for (unsigned x = 0; x + length <= stage->canvas.width; x++) {
			unsigned i = 0;

			while (i < length &&
			       canvas_at(&stage->canvas, x + i, y)->text[0] == word[i])
				i++;
			if (i < length)
				continue;
			app_click(&stage->app, x + length / 2, y, twice);
			app_draw(&stage->app, &stage->canvas);
			return;
		}
	fail_msg("'%s' is not on the screen", word);
}

static void test_mouse(void **state)
{
	struct stage stage;
	struct list *list = &stage.app.tasks;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_click(&stage, 7, "IPC", false);
	assert_string_equal(list->spec.sort, "ipc");
	assert_false(list->spec.reverse);
	stage_click(&stage, 7, "IPC", false);
	assert_true(list->spec.reverse);
	stage_click(&stage, 7, "COMMAND", false);
	assert_string_equal(list->spec.sort, "command");
	assert_false(list->spec.reverse);
	stage_click(&stage, 7, "PID", false);
	assert_string_equal(list->spec.sort, "pid");

	/* Clicks on lines. The list's header is the eighth line. */
	app_click(&stage.app, 60, 10, false);
	assert_int_equal(list->table.selected, 2);
	app_wheel(&stage.app, true);
	assert_int_equal(list->table.selected, 5);
	app_wheel(&stage.app, false);
	app_wheel(&stage.app, false);
	assert_int_equal(list->table.selected, 0);
	app_click(&stage.app, 0, 0, true);
	app_click(&stage.app, 5000, 5000, true);
	assert_int_equal(list->table.selected, 0);

	/* Clicks on the key bar have an effect, except while a question is open. */
	stage_click(&stage, 23, "Help", false);
	assert_ptr_equal(stage.app.screen, &screen_help);
	app_wheel(&stage.app, true);
	assert_int_equal(stage.app.page.top, 3);
	stage_click(&stage, 23, "Back", false);
	assert_ptr_equal(stage.app.screen, &screen_tasks);
	stage_click(&stage, 23, "Page", false);
	assert_ptr_equal(stage.app.screen, &screen_cpus);
	stage_click(&stage, 0, "IPC", false);
	stage_click(&stage, 23, "Page", false); /* the names are gone */
	stage_click(&stage, 7, "instructions", false);
	assert_ptr_equal(stage.app.screen, &screen_events);
	assert_int_not_equal(stage.app.events.table.selected, 0);
	/* Of the setup: a second click changes the option, and a heading is no line. */
	stage_keys(&stage, (int[]){KEYMAP_F0 + 2, 0});
	stage_click(&stage, 0, "Options:", true);
	assert_int_equal(stage.app.setup.selected, 1);
	bool ascii = stage.app.preferences.ascii;
	stage_click(&stage, 0, "Characters", true);
	assert_int_equal(stage.app.preferences.ascii, !ascii);
	stage_press(&stage, KEYMAP_ESCAPE);
	app_key(&stage.app, 's');
	app_draw(&stage.app, &stage.canvas);
	for (unsigned x = 0; x < 80; x++)
		app_click(&stage.app, x, 23, true);
	assert_true(stage.app.prompt.active && !stage.app.out.quit);
	stage_close(&stage);
}

/* A click on a name in the bar shows that screen, one on the key the next screen. */
static void test_names(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 120, 24, false, screen_snapshot(2));
	stage_click(&stage, 23, "Events", false);
	assert_ptr_equal(stage.app.screen, &screen_events);
	stage_click(&stage, 23, "Events", false);
	assert_ptr_equal(stage.app.screen, &screen_events);
	stage_click(&stage, 23, "CPUs", false);
	assert_ptr_equal(stage.app.screen, &screen_cpus);
	stage_click(&stage, 23, "Findings", false);
	assert_ptr_equal(stage.app.screen, &screen_findings);
	stage_click(&stage, 23, "Tab", false);
	assert_ptr_equal(stage.app.screen, &screen_tasks);
	stage_close(&stage);

	/* The names that a narrow bar has after the first click. */
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_click(&stage, 23, "Page", false);
	stage_click(&stage, 23, "Findings", false);
	assert_ptr_equal(stage.app.screen, &screen_findings);
	stage_click(&stage, 23, "Tasks", false);
	assert_ptr_equal(stage.app.screen, &screen_tasks);
	stage_close(&stage);
}

/* A click on a finding shows it among all; Enter goes to its row. */
static void test_findings(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	const struct finding *first = &stage.app.display.findings.items[0];
	assert_true(first->pid > 0);
	stage_click(&stage, 0, "is stalled", false);
	assert_ptr_equal(stage.app.screen, &screen_findings);
	assert_int_equal(stage.app.findings.selected, 0);
	stage_press(&stage, KEYMAP_ENTER);
	assert_ptr_equal(stage.app.screen, &screen_tasks);
	assert_int_equal(stage.app.tasks.subject.key.number, first->pid);
	stage_keys(&stage, (int[]){'!', KEYMAP_ESCAPE, 0});
	assert_ptr_equal(stage.app.screen, &screen_tasks);
	stage_keys(&stage, (int[]){KEYMAP_DOWN, '!', KEYMAP_HOME, 'w', 0});
	assert_ptr_equal(stage.app.screen, &screen_code);
	assert_int_equal(stage.app.tasks.subject.key.number, first->pid);
	stage_keys(&stage, (int[]){KEYMAP_ESCAPE, KEYMAP_ESCAPE, 0});
	/* A row that is not in the list. */
	stage_keys(&stage, (int[]){'\\', 'x', 'x', 'x', KEYMAP_ENTER, '!', KEYMAP_ENTER, 0});
	assert_ptr_equal(stage.app.screen, &screen_findings);
	stage_check_text(&stage, "has no row", true);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mouse),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
