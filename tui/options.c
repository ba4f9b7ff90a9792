// SPDX-License-Identifier: MIT
/*
 * One table says everything about an option: how it is spelled, what it takes, what --help says
 * and the function that reads its argument. getopt_long only splits argv; its own messages name
 * neither what is near nor what to do, so they are switched off. What is said here is a sentence
 * with its stop, as everywhere behind "pmctop: ".
 */
#include "options.h"

#include "core/batch.h"
#include "core/suggest.h"
#include "core/util.h"
#include "duration.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

typedef int option_read_fn(struct options *options, const char *argument, struct error *err);

/* The words that an argument may be: number i, NULL behind the last. */
typedef const char *option_word_fn(size_t i);

struct option_row {
	char letter; /* 0: long only */
	const char *name;
	const char *argument; /* as --help calls it; NULL: takes none */
	const char *help;
	option_read_fn *read;
	option_word_fn *word; /* --help lists them before `help`; NULL: it is no choice of words */
	bool setting;         /* the configuration may say it too, by its name */
	const char *denies;   /* the setting of which it is the no: "mouse" of --no-mouse */
};

static int read_delay(struct options *options, const char *argument, struct error *err)
{
	struct error why;

	if (duration_parse(argument, &options->interval_ns, &why))
		return error_set(err, -EINVAL, "The delay %s.", why.text);
	return 0;
}

static int read_iterations(struct options *options, const char *argument, struct error *err)
{
	char *end;

	errno = 0;
	options->iterations = strtoull(argument, &end, 10);
	if (!isdigit((unsigned char)argument[0]) || *end || errno || options->iterations == 0 ||
	    options->iterations > UINT32_MAX)
		return error_set(
			err, -EINVAL,
			"'%.40s' is no number of refreshes: write a whole number from 1 on.",
			argument);
	return 0;
}

static int read_batch(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->batch = true;
	return 0;
}

/* "text or json" */
static void list_words(option_word_fn *word, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; word(i) && length < size; i++) {
		const char *gap = i == 0 ? "" : word(i + 1) ? ", " : " or ";

		length += (size_t)snprintf(text + length, size - length, "%s%s", gap, word(i));
	}
}

/* One of the words; its number, or -EINVAL. */
static int read_word(const char *what, const char *argument, option_word_fn *word,
		     struct error *err)
{
	struct suggest near = {.word = argument};
	char list[80], hint[80];

	for (size_t i = 0; word(i); i++) {
		if (strcmp(argument, word(i)) == 0)
			return (int)i;
		suggest_offer(&near, word(i));
	}
	list_words(word, list, sizeof(list));
	suggest_text(&near, hint, sizeof(hint));
	return error_set(err, -EINVAL, "Unknown %s '%.40s'%s: write %s.", what, argument, hint,
			 list);
}

static const char *format_word(size_t i)
{
	return i < batch_formats_n ? batch_formats[i].name : NULL;
}

static int read_format(struct options *options, const char *argument, struct error *err)
{
	int i = read_word("format", argument, format_word, err);

	if (i < 0)
		return i;
	options->format = &batch_formats[i];
	options->batch = true;
	return 0;
}

static int read_output(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0])
		return error_set(err, -EINVAL, "Option '--output' needs the name of a file.");
	options->output = argument;
	options->batch = true;
	return 0;
}

static int read_record(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0])
		return error_set(err, -EINVAL,
				 "Option '--record' needs the name of a file, or - for a pipe.");
	options->record.path = argument;
	options->batch |= strcmp(argument, "-") == 0;
	return 0;
}

/* As perf has it: capital letters are sizes, small ones are times. */
static int read_switch_output(struct options *options, const char *argument, struct error *err)
{
	static const struct {
		char letter;
		bool time;
		uint64_t unit;
	} units[] = {
		{'B', false, 1},
		{'K', false, 1 << 10},
		{'M', false, 1 << 20},
		{'G', false, 1 << 30},
		{'s', true, NS_PER_S},
		{'m', true, 60 * NS_PER_S},
		{'h', true, 3600 * NS_PER_S},
		{'d', true, 86400 * NS_PER_S},
	};
	char *end;
	unsigned long number = strtoul(argument, &end, 10);

	for (size_t i = 0; isdigit((unsigned char)argument[0]) && i < ARRAY_SIZE(units); i++) {
		if (*end != units[i].letter || end[1] || number == 0 || number > UINT32_MAX)
			continue;
		*(units[i].time ? &options->record.switch_ns : &options->record.switch_bytes) =
			number * units[i].unit;
		return 0;
	}
	return error_set(err, -EINVAL,
			 "'%.40s' is no size and no time: write a number and B, K, M, G or s, m, "
			 "h, d.",
			 argument);
}

static int read_threads(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->by = ROLLUP_THREAD;
	return 0;
}

static int read_by(struct options *options, const char *argument, struct error *err)
{
	int i = read_word("--by", argument, rollup_name, err);

	if (i < 0)
		return i;
	options->by = (enum rollup)i;
	return 0;
}

static int add_column(struct options *options, enum engine_column_kind kind, const char *text,
		      struct error *err)
{
	if (options->n_columns == OPTIONS_COLUMNS_MAX)
		return error_set(err, -EINVAL, "More than %d times -e or -m are too many.",
				 OPTIONS_COLUMNS_MAX);
	options->columns = array_reserve(options->columns, &options->columns_capacity,
					 options->n_columns + 1, sizeof(*options->columns));
	options->columns[options->n_columns++] = (struct engine_column){.kind = kind, .text = text};
	return 0;
}

static int read_event(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0])
		return error_set(err, -EINVAL,
				 "Option '--event' needs a name: '--list events' has them.");
	return add_column(options, ENGINE_EVENTS, argument, err);
}

/* The names in "a, b,c"; a formula may have commas. */
static int add_metrics(struct options *options, const char *list, struct error *err)
{
	int rc = 0;

	for (const char *name = list + strspn(list, ", "); *name && !rc;
	     name += strspn(name, ", ")) {
		size_t length = strcspn(name, ", ");

		options->names = array_reserve(options->names, &options->names_capacity,
					       options->n_names + 1, sizeof(*options->names));
		options->names[options->n_names++] = xstrndup(name, length);
		rc = add_column(options, ENGINE_METRIC, options->names[options->n_names - 1], err);
		name += length;
	}
	return rc;
}

static int read_metric(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0] || argument[0] == '=')
		return error_set(err, -EINVAL,
				 "Option '--metric' needs a name: '--list metrics' has them.");
	if (strchr(argument, '=') || !strchr(argument, ','))
		return add_column(options, ENGINE_METRIC, argument, err);
	return add_metrics(options, argument, err);
}

/* "12" or "12,13"; blanks are commas, since pgrep has each on a line of its own. */
static int read_numbers(const char *argument, const char *what, pid_t **numbers, size_t *n,
			size_t *capacity, struct error *err)
{
	static const char blanks[] = " \t\n";
	const char *text = argument + strspn(argument, blanks);

	do {
		char *end;
		long number = strtol(text, &end, 10);
		const char *next = end + strspn(end, blanks);
		if (!isdigit((unsigned char)text[0]) || (*next && *next != ',' && next == end) ||
		    number <= 0 || number > INT32_MAX)
			return error_set(err, -EINVAL,
					 "'%.40s' is no number of a %s: write one, or several as "
					 "12,13%s.",
					 argument, what,
					 isalpha((unsigned char)text[0])
						 ? "; 'pgrep -d, NAME' finds them"
						 : "");
		if (*n == OPTIONS_NUMBERS_MAX)
			return error_set(err, -EINVAL, "More than %d are too many.",
					 OPTIONS_NUMBERS_MAX);
		*numbers = array_reserve(*numbers, capacity, *n + 1, sizeof(**numbers));
		(*numbers)[(*n)++] = (pid_t)number;
		text = *next == ',' ? next + 1 + strspn(next + 1, blanks) : next;
		if (*next == ',' && !*text)
			text = ","; /* a comma at the end: no number */
	} while (*text);
	return 0;
}

static int read_pid(struct options *options, const char *argument, struct error *err)
{
	return read_numbers(argument, "process", &options->pids, &options->n_pids,
			    &options->pids_capacity, err);
}

static int read_tid(struct options *options, const char *argument, struct error *err)
{
	return read_numbers(argument, "thread", &options->tids, &options->n_tids,
			    &options->tids_capacity, err);
}

static int read_name(const char *argument, const char *option, const char **name, struct error *err)
{
	*name = argument;
	return argument[0] ? 0 : error_set(err, -EINVAL, "Option '--%s' needs a name.", option);
}

static int read_user(struct options *options, const char *argument, struct error *err)
{
	return read_name(argument, "user", &options->user, err);
}

static int read_cpus(struct options *options, const char *argument, struct error *err)
{
	return read_name(argument, "cpu", &options->cpus, err);
}

static int read_cgroup(struct options *options, const char *argument, struct error *err)
{
	return read_name(argument, "cgroup", &options->cgroup, err);
}

static const char *count_word(size_t i)
{
	return event_levels_name(i);
}

static int read_count(struct options *options, const char *argument, struct error *err)
{
	int i = read_word("--count", argument, count_word, err);

	if (i < 0)
		return i;
	options->count = (enum event_levels)i;
	return 0;
}

static int read_sort(struct options *options, const char *argument, struct error *err)
{
	if (strcmp(argument, "help") == 0) {
		options->task = OPTIONS_LIST;
		options->list = OPTIONS_LIST_COLUMNS;
		return 0;
	}
	bool reverse = argument[0] == '-';
	if (!argument[reverse])
		return error_set(err, -EINVAL,
				 "Option '--sort' needs a column: '-s help' lists them.");
	options->reverse = reverse;
	options->sort = argument + reverse;
	return 0;
}

static int read_filter(struct options *options, const char *argument, struct error *err)
{
	if (strlen(argument) >= ROW_FILTER_BYTES)
		return error_set(err, -EINVAL, "A filter has at most %d bytes.",
				 ROW_FILTER_BYTES - 1);
	options->filter = argument;
	return 0;
}

static int read_shown(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	options->shown = argument;
	return 0;
}

static int read_preset(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0])
		return error_set(err, -EINVAL,
				 "Option '--preset' needs a name: '--list presets' has them.");
	options->preset = argument;
	return 0;
}

static int read_config(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0])
		return error_set(err, -EINVAL, "Option '--config' needs the name of a file.");
	options->config = argument;
	return 0;
}

static int read_idle(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->idle = true;
	return 0;
}

static int read_command_lines(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->command_lines = true;
	return 0;
}

static const char *list_word(size_t i)
{
	static const char *const words[] = {
		[OPTIONS_LIST_EVENTS] = "events",   [OPTIONS_LIST_METRICS] = "metrics",
		[OPTIONS_LIST_PRESETS] = "presets", [OPTIONS_LIST_COLUMNS] = "columns",
		[OPTIONS_LIST_THEMES] = "themes",   [OPTIONS_LIST_PMUS] = "pmus",
	};

	return i < ARRAY_SIZE(words) ? words[i] : NULL;
}

static int read_list(struct options *options, const char *argument, struct error *err)
{
	int i = read_word("--list", argument, list_word, err);

	if (i < 0)
		return i;
	options->task = OPTIONS_LIST;
	options->list = (enum options_list)i;
	return 0;
}

static const char *color_word(size_t i)
{
	static const char *const words[] = {
		[OPTIONS_COLOR_AUTO] = "auto",
		[OPTIONS_COLOR_ALWAYS] = "always",
		[OPTIONS_COLOR_NEVER] = "never",
	};

	return i < ARRAY_SIZE(words) ? words[i] : NULL;
}

static int read_color(struct options *options, const char *argument, struct error *err)
{
	int i = read_word("--color", argument, color_word, err);

	if (i < 0)
		return i;
	options->color = (enum options_color)i;
	return 0;
}

static const char *unit_word(size_t i)
{
	static const char *const words[] = {
		[VIEW_UNIT_USUAL] = "usual",
		[VIEW_UNIT_COUNT] = "count",
		[VIEW_UNIT_PER_SECOND] = "second",
		[VIEW_UNIT_PER_KI] = "ki",
	};

	return i < ARRAY_SIZE(words) ? words[i] : NULL;
}

static int read_unit(struct options *options, const char *argument, struct error *err)
{
	int i = read_word("--unit", argument, unit_word, err);

	if (i < 0)
		return i;
	options->unit = (enum view_unit)i;
	return 0;
}

static int read_ascii(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->ascii = true;
	return 0;
}

static int read_readonly(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->readonly = true;
	return 0;
}

static int read_no_mouse(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->mouse = false;
	return 0;
}

static int read_theme(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0])
		return error_set(err, -EINVAL, "Option '--theme' needs a name or a file.");
	options->theme = argument;
	return 0;
}

static int read_doctor(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->task = OPTIONS_DOCTOR;
	return 0;
}

static int read_help(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->task = OPTIONS_HELP;
	return 0;
}

static int read_version(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->task = OPTIONS_VERSION;
	return 0;
}

static const struct option_row rows[] = {
	{'d', "delay", "SECS", "time between refreshes: 2, 0.5, 500ms; at least 0.1 (1)",
	 read_delay, .setting = true},
	{'n', "iterations", "N", "stop after N refreshes", read_iterations},
	{'b', "batch", NULL, "print instead of draw; also when stdout is no terminal", read_batch},
	{0, "format", "FORMAT", "how to print, json in lines; implies -b", read_format,
	 format_word},
	{'o', "output", "FILE", "batch output to a file; implies -b", read_output},
	{0, "record", "FILE", "record for perf script; -: into a pipe", read_record},
	{0, "switch-output", "SIZE", "begin a new file every 100M, 1G, 30m, 1d",
	 read_switch_output},
	{'S', "preset", "PRESET", "what is counted and shown; none: only -e and -m", read_preset,
	 .setting = true},
	{'e', "event", "EVENT", "more columns: EVENT[,EVENT...], {EVENT,EVENT} together",
	 read_event, .setting = true},
	{'m', "metric", "METRIC", "one more column: a name, or your own 'NAME=EXPR'", read_metric,
	 .setting = true},
	{'p', "pid", "PID", "these processes and what they start: PID[,PID...]", read_pid},
	{'t', "tid", "TID", "these threads alone: TID[,TID...]", read_tid},
	{'u', "user", "USER", "the processes of these users, by name or number", read_user},
	{'G', "cgroup", "PATH", "these cgroups, or containers, and what is below", read_cgroup},
	{'C', "cpu", "LIST", "what runs on these CPUs: 0-3,8", read_cpus},
	{0, "count", "LEVELS", "privilege levels", read_count, count_word, .setting = true},
	{'s', "sort", "COLUMN", "sort; '-s help' lists columns, '-s -COLUMN' reverses", read_sort,
	 .setting = true},
	{0, "columns", "LIST", "their order on the screen; -NAME hides one", read_shown,
	 .setting = true},
	{0, "filter", "TEXT", "tasks with these words in pid, user, command, cgroup", read_filter},
	{'H', "threads", NULL, "threads instead of processes: --by thread", read_threads,
	 .setting = true},
	{'i', "idle", NULL, "tasks that did not run, too", read_idle, .setting = true},
	{'c', "command-lines", NULL, "whole command lines instead of names", read_command_lines,
	 .setting = true},
	{0, "by", "WHAT", "lines by process, thread, tree, user, cgroup, cpu ...", read_by,
	 .setting = true},
	{0, "list", "WHAT", "exit", read_list, list_word},
	{0, "doctor", NULL, "what can be counted here, what cannot, and the remedy", read_doctor},
	{0, "config", "FILE", "read this configuration", read_config},
	{0, "color", "WHEN", "whether in colours", read_color, color_word, .setting = true},
	{0, "unit", "UNIT", "what events are told in", read_unit, unit_word, .setting = true},
	{0, "ascii", NULL, "draw with ASCII alone", read_ascii, .setting = true},
	{0, "no-mouse", NULL, "leave the mouse to the terminal", read_no_mouse, .denies = "mouse"},
	{0, "theme", "NAME", "a theme's name, or a file in btop's format", read_theme,
	 .setting = true},
	{0, "readonly", NULL, "send no signals", read_readonly, .setting = true},
	{'h', "help", NULL, "this text", read_help},
	{'V', "version", NULL, "the version", read_version},
};

enum { LONG_BASE = 0x100 }; /* getopt_long's value of rows[i] is LONG_BASE + i */

static void build_getopt(char *letters, struct option *names)
{
	*letters++ = ':';
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].letter) {
			*letters++ = rows[i].letter;
			if (rows[i].argument)
				*letters++ = ':';
		}
		names[i] = (struct option){
			.name = rows[i].name,
			.has_arg = rows[i].argument ? required_argument : no_argument,
			.val = LONG_BASE + (int)i,
		};
	}
	*letters = '\0';
}

static const struct option_row *find_row(int value)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (value == LONG_BASE + (int)i || (rows[i].letter && value == rows[i].letter))
			return &rows[i];
	return NULL;
}

/* A word that begins with "--" and that getopt refused. */
static int refuse_name(const char *word, struct error *err)
{
	struct suggest near = {0};
	char name[48];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	near.word = name;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		suggest_offer(&near, rows[i].name);
	if (near.nearest)
		return error_set(
			err, -EINVAL,
			"Unknown option '--%s' (did you mean '--%s'?): see 'pmctop --help'.", name,
			near.nearest);
	return error_set(err, -EINVAL, "Unknown option '--%s': see 'pmctop --help'.", name);
}

/* getopt said '?': optopt names the option where it is known, else the letter, else it is 0. */
static int refuse_option(const char *word, int option, struct error *err)
{
	const struct option_row *row = option >= LONG_BASE ? find_row(option) : NULL;

	if (row)
		return error_set(err, -EINVAL, "Option '--%s' takes no argument.", row->name);
	if (!option)
		return refuse_name(word, err);
	return error_set(err, -EINVAL, "Unknown option '-%c': see 'pmctop --help'.",
			 option > ' ' && option < 0x7f ? option : '?');
}

static int refuse_argument(const char *argument, struct error *err)
{
	return error_set(err, -EINVAL, "'%.40s' is one argument too many: see 'pmctop --help'.",
			 argument);
}

/* What begins no number is meant as a command: perf stat takes it so. */
static bool is_word(const char *argument)
{
	size_t sign = strspn(argument, ".-+");

	return argument[0] != '-' && argument[sign] && !isdigit((unsigned char)argument[sign]);
}

static int refuse_word(const char *word, struct error *err)
{
	return error_set(err, -EINVAL,
			 "'%.40s' is no delay, as 1, 0.5 or 500ms are: a command stands behind "
			 "'--'.",
			 word);
}

/* What stands without an option: [DELAY [COUNT]], or what to list of it all. */
static int read_positional(struct options *options, int argc, char **argv, struct error *err)
{
	int rc = 0;

	if (options->task == OPTIONS_DOCTOR && optind < argc)
		return refuse_argument(argv[optind], err);
	options->refreshes |= options->task != OPTIONS_LIST && optind < argc;
	if (options->task == OPTIONS_LIST && optind < argc)
		options->pattern = argv[optind++];
	else if (optind < argc && is_word(argv[optind]))
		return refuse_word(argv[optind], err);
	else if (optind < argc)
		rc = read_delay(options, argv[optind++], err);
	if (!rc && options->task != OPTIONS_LIST && optind < argc)
		rc = read_iterations(options, argv[optind++], err);
	if (!rc && optind < argc)
		return refuse_argument(argv[optind], err);
	return rc;
}

void options_init(struct options *options)
{
	*options = (struct options){
		.interval_ns = NS_PER_S,
		.format = &batch_formats[0],
		.sort = "",
		.mouse = true,
	};
}

void options_fini(struct options *options)
{
	free(options->columns);
	for (size_t i = 0; i < options->n_names; i++)
		free(options->names[i]);
	free(options->names);
	free(options->pids);
	free(options->tids);
	*options = (struct options){0};
}

/*
 * Where "--" stands, or argc. The command behind it is none of getopt's business, which would put
 * words from before it there.
 */
static int find_command(int argc, char **argv)
{
	int n = 1;

	while (n < argc && strcmp(argv[n], "--") != 0)
		n++;
	return n < argc ? n : argc;
}

int options_parse(int argc, char **argv, struct options *options, struct error *err)
{
	char letters[2 * ARRAY_SIZE(rows) + 2];
	struct option names[ARRAY_SIZE(rows) + 1] = {{0}};
	int value, rc, n = find_command(argc, argv);
	const char *first = n > 1 ? argv[1] : "";

	if (n == argc - 1)
		return error_set(
			err, -EINVAL,
			"No command stands behind '--': write 'pmctop -- COMMAND [ARG...]'.");
	options->command = n < argc ? argv + n + 1 : NULL;
	options->refreshes = false; /* a configuration's delay asks for none */
	build_getopt(letters, names);
	optind = 0; /* start anew, also after an earlier call */
	opterr = 0;
	while ((value = getopt_long(n, argv, letters, names, NULL)) != -1) {
		const struct option_row *row = find_row(value == ':' ? optopt : value);

		if (value == '?' && is_word(first) && options->task == OPTIONS_RUN)
			return refuse_word(first, err); /* the option is the command's */
		if (value == '?')
			return refuse_option(argv[optind - 1], optopt, err);
		if (value == ':' || !row)
			return error_set(err, -EINVAL, "Option '--%s' needs %s.",
					 row ? row->name : "", row ? row->argument : "");
		rc = row->read(options, optarg, err);
		options->refreshes |= row->read == read_delay || row->read == read_iterations;
		if (rc || options->task == OPTIONS_HELP || options->task == OPTIONS_VERSION)
			return rc;
	}
	if (!options->record.path && (options->record.switch_bytes || options->record.switch_ns))
		return error_set(err, -EINVAL, "Option '--switch-output' needs '--record FILE'.");
	rc = read_positional(options, n, argv, err);
	if (!rc && options->command && options->task != OPTIONS_RUN)
		return refuse_argument(options->command[0], err);
	return rc;
}

/* ---- what a configuration says */

static int refuse_setting(const char *name, struct error *err)
{
	struct suggest near = {.word = name};
	char hint[80];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].setting)
			suggest_offer(&near, rows[i].name);
		if (rows[i].denies)
			suggest_offer(&near, rows[i].denies);
	}
	suggest_text(&near, hint, sizeof(hint));
	return error_set(err, -EINVAL, "Unknown setting '%.40s'%s.", name, hint);
}

static int read_switch(const struct option_row *row, const char *value, struct options *options,
		       struct error *err)
{
	const char *name = row->denies ? row->denies : row->name;
	static const char *const yes[] = {"yes", "true", "on", "1"};
	static const char *const no[] = {"no", "false", "off", "0"};

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (strcasecmp(value, yes[i]) == 0)
			return row->denies ? 0 : row->read(options, NULL, err);
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (strcasecmp(value, no[i]) == 0)
			return row->denies ? row->read(options, NULL, err) : 0;
	return error_set(err, -EINVAL, "'%.40s' is no answer to %s: write yes or no.", value, name);
}

int options_set(struct options *options, const char *name, const char *value, struct error *err)
{
	size_t before = options->n_columns;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].denies && strcmp(rows[i].denies, name) == 0)
			return read_switch(&rows[i], value, options, err);
		if (!rows[i].setting || strcmp(rows[i].name, name) != 0)
			continue;
		if (!rows[i].argument)
			return read_switch(&rows[i], value, options, err);
		if (rows[i].read == read_sort && strcmp(value, "help") == 0)
			return error_set(err, -EINVAL,
					 "A setting cannot list columns: write the name of one.");
		rc = rows[i].read(options, value, err);
		/* One file may be for several machines. */
		for (size_t k = before; k < options->n_columns; k++)
			options->columns[k].optional = true;
		return rc;
	}
	return refuse_setting(name, err);
}

const char *options_unit_name(enum view_unit unit)
{
	return unit_word(unit);
}

/* ---- what is printed of it */

void options_print_help(FILE *file)
{
	fputs("pmctop: live hardware performance counters of every task\n\n"
	      "usage: pmctop [OPTIONS] [DELAY [COUNT]]\n"
	      "       pmctop [OPTIONS] [DELAY [COUNT]] -- COMMAND [ARG...]\n"
	      "       pmctop --list WHAT [PATTERN]\n"
	      "       pmctop --doctor [--format json]\n\n",
	      file);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char name[32], words[80] = "";

		if (rows[i].word)
			list_words(rows[i].word, words, sizeof(words));
		snprintf(name, sizeof(name), "--%s%s%s", rows[i].name, rows[i].argument ? " " : "",
			 rows[i].argument ? rows[i].argument : "");
		fprintf(file, "  %c%c%c %-18s %s%s%s\n", rows[i].letter ? '-' : ' ',
			rows[i].letter ? rows[i].letter : ' ', rows[i].letter ? ',' : ' ', name,
			words, words[0] ? ": " : "", rows[i].help);
	}
	fputs("\nA command is counted with all that it starts, from its first instruction.\n"
	      "Live, its output is shown when you quit. Printing, it goes to stderr, unless\n"
	      "-o takes pmctop's own elsewhere, and a summary closes; there are refreshes only\n"
	      "with DELAY or -n.\n"
	      "\nexit status: 0 fine, 1 run-time failure, 2 usage, 3 nothing can be counted;\n"
	      "a command's own: 128 + signal, 126 not executable, 127 not found\n"
	      "keys: press ? while it runs\n",
	      file);
}

void options_print_version(FILE *file)
{
	fprintf(file, "pmctop %s\n", PMCTOP_VERSION);
}
