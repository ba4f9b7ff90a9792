// SPDX-License-Identifier: MIT
/*
 * The screens of a machine in use, simulated (busy_mixed_new), with the verdicts that the pictures
 * of README.md show. With PICTURES=DIRECTORY the machine runs longer, and each screen is written to
 * DIRECTORY/NAME.svg: make screenshots.
 */
#include "core/metric/preset.h"
#include "tests/fake_kernel/busy.h"
#include "tests/unit/shared/code_scene.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"
#include "tests/unit/shared/stage.h"
#include "tui/term/canvas_svg.h"
#include "tui/term/theme_load.h"

enum { TEXTS_MAX = 10, KEYS_MAX = 8, SECONDS = 9, SECONDS_OF_PICTURES = 190, WATCHED = 4 };

static const char *pictures(void)
{
	return getenv("PICTURES");
}

/* Makes a canvas of the screen and a line about it. */
static void add_caption(struct canvas *sheet, const struct canvas *screen)
{
	static const char caption[] =
		"A simulated machine: the fake kernel of pmctop's tests. The figures are invented.";

	canvas_init(sheet, false);
	canvas_resize(sheet, screen->width, screen->height + 2);
	canvas_copy(sheet, (struct rect){0, 0, screen->width, screen->height}, screen, 0);
	canvas_text(sheet, 0, screen->height + 1, sheet->width, STYLE_LABEL, caption);
}

static void write_picture(const struct stage *stage, const char *name, const char *about)
{
	char path[512], title[128];
	struct notes notes = {0};
	struct canvas sheet;
	struct theme theme;

	if (!pictures())
		return;
	snprintf(path, sizeof(path), "%s/%s.svg", pictures(), name);
	snprintf(title, sizeof(title), "%s (simulated machine)", about);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(theme_load(NULL, &(struct theme_places){0}, &theme, &notes, NULL), 0);
	add_caption(&sheet, &stage->canvas);
	canvas_print_svg(&sheet, &theme, true, title, file);
	canvas_fini(&sheet);
	fclose(file);
}

/* Applies what the app changes, lists events if requested, and looks several times a second, as the
 * program does. */
static void run_second(struct stage *stage, struct engine *engine, struct fk *fk, uint64_t end_ns)
{
	bool events = app_requests(&stage->app, REQUEST_EVENTS);

	engine_request(engine, app_changes(&stage->app));
	if (events)
		send_request(engine, &(struct request){.kind = REQUEST_EVENTS});
	if (stage->app.watch.on)
		send_request(engine, &(struct request){.kind = REQUEST_BLOCKED,
						       .number = stage->app.watch.looks.pid,
						       .tid = stage->app.watch.looks.tid});
	app_snapshot(&stage->app, next_snapshot(engine, fk, end_ns - fk_now(fk)));
	for (struct reply *reply; (reply = reply_pop(engine_replies(engine)));)
		app_reply(&stage->app, reply);
}

static void select_command(struct stage *stage, const char *comm)
{
	const struct view *view = list_view(&stage->app.tasks, stage->app.display.snapshot);
	size_t line = 0;

	while (line < view->n && strcmp(view_row(view, line)->comm, comm) != 0)
		line++;
	assert_true(line < view->n);
	list_select(&stage->app.tasks, line);
}

static void test_machine(void **state)
{
	static const struct {
		const char *name, *about, *preset, *comm; /* NULL: the first row stays selected */
		unsigned width, height;
		int keys[KEYS_MAX]; /* pressed some seconds before the end */
		const char *texts[TEXTS_MAX];
	} rows[] = {
		{"tasks",
		 "Tasks and their verdicts",
		 "overview",
		 NULL,
		 100,
		 30,
		 {0},
		 {"pmctop simulated", " memory ", " branch ", "lock ", "disk ", " cpu ",
		  " frontend "}},
		{"topdown",
		 "Where the slots of the CPUs went",
		 "topdown",
		 NULL,
		 100,
		 24,
		 {0},
		 {"retir%", " backend ", " frontend "}},
		{"waits",
		 "Why a process does not run",
		 "overview",
		 "java",
		 100,
		 29,
		 {KEYMAP_ENTER},
		 {"lock: lock%", "lock, state S, in ", "futex_do_wait", "blocked+wake-up "}},
		{"add",
		 "Choosing an event",
		 "overview",
		 NULL,
		 100,
		 24,
		 {'e', 'm', 'i', 's', 's'},
		 {"> miss", "cache-misses"}},
		{"wide",
		 "200 columns and 50 lines",
		 "overview",
		 "postgres",
		 200,
		 50,
		 {0},
		 {"memory-bound: IPC", "w: the functions", "└─ 2100 postgres", "\nHistory"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct busy *busy = busy_mixed_new();
		struct fk *fk = busy_kernel(busy);
		struct sys sys = fk_sys(fk);
		uint64_t end_ns = fk_now(fk);
		struct engine *engine = open_engine_with(
			&sys, &(struct engine_config){.preset = preset_find(rows[i].preset)});
		unsigned seconds = pictures() ? SECONDS_OF_PICTURES : SECONDS;
		struct stage stage;

		stage_open(&stage, rows[i].width, rows[i].height, false, NULL);
		for (unsigned second = 0; second < seconds; second++) {
			if (rows[i].keys[0] && second + WATCHED == seconds) {
				if (rows[i].comm)
					select_command(&stage, rows[i].comm);
				stage_keys(&stage, rows[i].keys);
			}
			run_second(&stage, engine, fk, end_ns += NS_PER_S);
		}
		if (rows[i].comm && !rows[i].keys[0])
			select_command(&stage, rows[i].comm);
		app_draw(&stage.app, &stage.canvas);
		write_picture(&stage, rows[i].name, rows[i].about);
		for (const char *const *text = rows[i].texts; *text; text++)
			stage_check_text(&stage, *text, true);
		stage_close(&stage);
		engine_free(engine);
		busy_free(busy);
	}
}

/* The fake kernel has no files of programs, so the samples and functions are invented too. */
static void test_code(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 12, false, code_scene_snapshot(CODE_SCENE, 0, NULL));
	stage_keys(&stage, (const int[]){'w', 0});
	struct snapshot *next =
		code_scene_snapshot(CODE_SCENE, 1, stage.app.display.snapshot->columns);
	strcpy(next->host, "simulated");
	app_snapshot(&stage.app, next);
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "hash_lookup", true);
	write_picture(&stage, "code", "The functions of a process");
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_code),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
