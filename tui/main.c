// SPDX-License-Identifier: MIT
/*
 * pmctop: options, environment, and the choice between drawing and printing. The only file that
 * prints and exits.
 */
#include "choice.h"
#include "options.h"
#include "run.h"
#include "theme_load.h"

#include "core/text.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRINTING " Printing, as with -b."

/* One line on stderr. What it quotes of files, words and the environment may be hostile. */
static void say(const char *sentence, const char *next)
{
	char text[4 * sizeof(struct error)];

	text_printable(text, sizeof(text), sentence, UINT_MAX);
	fprintf(stderr, "pmctop: %s%s\n", text, next);
}

static enum run_status complain(const struct error *err, enum run_status status)
{
	say(err->text, "");
	return status;
}

/* Where the user keeps themes; "" where that cannot be known. */
static void find_theme_dir(char *path, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int length = 0;

	path[0] = '\0';
	if (config && config[0] == '/')
		length = snprintf(path, size, "%s/pmctop/themes", config);
	else if (home && home[0] == '/')
		length = snprintf(path, size, "%s/.config/pmctop/themes", home);
	if (length >= (int)size)
		path[0] = '\0';
}

static bool wants_color(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR");

	if (options->color != OPTIONS_COLOR_AUTO)
		return options->color == OPTIONS_COLOR_ALWAYS;
	return !no_color || !no_color[0];
}

static bool has_direct_color(void)
{
	const char *colorterm = getenv("COLORTERM");

	return colorterm && (!strcmp(colorterm, "truecolor") || !strcmp(colorterm, "24bit"));
}

/* Whether there is a screen to draw on; a dumb one is told, a pipe is no surprise. */
static bool can_draw(const char *terminal)
{
	if (!isatty(STDOUT_FILENO))
		return false;
	if (terminal && terminal[0] && strcmp(terminal, "dumb") != 0)
		return true;
	struct error err;
	error_set(&err, -ENOTTY, "This terminal (TERM=%.40s) cannot be drawn on.",
		  terminal ? terminal : "");
	say(err.text, PRINTING);
	return false;
}

static enum run_status run(const struct options *options, const struct engine_config *engine)
{
	struct theme theme;
	struct error err = {0};
	char theme_dir[PATH_MAX];
	enum run_status status = RUN_NO_TERMINAL;

	find_theme_dir(theme_dir, sizeof(theme_dir));
	if (theme_load(options->theme, theme_dir[0] ? theme_dir : NULL, &theme, &err))
		return complain(&err, RUN_USAGE);

	struct run_config config = {
		.options = options,
		.engine = engine,
		.theme = &theme,
		.terminal = getenv("TERM"),
		.color = wants_color(options),
		.direct_color = has_direct_color(),
		.ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
	};

	if (!options->batch && can_draw(config.terminal)) {
		status = run_live(&config, &err);
		if (status == RUN_NO_TERMINAL)
			say(err.text, PRINTING);
	}
	if (status == RUN_NO_TERMINAL) {
		err.text[0] = '\0';
		status = run_batch(&config, &err);
	}
	return status != RUN_OK ? complain(&err, status) : RUN_OK;
}

static int print_column(void *arg, const char *name, const char *help)
{
	fprintf(arg, "  %-20s %s\n", name, help);
	return 0;
}

static enum run_status run_or_list(const struct options *options)
{
	struct engine_config engine = {
		.columns = options->columns,
		.n_columns = options->n_columns,
	};
	struct error err;

	if (options->task == OPTIONS_LIST) {
		choice_each_column(&engine, print_column, stdout);
		return RUN_OK;
	}
	if (options->preset && choice_preset(options->preset, NULL, 0, &engine.preset, &err))
		return complain(&err, RUN_USAGE);
	if (choice_sort(options->sort, &engine, &err))
		return complain(&err, RUN_USAGE);
	return run(options, &engine);
}

int main(int argc, char **argv)
{
	struct options options;
	enum run_status status = RUN_OK;
	struct error err;

	/* Characters only: numbers keep their point. */
	setlocale(LC_CTYPE, "");
	options_init(&options);
	if (options_parse(argc, argv, &options, &err))
		status = complain(&err, RUN_USAGE);
	else if (options.task == OPTIONS_HELP)
		options_print_help(stdout);
	else if (options.task == OPTIONS_VERSION)
		options_print_version(stdout);
	else
		status = run_or_list(&options);
	options_fini(&options);
	return (int)status;
}
