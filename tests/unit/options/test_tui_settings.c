// SPDX-License-Identifier: MIT
/* Settings that W saves, and the options that the screen has at that moment. */
#include "core/base/util.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/screen_snapshot.h"
#include "tui/options/config.h"
#include "tui/options/option_table.h"
#include "tui/options/settings.h"
#include "tui/screen/app_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64], path[128];

static int make_directory(void **state)
{
	(void)state;
	text_copy(directory, sizeof(directory), "/tmp/pmctop-settings-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/pmctop.conf", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	remove_tree(directory);
	return 0;
}

static void test_save(void **state)
{
	static const struct {
		const char *name, *file;
		const char *argv[22];
		const char *expected;
	} rows[] = {
		{"the defaults", "", {"x"}, ""},
		{"all settings",
		 "# mine\n",
		 {"x",          "-d",    "500ms",   "--by", "user",        "-s",   "-ipc",
		  "-S",         "cache", "--theme", "nord", "--count",     "user", "--ascii",
		  "--no-mouse", "-c",    "--unit",  "ki",   "--frequency", "97"},
		 "# mine\n\n[pmctop]\ndelay = 0.5s\npreset = cache\ncount = user\nfrequency = "
		 "97\nsort = -ipc\ncommand-lines = yes\nby = user\nunit = ki\nascii = yes\nmouse = "
		 "no\ntheme = nord\n"},
		{"no change",
		 "[pmctop]\ndelay=500ms # so\nsort: -ipc\n",
		 {"x", "-d", "0.5", "-s", "-ipc"},
		 "[pmctop]\ndelay=500ms # so\nsort: -ipc\n"},
		{"back to the defaults",
		 "[pmctop]\ndelay = 2\npreset = cache\ntheme = nord # cold\nsort = ipc\n",
		 {"x"},
		 "[pmctop]\ndelay = 1.0s\ntheme = default # cold\n"},
		{"threads, by two settings",
		 "[pmctop]\nby = user\nthreads = yes\n",
		 {"x", "--by", "cgroup"},
		 "[pmctop]\nby = cgroup\n"},
		{"columns",
		 "",
		 {"x", "-e", "{cycles,branches}:u,r01a2", "-m", "ipc", "-m",
		  "k = 1000*page-faults ; unit=/ki", "-e", "cs"},
		 "[metrics]\nk = 1000*page-faults; unit=/ki\n\n[pmctop]\nevent = "
		 "{cycles,branches}:u,r01a2, cs\nmetric = ipc, k\n"},
		{"columns removed", "[pmctop]\nevent = cs\nmetric = ipc\n", {"x"}, "[pmctop]\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *argv[23] = {NULL};
		struct options options;
		struct error err = {0};
		int argc = 0;

		for (; argc < 22 && rows[i].argv[argc]; argc++)
			argv[argc] = xstrdup(rows[i].argv[argc]);
		options_init(&options);
		assert_int_equal(options_parse(argc, argv, &options, &err), 0);
		write_file(path, rows[i].file);
		if (settings_save(path, NULL, &options, &err) < 0)
			fail_msg("%s: %s", rows[i].name, err.text);
		expect_file(path, rows[i].expected);

		/* A second save changes nothing. */
		assert_int_equal(settings_save(path, NULL, &options, &err), 1);
		expect_file(path, rows[i].expected);
		options_fini(&options);
		for (int k = 0; k < argc; k++)
			free(argv[k]);
	}
}

/* A new file of the user begins as a copy of the machine's file. */
static void test_pattern(void **state)
{
	char pattern[160];
	struct options options;
	struct error err;

	(void)state;
	write_file(path, "[pmctop]\ndelay = 5\n[presets]\np = ipc\n");
	snprintf(pattern, sizeof(pattern), "%s.etc", path);
	assert_int_equal(rename(path, pattern), 0);
	options_init(&options);
	options.theme = "nord";
	assert_int_equal(settings_save(path, pattern, &options, &err), 0);
	expect_file(path, "[pmctop]\ndelay = 1.0s\ntheme = nord\n[presets]\np = ipc\n");
	options.theme = "no #theme";
	assert_int_not_equal(settings_save(path, pattern, &options, &err), 0);
	assert_string_equal(err.text, "'theme = no #theme' cannot be written in a configuration.");
	options_fini(&options);
}

/* The options contain the added columns that still exist, and the list on the screen. */
static void test_app_options(void **state)
{
	static const struct {
		enum request_kind kind;
		const char *text;
	} commands[] = {
		{REQUEST_ADD_METRIC, "ipc"},    {REQUEST_ADD_METRIC, "nosuch = 1"},
		{REQUEST_ADD_EVENTS, "nosuch"}, {REQUEST_ADD_METRIC, "ipc"},
		{REQUEST_PRESET, "cache"},
	};
	struct options began, now;
	struct app app;

	(void)state;
	options_init(&began);
	began.ascii = true;
	began.frequency = 97;
	app_init(&app, &began);
	app_snapshot(&app, screen_snapshot(2));
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		app_request(&app, commands[i].kind, commands[i].text, 0);
	app.preferences.interval_ns = 2 * NS_PER_S;
	app_key(&app, 'C');
	app_options(&app, &began, &now);
	assert_int_equal(now.interval_ns, 2 * NS_PER_S);
	assert_int_equal(now.by, ROLLUP_CPU);
	assert_string_equal(now.preset, "cache");
	assert_null(now.theme);
	assert_true(now.ascii);
	assert_int_equal(now.frequency, 97);
	assert_int_equal(now.n_columns, 1);
	assert_string_equal(now.columns[0].text, "ipc");
	assert_string_equal(now.shown, "");
	options_fini(&now);

	/* In the setup: the list below it, unless the setup changes the list of tasks. */
	app_key(&app, 'R');
	app_key(&app, KEYMAP_F0 + 2);
	app_options(&app, &began, &now);
	assert_int_equal(now.by, ROLLUP_CPU);
	options_fini(&now);
	for (unsigned i = 0; i < 3; i++)
		app_key(&app, KEYMAP_DOWN);
	app_key(&app, ' ');
	app_options(&app, &began, &now);
	assert_int_equal(now.by, app.tasks.spec.by);
	assert_false(now.by == ROLLUP_PROCESS || rollup_is_of_cpus(now.by));
	options_fini(&now);
	/* The default order, reversed, has the name of its column. */
	app_key(&app, 'q'); /* to the list of CPUs */
	app_key(&app, 'C');
	assert_ptr_equal(app_list(&app), &app.tasks);
	app_key(&app, 'R');
	app_options(&app, &began, &now);
	assert_string_equal(now.sort, "cpu_percent");
	assert_true(now.reverse);
	options_fini(&now);
	app_key(&app, 'R');
	app_key(&app, 'C');

	/* The events of a group that exist, and the order of the columns. */
	app_request(&app, REQUEST_ADD_EVENTS, "mips,{ghz,nosuch,cs_per_s}", 0);
	app_request(&app, REQUEST_ADD_EVENTS, "{ghz,cs_per_s}", 0);
	app_options(&app, &began, &now);
	assert_int_equal(now.n_columns, 2);
	assert_string_equal(now.columns[1].text, "mips, {ghz, cs_per_s}");
	assert_memory_equal(now.shown, "cpu_percent, ghz, ", 18);
	options_fini(&now);
	app_fini(&app);
	options_fini(&began);
}

/* W writes each setting that it saves as it was given, if no key changes it. */
static void test_saved_settings(void **state)
{
	static const char *const given[][2] = {
		{"delay", "0.5s"},
		{"preset", "cache"},
		{"event", "{cycles,branches}:u"},
		{"metric", "ipc"},
		{"count", "user"},
		{"frequency", "97"},
		{"sort", "-ipc"},
		{"columns", "ipc, -mips"},
		{"idle", "yes"},
		{"command-lines", "yes"},
		{"by", "cgroup"},
		{"unit", "ki"},
		{"ascii", "yes"},
		{"mouse", "no"},
		{"theme", "nord"},
	};
	struct options began, now;
	struct error err;
	struct app app;
	size_t n = 0;

	(void)state;
	options_init(&began);
	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		assert_int_equal(options_set(&began, given[i][0], given[i][1], &err), 0);
	app_init(&app, &began);
	app_options(&app, &began, &now);
	for (size_t i = 0; i < option_rows_n; i++) {
		char *text = NULL;
		size_t size;

		if (!option_rows[i].saved)
			continue;
		FILE *file = open_memstream(&text, &size);
		option_row_write(&option_rows[i], &now, file);
		fclose(file);
		assert_string_equal(option_row_setting(&option_rows[i]), given[n][0]);
		assert_string_equal(text, given[n++][1]);
		free(text);
	}
	assert_int_equal(n, ARRAY_SIZE(given));
	options_fini(&now);
	options_fini(&began);
	app_fini(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_save),
		cmocka_unit_test(test_pattern),
		cmocka_unit_test(test_app_options),
		cmocka_unit_test(test_saved_settings),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
