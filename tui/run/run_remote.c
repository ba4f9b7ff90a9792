// SPDX-License-Identifier: MIT
/*
 * What pmctop on the host gets: the command line without what concerns this side, the configuration
 * and the themes as texts, the tables of events for its CPUs, and the variables of the terminal.
 */
#include "tui/run/run.h"

#include "core/base/bounded_read.h"
#include "core/base/util.h"
#include "tui/options/config.h"
#include "tui/options/output_apart.h"
#include "tui/options/user_files.h"
#include "tui/remote/parcel.h"
#include "tui/remote/remote_session.h"
#include "tui/term/theme_load.h"
#include "tui/term/variables.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THEMES_BYTES_MAX = 256 * 1024 };

static char *copy_of_variable(enum variable variable)
{
	const char *value = variable_value(variable);

	return value ? xstrdup(value) : NULL;
}

static void add_word(void *parcel, const char *word)
{
	parcel_add_word(parcel, word);
}

/* The file was read before; one that has vanished since counts as empty. */
static void pack_config(const struct config *config, struct parcel *parcel)
{
	size_t length;

	if (!config->path)
		return;
	parcel->config_path = xstrdup(config->path);
	if (bounded_read(config->path, 0, CONFIG_BYTES_MAX, &parcel->config, &length))
		parcel->config = xstrdup("");
}

/* The user's own themes, for the host's list and picker. The chosen one is sent by itself. */
static void pack_themes(const struct theme_places *places, struct parcel *parcel,
			struct notes *notes)
{
	struct theme_list list;
	struct notes ignored = {0};
	struct error err;
	size_t bytes = 0, n_own = 0;
	char *text;

	theme_list_read(places, &list);
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.items[i].name, *built_in = theme_builtin_find(name);

		if (theme_load_text(name, places, &text, &ignored, &err))
			continue;
		size_t length = strlen(text);
		bool own = !built_in || strcmp(text, built_in) != 0;
		bool fits =
			parcel->n_themes < PARCEL_THEMES_MAX && bytes + length <= THEMES_BYTES_MAX;

		if (own && fits) {
			parcel_add_theme(parcel, name, text);
			bytes += length;
		}
		n_own += own;
		free(text);
	}
	if (parcel->n_themes < n_own)
		notes_add(notes,
			  "%.120s: only %zu of %zu themes were sent to the host (at most %d, of %d "
			  "KiB together). Remove some.",
			  places->dir, parcel->n_themes, n_own, PARCEL_THEMES_MAX,
			  THEMES_BYTES_MAX / 1024);
	theme_list_fini(&list);
	notes_fini(&ignored);
}

static bool is_recorded_here(const struct options *options)
{
	return options->record.path && strcmp(options->record.path, "-") != 0;
}

/* The theme was loaded before; without a text, the file's is unknown, which was noted. */
static void pack_theme(const char *name, const struct theme_places *places, struct parcel *parcel)
{
	struct notes ignored = {0};
	struct error err;

	if (theme_load_text(name, places, &parcel->theme, &ignored, &err))
		parcel->theme = NULL;
	notes_fini(&ignored);
}

/*
 * Output that is no screen goes through a terminal of the host only if all of it would appear on
 * the terminal here.
 */
static bool needs_screen(const struct options *options)
{
	if (!isatty(STDOUT_FILENO) || options->output)
		return false;
	bool draws = options->task == OPTIONS_RUN && !options->batch;
	return draws || (isatty(STDIN_FILENO) && isatty(STDERR_FILENO));
}

/* Whether the host lists the themes. */
static bool needs_themes(const struct options *options)
{
	if (options->task == OPTIONS_LIST)
		return options->list == OPTIONS_LIST_THEMES;
	return options->task == OPTIONS_RUN && needs_screen(options);
}

static void fill_parcel(int argc, char **argv, const struct options *options,
			const struct config *config, const struct theme_places *themes,
			struct parcel *parcel, struct notes *notes)
{
	*parcel = (struct parcel){
		.term = copy_of_variable(VARIABLE_TERM),
		.colorterm = copy_of_variable(VARIABLE_COLORTERM),
		.no_color = copy_of_variable(VARIABLE_NO_COLOR),
		.escdelay = copy_of_variable(VARIABLE_ESCDELAY),
		.lines = copy_of_variable(VARIABLE_LINES),
		.columns = copy_of_variable(VARIABLE_COLUMNS),
		.record = is_recorded_here(options) ? xstrdup(options->record.path) : NULL,
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	};
	pack_config(config, parcel);
	pack_theme(options->theme, themes, parcel);
	if (needs_themes(options))
		pack_themes(themes, parcel, notes);
	parcel_add_word(parcel, "pmctop");
	if (options->batch)
		parcel_add_word(parcel, "--batch");
	if (options->record.path && !parcel->record)
		parcel_add_word(parcel, "--record=-");
	options_each_sent(argc, argv, add_word, parcel);
}

/* What pmctop here can do with a host on which nothing can be copied or run. */
static void note_remedy(const struct transport *transport, struct notes *notes)
{
	char shown[200], text[400];
	/* ssh's words pass through a second shell. */
	const char *quote = transport->via ? "" : "\"";

	transport_shown(transport, shown, sizeof(shown));
	snprintf(text, sizeof(text),
		 "Without a program there: %s perf record -a -e "
		 "%s'{context-switches,cycles,instructions}:S'%s -c 1 -o - | pmctop --replay -",
		 shown, quote, quote);
	notes_add(notes, "%s", text);
}

static void limit_end(void *ending, uint64_t ns)
{
	ending_limit(ending, ns);
}

int run_remote(int argc, char **argv, const struct options *options, const struct config *config,
	       const struct theme_places *themes, char *const *environment,
	       void (*note)(const char *sentence), struct notes *notes, struct error *err)
{
	const struct ending_config end = {.note = note, .keys = needs_screen(options)};
	struct ending *ending;
	char user[PATH_MAX], host[TRANSPORT_NAME_BYTES];
	struct tables_places tables;
	struct parcel parcel;
	struct remote_session session = {
		.transport = {.host = options->ssh,
			      .options = options->ssh_options,
			      .n_options = options->n_ssh_options,
			      .via = options->via},
		.sudo = options->ssh_sudo,
		.program = options->static_program,
		.parcel = &parcel,
		.tables = &tables,
		.output = options->output,
		.record = is_recorded_here(options) ? options->record.path : NULL,
		.screen = needs_screen(options),
		.command = options->command != NULL,
		.directory = variable_value(VARIABLE_TMPDIR),
		.terminal = variable_value(VARIABLE_TERM),
		.environment = environment,
		.limit_end = limit_end,
	};

	if (output_apart_check(options, err))
		return RUN_USAGE;
	if (ending_new(&end, &ending, err))
		return RUN_FAILED;
	session.ending = ending;
	session.unwritten_output = ending_unwritten(ending, ENDING_OUTPUT);
	session.unwritten_record = ending_unwritten(ending, ENDING_RECORDING);
	user_files_tables(options->event_tables, user, &tables);
	fill_parcel(argc, argv, options, config, themes, &parcel, notes);
	transport_name(&session.transport, host);
	parcel.host = xstrdup(host);
	int status = remote_session_run(&session, notes, err);
	if (err->code == -ENOEXEC)
		note_remedy(&session.transport, notes);
	parcel_fini(&parcel);
	ending_free(ending);
	return status;
}
