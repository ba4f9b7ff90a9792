// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/suggest.h"
#include "core/base/util.h"
#include "core/metric/metric.h"
#include "core/metric/preset.h"
#include "core/output/batch.h"
#include "tests/unit/shared/files.h"
#include "tui/options/choice.h"
#include "tui/options/duration.h"
#include "tui/options/option_table.h"
#include "tui/options/options.h"
#include "tui/options/output_apart.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARGS_MAX = 12 };

/* getopt permutes argv: a copy for every call. */
static int parse(const char *const *args, struct options *options, struct error *err)
{
	/* Both outlive the call: options->command points into argv. */
	static char *argv[ARGS_MAX + 2];
	static char words[ARGS_MAX + 1][64];
	int argc = 0;

	memset(argv, 0, sizeof(argv));
	text_copy(words[0], sizeof(words[0]), "pmctop");
	argv[argc++] = words[0];
	for (; args[argc - 1]; argc++) {
		text_copy(words[argc], sizeof(words[argc]), args[argc - 1]);
		argv[argc] = words[argc];
	}
	memset(err, 0, sizeof(*err));
	options_init(options);
	return options_parse(argc, argv, options, err);
}

static void test_accepted(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		struct options expected;
		const char *format; /* NULL: the default */
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
		{{"--format=json"}, {.interval_ns = NS_PER_S, .batch = true}, .format = "json"},
		{{"--code"}, {.interval_ns = NS_PER_S, .batch = true, .code = true}},
		{{"--format=folded"},
		 {.interval_ns = NS_PER_S, .batch = true, .code = true},
		 .format = "folded"},
		{{"--top", "20"}, {.interval_ns = NS_PER_S, .top = 20}},
		{{"--listen", ":9105"}, {.interval_ns = NS_PER_S, .listen = ":9105"}},
		{{"--listen-name", "box", "--listen", ":9105", "--listen-name", "b.example."},
		 {.interval_ns = NS_PER_S, .listen = ":9105", .n_listen_names = 2}},
		{{"-o", "file"}, {.interval_ns = NS_PER_S, .batch = true, .output = "file"}},
		{{"-bHn", "2"},
		 {.interval_ns = NS_PER_S, .iterations = 2, .batch = true, .by = ROLLUP_THREAD}},
		{{"--by=tree"}, {.interval_ns = NS_PER_S, .by = ROLLUP_TREE}},
		{{"-H", "--by", "node"}, {.interval_ns = NS_PER_S, .by = ROLLUP_NODE}},
		{{"-s", "ipc"}, {.interval_ns = NS_PER_S, .sort = "ipc"}},
		{{"-s", "-ipc"}, {.interval_ns = NS_PER_S, .sort = "ipc", .reverse = true}},
		{{"--filter", "db post"}, {.interval_ns = NS_PER_S, .filter = "db post"}},
		{{"-s", "-user"}, {.interval_ns = NS_PER_S, .sort = "user", .reverse = true}},
		{{"-s", "help"},
		 {.interval_ns = NS_PER_S, .task = OPTIONS_LIST, .list = OPTIONS_LIST_COLUMNS}},
		{{"--doctor"}, {.interval_ns = NS_PER_S, .task = OPTIONS_DOCTOR}},
		{{"--doctor", "--format", "json"},
		 {.interval_ns = NS_PER_S, .task = OPTIONS_DOCTOR, .batch = true},
		 .format = "json"},
		{{"--list", "events"}, {.interval_ns = NS_PER_S, .task = OPTIONS_LIST}},
		{{"--list", "pmus", "cpu*"},
		 {.interval_ns = NS_PER_S,
		  .task = OPTIONS_LIST,
		  .list = OPTIONS_LIST_PMUS,
		  .pattern = "cpu*"}},
		{{"ipc", "--list=metrics", "--config", "f"},
		 {.interval_ns = NS_PER_S,
		  .task = OPTIONS_LIST,
		  .list = OPTIONS_LIST_METRICS,
		  .pattern = "ipc",
		  .config = "f"}},
		{{"-S", "software"}, {.interval_ns = NS_PER_S, .preset = "software"}},
		{{"--color", "never"}, {.interval_ns = NS_PER_S, .color = OPTIONS_COLOR_NEVER}},
		{{"--ascii"}, {.interval_ns = NS_PER_S, .ascii = true}},
		{{"--idle"}, {.interval_ns = NS_PER_S, .idle = true}},
		{{"-c"}, {.interval_ns = NS_PER_S, .command_lines = true}},
		{{"--readonly"}, {.interval_ns = NS_PER_S, .readonly = true}},
		{{"--no-mouse"}, {.interval_ns = NS_PER_S, .task = OPTIONS_RUN}},
		{{"--theme", "x"}, {.interval_ns = NS_PER_S, .theme = "x"}},
		{{"-h", "--nonsense"}, {.interval_ns = NS_PER_S, .task = OPTIONS_HELP}},
		{{"-V"}, {.interval_ns = NS_PER_S, .task = OPTIONS_VERSION}},
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
		assert_int_equal(options.code, expected->code);
		assert_ptr_equal(options.format, rows[i].format ? batch_format_find(rows[i].format)
								: &batch_formats[0]);
		assert_int_equal(options.top, expected->top);
		assert_int_equal(options.by, expected->by);
		assert_int_equal(options.reverse, expected->reverse);
		assert_int_equal(options.color, expected->color);
		assert_int_equal(options.ascii, expected->ascii);
		assert_int_equal(options.command_lines, expected->command_lines);
		assert_int_equal(options.readonly, expected->readonly);
		assert_int_equal(options.idle, expected->idle);
		assert_int_equal(options.mouse,
				 !rows[i].args[0] || !strstr(rows[i].args[0], "mouse"));
		assert_string_equal(options.sort, expected->sort ? expected->sort : "");
		if (expected->filter)
			assert_string_equal(options.filter, expected->filter);
		else
			assert_null(options.filter);
		assert_string_equal(options.listen ? options.listen : "",
				    expected->listen ? expected->listen : "");
		assert_int_equal(options.n_listen_names, expected->n_listen_names);
		assert_int_equal(options.preset != NULL, expected->preset != NULL);
		if (expected->preset)
			assert_string_equal(options.preset, expected->preset);
		assert_int_equal(options.list, expected->list);
		assert_int_equal(options.pattern != NULL, expected->pattern != NULL);
		if (expected->pattern)
			assert_string_equal(options.pattern, expected->pattern);
		assert_int_equal(options.config != NULL, expected->config != NULL);
		assert_int_equal(options.output != NULL, expected->output != NULL);
		assert_int_equal(options.theme != NULL, expected->theme != NULL);
		options_fini(&options);
	}
}

static void test_frequency(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		unsigned frequency;
	} rows[] = {
		{{NULL}, 199},
		{{"--frequency", "1"}, 1},
		{{"--frequency=10000"}, 10000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options options;
		struct error err;

		assert_int_equal(parse(rows[i].args, &options, &err), 0);
		assert_int_equal(options.frequency, rows[i].frequency);
		options_fini(&options);
	}
}

static void test_command_lines(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		enum command_lines want;
	} rows[] = {
		{{NULL}, COMMAND_LINES_SCREEN},
		{{"-b"}, COMMAND_LINES_NONE},
		{{"--format", "json"}, COMMAND_LINES_NONE},
		{{"-b", "--filter", "a"}, COMMAND_LINES_MATCHED},
		{{"-c"}, COMMAND_LINES_SHOWN},
		{{"--filter", "a"}, COMMAND_LINES_MATCHED},
		{{"--filter", "a", "-c"}, COMMAND_LINES_SHOWN},
		{{"--filter", " "}, COMMAND_LINES_SCREEN},
		{{"--filter", "a", "--listen", "9105"}, COMMAND_LINES_MATCHED},
		{{"--filter", "a", "--listen", "9105", "--format", "json"}, COMMAND_LINES_MATCHED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options options;
		struct error err;

		assert_int_equal(parse(rows[i].args, &options, &err), 0);
		assert_int_equal(options_command_lines(&options), rows[i].want);
		options_fini(&options);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *text;
	} rows[] = {
		{{"0"}, "Invalid delay '0' (minimum 0.1 s)."},
		{{"0.05"}, "Invalid delay '0.05' (minimum 0.1 s)."},
		{{"50ms"}, "Invalid delay '50ms' (minimum 0.1 s)."},
		{{"3601"}, "Invalid delay '3601' (maximum 3600 s)."},
		{{"99999999999999999999999"},
		 "Invalid delay '99999999999999999999' (maximum 3600 s)."},
		{{"1,5"}, "Invalid delay '1,5' (examples: 1, 0.5, 500ms)."},
		{{"0x10"}, "Invalid delay '0x10' (examples: 1, 0.5, 500ms)."},
		{{"inf"},
		 "Invalid delay 'inf' (examples: 1, 0.5, 500ms). To run a command: pmctop -- inf"},
		{{"-b", "true"},
		 "Invalid delay 'true' (examples: 1, 0.5, 500ms). To run a command: pmctop -- "
		 "true"},
		{{"./ls", "-Z"},
		 "Invalid delay './ls' (examples: 1, 0.5, 500ms). To run a command: pmctop -- "
		 "./ls"},
		{{"--budget", "3,5"},
		 "Invalid budget '3,5' (a percentage from 0 to 100; 0: no limit)."},
		{{"--budget", "-1"},
		 "Invalid budget '-1' (a percentage from 0 to 100; 0: no limit)."},
		{{"--budget", "101"},
		 "Invalid budget '101' (a percentage from 0 to 100; 0: no limit)."},
		{{"--frequency", "0"},
		 "Invalid frequency '0' (samples a second, a whole number from 1 to 10000)."},
		{{"--frequency", "10001"},
		 "Invalid frequency '10001' (samples a second, a whole number from 1 to 10000)."},
		{{"--frequency", "99Hz"},
		 "Invalid frequency '99Hz' (samples a second, a whole number from 1 to 10000)."},
		{{"-d", ""}, "Invalid delay '' (examples: 1, 0.5, 500ms)."},
		{{"-d"}, "Option '--delay' needs SECS."},
		{{"--sort"}, "Option '--sort' needs COLUMN."},
		{{"-n", "0"}, "Invalid number of refreshes '0' (a whole number from 1 on)."},
		{{"-n", "-1"}, "Invalid number of refreshes '-1' (a whole number from 1 on)."},
		{{"-n", "2x"}, "Invalid number of refreshes '2x' (a whole number from 1 on)."},
		{{"--top", "0"}, "Invalid number of tasks '0' (a whole number from 1 on)."},
		{{"--top", "5k"}, "Invalid number of tasks '5k' (a whole number from 1 on)."},
		{{"--readonly", "--", "ls"}, "Option '--readonly' forbids commands. Omit '-- ls'."},
		{{"--readonly", "--record", "f"},
		 "Option '--readonly' forbids files. Omit '--record'."},
		{{"--readonly", "--record", "-"},
		 "Option '--readonly' forbids files. Omit '--record'."},
		{{"-o", "f", "--readonly"}, "Option '--readonly' forbids files. Omit '-o'."},
		{{"--doctor", "-o", "f", "--readonly"},
		 "Option '--readonly' forbids files. Omit '-o'."},
		{{"1", "two"}, "Invalid number of refreshes 'two' (a whole number from 1 on)."},
		{{"1", "2", "3"}, "Unexpected argument '3'. See 'pmctop --help'."},
		{{"-x"}, "Unknown option '-x'. See 'pmctop --help'."},
		{{"-bx"}, "Unknown option '-x'. See 'pmctop --help'."},
		{{"-1"}, "Unknown option '-1'. See 'pmctop --help'."},
		{{"--dely", "1"},
		 "Unknown option '--dely' (did you mean '--delay'?). See 'pmctop --help'."},
		{{"1", "--bacth"},
		 "Unknown option '--bacth' (did you mean '--batch'?). See 'pmctop --help'."},
		{{"--formta=json"},
		 "Unknown option '--formta' (did you mean '--format'?). See 'pmctop --help'."},
		{{"--format", "openmetrics", "--filter", "a"},
		 "Format openmetrics has all tasks: '--filter' is for rows. Omit it, or choose "
		 "tasks by '-p', '-u' or '--cgroup'."},
		{{"--filter", "a", "--format=prometheus"},
		 "Format prometheus has all tasks: '--filter' is for rows. Omit it, or choose "
		 "tasks by '-p', '-u' or '--cgroup'."},
		{{"-b", "--listen", "9105", "--filter", "a"},
		 "Option '--listen' has all tasks: '--filter' is for rows. Omit it, or choose "
		 "tasks by '-p', '-u' or '--cgroup'."},
		{{"--zzz"}, "Unknown option '--zzz'. See 'pmctop --help'."},
		{{"--batch=yes"}, "Option '--batch' takes no argument."},
		{{"-p", "db"},
		 "Invalid process number 'db' (examples: 12 or 12,13). To find numbers: pgrep -d, "
		 "NAME"},
		{{"-p", "12,,13"}, "Invalid process number '12,,13' (examples: 12 or 12,13)."},
		{{"-p", "12,"}, "Invalid process number '12,' (examples: 12 or 12,13)."},
		{{"-p", " "}, "Invalid process number ' ' (examples: 12 or 12,13)."},
		{{"-t", "0"}, "Invalid thread number '0' (examples: 12 or 12,13)."},
		{{"--format", "jsn"},
		 "Unknown format 'jsn' (did you mean 'json'?). Choose text, csv, json, folded, "
		 "openmetrics or prometheus."},
		{{"--format", "xml"},
		 "Unknown format 'xml'. Choose text, csv, json, folded, openmetrics or "
		 "prometheus."},
		{{"-s", "-"}, "Option '--sort' needs a column. See 'pmctop -s help'."},
		{{"-s", ""}, "Option '--sort' needs a column. See 'pmctop -s help'."},
		{{"--color", "alway"},
		 "Unknown --color 'alway' (did you mean 'always'?). Choose auto, always or never."},
		{{"-S", ""}, "Option '--preset' needs a name. See 'pmctop --list presets'."},
		{{"-e", ""}, "Option '--event' needs a name. See 'pmctop --list events'."},
		{{"-e"}, "Option '--event' needs EVENT."},
		{{"-m", "=1"}, "Option '--metric' needs a name. See 'pmctop --list metrics'."},
		{{"--list", "event"},
		 "Unknown --list 'event' (did you mean 'events'?). Choose events, metrics, "
		 "presets, "
		 "columns, themes, pmus, keys, formulas, verdicts, marks, palette or variables."},
		{{"--list", "events", "a", "b"}, "Unexpected argument 'b'. See 'pmctop --help'."},
		{{"--config", ""}, "Option '--config' needs the name of a file."},
		{{"--listen", ""},
		 "Option '--listen' needs a port, or an address and a port (examples: 9105, "
		 "[::1]:9105)."},
		{{"--listen", "box:1"},
		 "'box:1' is not a numeric address, and host names are not resolved (examples: "
		 "127.0.0.1:9105, [::1]:9105)."},
		{{"--listen-name", "box"}, "Option '--listen-name' needs '--listen'."},
		{{"--ssh", ""},
		 "Option '--ssh' needs a host, not '' (examples: box, root@box). Options of ssh "
		 "are "
		 "given by --ssh-option."},
		{{"--via", " \t"},
		 "Option '--via' needs a command (example: 'docker exec -it web')."},
		{{"--ssh", "box", "--via", "x"},
		 "Options '--ssh' and '--via' exclude each other. For a container on a host: --via "
		 "'ssh -t HOST docker exec -it web'."},
		{{"--ssh", "-oProxyCommand=id"},
		 "Option '--ssh' needs a host, not '-oProxyCommand=id' (examples: box, root@box). "
		 "Options of ssh are given by --ssh-option."},
		{{"--ssh", "a b"},
		 "Option '--ssh' needs a host, not 'a b' (examples: box, root@box). Options of ssh "
		 "are given by --ssh-option."},
		{{"--ssh", "a\033b"},
		 "Option '--ssh' needs a host, not 'a\033b' (examples: box, root@box). Options of "
		 "ssh are given by --ssh-option."},
		{{"--ssh", "a", "--ssh", "b"},
		 "Option '--ssh' takes one host. For several, run 'pmctop -b --listen ADDR:PORT' "
		 "on "
		 "each, and Prometheus."},
		{{"--ssh-option", "-p22"}, "Option '--ssh-option' needs '--ssh HOST'."},
		{{"--ssh-sudo"}, "Option '--ssh-sudo' needs '--ssh HOST' or '--via COMMAND'."},
		{{"--static", "p"}, "Option '--static' needs '--ssh HOST' or '--via COMMAND'."},
		{{"--ssh", "a", "--replay", "f"},
		 "Options '--ssh' and '--replay' exclude each other: recordings are replayed here. "
		 "Omit '--ssh'."},
		{{"--ssh", "a", "--record", "f", "--switch-output", "1G"},
		 "Option '--switch-output' does not work with '--ssh': the recording is one file "
		 "here. Omit it."},
		{{"--ssh", "a", "--format", "openmetrics", "-o", "f"},
		 "Format openmetrics with '-o' does not work with '--ssh'. Use '--listen' there, "
		 "or "
		 "omit '-o'."},
		{{"--listen", "9105", "--listen-name", "box:80"},
		 "Invalid host name 'box:80' (example: pmctop.example; no port; at most 253 "
		 "characters, 63 between dots)."},
		{{"--listen", "9105", "--listen-name", "."},
		 "Invalid host name '.' (example: pmctop.example; no port; at most 253 characters, "
		 "63 between dots)."},
		{{"--listen", "9105", "--listen-name", ""},
		 "Invalid host name '' (example: pmctop.example; no port; at most 253 characters, "
		 "63 between dots)."},
		{{"-o", ""}, "Option '--output' needs the name of a file."},
		{{"--theme", ""}, "Option '--theme' needs a name or a file."},
		{{"--"}, "No command behind '--'. To run one: pmctop -- COMMAND [ARG...]"},
		{{"-b", "2", "--"},
		 "No command behind '--'. To run one: pmctop -- COMMAND [ARG...]"},
		{{"-d", "--", "make"}, "Option '--delay' needs SECS."},
		{{"1", "2", "3", "--", "make"}, "Unexpected argument '3'. See 'pmctop --help'."},
		{{"--list", "events", "--", "make"},
		 "Unexpected argument 'make'. See 'pmctop --help'."},
		{{"--replay", ""}, "Option '--replay' needs the name of a file, or - for a pipe."},
		{{"--symfs", "/"}, "Option '--symfs' needs '--replay FILE'."},
		{{"--replay", "r", "--symfs", ""},
		 "Option '--symfs' needs the name of a directory."},
		{{"--replay", "r", "--symfs", "/no/such"},
		 "Option '--symfs': '/no/such' cannot be read: No such file or directory."},
		{{"--replay", "r", "--symfs", "/dev/null"},
		 "Option '--symfs': '/dev/null' is no directory."},
		{{"--speed", "2"}, "Option '--speed' needs '--replay FILE'."},
		{{"--replay", "r", "--speed", "fast"},
		 "Invalid speed 'fast' (0.01 to 100000, or max)."},
		{{"--replay", "r", "--speed", "0"}, "Invalid speed '0' (0.01 to 100000, or max)."},
		{{"--replay", "r", "--speed", "1e3"},
		 "Invalid speed '1e3' (0.01 to 100000, or max)."},
		{{"--replay", "r", "--speed", "1.2.3"},
		 "Invalid speed '1.2.3' (0.01 to 100000, or max)."},
		{{"--replay", "r", "--", "make"},
		 "A replay cannot run a command. Omit '-- make' or '--replay'."},
		{{"--replay", "r", "-C", "0"},
		 "Option '-C' is for live runs: a recording has fixed CPUs."},
		{{"--replay", "r", "--count", "user"},
		 "Option '--count' is for live runs: a recording has fixed privilege levels."},
		{{"--replay", "r", "--record", "r"},
		 "Option '--record' is for live runs: 'r' is a recording already."},
		{{"--replay", "r", "--doctor"},
		 "Options '--doctor' and '--replay' exclude each other. Omit one of them."},
		{{"--replay", "r", "--list", "events"},
		 "Options '--list' and '--replay' exclude each other. Omit one of them."},
		{{"--switch-output", "1G"}, "Option '--switch-output' needs '--record FILE'."},
		{{"--record", "-", "--switch-output", "1G"},
		 "Option '--switch-output' needs '--record FILE', not a pipe."},
		{{"--record", "r", "--switch-output", "5"},
		 "Invalid size or time '5' (a number with B, K, M, G or s, m, h, d)."},
		{{"--record", "r", "--switch-max-files", "5"},
		 "Option '--switch-max-files' needs '--switch-output SIZE'."},
		{{"--code", "--format", "openmetrics"},
		 "Format openmetrics has no functions: they would be too many series. Omit "
		 "'--code', or choose text, csv, json or folded."},
		{{"-b", "--code", "--listen", "0"},
		 "Option '--listen' serves no functions. Omit '--code', or print them too: "
		 "'--format json'."},
		{{"--switch-max-files", "0"},
		 "Invalid number of files '0' (a whole number from 1 on)."},
		{{"--switch-max-files", "3x"},
		 "Invalid number of files '3x' (a whole number from 1 on)."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options options;
		struct error err;

		assert_int_equal(parse(rows[i].args, &options, &err), -EINVAL);
		assert_string_equal(err.text, rows[i].text);
		options_fini(&options);
	}
}

static void test_record(void **state)
{
	const char *const args[] = {"--record",
				    "r",
				    "--switch-output",
				    "2M",
				    "--switch-output",
				    "3h",
				    "--switch-max-files",
				    "5",
				    NULL};
	struct options options;
	struct error err;

	(void)state;
	assert_int_equal(parse(args, &options, &err), 0);
	assert_string_equal(options.record.path, "r");
	assert_int_equal(options.record.switch_bytes, 2 << 20);
	assert_int_equal(options.record.switch_ns, 3 * 3600 * NS_PER_S);
	assert_int_equal(options.record.switch_files, 5);
	assert_false(options.batch);
	options_fini(&options);
}

static void test_replay(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		uint32_t speed;
		bool paced;
	} rows[] = {
		{{"--replay", "-", NULL}, 0, false},
		{{"--replay", "r", "--speed", "1", NULL}, 1000, true},
		{{"--speed", "0.25", "--replay", "r", NULL}, 250, true},
		{{"--replay", "r", "--speed", "100000", "-b", NULL}, 100000000, true},
		{{"--replay", "r", "--speed", "max", "-p", "7", NULL}, PLAYBACK_SPEED_MAX, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options options;
		struct error err;

		if (parse(rows[i].args, &options, &err))
			fail_msg("%zu: %s", i, err.text);
		assert_non_null(options.replay);
		assert_int_equal(options.speed, rows[i].speed);
		assert_int_equal(options.paced, rows[i].paced);
		options_fini(&options);
	}
}

/* A recording with perf's name in the working directory is an example. */
static void test_replay_of_what(void **state)
{
	static const char *const args[] = {"--replay", NULL};
	char directory[] = "/tmp/pmctop-here-XXXXXX", before[4096];
	struct options options;
	struct error err;

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(parse(args, &options, &err), -EINVAL);
	assert_string_equal(err.text, "Option '--replay' needs FILE.");
	options_fini(&options);
	write_file("perf.data", "");
	assert_int_equal(parse(args, &options, &err), -EINVAL);
	assert_string_equal(err.text,
			    "Option '--replay' needs FILE. Example: pmctop --replay perf.data");
	options_fini(&options);
	assert_int_equal(chdir(before), 0);
	remove_tree(directory);
}

/* The output file must not be the replayed or recorded file, under any name. */
static void test_output_apart(void **state)
{
	static const struct {
		const char *replay, *record, *output;
		bool refused;
	} rows[] = {
		{"there", NULL, "there", true},
		{"there", NULL, "./there", true},
		{"there", NULL, "hard", true},
		{"there", NULL, "soft", true},
		{"soft", NULL, "hard", true},
		{"there", NULL, "other", false},
		{"there", NULL, "absent", false},
		{"there", NULL, NULL, false},
		{"sub", NULL, "sub/perf.data", true},
		{"sub", NULL, "./sub/perf.data.2026112717474056", true},
		{"sub", NULL, "sub/other", false},
		{"sub", NULL, "perf.data", false},
		{"there", NULL, "/dev/null", false},
		{"/dev/null", NULL, "/dev/null", false},
		{"absent", NULL, "there", false},
		{NULL, "there", "there", true},
		{NULL, "there", "hard", true},
		{NULL, "absent", "absent", true},
		{NULL, "absent", "./absent", true},
		{NULL, "absent", "sub/../absent", true},
		{NULL, "absent", "dangling", true},
		{NULL, "absent", "sub/dangling", true},
		{NULL, "absent", "sub/absent", false},
		{NULL, "absent", "there", false},
		{NULL, "there", "absent", false},
		{NULL, "nowhere/absent", "nowhere/absent", false},
		{NULL, "there", "there.old", true},
		{NULL, "absent", "sub/../absent.old", true},
		{NULL, "there", "there.older", false},
		{NULL, "-", "-.old", false},
		{NULL, NULL, "there", false},
	};
	char directory[] = "/tmp/pmctop-apart-XXXXXX", before[4096];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	write_file("there", "");
	write_file("other", "");
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(link("there", "hard"), 0);
	assert_int_equal(symlink("there", "soft"), 0);
	assert_int_equal(symlink("absent", "dangling"), 0);
	assert_int_equal(symlink("../dangling", "sub/dangling"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct options options = {
			.replay = rows[i].replay,
			.record = {.path = rows[i].record},
			.output = rows[i].output,
		};
		struct error err = {0};
		int rc = output_apart_check(&options, &err);

		if (rc != (rows[i].refused ? -EINVAL : 0) ||
		    (rc && !strstr(err.text, ". Give -o another file.")))
			fail_msg("%zu: %d '%s'", i, rc, err.text);
	}
	assert_int_equal(chdir(before), 0);
	remove_tree(directory);
}

static void test_numbers(void **state)
{
	static const char *const rows[] = {"12,13", "12\n13", " 12 13 ", "12 , 13", "12,\t13\n"};
	struct options options;
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const args[] = {"-p", rows[i], NULL};
		print_message("row: '%s'\n", rows[i]);
		assert_int_equal(parse(args, &options, &err), 0);
		assert_int_equal(options.n_pids, 2);
		assert_int_equal(options.pids[0], 12);
		assert_int_equal(options.pids[1], 13);
		options_fini(&options);
	}
}

/* All words after the first "--" are the command. */
static void test_command(void **state)
{
	static const struct {
		const char *args[ARGS_MAX], *command[ARGS_MAX];
		uint64_t interval_ns, iterations;
		bool batch, refreshes;
	} rows[] = {
		{{"-b"}, {NULL}, NS_PER_S, 0, true, false},
		{{"2"}, {NULL}, 2 * NS_PER_S, 0, false, true},
		{{"--", "make"}, {"make"}, NS_PER_S, 0, false, false},
		{{"-b", "--", "make", "-j4", "-n", "7"},
		 {"make", "-j4", "-n", "7"},
		 NS_PER_S,
		 0,
		 true,
		 false},
		{{"2", "3", "-b", "--", "a", "4"}, {"a", "4"}, 2 * NS_PER_S, 3, true, true},
		{{"-d1", "--", "a"}, {"a"}, NS_PER_S, 0, false, true},
		{{"-n", "2", "--", "a"}, {"a"}, NS_PER_S, 2, false, true},
		{{"--", "--", "a"}, {"--", "a"}, NS_PER_S, 0, false, false},
		{{"--", "a", "--", "b"}, {"a", "--", "b"}, NS_PER_S, 0, false, false},
		{{"--", ""}, {""}, NS_PER_S, 0, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options options;
		struct error err;
		size_t n = 0;

		assert_int_equal(parse(rows[i].args, &options, &err), 0);
		assert_true(options.interval_ns == rows[i].interval_ns);
		assert_true(options.iterations == rows[i].iterations);
		assert_int_equal(options.batch, rows[i].batch);
		assert_int_equal(options.refreshes, rows[i].refreshes);
		assert_int_equal(options.command != NULL, rows[i].command[0] != NULL);
		for (; options.command && rows[i].command[n]; n++)
			assert_string_equal(options.command[n], rows[i].command[n]);
		assert_true(!options.command || !options.command[n]);
		options_fini(&options);
	}
}

/* A delay in a configuration does not set `refreshes`. The same words can be parsed twice. */
static void test_command_again(void **state)
{
	char program[] = "pmctop", batch[] = "-b", dashes[] = "--", make[] = "make", two[] = "2";
	char *argv[] = {program, two, batch, dashes, make, two, NULL};
	struct options options;
	struct error err;

	(void)state;
	options_init(&options);
	assert_int_equal(options_set(&options, "delay", "5", &err), 0);
	assert_int_equal(options_parse(6, argv, &options, &err), 0);
	assert_int_equal(options_parse(6, argv, &options, &err), 0);
	assert_true(options.batch && options.refreshes);
	assert_true(options.interval_ns == 2 * NS_PER_S && options.iterations == 0);
	assert_string_equal(options.command[0], "make");
	options_fini(&options);
	options_init(&options);
	assert_int_equal(options_set(&options, "delay", "5", &err), 0);
	argv[1] = argv[2] = batch;
	assert_int_equal(options_parse(6, argv, &options, &err), 0);
	assert_false(options.refreshes);
	options_fini(&options);
}

/* -e and -m keep their text and order. */
static void test_columns_in_order(void **state)
{
	static const char *const args[] = {"-e", "a,{b,c}", "-m", "x=a/b", "--event=d", NULL};
	struct options options;
	struct error err;

	(void)state;
	assert_int_equal(parse(args, &options, &err), 0);
	assert_int_equal(options.n_columns, 3);
	assert_int_equal(options.columns[0].kind, ENGINE_EVENTS);
	assert_string_equal(options.columns[0].text, "a,{b,c}");
	assert_int_equal(options.columns[1].kind, ENGINE_METRIC);
	assert_string_equal(options.columns[1].text, "x=a/b");
	assert_int_equal(options.columns[2].kind, ENGINE_EVENTS);
	assert_string_equal(options.columns[2].text, "d");
	options_fini(&options);
}

static void test_too_many_columns(void **state)
{
	char program[] = "pmctop", letter[] = "-e", name[] = "cycles";
	enum { PAIRS = OPTIONS_COLUMNS_MAX + 1 };
	char **argv = xcalloc(2 * PAIRS + 2, sizeof(*argv));
	struct options options;
	struct error err;

	(void)state;
	argv[0] = program;
	for (size_t i = 0; i < PAIRS; i++) {
		argv[1 + 2 * i] = letter;
		argv[2 + 2 * i] = name;
	}
	options_init(&options);
	assert_int_equal(options_parse(2 * PAIRS + 1, argv, &options, &err), -EINVAL);
	assert_string_equal(err.text, "Too many -e and -m (at most 4096).");
	options_fini(&options);
	options_init(&options);
	assert_int_equal(options_parse(2 * PAIRS - 1, argv, &options, &err), 0);
	assert_int_equal(options.n_columns, OPTIONS_COLUMNS_MAX);
	options_fini(&options);
	free(argv);
}

/* A text that begins so, and has the names of all settings. */
static void check_all_settings(const char *text, const char *beginning)
{
	assert_memory_equal(text, beginning, strlen(beginning));
	for (size_t i = 0; i < option_rows_n; i++) {
		const char *name = option_row_setting(&option_rows[i]);

		if (name)
			assert_non_null(strstr(text, name));
	}
}

/* Options override settings of the configuration. */
static void test_settings(void **state)
{
	static const struct {
		const char *name, *value;
		const char *refused; /* NULL: accepted; "... " at the end: a list of all follows */
	} rows[] = {
		{"delay", "500ms", NULL},
		{"preset", "mine", NULL},
		{"sort", "-ipc", NULL},
		{"threads", "Yes", NULL},
		{"ascii", "off", NULL},
		{"mouse", "yes", NULL},
		{"mouse", "no", NULL},
		{"mouse", "left", "Invalid value 'left' of mouse (yes or no)."},
		{"no-mouse", "yes", "Unknown setting 'no-mouse' (did you mean 'mouse'?)."},
		{"color", "never", NULL},
		{"theme", "x", NULL},
		{"delay", "0", "Invalid delay '0' (minimum 0.1 s)."},
		{"by", "cgroup", NULL},
		{"by", "tree", NULL},
		{"by", "threads",
		 "Unknown --by 'threads' (did you mean 'thread'?). Choose process, thread, tree, "
		 "user, cgroup, command, cpu, socket or node."},
		{"threads", "2", "Invalid value '2' of threads (yes or no)."},
		{"batch", "yes", "Unknown setting 'batch'. Settings: delay, preset, "},
		{"colour", "never", "Unknown setting 'colour' (did you mean 'color'?)."},
		{"config", "x", "Unknown setting 'config'. Settings: delay, preset, "},
		{"", "x", "Unknown setting ''. Settings: delay, preset, "},
		{"sort", "help", "Invalid value 'help' of sort. Write the name of a column."},
	};
	char program[] = "pmctop", sort[] = "-smips", *argv[] = {program, sort, NULL};
	struct options options;
	struct error err;

	(void)state;
	options_init(&options);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int result = options_set(&options, rows[i].name, rows[i].value, &err);

		assert_int_equal(result, rows[i].refused ? -EINVAL : 0);
		if (rows[i].refused && strcmp(strrchr(rows[i].refused, ' '), " ") != 0)
			assert_string_equal(err.text, rows[i].refused);
		else if (rows[i].refused)
			check_all_settings(err.text, rows[i].refused);
	}
	assert_true(options.interval_ns == 500 * NS_PER_MS);
	assert_true(options.by == ROLLUP_TREE && !options.ascii && options.reverse);
	assert_false(options.mouse);
	assert_int_equal(options.color, OPTIONS_COLOR_NEVER);
	assert_string_equal(options.preset, "mine");
	assert_string_equal(options.sort, "ipc");
	assert_int_equal(options_parse(2, argv, &options, &err), 0);
	assert_string_equal(options.sort, "mips");
	assert_false(options.reverse);
	assert_string_equal(options.preset, "mine");
	options_fini(&options);
}

static const char *const own_preset_metrics[] = {"ipc", "mine", NULL};
static const struct preset own_presets[] = {
	{.name = "mine", .help = "", .metrics = own_preset_metrics},
	{.name = "software", .help = "instead of the built-in one", .metrics = own_preset_metrics},
};

static void test_presets(void **state)
{
	static const struct {
		const char *name;
		const struct preset *expected;
		const char *refused;
	} rows[] = {
		{"overview", &preset_table[0], NULL},
		{"mine", &own_presets[0], NULL},
		{"software", &own_presets[1], NULL},
		{"none", &preset_none, NULL},
		{"overvew", NULL,
		 "Unknown preset 'overvew' (did you mean 'overview'?). Choose mine, software, "},
		{"min", NULL,
		 "Unknown preset 'min' (did you mean 'mine'?). Choose mine, software,"},
		{"", NULL, "Unknown preset ''. Choose mine, software, "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct preset *preset = NULL;
		struct error err;
		int result = preset_choose(rows[i].name, own_presets, ARRAY_SIZE(own_presets),
					   &preset, &err);

		assert_int_equal(result, rows[i].refused ? -EINVAL : 0);
		assert_ptr_equal(preset, rows[i].expected);
		if (rows[i].refused)
			assert_memory_equal(err.text, rows[i].refused, strlen(rows[i].refused));
	}
}

static const struct metric_def own_metrics[] = {{.name = "mine", .help = "of the configuration"}};
static const struct engine_column own_columns[] = {
	{ENGINE_EVENTS, "cycles:u,{cpu/event=1,umask=2/,r1a2}"},
	{ENGINE_METRIC, "ratio = r1a2 / cycles:u"},
	{ENGINE_METRIC, "ipc"},
	{ENGINE_EVENTS, "{"},
};
static const struct engine_config own_config = {
	.columns = own_columns,
	.n_columns = ARRAY_SIZE(own_columns),
	.user_metrics = own_metrics,
	.n_user_metrics = ARRAY_SIZE(own_metrics),
};

static void test_check_columns(void **state)
{
	static const struct {
		struct engine_column column;
		const char *refused; /* start of the error; NULL: accepted */
	} rows[] = {
		{{ENGINE_EVENTS, "cycles:u,{cpu/event=1,umask=2/,r1a2}"}, NULL},
		{{ENGINE_METRIC, "ipc"}, NULL},
		{{ENGINE_METRIC, "mine"}, NULL},
		{{ENGINE_METRIC, "ratio = r1a2 / cycles:u; unit=x"}, NULL},
		{{ENGINE_EVENTS, "a,,b"}, "Events, position 3: expected the name of an event"},
		{{ENGINE_EVENTS, "{a"}, "Events, position "},
		{{ENGINE_METRIC, "icp"}, NULL}, /* perhaps the vendor's */
		{{ENGINE_METRIC, "ipc=1"}, "Metric ipc: 'ipc' is a built-in metric"},
		{{ENGINE_METRIC, "x = 1 +"}, "Metric x, position "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct engine_config config = {
			.columns = &rows[i].column,
			.n_columns = 1,
			.user_metrics = own_metrics,
			.n_user_metrics = ARRAY_SIZE(own_metrics),
		};
		struct error err = {0};
		int result = choice_check_columns(&config, &err);

		if ((result != 0) != (rows[i].refused != NULL) ||
		    (rows[i].refused &&
		     strncmp(err.text, rows[i].refused, strlen(rows[i].refused)) != 0))
			fail_msg("%s: %s", rows[i].column.text, err.text);
	}
}

static void test_sort(void **state)
{
	static const struct {
		const char *name;
		const char *refused;
	} rows[] = {
		{"", NULL},
		{"pid", NULL},
		{"tid", NULL},
		{"user", NULL},
		{"command", NULL},
		{"ipc", NULL},
		{"cpi", NULL},
		{"mine", NULL},
		{"ratio", NULL},
		{"cycles:u", NULL},
		{"cpu/event=1,umask=2/", NULL},
		{"r1a2", NULL},
		{"Memory_Bound", "Unknown column 'Memory_Bound'. See 'pmctop -s help'. A metric of "
				 "the CPU's vendor needs -m, too."},
		{"umask=2/", "Unknown column 'umask=2/'. See 'pmctop -s help'. A metric of the "
			     "CPU's vendor needs -m, too."},
		{"runq%",
		 "Unknown column 'runq%' (did you mean 'runq_percent'?). See 'pmctop -s help'."},
		{"icp", "Unknown column 'icp' (did you mean 'ipc'?). See 'pmctop -s help'."},
		{"cpu", NULL},
		{"processes", NULL},
		{"cgroup", NULL},
		{"cpu_", "Unknown column 'cpu_' (did you mean 'cpu'?). See 'pmctop -s help'."},
		{"cycles",
		 "Unknown column 'cycles' (did you mean 'cycles:u'?). See 'pmctop -s help'."},
		{"ratoi", "Unknown column 'ratoi' (did you mean 'ratio'?). See 'pmctop -s help'."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err;
		int result = choice_sort(rows[i].name, &own_config, &err);

		if (!rows[i].refused && result)
			fail_msg("%s: %s", rows[i].name, err.text);
		assert_int_equal(result, rows[i].refused ? -EINVAL : 0);
		if (rows[i].refused)
			assert_string_equal(err.text, rows[i].refused);
	}
}

/* A column name of the last release is invalid, and its new name is found. */
static void test_renamed_columns(void **state)
{
	struct engine_config config = {0};
	struct error err;

	(void)state;
	assert_int_equal(choice_sort("lost", &config, &err), -EINVAL);
	assert_string_equal(choice_renamed_column("lost"), "stall");
	assert_int_equal(choice_sort("stall", &config, &err), 0);
	assert_null(choice_renamed_column("ipc"));
}

/* --help lists the words of an option. Its lines fit 80 columns. */
static void test_help(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	options_print_help(file);
	fclose(file);
	assert_non_null(strstr(text, " text, csv, json, folded, openmetrics or prometheus\n"));
	assert_non_null(strstr(text, " list events, metrics, presets, keys ...\n"));
	assert_non_null(strstr(text, " auto, always or never: "));
	assert_non_null(strstr(text, " speed of the replay: 0.5, 2, 10, max (1; printed: max)\n"));
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 80);
	free(text);
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
		cmocka_unit_test(test_frequency),
		cmocka_unit_test(test_command_lines),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_replay_of_what),
		cmocka_unit_test(test_output_apart),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_command_again),
		cmocka_unit_test(test_columns_in_order),
		cmocka_unit_test(test_too_many_columns),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_presets),
		cmocka_unit_test(test_check_columns),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_renamed_columns),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_duration_format),
		cmocka_unit_test(test_suggest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
