// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/util.h"
#include "tui/duration.h"
#include "tui/options.h"
#include "tui/suggest.h"

#include <errno.h>
#include <string.h>

enum { ARGS_MAX = 12 };

/* getopt permutes argv: a copy for every call. */
static int parse(const char *const *args, struct options *options, struct error *err)
{
	char *argv[ARGS_MAX + 2] = {NULL};
	static char words[ARGS_MAX + 1][64];
	int argc = 0;

	text_copy(words[0], sizeof(words[0]), "pmctop");
	argv[argc++] = words[0];
	for (; args[argc - 1]; argc++) {
		text_copy(words[argc], sizeof(words[argc]), args[argc - 1]);
		argv[argc] = words[argc];
	}
	memset(err, 0, sizeof(*err));
	return options_parse(argc, argv, options, err);
}

static void test_accepted(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		struct options expected;
	} rows[] = {
		{{NULL}, {.interval_ns = NS_PER_S}},
		{{"2"}, {.interval_ns = 2 * NS_PER_S}},
		{{"0.5", "3"}, {.interval_ns = 500000000, .iterations = 3}},
		{{"-b", "500ms", "1"}, {.interval_ns = 500000000, .iterations = 1, .batch = true}},
		{{"500ms", "-b", "1"}, {.interval_ns = 500000000, .iterations = 1, .batch = true}},
		{{"-d", "2s", "-n", "7"}, {.interval_ns = 2 * NS_PER_S, .iterations = 7}},
		{{"-d2", "-n7"}, {.interval_ns = 2 * NS_PER_S, .iterations = 7}},
		{{"--delay=0.1"}, {.interval_ns = 100000000}},
		{{"-d", "3600"}, {.interval_ns = 3600 * NS_PER_S}},
		{{"--iter", "4"}, {.interval_ns = NS_PER_S, .iterations = 4}},
		{{"--format", "json"},
		 {.interval_ns = NS_PER_S, .batch = true, .format = OPTIONS_JSON}},
		{{"--format=text"}, {.interval_ns = NS_PER_S, .batch = true}},
		{{"-o", "file"}, {.interval_ns = NS_PER_S, .batch = true, .output = "file"}},
		{{"-bHn", "2"},
		 {.interval_ns = NS_PER_S, .iterations = 2, .batch = true, .threads = true}},
		{{"-s", "ipc"}, {.interval_ns = NS_PER_S, .sort = "ipc"}},
		{{"-s", "-ipc"}, {.interval_ns = NS_PER_S, .sort = "ipc", .reverse = true}},
		{{"-s", "command"}, {.interval_ns = NS_PER_S, .sort = "command"}},
		{{"-s", "help"}, {.interval_ns = NS_PER_S, .task = OPTIONS_LIST_COLUMNS}},
		{{"-S", "software"}, {.interval_ns = NS_PER_S, .preset = "software"}},
		{{"--color", "never"}, {.interval_ns = NS_PER_S, .color = OPTIONS_COLOR_NEVER}},
		{{"--ascii"}, {.interval_ns = NS_PER_S, .ascii = true}},
		{{"--theme", "x"}, {.interval_ns = NS_PER_S, .theme = "x"}},
		{{"-h", "--nonsense"}, {.interval_ns = NS_PER_S, .task = OPTIONS_HELP}},
		{{"-V"}, {.interval_ns = NS_PER_S, .task = OPTIONS_VERSION}},
		{{"--", "2"}, {.interval_ns = 2 * NS_PER_S}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct options *expected = &rows[i].expected;
		struct options options;
		struct error err;

		if (parse(rows[i].args, &options, &err))
			fail_msg("%s: refused: %s", rows[i].args[0], err.text);
		assert_int_equal(options.task, expected->task);
		assert_true(options.interval_ns == expected->interval_ns);
		assert_true(options.iterations == expected->iterations);
		assert_int_equal(options.batch, expected->batch);
		assert_int_equal(options.format, expected->format);
		assert_int_equal(options.threads, expected->threads);
		assert_int_equal(options.reverse, expected->reverse);
		assert_int_equal(options.color, expected->color);
		assert_int_equal(options.ascii, expected->ascii);
		assert_string_equal(options.sort, expected->sort ? expected->sort : "");
		assert_int_equal(options.preset != NULL, expected->preset != NULL);
		if (expected->preset)
			assert_string_equal(options.preset, expected->preset);
		assert_int_equal(options.output != NULL, expected->output != NULL);
		assert_int_equal(options.theme != NULL, expected->theme != NULL);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *text;
	} rows[] = {
		{{"0"}, "delay 0 is below the floor of 0.1 seconds"},
		{{"0.05"}, "delay 0.05 is below the floor of 0.1 seconds"},
		{{"50ms"}, "delay 50ms is below the floor of 0.1 seconds"},
		{{"3601"}, "delay 3601 is above the limit of 3600 seconds"},
		{{"99999999999999999999999"},
		 "delay 99999999999999999999 is above the limit of 3600 seconds"},
		{{"x"}, "delay 'x' is no time: write seconds (1, 0.5) or 500ms"},
		{{"1,5"}, "delay '1,5' is no time: write seconds (1, 0.5) or 500ms"},
		{{"0x10"}, "delay '0x10' is no time: write seconds (1, 0.5) or 500ms"},
		{{"inf"}, "delay 'inf' is no time: write seconds (1, 0.5) or 500ms"},
		{{"-d", ""}, "delay '' is no time: write seconds (1, 0.5) or 500ms"},
		{{"-d"}, "option '--delay' needs SECS"},
		{{"--sort"}, "option '--sort' needs COLUMN"},
		{{"-n", "0"}, "'0' is no number of refreshes: write 1, 2, 3 ..."},
		{{"-n", "-1"}, "'-1' is no number of refreshes: write 1, 2, 3 ..."},
		{{"-n", "2x"}, "'2x' is no number of refreshes: write 1, 2, 3 ..."},
		{{"1", "two"}, "'two' is no number of refreshes: write 1, 2, 3 ..."},
		{{"1", "2", "3"}, "'3' is one argument too many: see 'pmctop --help'"},
		{{"-x"}, "unknown option '-x': see 'pmctop --help'"},
		{{"-bx"}, "unknown option '-x': see 'pmctop --help'"},
		{{"-1"}, "unknown option '-1': see 'pmctop --help'"},
		{{"--dely", "1"}, "unknown option '--dely' (did you mean '--delay'?)"},
		{{"1", "--bacth"}, "unknown option '--bacth' (did you mean '--batch'?)"},
		{{"--formta=json"}, "unknown option '--formta' (did you mean '--format'?)"},
		{{"--zzz"}, "unknown option '--zzz': see 'pmctop --help'"},
		{{"--batch=yes"}, "option '--batch' takes no argument"},
		{{"--format", "jsn"}, "unknown format 'jsn' (did you mean 'json'?): text or json"},
		{{"--format", "xml"}, "unknown format 'xml': text or json"},
		{{"-s", "icp"}, "unknown column 'icp' (did you mean 'ipc'?): '-s help' lists them"},
		{{"-s", "cpu"},
		 "unknown column 'cpu' (did you mean 'cpu_percent'?): '-s help' lists them"},
		{{"-s", "-"}, "unknown column '': '-s help' lists them"},
		{{"--color", "alway"},
		 "unknown --color 'alway' (did you mean 'always'?): auto, always or never"},
		{{"--theme", ""}, "--theme needs a name or a file"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options options;
		struct error err;

		assert_int_equal(parse(rows[i].args, &options, &err), -EINVAL);
		assert_string_equal(err.text, rows[i].text);
	}
}

static void test_duration_format(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{NS_PER_S, "1.0s"},       {500 * NS_PER_MS, "0.5s"},    {250 * NS_PER_MS, "0.25s"},
		{60 * NS_PER_S, "60.0s"}, {1234 * NS_PER_MS, "1.234s"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[24];

		duration_format(rows[i].ns, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
}

static void test_suggest(void **state)
{
	static const struct {
		const char *word, *expected;
	} rows[] = {
		{"ipc", "ipc"},
		{"icp", "ipc"},
		{"IPC", "ipc"},
		{"branch", "branch_mpki"},
		{"bracnh_mpki", "branch_mpki"},
		{"", NULL},
		{"xyz", NULL},
		{"q", NULL},
	};
	static const char *const names[] = {"ipc", "cpi", "branch_mpki", "command"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct suggest suggest = {.word = rows[i].word};

		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			suggest_offer(&suggest, names[k]);
		if (rows[i].expected)
			assert_string_equal(suggest.nearest, rows[i].expected);
		else
			assert_null(suggest.nearest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_duration_format),
		cmocka_unit_test(test_suggest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
