// SPDX-License-Identifier: MIT
/*
 * One table says everything about an option: how it is spelled, what it takes, what --help says
 * and the function that reads its argument. getopt_long only splits argv; its own messages name
 * neither what is near nor what to do, so they are switched off. What is said here is a sentence
 * with its stop, as everywhere behind "pmctop: ".
 */
#include "options.h"

#include "core/batch.h"
#include "core/metric.h"
#include "core/preset.h"
#include "core/suggest.h"
#include "core/util.h"
#include "duration.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
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
};

/* Columns that are no metrics. */
static const struct {
	const char *name, *help;
} fixed_columns[] = {
	{"pid", "process"},
	{"tid", "thread, with -H"},
	{"user", "who it runs as"},
	{"command", "name of the program"},
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

static int read_threads(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->threads = true;
	return 0;
}

/* Whether any preset shows the metric: the others cannot be sorted by. */
static bool is_shown(const char *metric)
{
	for (size_t i = 0; i < preset_table_n; i++)
		for (const char *const *name = preset_table[i].metrics; *name; name++)
			if (strcmp(*name, metric) == 0)
				return true;
	return false;
}

static int read_sort(struct options *options, const char *argument, struct error *err)
{
	struct suggest near = {0};
	char hint[80];

	if (strcmp(argument, "help") == 0) {
		options->task = OPTIONS_LIST_COLUMNS;
		return 0;
	}
	options->reverse = argument[0] == '-';
	options->sort = argument + options->reverse;
	near.word = options->sort;
	for (size_t i = 0; i < ARRAY_SIZE(fixed_columns); i++) {
		if (strcmp(options->sort, fixed_columns[i].name) == 0)
			return 0;
		suggest_offer(&near, fixed_columns[i].name);
	}
	if (is_shown(options->sort))
		return 0;
	for (size_t i = 0; i < metric_table_n; i++)
		if (is_shown(metric_table[i].name))
			suggest_offer(&near, metric_table[i].name);
	suggest_text(&near, hint, sizeof(hint));
	return error_set(err, -EINVAL, "Unknown column '%.40s'%s: '-s help' lists them.",
			 options->sort, hint);
}

static const char *preset_word(size_t i)
{
	return i < preset_table_n ? preset_table[i].name : NULL;
}

static int read_preset(struct options *options, const char *argument, struct error *err)
{
	int i = read_word("preset", argument, preset_word, err);

	if (i < 0)
		return i;
	options->preset = preset_table[i].name;
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

static int read_ascii(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->ascii = true;
	return 0;
}

static int read_theme(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0])
		return error_set(err, -EINVAL, "Option '--theme' needs a name or a file.");
	options->theme = argument;
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
	 read_delay},
	{'n', "iterations", "N", "stop after N refreshes", read_iterations},
	{'b', "batch", NULL, "print instead of draw; also when stdout is no terminal", read_batch},
	{0, "format", "FORMAT", "how to print, json in lines; implies -b", read_format,
	 format_word},
	{'o', "output", "FILE", "batch output to a file; implies -b", read_output},
	{'H', "threads", NULL, "threads instead of processes", read_threads},
	{'s', "sort", "COLUMN", "sort; '-s help' lists columns, '-s -COLUMN' reverses", read_sort},
	{'S', "preset", "PRESET", "what is counted and shown", read_preset, NULL},
	{0, "color", "WHEN", "whether in colours", read_color, color_word},
	{0, "ascii", NULL, "draw with ASCII alone", read_ascii},
	{0, "theme", "NAME", "a theme's name, or a file in btop's format", read_theme},
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

static int read_positional(struct options *options, int argc, char **argv, struct error *err)
{
	int rc = 0;

	if (optind < argc)
		rc = read_delay(options, argv[optind++], err);
	if (!rc && optind < argc)
		rc = read_iterations(options, argv[optind++], err);
	if (!rc && optind < argc)
		return error_set(err, -EINVAL,
				 "'%.40s' is one argument too many: see 'pmctop --help'.",
				 argv[optind]);
	return rc;
}

int options_parse(int argc, char **argv, struct options *options, struct error *err)
{
	char letters[2 * ARRAY_SIZE(rows) + 2];
	struct option names[ARRAY_SIZE(rows) + 1] = {{0}};
	int value, rc;

	*options =
		(struct options){.interval_ns = NS_PER_S, .format = &batch_formats[0], .sort = ""};
	build_getopt(letters, names);
	optind = 0; /* start anew, also after an earlier call */
	opterr = 0;
	while ((value = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const struct option_row *row = find_row(value == ':' ? optopt : value);

		if (value == '?')
			return refuse_option(argv[optind - 1], optopt, err);
		if (value == ':' || !row)
			return error_set(err, -EINVAL, "Option '--%s' needs %s.",
					 row ? row->name : "", row ? row->argument : "");
		rc = row->read(options, optarg, err);
		if (rc || options->task != OPTIONS_RUN)
			return rc;
	}
	return read_positional(options, argc, argv, err);
}

void options_print_help(FILE *file)
{
	fputs("pmctop: live hardware performance counters of every task\n\n"
	      "usage: pmctop [OPTIONS] [DELAY [COUNT]]\n\n",
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
	fputs("\nexit status: 0 fine, 1 run-time failure, 2 usage, 3 nothing can be counted\n"
	      "keys: press ? while it runs\n",
	      file);
}

void options_print_version(FILE *file)
{
	fprintf(file, "pmctop %s\n", PMCTOP_VERSION);
}

void options_print_columns(FILE *file)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed_columns); i++)
		fprintf(file, "  %-20s %s\n", fixed_columns[i].name, fixed_columns[i].help);
	for (size_t i = 0; i < metric_table_n; i++)
		if (is_shown(metric_table[i].name))
			fprintf(file, "  %-20s %s\n", metric_table[i].name, metric_table[i].help);
}
