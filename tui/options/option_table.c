// SPDX-License-Identifier: MIT
/*
 * The table of options, their defaults, and the functions that parse and write their arguments.
 * --help, the completions and the manual have the options in this order. The build makes the
 * completions, and the names and words of the manual, from the table (.package/option_texts.awk):
 * the table of list_word() is list_words there.
 */
#include "tui/options/option_table.h"

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/output/batch.h"
#include "core/output/host_header.h"
#include "core/output/listen_address.h"
#include "tui/options/column_choice.h"
#include "tui/options/duration.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEED_LEAST 0.01
#define SPEED_MOST  100000.0

int option_read_delay(struct options *options, const char *argument, struct error *err)
{
	struct error why;

	if (duration_parse(argument, &options->interval_ns, &why))
		return error_set(err, -EINVAL, "%s.", why.text);
	options->refreshes = options->delays = true;
	return 0;
}

static void write_delay(const struct options *options, FILE *file)
{
	char text[24];

	duration_format(options->interval_ns, text, sizeof(text));
	fputs(text, file);
}

int option_read_iterations(struct options *options, const char *argument, struct error *err)
{
	char *end;

	errno = 0;
	options->iterations = strtoull(argument, &end, 10);
	if (!isdigit((unsigned char)argument[0]) || *end || errno || options->iterations == 0 ||
	    options->iterations > UINT32_MAX)
		return error_set(err, -EINVAL,
				 "Invalid number of refreshes '%.40s' (a whole number from 1 on).",
				 argument);
	options->refreshes = true;
	return 0;
}

static void list_words(option_word_fn *word, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; word(i) && length < size; i++) {
		const char *gap = i == 0 ? "" : word(i + 1) ? ", " : " or ";

		length += (size_t)snprintf(text + length, size - length, "%s%s", gap, word(i));
	}
}

/* Returns the index of a word, or -EINVAL and a sentence. */
static int read_word(const char *what, const char *argument, option_word_fn *word,
		     struct error *err)
{
	struct suggest near = {.word = argument};
	char list[160], hint[80];

	for (size_t i = 0; word(i); i++) {
		if (strcmp(argument, word(i)) == 0)
			return (int)i;
		suggest_offer(&near, word(i));
	}
	list_words(word, list, sizeof(list));
	suggest_text(&near, hint, sizeof(hint));
	return error_set(err, -EINVAL, "Unknown %s '%.40s'%s. Choose %s.", what, argument, hint,
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
	options->printed = true;
	options->batch = true;
	return 0;
}

static int read_code(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->code = true;
	options->batch = true;
	return 0;
}

static int read_output(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0])
		return error_set(err, -EINVAL, "Option '--output' needs the name of a file.");
	/* "-" is standard output, as for --record. */
	options->output = strcmp(argument, "-") == 0 ? NULL : argument;
	options->batch = true;
	return 0;
}

static int read_top(struct options *options, const char *argument, struct error *err)
{
	char *end;
	unsigned long number = strtoul(argument, &end, 10);

	if (!isdigit((unsigned char)argument[0]) || *end || number == 0 || number > UINT32_MAX)
		return error_set(err, -EINVAL,
				 "Invalid number of tasks '%.40s' (a whole number from 1 on).",
				 argument);
	options->top = number;
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

static int read_replay(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0])
		return error_set(err, -EINVAL,
				 "Option '--replay' needs the name of a file, or - for a pipe.");
	options->replay = argument;
	return 0;
}

static int read_speed(struct options *options, const char *argument, struct error *err)
{
	size_t length = strspn(argument, "0123456789.");
	double speed = 0;

	options->paced = true;
	if (strcmp(argument, "max") == 0) {
		options->speed = PLAYBACK_SPEED_MAX;
		return 0;
	}
	if (length == 0 || argument[length] || text_number(argument, &speed) != length ||
	    speed < SPEED_LEAST || speed > SPEED_MOST)
		return error_set(err, -EINVAL, "Invalid speed '%.40s' (%g to %g, or max).",
				 argument, SPEED_LEAST, SPEED_MOST);
	options->speed = (uint32_t)(speed * PLAYBACK_SPEED_ONE + 0.5);
	return 0;
}

/* As in perf: capital letters are sizes, small ones times. */
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
			 "Invalid size or time '%.40s' (a number with B, K, M, G or s, m, h, d).",
			 argument);
}

static int read_listen(struct options *options, const char *argument, struct error *err)
{
	struct listen_address address;

	if (!argument[0])
		return error_set(err, -EINVAL,
				 "Option '--listen' needs a port, or an address and a port "
				 "(examples: 9105, [::1]:9105).");
	options->listen = argument;
	return listen_address_parse(argument, &address, err);
}

static int read_listen_name(struct options *options, const char *argument, struct error *err)
{
	if (!host_name_is_valid(argument))
		return error_set(err, -EINVAL,
				 "Invalid host name '%.60s' (example: pmctop.example; no port; at "
				 "most 253 characters, 63 between dots).",
				 argument);
	options->listen_names =
		array_reserve(options->listen_names, &options->listen_names_capacity,
			      options->n_listen_names + 1, sizeof(*options->listen_names));
	options->listen_names[options->n_listen_names++] = argument;
	return 0;
}

static int read_switch_files(struct options *options, const char *argument, struct error *err)
{
	char *end;
	unsigned long number = strtoul(argument, &end, 10);

	if (!isdigit((unsigned char)argument[0]) || *end || number == 0 || number > UINT16_MAX)
		return error_set(err, -EINVAL,
				 "Invalid number of files '%.40s' (a whole number from 1 on).",
				 argument);
	options->record.switch_files = number;
	return 0;
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

static void write_by(const struct options *options, FILE *file)
{
	fputs(rollup_name(options->by), file);
}

static int append_column(struct options *options, enum engine_column_kind kind, const char *text,
			 struct error *err)
{
	if (options->n_columns == OPTIONS_COLUMNS_MAX)
		return error_set(err, -EINVAL, "Too many -e and -m (at most %d).",
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
				 "Option '--event' needs a name. See 'pmctop --list events'.");
	return append_column(options, ENGINE_EVENTS, argument, err);
}

static void write_events(const struct options *options, FILE *file)
{
	const char *gap = "";

	for (size_t i = 0; i < options->n_columns; i++)
		if (options->columns[i].kind == ENGINE_EVENTS) {
			fprintf(file, "%s%s", gap, options->columns[i].text);
			gap = ", ";
		}
}

/* Adds the metrics of "a, b,c". A formula may have commas, so it is not split. */
static int append_metrics(struct options *options, const char *list, struct error *err)
{
	int rc = 0;

	for (const char *name = list + strspn(list, ", "); *name && !rc;
	     name += strspn(name, ", ")) {
		size_t length = strcspn(name, ", ");

		options->names = array_reserve(options->names, &options->names_capacity,
					       options->n_names + 1, sizeof(*options->names));
		options->names[options->n_names++] = xstrndup(name, length);
		rc = append_column(options, ENGINE_METRIC, options->names[options->n_names - 1],
				   err);
		name += length;
	}
	return rc;
}

static int read_metric(struct options *options, const char *argument, struct error *err)
{
	if (!argument[0] || argument[0] == '=')
		return error_set(err, -EINVAL,
				 "Option '--metric' needs a name. See 'pmctop --list metrics'.");
	if (strchr(argument, '=') || !strchr(argument, ','))
		return append_column(options, ENGINE_METRIC, argument, err);
	return append_metrics(options, argument, err);
}

size_t option_metric_name(const char *metric)
{
	size_t length = strcspn(metric, "=");

	while (length > 0 && metric[length - 1] == ' ')
		length--;
	return length;
}

static void write_metrics(const struct options *options, FILE *file)
{
	const char *gap = "";

	for (size_t i = 0; i < options->n_columns; i++)
		if (options->columns[i].kind == ENGINE_METRIC) {
			const char *text = options->columns[i].text;

			fprintf(file, "%s%.*s", gap, (int)option_metric_name(text), text);
			gap = ", ";
		}
}

/* Parses "12" or "12,13". Blanks separate too: pgrep prints one number per line. */
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
					 "Invalid %s number '%.40s' (examples: 12 or 12,13).%s",
					 what, argument,
					 isalpha((unsigned char)text[0])
						 ? " To find numbers: pgrep -d, NAME"
						 : "");
		if (*n == OPTIONS_NUMBERS_MAX)
			return error_set(err, -EINVAL, "Too many numbers (at most %d).",
					 OPTIONS_NUMBERS_MAX);
		*numbers = array_reserve(*numbers, capacity, *n + 1, sizeof(**numbers));
		(*numbers)[(*n)++] = (pid_t)number;
		text = *next == ',' ? next + 1 + strspn(next + 1, blanks) : next;
		if (*next == ',' && !*text)
			text = ","; /* a trailing comma is an error */
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

static int read_count(struct options *options, const char *argument, struct error *err)
{
	int i = read_word("--count", argument, event_levels_name, err);

	if (i < 0)
		return i;
	options->count = (enum event_levels)i;
	options->counts = true;
	return 0;
}

static void write_count(const struct options *options, FILE *file)
{
	fputs(event_levels_name(options->count), file);
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
				 "Option '--sort' needs a column. See 'pmctop -s help'.");
	options->reverse = reverse;
	options->sort = argument + reverse;
	return 0;
}

static void write_sort(const struct options *options, FILE *file)
{
	if (options->sort[0])
		fprintf(file, "%s%s", options->reverse ? "-" : "", options->sort);
}

static int read_filter(struct options *options, const char *argument, struct error *err)
{
	if (strlen(argument) >= ROW_FILTER_BYTES)
		return error_set(err, -EINVAL, "Filter too long (at most %d bytes).",
				 ROW_FILTER_BYTES - 1);
	options->filter = argument;
	return 0;
}

static const char *list_word(size_t i)
{
	static const char *const list_words[] = {
		[OPTIONS_LIST_EVENTS] = "events",     [OPTIONS_LIST_METRICS] = "metrics",
		[OPTIONS_LIST_PRESETS] = "presets",   [OPTIONS_LIST_COLUMNS] = "columns",
		[OPTIONS_LIST_THEMES] = "themes",     [OPTIONS_LIST_PMUS] = "pmus",
		[OPTIONS_LIST_KEYS] = "keys",         [OPTIONS_LIST_FORMULAS] = "formulas",
		[OPTIONS_LIST_VERDICTS] = "verdicts", [OPTIONS_LIST_MARKS] = "marks",
		[OPTIONS_LIST_PALETTE] = "palette",   [OPTIONS_LIST_VARIABLES] = "variables",
	};

	return i < ARRAY_SIZE(list_words) ? list_words[i] : NULL;
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
	static const char *const color_words[] = {
		[OPTIONS_COLOR_AUTO] = "auto",
		[OPTIONS_COLOR_ALWAYS] = "always",
		[OPTIONS_COLOR_NEVER] = "never",
	};

	return i < ARRAY_SIZE(color_words) ? color_words[i] : NULL;
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
	static const char *const unit_words[] = {
		[VIEW_UNIT_USUAL] = "usual",
		[VIEW_UNIT_COUNT] = "count",
		[VIEW_UNIT_PER_SECOND] = "second",
		[VIEW_UNIT_PER_KI] = "ki",
	};

	return i < ARRAY_SIZE(unit_words) ? unit_words[i] : NULL;
}

static int read_unit(struct options *options, const char *argument, struct error *err)
{
	int i = read_word("--unit", argument, unit_word, err);

	if (i < 0)
		return i;
	options->unit = (enum view_unit)i;
	return 0;
}

static void write_unit(const struct options *options, FILE *file)
{
	const char *word = unit_word(options->unit);

	fputs(word ? word : "", file);
}

static int read_doctor(struct options *options, const char *argument, struct error *err)
{
	(void)argument, (void)err;
	options->task = OPTIONS_DOCTOR;
	return 0;
}

/* A percentage of each CPU's time. */
static int read_budget(struct options *options, const char *argument, struct error *err)
{
	char *end;
	double percent = strtod(argument, &end);

	if (!(isdigit((unsigned char)argument[0]) || argument[0] == '.') || end == argument ||
	    (*end && strcmp(end, "%") != 0) || !(percent >= 0 && percent <= 100))
		return error_set(
			err, -EINVAL,
			"Invalid budget '%.40s' (a percentage from 0 to 100; 0: no limit).",
			argument);
	options->budget_percent = percent;
	return 0;
}

static int read_frequency(struct options *options, const char *argument, struct error *err)
{
	char *end;
	unsigned long number = strtoul(argument, &end, 10);

	if (!isdigit((unsigned char)argument[0]) || *end || number == 0 ||
	    number > OPTIONS_FREQUENCY_MAX)
		return error_set(
			err, -EINVAL,
			"Invalid frequency '%.40s' (samples a second, a whole number from 1 "
			"to %d).",
			argument, OPTIONS_FREQUENCY_MAX);
	options->frequency = (unsigned)number;
	return 0;
}

static void write_frequency(const struct options *options, FILE *file)
{
	fprintf(file, "%u", options->frequency);
}

static void write_shown(const struct options *options, FILE *file)
{
	struct column_choice choice = {0};
	char *text;

	column_choice_parse(&choice, options->shown ? options->shown : "");
	text = column_choice_text(&choice);
	fputs(text, file);
	free(text);
	column_choice_fini(&choice);
}

static void write_theme(const struct options *options, FILE *file)
{
	fputs(options->theme ? options->theme : "default", file);
}

/* ssh refuses blanks and control characters too, but not always in a line fit for a terminal. */
static bool is_host(const char *text)
{
	for (const char *at = text; *at; at++)
		if (isspace((unsigned char)*at) || iscntrl((unsigned char)*at))
			return false;
	return text[0] && text[0] != '-';
}

static int read_ssh(struct options *options, const char *argument, struct error *err)
{
	if (!is_host(argument))
		return error_set(err, -EINVAL,
				 "Option '--ssh' needs a host, not '%.40s' (examples: box, "
				 "root@box). Options of ssh are given by --ssh-option.",
				 argument);
	if (options->ssh)
		return error_set(err, -EINVAL,
				 "Option '--ssh' takes one host. For several, run 'pmctop -b "
				 "--listen ADDR:PORT' on each, and Prometheus.");
	options->ssh = argument;
	return 0;
}

static int read_via(struct options *options, const char *argument, struct error *err)
{
	if (!argument[strspn(argument, " \t")])
		return error_set(
			err, -EINVAL,
			"Option '--via' needs a command (example: 'docker exec -it web').");
	options->via = argument;
	return 0;
}

static int read_ssh_option(struct options *options, const char *argument, struct error *err)
{
	if (options->n_ssh_options == OPTIONS_COLUMNS_MAX)
		return error_set(err, -EINVAL, "Too many --ssh-option (at most %d).",
				 OPTIONS_COLUMNS_MAX);
	options->ssh_options =
		array_reserve(options->ssh_options, &options->ssh_options_capacity,
			      options->n_ssh_options + 1, sizeof(*options->ssh_options));
	options->ssh_options[options->n_ssh_options++] = argument;
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

const struct option_row option_rows[] = {
	{'d', "delay", "SECS", "time between refreshes: 2, 0.5, 500ms; at least 0.1 (1)",
	 option_read_delay, .setting = true, .saved = true, .write = write_delay},
	{'n', "iterations", "N", "stop after N refreshes", option_read_iterations},
	{'b', "batch", NULL, "print, do not draw; the default without a terminal",
	 .flag = offsetof(struct options, batch)},
	{0, "format", "FORMAT", "implies -b", read_format, format_word},
	{0, "code", NULL, "functions in which tasks spend their time; implies -b", read_code},
	{'o', "output", "FILE", "batch output to a file; implies -b", read_output, .here = true},
	{0, "top", "N", "only the first N tasks; openmetrics: the busiest (50)", read_top},
	{0, "record", "FILE", "write a recording (perf.data); -: to a pipe", read_record,
	 .here = true},
	{0, "switch-output", "SIZE", "start a new file every 100M, 1G, 30m, 1d",
	 read_switch_output},
	{0, "switch-max-files", "N", "keep only the newest N of these files", read_switch_files},
	{0, "listen", "[ADDR]:PORT", "serve counters to Prometheus, at /metrics", read_listen},
	{0, "listen-name", "NAME", "accept this host name in requests to the loopback",
	 read_listen_name},
	{0, "replay", "FILE", "show a recording of pmctop or perf; -: from a pipe", read_replay},
	{0, "symfs", "DIR", "programs and libraries of the recording are below DIR",
	 .text = offsetof(struct options, symfs), .needs = "the name of a directory"},
	{0, "speed", "X", "speed of the replay: 0.5, 2, 10, max (1; printed: max)", read_speed},
	{0, "ssh", "HOST", "run on that host, which needs no pmctop", read_ssh, .here = true},
	{0, "ssh-option", "WORD", "a word of ssh's command line, such as -p2222", read_ssh_option,
	 .here = true},
	{0, "ssh-sudo", NULL, "run there with sudo", .flag = offsetof(struct options, ssh_sudo),
	 .here = true},
	{0, "via", "COMMAND", "run where that runs a command, as 'docker exec -it web'", read_via,
	 .here = true},
	{0, "static", "FILE", "the static program to copy there",
	 .text = offsetof(struct options, static_program), .needs = "the name of a file",
	 .here = true},
	{'S', "preset", "PRESET", "metrics to count and show; none: only -e and -m",
	 .text = offsetof(struct options, preset), .needs = "a name. See 'pmctop --list presets'",
	 .setting = true, .saved = true},
	{'e', "event", "EVENT", "add columns: EVENT[,EVENT...], {EVENT,EVENT} together", read_event,
	 .setting = true, .saved = true, .write = write_events},
	{'m', "metric", "METRIC", "add a column: a name, or your own 'NAME=EXPR'", read_metric,
	 .setting = true, .saved = true, .write = write_metrics},
	{'p', "pid", "PID", "only these processes and their children: PID[,PID...]", read_pid},
	{'t', "tid", "TID", "only these threads: TID[,TID...]", read_tid},
	{'u', "user", "USER", "only processes of these users (names or numbers)",
	 .text = offsetof(struct options, user), .needs = "a name"},
	{'G', "cgroup", "PATH", "only these cgroups or containers, and those below",
	 .text = offsetof(struct options, cgroup), .needs = "a name"},
	{'C', "cpu", "LIST", "only what runs on these CPUs: 0-3,8",
	 .text = offsetof(struct options, cpus), .needs = "a name"},
	{0, "count", "LEVELS", "privilege levels to count", read_count, event_levels_name,
	 .setting = true, .saved = true, .write = write_count},
	{0, "budget", "PERCENT", "limit of counting, per CPU; 0: none (3; a command: 0)",
	 read_budget, .setting = true},
	{0, "frequency", "N", "samples of code a second, while they are needed (199)",
	 read_frequency, .setting = true, .saved = true, .write = write_frequency},
	{'s', "sort", "COLUMN", "sort by COLUMN; '-s help' lists all, -COLUMN reverses", read_sort,
	 .setting = true, .saved = true, .write = write_sort},
	{0, "columns", "COLUMNS", "order of columns on the screen; -NAME hides one",
	 .text = offsetof(struct options, shown), .setting = true, .saved = true,
	 .write = write_shown},
	{0, "filter", "TEXT", "tasks with these words in pid, user, command, cgroup", read_filter},
	{'H', "threads", NULL, "threads instead of processes: --by thread", read_threads,
	 .setting = true},
	{'i', "idle", NULL, "also tasks that did not run", .flag = offsetof(struct options, idle),
	 .setting = true, .saved = true},
	{'c', "command-lines", NULL, "whole command lines instead of names or short ones",
	 .flag = offsetof(struct options, command_lines), .setting = true, .saved = true},
	{0, "by", "WHAT", "group by process, thread, user, cgroup, command ...", read_by,
	 rollup_name, .setting = true, .saved = true, .write = write_by},
	{0, "list", "WHAT", "list events, metrics, presets, keys ...", read_list, list_word},
	{0, "event-tables", "DIR", "the vendor's newer files of events and metrics",
	 .text = offsetof(struct options, event_tables), .needs = "the name of a directory",
	 .setting = true, .here = true},
	{0, "cpu-model", "ID", "list what another CPU has (GenuineIntel-6-AD-1)",
	 .text = offsetof(struct options, cpu_model),
	 .needs = "the id of a CPU (example: GenuineIntel-6-AD-1)"},
	{0, "doctor", NULL, "report what can be counted here, and how to get more", read_doctor},
	{0, "config", "FILE", "read this configuration", .text = offsetof(struct options, config),
	 .needs = "the name of a file", .here = true},
	{0, "color", "WHEN", "when to use colours", read_color, color_word, .setting = true},
	{0, "unit", "UNIT", "unit of event counts", read_unit, unit_word, .setting = true,
	 .saved = true, .write = write_unit},
	{0, "ascii", NULL, "draw with ASCII characters only",
	 .flag = offsetof(struct options, ascii), .setting = true, .saved = true},
	{0, "no-mouse", NULL, "leave the mouse to the terminal",
	 .flag = offsetof(struct options, mouse), .denies = "mouse", .saved = true},
	{0, "theme", "THEME", "a theme's name, or a file in btop's format",
	 .text = offsetof(struct options, theme), .needs = "a name or a file", .setting = true,
	 .saved = true, .write = write_theme},
	{0, "readonly", NULL, "send no signal; renice, write and start nothing",
	 .flag = offsetof(struct options, readonly), .setting = true},
	{'h', "help", NULL, "this text", read_help},
	{'V', "version", NULL, "the version", read_version},
};

const size_t option_rows_n = ARRAY_SIZE(option_rows);
static_assert(ARRAY_SIZE(option_rows) < OPTION_ROWS_MAX, "getopt gets a table of its own");

void options_init(struct options *options)
{
	*options = (struct options){
		.interval_ns = NS_PER_S,
		.format = &batch_formats[0],
		.sort = "",
		.mouse = true,
		.budget_percent = -1,
		.frequency = OPTIONS_FREQUENCY,
	};
}

void options_fini(struct options *options)
{
	free(options->columns);
	for (size_t i = 0; i < options->n_names; i++)
		free(options->names[i]);
	free(options->names);
	free(options->listen_names);
	free(options->ssh_options);
	free(options->pids);
	free(options->tids);
	*options = (struct options){0};
}

void options_borrow(const struct options *options, struct options *copy)
{
	*copy = *options;
	copy->columns = NULL;
	copy->names = NULL;
	copy->listen_names = copy->ssh_options = NULL;
	copy->pids = copy->tids = NULL;
	copy->n_columns = copy->columns_capacity = 0;
	copy->n_names = copy->names_capacity = 0;
	copy->n_listen_names = copy->listen_names_capacity = 0;
	copy->n_ssh_options = copy->ssh_options_capacity = 0;
	copy->n_pids = copy->pids_capacity = 0;
	copy->n_tids = copy->tids_capacity = 0;
}

void option_row_words(const struct option_row *row, char *text, size_t size)
{
	text[0] = '\0';
	if (row->word)
		list_words(row->word, text, size);
}

int option_row_read(const struct option_row *row, struct options *options, const char *argument,
		    struct error *err)
{
	if (row->flag) {
		*(bool *)((char *)options + row->flag) = !row->denies;
		return 0;
	}
	if (!row->text)
		return row->read(options, argument, err);
	if (row->needs && !argument[0])
		return error_set(err, -EINVAL, "Option '--%s' needs %s.", row->name, row->needs);
	*(const char **)((char *)options + row->text) = argument;
	return 0;
}

void option_row_write(const struct option_row *row, const struct options *options, FILE *file)
{
	const char *at = (const char *)options;

	if (row->write) {
		row->write(options, file);
	} else if (row->flag) {
		fputs(*(const bool *)(at + row->flag) ? "yes" : "no", file);
	} else {
		const char *text = *(const char *const *)(at + row->text);

		fputs(text ? text : "", file);
	}
}

const char *option_row_setting(const struct option_row *row)
{
	return row->denies ? row->denies : row->setting ? row->name : NULL;
}
