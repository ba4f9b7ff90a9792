// SPDX-License-Identifier: MIT
/* The key that saves the screen: its files, their names, and what prevents them. */
#include "core/base/version.h"
#include "core/replay/replay_index.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/markup.h"
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"
#include "tui/screen/save_screen.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "pmctop-testhost-20251120-144640"

struct saving {
	struct stage stage;
	struct theme theme;
	char directory[32];
	int home; /* the directory to return to */
};

static struct snapshot *snapshot_of(const char *host)
{
	struct snapshot *snapshot = screen_snapshot(2);

	strcpy(snapshot->host, host);
	snapshot->realtime_ns = 1763650000 * NS_PER_S; /* 2025-11-20 14:46:40 UTC */
	return snapshot;
}

static void saving_open(struct saving *saving, struct snapshot *snapshot)
{
	struct notes notes = {0};
	struct error err;

	*saving = (struct saving){.directory = "/tmp/pmctop-save-XXXXXX"};
	saving->home = open(".", O_RDONLY | O_DIRECTORY);
	assert_non_null(mkdtemp(saving->directory));
	assert_int_equal(chdir(saving->directory), 0);
	assert_int_equal(
		theme_parse("t", theme_builtin_find("default"), &saving->theme, &notes, &err), 0);
	stage_open(&saving->stage, 80, 24, false, snapshot);
	app_draw(&saving->stage.app, &saving->stage.canvas);
}

static void saving_close(struct saving *saving)
{
	stage_close(&saving->stage);
	assert_int_equal(fchdir(saving->home), 0);
	close(saving->home);
	remove_tree(saving->directory);
}

/* Presses S and saves, as the program does. Fails unless the notice contains the text. */
static void save(struct saving *saving, const char *notice)
{
	struct app *app = &saving->stage.app;

	app_key(app, 'S');
	if (app->out.save_screen)
		save_screen(app, &saving->stage.canvas, &saving->theme, COLOR_DEPTH_256);
	app->out.save_screen = false;
	if (!strstr(app->messages.notice, notice))
		fail_msg("'%s' instead of '%s'", app->messages.notice, notice);
}

/* The contents of a file, which the caller frees. */
static char *contents(const char *path)
{
	struct stat status;
	FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("%s is missing", path);
	assert_int_equal(fstat(fileno(file), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	char *text = calloc(1, (size_t)status.st_size + 1);
	assert_int_equal(fread(text, 1, (size_t)status.st_size, file), status.st_size);
	fclose(file);
	return text;
}

static void expect_text(const char *path, const char *const *texts)
{
	char *all = contents(path);
	const char *fault = strstr(path, ".svg") ? xml_fault(all) : sgr_fault(all);

	if (fault)
		fail_msg("%s: %s", path, fault);
	for (; *texts; texts++)
		if (!strstr(all, *texts))
			fail_msg("%s is not in %s:\n%s", *texts, path, all);
	free(all);
}

static void test_files(void **state)
{
	static const char *const texts[] = {
		"testhost",
		"2025-11-20 14:46:40 +0000",
		"counted part of the time",
		"this CPU has no such event",
		"COMMAND",
		NULL,
	};
	struct saving saving;
	char program[64];
	const char *const programs[] = {program, NULL};

	(void)state;
	snprintf(program, sizeof(program), "pmctop %s", version);
	saving_open(&saving, snapshot_of("testhost"));
	save(&saving, "Saved " NAME ".ansi and .svg in the current directory.");
	expect_text(NAME ".ansi", texts);
	expect_text(NAME ".svg", texts);
	expect_text(NAME ".ansi", programs);
	expect_text(NAME ".svg", programs);
	assert_int_equal(count_files("."), 2);
	saving_close(&saving);
}

/* With --ssh the files are on the host. */
static void test_on_host(void **state)
{
	struct saving saving;
	char notice[256];

	(void)state;
	saving_open(&saving, snapshot_of("testhost"));
	saving.stage.app.config.host = "root@box";
	snprintf(notice, sizeof(notice), "Saved on the host: root@box:%s/" NAME ".ansi and .svg.",
		 saving.directory);
	save(&saving, notice);
	assert_int_equal(count_files("."), 2);
	saving_close(&saving);
}

/* The legend has the marks that are on the screen, and no others. */
static void test_legend(void **state)
{
	static const struct {
		const char *line;
		const char *mark; /* NULL: none */
	} rows[] = {
		{"nothing", NULL},   {" 1 ~1.2 x", "~1.2"}, {" 1 ~+1.2 x", "~1.2"},
		{"~memory", "~1.2"}, {"~/bin ~", NULL},     {"?12", "?1.2"},
		{"? ?? a?1", NULL},  {"n/a", "n/a"},        {"on/a n/an", NULL},
		{"!", "!"},          {"!x", NULL},          {"a - b", "-"},
		{"a -b `- c", NULL},
	};
	static const char *const marks[] = {"~1.2", "?1.2", "n/a", "!", "-"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct saving saving;
		struct canvas *canvas;

		saving_open(&saving, snapshot_of("testhost"));
		canvas = &saving.stage.canvas;
		canvas_clear(canvas);
		canvas_text(canvas, 0, 3, 80, STYLE_PLAIN, rows[i].line);
		save(&saving, "Saved ");
		char *text = contents(NAME ".svg");
		char *legend = strstr(text, "+0000");
		assert_non_null(legend);
		legend = strstr(legend + 1, "+0000"); /* the first one is in the title */
		assert_non_null(legend);
		for (size_t j = 0; j < ARRAY_SIZE(marks); j++) {
			char element[16];
			bool want = rows[i].mark && strcmp(rows[i].mark, marks[j]) == 0;

			snprintf(element, sizeof(element), ">%s</text>", marks[j]);
			if (!strstr(legend, element) == want)
				fail_msg("'%s': %s in\n%s", rows[i].line, marks[j], legend);
		}
		free(text);
		saving_close(&saving);
	}
}

static void test_names(void **state)
{
	static const struct {
		const char *host;
		uint64_t realtime_ns;
		const char *name;
	} rows[] = {
		{"a b/../c", 1763650000 * NS_PER_S, "pmctop-a_b_.._c-20251120-144640"},
		{"\033[2J<&", 1763650000 * NS_PER_S, "pmctop-__2J__-20251120-144640"},
		{"box", 0, "pmctop-box"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static const char *const unknown[] = {"time unknown", NULL}, *const none[] = {NULL};
		struct saving saving;
		struct snapshot *snapshot = snapshot_of(rows[i].host);
		char path[80];

		snapshot->realtime_ns = rows[i].realtime_ns;
		saving_open(&saving, snapshot);
		save(&saving, rows[i].name);
		snprintf(path, sizeof(path), "%s.ansi", rows[i].name);
		expect_text(path, rows[i].realtime_ns ? none : unknown);
		snprintf(path, sizeof(path), "%s.svg", rows[i].name);
		expect_text(path, none);
		saving_close(&saving);
	}
}

/* An existing file, or a link, is not touched. Both files have the same number. */
static void test_name_exists(void **state)
{
	static const char *const none[] = {NULL};
	struct saving saving;

	(void)state;
	saving_open(&saving, snapshot_of("testhost"));
	write_file(NAME ".svg", "mine");
	assert_int_equal(symlink("target", NAME "-2.ansi"), 0);
	save(&saving, "Saved " NAME "-3.ansi and .svg");
	save(&saving, "Saved " NAME "-4.ansi and .svg");
	expect_text(NAME "-3.ansi", none);
	expect_text(NAME "-4.svg", none);
	expect_file(NAME ".svg", "mine");
	assert_int_equal(count_files("."), 6);
	saving_close(&saving);
}

static void test_refused(void **state)
{
	struct saving saving;

	(void)state;
	saving_open(&saving, snapshot_of("testhost"));
	/* A directory that was removed refuses root too. */
	assert_int_equal(rmdir(saving.directory), 0);
	save(&saving, "'" NAME ".ansi' cannot be written: No such file or directory.");
	assert_int_equal(mkdir(saving.directory, 0700), 0);
	saving_close(&saving);

	if (geteuid() == 0)
		return;
	saving_open(&saving, snapshot_of("testhost"));
	assert_int_equal(chmod(".", 0500), 0);
	save(&saving, "'" NAME ".ansi' cannot be written: Permission denied. Write elsewhere.");
	assert_int_equal(chmod(".", 0700), 0);
	assert_int_equal(count_files("."), 0);
	saving_close(&saving);
}

/* A file size limit acts as a full disk: the text fits, or not even that. Neither file remains. */
static void test_full_disk(void **state)
{
	static const struct {
		rlim_t bytes;
		const char *ending;
	} rows[] = {{100, "ansi"}, {8192, "svg"}};
	struct saving saving;

	(void)state;
	saving_open(&saving, snapshot_of("testhost"));
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rlimit before, limit;
		char notice[160];

		assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
		limit = before;
		limit.rlim_cur = rows[i].bytes;
		snprintf(notice, sizeof(notice),
			 "'" NAME ".%s' cannot be written: File too large. The limit is "
			 "'ulimit -f'.",
			 rows[i].ending);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		save(&saving, notice);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		assert_int_equal(count_files("."), 0);
	}
	saving_close(&saving);
}

static void test_readonly(void **state)
{
	struct saving saving;

	(void)state;
	saving_open(&saving, snapshot_of("testhost"));
	saving.stage.app.config.readonly = true;
	save(&saving, "--readonly: nothing is saved.");
	assert_int_equal(count_files("."), 0);
	saving_close(&saving);
}

static void test_before_figures(void **state)
{
	struct saving saving;

	(void)state;
	saving_open(&saving, NULL);
	save(&saving, "Not saved: there are no figures yet.");
	assert_int_equal(count_files("."), 0);
	saving_close(&saving);
}

/* A replay is saved as a live screen is, with the time that is shown. */
static void test_replay(void **state)
{
	static const char *const texts[] = {"2025-11-20 14:46:40 +0000", "REPLAY", NULL};
	struct saving saving;
	struct app *app = &saving.stage.app;
	struct replay_index *replay_index = replay_index_new();

	(void)state;
	saving_open(&saving, NULL);
	app_set_replay_index(app, replay_index);
	app->replay.playback = (struct playback){.name = "run.data", .speed = PLAYBACK_SPEED_ONE};
	app_snapshot(app, snapshot_of("testhost"));
	app_draw(app, &saving.stage.canvas);
	save(&saving, "Saved " NAME ".ansi and .svg");
	expect_text(NAME ".ansi", texts);
	expect_text(NAME ".svg", texts);
	saving_close(&saving);
	replay_index_free(replay_index);
}

/* While the screen is paused, its time is saved, not the time of the snapshot that waits. */
static void test_pause(void **state)
{
	struct saving saving;
	struct snapshot *next = snapshot_of("testhost");

	(void)state;
	saving_open(&saving, snapshot_of("testhost"));
	app_pause(&saving.stage.app, true);
	next->realtime_ns += NS_PER_S;
	app_snapshot(&saving.stage.app, next);
	save(&saving, NAME ".ansi");
	saving_close(&saving);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),    cmocka_unit_test(test_legend),
		cmocka_unit_test(test_names),    cmocka_unit_test(test_name_exists),
		cmocka_unit_test(test_refused),  cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_readonly), cmocka_unit_test(test_before_figures),
		cmocka_unit_test(test_replay),   cmocka_unit_test(test_pause),
		cmocka_unit_test(test_on_host),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
