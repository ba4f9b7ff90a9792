// SPDX-License-Identifier: MIT
/*
 * The table of option_table.h has everything about an option. getopt_long() only splits argv. Its
 * messages are switched off, because they suggest neither a similar name nor a remedy.
 */
#include "tui/options/options.h"

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/base/util.h"
#include "core/base/version.h"
#include "core/output/batch.h"
#include "core/output/metrics_server.h"
#include "core/replay/replay_input.h"
#include "tui/options/option_table.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { LONG_BASE = 0x100 }; /* getopt_long's value of option_rows[i] is LONG_BASE + i */

static void build_getopt(char *letters, struct option *names)
{
	*letters++ = ':';
	for (size_t i = 0; i < option_rows_n; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->letter) {
			*letters++ = row->letter;
			if (row->argument)
				*letters++ = ':';
		}
		names[i] = (struct option){
			.name = row->name,
			.has_arg = row->argument ? required_argument : no_argument,
			.val = LONG_BASE + (int)i,
		};
	}
	*letters = '\0';
}

static const struct option_row *row_by_value(int value)
{
	for (size_t i = 0; i < option_rows_n; i++)
		if (value == LONG_BASE + (int)i ||
		    (option_rows[i].letter && value == option_rows[i].letter))
			return &option_rows[i];
	return NULL;
}

/* For a word with "--" that getopt refused. */
static int set_unknown_name(const char *word, struct error *err)
{
	struct suggest near = {0};
	char name[48];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	near.word = name;
	for (size_t i = 0; i < option_rows_n; i++)
		suggest_offer(&near, option_rows[i].name);
	if (near.nearest)
		return error_set(
			err, -EINVAL,
			"Unknown option '--%s' (did you mean '--%s'?). See 'pmctop --help'.", name,
			near.nearest);
	return error_set(err, -EINVAL, "Unknown option '--%s'. See 'pmctop --help'.", name);
}

/* For getopt's '?'. optopt is the value of a known option, else the letter, else 0. */
static int set_unknown_option(const char *word, int option, struct error *err)
{
	const struct option_row *row = option >= LONG_BASE ? row_by_value(option) : NULL;

	if (row)
		return error_set(err, -EINVAL, "Option '--%s' takes no argument.", row->name);
	if (!option)
		return set_unknown_name(word, err);
	return error_set(err, -EINVAL, "Unknown option '-%c'. See 'pmctop --help'.",
			 option > ' ' && option < 0x7f ? option : '?');
}

static int set_unexpected_argument(const char *argument, struct error *err)
{
	return error_set(err, -EINVAL, "Unexpected argument '%.40s'. See 'pmctop --help'.",
			 argument);
}

/* A word that does not begin a number is probably a command, as in `perf stat CMD`. */
static bool is_command_word(const char *argument)
{
	size_t sign = strspn(argument, ".-+");

	return argument[0] != '-' && argument[sign] && !isdigit((unsigned char)argument[sign]);
}

static int set_invalid_delay(const char *word, struct error *err)
{
	return error_set(err, -EINVAL,
			 "Invalid delay '%.40s' (examples: 1, 0.5, 500ms). To run a command: "
			 "pmctop -- %.40s",
			 word, word);
}

/* Parses the positional arguments: [DELAY [COUNT]], or the pattern of --list. */
static int read_positional(struct options *options, int argc, char **argv, struct error *err)
{
	int rc = 0;

	if (options->task == OPTIONS_DOCTOR && optind < argc)
		return set_unexpected_argument(argv[optind], err);
	if (options->task == OPTIONS_LIST && optind < argc)
		options->pattern = argv[optind++];
	else if (optind < argc && is_command_word(argv[optind]))
		return set_invalid_delay(argv[optind], err);
	else if (optind < argc)
		rc = option_read_delay(options, argv[optind++], err);
	if (!rc && options->task != OPTIONS_LIST && optind < argc)
		rc = option_read_iterations(options, argv[optind++], err);
	if (!rc && optind < argc)
		return set_unexpected_argument(argv[optind], err);
	return rc;
}

/*
 * The index of "--", or argc. The command behind it is kept from getopt, which would change its
 * order.
 */
static int command_index(int argc, char **argv)
{
	int n = 1;

	while (n < argc && strcmp(argv[n], "--") != 0)
		n++;
	return n < argc ? n : argc;
}

static int check_record(const struct recorder_spec *record, struct error *err)
{
	bool switches = record->switch_bytes || record->switch_ns;

	if (!record->path && switches)
		return error_set(err, -EINVAL, "Option '--switch-output' needs '--record FILE'.");
	if (switches && strcmp(record->path, "-") == 0)
		return error_set(err, -EINVAL,
				 "Option '--switch-output' needs '--record FILE', not a pipe.");
	if (record->switch_files && !switches)
		return error_set(err, -EINVAL,
				 "Option '--switch-max-files' needs '--switch-output SIZE'.");
	return 0;
}

/* Refuses what --readonly forbids: files and commands. */
static int check_readonly(const struct options *options, struct error *err)
{
	if (!options->readonly)
		return 0;
	if (options->command)
		return error_set(err, -EINVAL,
				 "Option '--readonly' forbids commands. Omit '-- %.40s'.",
				 options->command[0]);
	if (options->record.path)
		return error_set(err, -EINVAL,
				 "Option '--readonly' forbids files. Omit '--record'.");
	if (options->output)
		return error_set(err, -EINVAL, "Option '--readonly' forbids files. Omit '-o'.");
	return 0;
}

/* Functions are printed, in a format that has them. */
static int check_code(struct options *options, struct error *err)
{
	/* The last --format decides. */
	options->code |= options->format->only_functions;
	if (!options->code || options->task != OPTIONS_RUN)
		return 0;
	if (!options->format->functions)
		return error_set(err, -EINVAL,
				 "Format %s has no functions: they would be too many series. Omit "
				 "'--code', or choose text, csv, json or folded.",
				 options->format->name);
	if (options->listen && !options->printed && !options->output)
		return error_set(err, -EINVAL,
				 "Option '--listen' serves no functions. Omit '--code', or print "
				 "them too: '--format json'.");
	return 0;
}

/* Exported counters only grow, so tasks cannot come and go as they match a text. */
static int check_filter(const struct options *options, struct error *err)
{
	bool served = options->listen && options->batch && !options->printed && !options->output;

	if (!options->filter || (!options->format->replace && !served))
		return 0;
	return error_set(err, -EINVAL,
			 "%s%s has all tasks: '--filter' is for rows. Omit it, or choose tasks by "
			 "'-p', '-u' or '--cgroup'.",
			 served ? "Option '--listen'" : "Format ",
			 served ? "" : options->format->name);
}

/* The events of another CPU can be listed, and nothing else. */
static int check_cpu_model(const struct options *options, struct error *err)
{
	if (!options->cpu_model)
		return 0;
	if (options->task != OPTIONS_LIST ||
	    (options->list != OPTIONS_LIST_EVENTS && options->list != OPTIONS_LIST_METRICS))
		return error_set(err, -EINVAL,
				 "Option '--cpu-model' needs '--list events' or '--list metrics'.");
	if (strlen(options->cpu_model) > 60)
		return error_set(err, -EINVAL,
				 "Invalid CPU '%.40s...' (example: GenuineIntel-6-AD-1).",
				 options->cpu_model);
	return 0;
}

static int check_symfs(const char *symfs, struct error *err)
{
	struct stat status;

	if (stat(symfs, &status) < 0) {
		int code = -errno;
		return error_set(err, -EINVAL, "Option '--symfs': '%.120s' cannot be read: %s.",
				 symfs, error_why(code));
	}
	if (!S_ISDIR(status.st_mode))
		return error_set(err, -EINVAL, "Option '--symfs': '%.120s' is no directory.",
				 symfs);
	return 0;
}

/* Refuses options that do not apply to a replay. */
static int check_replay(const struct options *options, struct error *err)
{
	if (!options->replay && (options->paced || options->symfs))
		return error_set(err, -EINVAL, "Option '--%s' needs '--replay FILE'.",
				 options->paced ? "speed" : "symfs");
	if (!options->replay)
		return 0;
	if (options->command)
		return error_set(err, -EINVAL,
				 "A replay cannot run a command. Omit '-- %.40s' or '--replay'.",
				 options->command[0]);
	if (options->record.path)
		return error_set(
			err, -EINVAL,
			"Option '--record' is for live runs: '%.80s' is a recording already.",
			options->replay);
	if (options->cpus)
		return error_set(err, -EINVAL,
				 "Option '-C' is for live runs: a recording has fixed CPUs.");
	if (options->counts)
		return error_set(err, -EINVAL,
				 "Option '--count' is for live runs: a recording has fixed "
				 "privilege levels.");
	if (options->task == OPTIONS_DOCTOR || options->task == OPTIONS_LIST)
		return error_set(
			err, -EINVAL,
			"Options '--%s' and '--replay' exclude each other. Omit one of them.",
			options->task == OPTIONS_DOCTOR ? "doctor" : "list");
	return options->symfs ? check_symfs(options->symfs, err) : 0;
}

/* Refuses options that name files of this side but are for the other, and the reverse. */
static int check_ssh(const struct options *options, struct error *err)
{
	const char *way = options->ssh ? "ssh" : "via";

	if (options->ssh && options->via)
		return error_set(err, -EINVAL,
				 "Options '--ssh' and '--via' exclude each other. For a container "
				 "on a host: --via 'ssh -t HOST docker exec -it web'.");
	if (options->n_ssh_options > 0 && !options->ssh)
		return error_set(err, -EINVAL, "Option '--ssh-option' needs '--ssh HOST'.");
	if ((options->ssh_sudo || options->static_program) && !options->ssh && !options->via)
		return error_set(err, -EINVAL,
				 "Option '--%s' needs '--ssh HOST' or '--via COMMAND'.",
				 options->ssh_sudo ? "ssh-sudo" : "static");
	if (!options->ssh && !options->via)
		return 0;
	if (options->replay)
		return error_set(err, -EINVAL,
				 "Options '--%s' and '--replay' exclude each other: recordings are "
				 "replayed here. Omit '--%s'.",
				 way, way);
	if (options->cpu_model)
		return error_set(err, -EINVAL,
				 "Options '--%s' and '--cpu-model' exclude each other: other CPUs "
				 "are listed here. Omit '--%s'.",
				 way, way);
	if (options->record.switch_bytes || options->record.switch_ns)
		return error_set(err, -EINVAL,
				 "Option '--switch-output' does not work with '--%s': the "
				 "recording is one file here. Omit it.",
				 way);
	if (options->output && options->format->replace)
		return error_set(err, -EINVAL,
				 "Format %s with '-o' does not work with '--%s'. Use '--listen' "
				 "there, or omit '-o'.",
				 options->format->name, way);
	return 0;
}

static int set_missing_argument(const struct option_row *row, struct error *err)
{
	bool example = row && strcmp(row->name, "replay") == 0 && replay_input_is_here();

	return error_set(err, -EINVAL, "Option '--%s' needs %s.%s", row ? row->name : "",
			 row ? row->argument : "",
			 example ? " Example: pmctop --replay " REPLAY_DIRECTORY_USUAL : "");
}

int options_parse(int argc, char **argv, struct options *options, struct error *err)
{
	char letters[2 * OPTION_ROWS_MAX + 2];
	struct option names[OPTION_ROWS_MAX + 1] = {{0}};
	int value, rc, n = command_index(argc, argv);
	const char *first = n > 1 ? argv[1] : "";

	if (n == argc - 1)
		return error_set(err, -EINVAL,
				 "No command behind '--'. To run one: pmctop -- COMMAND [ARG...]");
	options->command = n < argc ? argv + n + 1 : NULL;
	/* Only what the command line sets counts here. */
	options->refreshes = options->delays = options->counts = false;
	build_getopt(letters, names);
	optind = 0; /* start anew: argv may be parsed twice */
	opterr = 0;
	while ((value = getopt_long(n, argv, letters, names, NULL)) != -1) {
		const struct option_row *row = row_by_value(value == ':' ? optopt : value);

		if (value == '?' && is_command_word(first) && options->task == OPTIONS_RUN)
			return set_invalid_delay(first,
						 err); /* the unknown option belongs to a command */
		if (value == '?')
			return set_unknown_option(argv[optind - 1], optopt, err);
		if (value == ':' || !row)
			return set_missing_argument(row, err);
		rc = option_row_read(row, options, optarg, err);
		if (rc || options->task == OPTIONS_HELP || options->task == OPTIONS_VERSION)
			return rc;
	}
	rc = check_record(&options->record, err);
	if (!rc && options->n_listen_names > 0 && !options->listen)
		rc = error_set(err, -EINVAL, "Option '--listen-name' needs '--listen'.");
	if (!rc)
		rc = check_readonly(options, err);
	if (!rc)
		rc = check_ssh(options, err);
	if (!rc)
		rc = check_code(options, err);
	if (!rc)
		rc = check_filter(options, err);
	if (rc)
		return rc;
	rc = read_positional(options, n, argv, err);
	if (!rc && options->command && options->task != OPTIONS_RUN)
		return set_unexpected_argument(options->command[0], err);
	if (!rc)
		rc = check_cpu_model(options, err);
	return rc ? rc : check_replay(options, err);
}

enum command_lines options_command_lines(const struct options *options)
{
	if (options->command_lines)
		return COMMAND_LINES_SHOWN;
	if (options->filter && row_filter_lines(options->filter) != COMMAND_LINES_NONE)
		return COMMAND_LINES_MATCHED;
	return options->batch ? COMMAND_LINES_NONE : COMMAND_LINES_SCREEN;
}

/* "--name=argument", "--name" */
static void send_option(const struct option_row *row, const char *argument,
			void (*word)(void *arg, const char *text), void *arg)
{
	char *text = NULL;
	size_t size;
	FILE *file = xopen_memstream(&text, &size);

	fprintf(file, "--%s%s%s", row->name, row->argument ? "=" : "",
		row->argument ? argument : "");
	if (fclose(file))
		xalloc_failed();
	word(arg, text);
	free(text);
}

void options_each_sent(int argc, char **argv, void (*word)(void *arg, const char *text), void *arg)
{
	char letters[2 * OPTION_ROWS_MAX + 2];
	struct option names[OPTION_ROWS_MAX + 1] = {{0}};
	int value, n = command_index(argc, argv);

	build_getopt(letters, names);
	optind = 0;
	opterr = 0;
	while ((value = getopt_long(n, argv, letters, names, NULL)) != -1) {
		const struct option_row *row = row_by_value(value);

		if (row && !row->here)
			send_option(row, optarg, word, arg);
	}
	for (int i = optind; i < n; i++)
		word(arg, argv[i]);
	for (int i = n; i < argc; i++)
		word(arg, argv[i]);
}

static void list_settings(char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < option_rows_n; i++) {
		const char *name = option_row_setting(&option_rows[i]);

		if (name && length > 0)
			length += text_copy(text + length, size - length, ", ");
		if (name)
			length += text_copy(text + length, size - length, name);
	}
}

static int set_unknown_setting(const char *name, struct error *err)
{
	struct suggest near = {.word = name};
	char hint[80], all[200];

	for (size_t i = 0; i < option_rows_n; i++)
		if (option_row_setting(&option_rows[i]))
			suggest_offer(&near, option_row_setting(&option_rows[i]));
	suggest_text(&near, hint, sizeof(hint));
	if (hint[0])
		return error_set(err, -EINVAL, "Unknown setting '%.40s'%s.", name, hint);
	list_settings(all, sizeof(all));
	return error_set(err, -EINVAL, "Unknown setting '%.40s'. Settings: %s.", name, all);
}

static int read_switch(const struct option_row *row, const char *value, struct options *options,
		       struct error *err)
{
	const char *name = option_row_setting(row);
	static const char *const yes[] = {"yes", "true", "on", "1"};
	static const char *const no[] = {"no", "false", "off", "0"};

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (strcasecmp(value, yes[i]) == 0)
			return row->denies ? 0 : option_row_read(row, options, NULL, err);
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (strcasecmp(value, no[i]) == 0)
			return row->denies ? option_row_read(row, options, NULL, err) : 0;
	return error_set(err, -EINVAL, "Invalid value '%.40s' of %s (yes or no).", value, name);
}

int options_set(struct options *options, const char *name, const char *value, struct error *err)
{
	enum options_task task = options->task;
	size_t before = options->n_columns;

	for (size_t i = 0; i < option_rows_n; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->denies && strcmp(row->denies, name) == 0)
			return read_switch(row, value, options, err);
		if (!row->setting || strcmp(row->name, name) != 0)
			continue;
		if (!row->argument)
			return read_switch(row, value, options, err);
		int rc = option_row_read(row, options, value, err);
		if (options->task != task) { /* -s help */
			options->task = task;
			return error_set(
				err, -EINVAL,
				"Invalid value 'help' of sort. Write the name of a column.");
		}
		/* Columns of a file are optional: it may serve several machines. */
		for (size_t k = before; k < options->n_columns; k++)
			options->columns[k].optional = true;
		return rc;
	}
	return set_unknown_setting(name, err);
}

/* Words that leave no room for the description have it on the next line. */
enum { HELP_COLUMNS = 80, HELP_INDENT = 25 };
static const char help_break[] = "\n                         ";
static_assert(sizeof(help_break) == HELP_INDENT + 2, "it is as wide as an option");

void options_print_help(FILE *file)
{
	fputs("pmctop: live hardware performance counters of every task\n\n"
	      "usage: pmctop [OPTIONS] [DELAY [COUNT]]\n"
	      "       pmctop [OPTIONS] [DELAY [COUNT]] -- COMMAND [ARG...]\n"
	      "       pmctop --replay FILE|- [--speed X] [OPTIONS]\n"
	      "       pmctop --ssh [USER@]HOST [OPTIONS]\n"
	      "       pmctop --via COMMAND [OPTIONS]\n"
	      "       pmctop --list WHAT [PATTERN]\n"
	      "       pmctop --doctor [--format json]\n\n",
	      file);
	for (size_t i = 0; i < option_rows_n; i++) {
		const struct option_row *row = &option_rows[i];
		char name[32], words[80];

		option_row_words(row, words, sizeof(words));
		if (HELP_INDENT + strlen(words) > HELP_COLUMNS)
			words[0] = '\0'; /* `help` names some of so many */
		snprintf(name, sizeof(name), "--%s%s%s", row->name, row->argument ? " " : "",
			 row->argument ? row->argument : "");
		const char *gap = !words[0] || !row->help[0] ? "" : ": ";
		if (HELP_INDENT + strlen(words) + strlen(gap) + strlen(row->help) > HELP_COLUMNS)
			gap = help_break;
		fprintf(file, "  %c%c%c %-18s %s%s%s\n", row->letter ? '-' : ' ',
			row->letter ? row->letter : ' ', row->letter ? ',' : ' ', name, words, gap,
			row->help);
	}
	fputs("\nA command is counted with all its children, from its first instruction.\n"
	      "Live, its output is shown when you quit. In batch mode it goes to stderr, unless\n"
	      "-o gives pmctop's output a file. A summary follows; refreshes are printed only\n"
	      "with DELAY or -n.\n"
	      "\nIn json and csv, events are raw counts. scaled (csv: NAME_scaled) are the\n"
	      "same counts scaled to the whole time.\n"
	      "\nexit status: 0 success, 1 failure, 2 usage error, 3 nothing can be counted;\n"
	      "a command's own: 128 + signal, 125 unknown, 126 not executable, 127 not found\n"
	      "keys: press ? while it runs\n",
	      file);
}

void options_print_version(FILE *file)
{
	fprintf(file, "pmctop %s\nBuilt for %s%s.\n", version, version_build,
		metrics_server_is_built() ? "" : ", without HTTP (--listen)");
}
