// SPDX-License-Identifier: MIT
/* The title: it names the target, and no width from 40 columns on leaves out a mode. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"

static const unsigned screens[] = {40, 60, 80, 120};

static void set_unit(struct stage *stage, enum view_unit unit)
{
	stage->app.tasks.spec.unit = unit;
	list_invalidate(&stage->app.tasks);
}

static void set_counts(struct stage *stage)
{
	set_unit(stage, VIEW_UNIT_COUNT);
}

static void set_rates(struct stage *stage)
{
	set_unit(stage, VIEW_UNIT_PER_SECOND);
}

static void set_per_ki(struct stage *stage)
{
	set_unit(stage, VIEW_UNIT_PER_KI);
}

static void set_filter(struct stage *stage)
{
	stage_press(stage, '\\');
	stage_type(stage, "postgres --with-a-long-command-line");
	stage_press(stage, KEYMAP_ENTER);
}

static void set_user(struct stage *stage)
{
	text_copy(stage->app.search.user, sizeof(stage->app.search.user), "postgres-backup");
	stage->app.tasks.spec.filter.one_user = true;
	list_invalidate(&stage->app.tasks);
}

static void set_user_mode(struct stage *stage)
{
	stage->app.display.snapshot->columns->levels = EVENT_LEVELS_USER;
}

static void set_kernel_mode(struct stage *stage)
{
	stage->app.display.snapshot->columns->levels = EVENT_LEVELS_KERNEL;
}

static void set_budget(struct stage *stage)
{
	stage->app.display.snapshot->windowed_cpus = 2;
}

static void set_baseline(struct stage *stage)
{
	stage_press(stage, 'B');
}

static void set_pause(struct stage *stage)
{
	stage_press(stage, 'Z');
}

static void set_replay(struct stage *stage)
{
	stage->app.replay.active = true;
	stage->app.replay.playback = (struct playback){
		.name = "a-recording-of-the-server-that-was-slow.data",
		.position_ns = NS_PER_S,
		.length_ns = 9 * NS_PER_S,
		.speed = PLAYBACK_SPEED_ONE,
		.final = true,
	};
}

static void set_replay_pause(struct stage *stage)
{
	set_replay(stage);
	stage->app.replay.playback.paused = true;
}

static void set_first_moments(struct stage *stage)
{
	stage->app.display.snapshot->sequence = 1;
	stage->app.display.snapshot->interval_ns = 300 * NS_PER_MS;
	stage->app.display.snapshot->cut_short = true;
}

static void set_short(struct stage *stage)
{
	stage->app.display.snapshot->sequence = 9;
	stage->app.display.snapshot->cut_short = true;
	stage->app.display.snapshot->interval_ns = 600 * NS_PER_MS;
}

static void set_target(struct stage *stage)
{
	stage->app.display.snapshot->target_text = (struct target_text){
		.full = "postgres-worker 1004121, user postgres-backup, CPU 0-3,8",
		.brief = "pid 1004121",
	};
}

/* What the title has of each mode, and at 120 columns. Of a kind there is one at a time. */
static const struct mode {
	const char *name;
	char kind;
	void (*set)(struct stage *stage);
	const char *brief, *full;
} modes[] = {
	{"counts", 'u', set_counts, "counts", "counts"},
	{"per second", 'u', set_rates, "/s", "per second"},
	{"per 1000 instructions", 'u', set_per_ki, "/ki", "per 1000 instructions"},
	{"filter", 'f', set_filter, "filter", "filter postgres"},
	{"user", 'o', set_user, "user postgres", "user postgres-backup"},
	{"levels: user", 'l', set_user_mode, "user only", "user only"},
	{"levels: kernel", 'l', set_kernel_mode, "kernel only", "kernel only"},
	{"budget", 'b', set_budget, "budget", "budget ~2 of 2 CPUs"},
	{"baseline", 'd', set_baseline, "baseline", "baseline of 14:46:40"},
	{"paused", 'p', set_pause, "PAUSED", "PAUSED"},
	{"replay", 'p', set_replay, "REPLAY", "REPLAY a-recording"},
	{"replay that is paused", 'p', set_replay_pause, "PAUSED", "PAUSED"},
	{"first moments", 'p', set_first_moments, "first 0.3s", "every 1.0s, first 0.3s"},
	{"short interval", 'p', set_short, "short 0.6s", "every 1.0s, short 0.6s"},
	{"target", 't', set_target, "pid 1004121", "postgres-worker 1004121"},
};

static char *title_of(const struct stage *stage)
{
	char *screen = canvas_print(&stage->canvas);

	screen[strcspn(screen, "\n")] = '\0';
	return screen;
}

static void open_stage(struct stage *stage, unsigned width)
{
	struct snapshot *snapshot = screen_snapshot(2);

	text_copy(snapshot->host, sizeof(snapshot->host), "a-host-with-a-long-name.example");
	stage_open(stage, width, 24, false, snapshot);
}

static bool has_mode(const char *title, const struct mode *mode, bool in_full)
{
	return strstr(title, mode->full) || (!in_full && strstr(title, mode->brief));
}

static void check_title(const struct mode *one, const struct mode *other, unsigned width)
{
	struct stage stage;

	open_stage(&stage, width);
	one->set(&stage);
	if (other)
		other->set(&stage);
	stage_keys(&stage, (int[]){0});

	char *title = title_of(&stage);

	if (!has_mode(title, one, width == 120 && !other) ||
	    (other && !has_mode(title, other, false)))
		fail_msg("%s, %s at %u: %s", one->name, other ? other->name : "", width, title);
	free(title);
	stage_close(&stage);
}

/* Each mode alone, and any two that can be together. */
static void test_modes(void **state)
{
	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(screens); s++)
		for (size_t a = 0; a < ARRAY_SIZE(modes); a++) {
			check_title(&modes[a], NULL, screens[s]);
			for (size_t b = a + 1; b < ARRAY_SIZE(modes); b++)
				if (modes[a].kind != modes[b].kind)
					check_title(&modes[a], &modes[b], screens[s]);
		}
}

/* All modes that can be together. */
static void test_all_modes(void **state)
{
	static const char *const words[] = {"filter", "user postgres", "user only",
					    "budget", "baseline",      "PAUSED",
					    "counts", "pid 1004121"};
	struct stage stage;

	(void)state;
	open_stage(&stage, 100);
	set_filter(&stage);
	set_user(&stage);
	set_user_mode(&stage);
	set_budget(&stage);
	set_counts(&stage);
	set_target(&stage);
	set_baseline(&stage);
	set_pause(&stage);
	stage_keys(&stage, (int[]){0});

	char *title = title_of(&stage);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strstr(title, words[i]))
			fail_msg("%s: %s", words[i], title);
	free(title);
	stage_close(&stage);
}

/* The details have a title of their own, with the privilege levels of the figures. */
static void test_details(void **state)
{
	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(screens); s++) {
		struct stage stage;

		open_stage(&stage, screens[s]);
		set_kernel_mode(&stage);
		stage_keys(&stage, (int[]){KEYMAP_ENTER, 0});

		char *title = title_of(&stage);

		assert_non_null(strstr(title, "kernel only"));
		free(title);
		stage_close(&stage);
	}
}

/* At 80 columns the processes are counted rather than pmctop's cost. */
static void test_processes(void **state)
{
	static const struct {
		unsigned width;
		const char *text;
	} rows[] = {{80, "  104 procs  "}, {100, "  104 processes  "}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = screen_snapshot(2);
		struct stage stage;

		snapshot->machine.known[MACHINE_PROCESSES] = true;
		snapshot->machine.values[MACHINE_PROCESSES] = 104;
		snapshot->cost = (struct snapshot_cost){.cpu_ns = NS_PER_MS, .wall_ns = NS_PER_S};
		stage_open(&stage, rows[i].width, 24, false, snapshot);
		app_draw(&stage.app, &stage.canvas);
		stage_check_text(&stage, rows[i].text, true);
		stage_close(&stage);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_all_modes),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
