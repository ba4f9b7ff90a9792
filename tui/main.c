// SPDX-License-Identifier: MIT
/*
 * pmctop: options, environment, and the choice between drawing and printing. The only file that
 * prints and exits.
 */
#include "choice.h"
#include "keymap_config.h"
#include "listing.h"
#include "options.h"
#include "run.h"
#include "theme_load.h"

#include "core/config.h"
#include "core/text.h"
#include "core/util.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

static void say_notes(const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		say(notes->items[i], "");
}

/* A file of the user's, below ~/.config/pmctop; "" where that cannot be known. */
static void find_own(const char *name, char *path, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int length = 0;

	path[0] = '\0';
	if (config && config[0] == '/')
		length = snprintf(path, size, "%s/pmctop/%s", config, name);
	else if (home && home[0] == '/')
		length = snprintf(path, size, "%s/.config/pmctop/%s", home, name);
	if (length >= (int)size)
		path[0] = '\0';
}

/* The user's directory of themes; NULL where that cannot be known. */
static const char *find_themes(char path[PATH_MAX])
{
	find_own("themes", path, PATH_MAX);
	return path[0] ? path : NULL;
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

/* Whether the configuration says so, and not the command line: then it is no reason to end. */
static bool is_of_file(const struct config *file, const char *name, const char *value)
{
	const struct config_entry *entry = config_entry_find(&file->settings, name);

	return entry && entry->value == value;
}

/* As the dashboard has it, the complaint stands on stderr when that is left. */
static void note_setting(struct config *file, const char *name, const struct error *err)
{
	char sentence[sizeof(err->text) + 200];

	snprintf(sentence, sizeof(sentence), "%.160s:%u: %s", file->path,
		 config_entry_find(&file->settings, name)->line, err->text);
	notes_add(&file->notes, "%s", sentence);
	say(sentence, "");
}

static int load_theme(const char *name, const char *dir, struct config *file, struct theme *theme,
		      struct error *err)
{
	struct notes notes = {0};
	int rc = theme_load(name, dir, theme, &notes, err);

	if (rc && is_of_file(file, "theme", name)) {
		note_setting(file, "theme", err);
		rc = theme_load(NULL, NULL, theme, &notes, err);
	}
	say_notes(&notes);
	for (size_t i = 0; i < notes.n; i++)
		notes_add(&file->notes, "%s", notes.items[i]);
	notes_fini(&notes);
	return rc;
}

/* Where W writes to: what --config or $PMCTOPRC names, else the user's own file. */
static const char *find_save(const struct options *options, char path[PATH_MAX])
{
	const char *rc_file = getenv("PMCTOPRC");

	if (options->config)
		return options->config;
	if (rc_file && rc_file[0])
		return rc_file;
	find_own("pmctop.conf", path, PATH_MAX);
	return path[0] ? path : NULL;
}

static int run(const struct options *options, struct config *file, const struct keymap *keymap,
	       const struct engine_config *engine)
{
	struct theme theme;
	struct error err = {0};
	char theme_dir[PATH_MAX], save_path[PATH_MAX];
	int status = RUN_NO_TERMINAL;

	if (load_theme(options->theme, find_themes(theme_dir), file, &theme, &err))
		return complain(&err, RUN_USAGE);

	struct run_config config = {
		.options = options,
		.engine = engine,
		.theme = &theme,
		.theme_dir = find_themes(theme_dir),
		.keymap = keymap,
		.notes = &file->notes,
		.save_path = find_save(options, save_path),
		.save_pattern = file->path,
		.terminal = getenv("TERM"),
		.temporary = getenv("TMPDIR"),
		.color = wants_color(options),
		.direct_color = has_direct_color(),
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
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
	if (err.text[0])
		say(err.text, "");
	return status;
}

/* ---- the configuration */

/*
 * The first file that exists of the usual ones; none is no error. One that the user has no right
 * to see does not exist for them (sudo -u keeps $HOME); one that is no text is passed over with a
 * word. What --config names must be readable.
 */
static int load_config(const char *named, struct config *config, struct error *err)
{
	const char *rc_file = getenv("PMCTOPRC");
	char own[PATH_MAX];
	const char *const places[] = {rc_file, own, "/etc/pmctop.conf"};
	int result = -ENOENT;

	if (named) {
		result = config_load(named, config, err);
		return result == -ENOENT
			       ? error_set(err, result, "There is no file '%.160s'.", named)
			       : result;
	}
	find_own("pmctop.conf", own, sizeof(own));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (!places[i] || !places[i][0])
			continue;
		result = config_load(places[i], config, err);
		if (result != -ENOENT && result != -EACCES)
			break;
	}
	if (result && result != -ENOENT && result != -EACCES)
		say(err->text, "");
	return 0;
}

/* What it sets, and a line for every line that is of no use. */
static void apply_config(struct config *config, struct options *options, struct keymap *keymap)
{
	struct error err;

	for (size_t i = 0; i < config->settings.n; i++) {
		const struct config_entry *entry = &config->settings.items[i];

		if (options_set(options, entry->name, entry->value, &err))
			config_note(config, entry, err.text);
	}
	keymap_configure(keymap, config);
	say_notes(&config->notes);
}

/* The command line is read for the file's name, and once more over what the file says. */
static int read_options(int argc, char **argv, struct options *options, struct config *config,
			struct keymap *keymap, struct error *err)
{
	if (options_parse(argc, argv, options, err))
		return err->code;
	if (options->task == OPTIONS_HELP || options->task == OPTIONS_VERSION)
		return 0;
	if (load_config(options->config, config, err))
		return err->code;
	options_fini(options);
	options_init(options);
	apply_config(config, options, keymap);
	return options_parse(argc, argv, options, err);
}

/* Columns of the terminal on standard output; 0 where there is none. */
static unsigned terminal_width(void)
{
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static enum run_status list(const struct options *options, const struct config *config,
			    const struct engine_config *engine)
{
	char theme_dir[PATH_MAX];
	const struct listing listing = {
		.list = options->list,
		.theme_dir = find_themes(theme_dir),
		.pattern = options->pattern,
		.engine = engine,
		.presets = config->presets,
		.n_presets = config->n_presets,
		.width = terminal_width(),
	};
	struct error remark;
	struct sys sys;
	int rc = sys_linux_init(&sys);

	if (rc) {
		error_set(&remark, rc, "No file descriptor is left.");
		return complain(&remark, RUN_FAILED);
	}
	rc = listing_print(&listing, &sys, stdout, &remark);
	sys_linux_fini(&sys);
	/* A reader that has seen enough (head) is no failure. */
	if (rc == -EPIPE)
		return RUN_OK;
	if (remark.text[0])
		say(remark.text, "");
	return rc > 0 ? RUN_OK : RUN_FAILED;
}

static enum run_status examine(const struct options *options)
{
	unsigned width = options->output ? 0 : terminal_width();
	bool color = wants_color(options) && (width > 0 || options->color == OPTIONS_COLOR_ALWAYS);
	struct error err = {0};
	enum run_status status = run_doctor(options, width, color, &err);

	return err.text[0] ? complain(&err, status) : status;
}

static int run_or_list(const struct options *options, struct config *config,
		       const struct keymap *keymap)
{
	struct engine_config engine = {
		.columns = options->columns,
		.n_columns = options->n_columns,
		.user_metrics = config->metrics,
		.n_user_metrics = config->n_metrics,
		.presets = config->presets,
		.n_presets = config->n_presets,
		.target =
			{
				.pids = options->pids,
				.n_pids = options->n_pids,
				.tids = options->tids,
				.n_tids = options->n_tids,
				.user = options->user,
				.cgroup = options->cgroup,
				.cpus = options->cpus,
			},
		.levels = options->count,
		.command_lines = options->command_lines,
		.idle = options->idle,
	};
	struct error err;

	if (options->task == OPTIONS_DOCTOR)
		return examine(options);
	if (options->task == OPTIONS_LIST)
		return list(options, config, &engine);
	if (options->preset && preset_choose(options->preset, config->presets, config->n_presets,
					     &engine.preset, &err)) {
		if (!is_of_file(config, "preset", options->preset))
			return complain(&err, RUN_USAGE);
		note_setting(config, "preset", &err);
	}
	if (choice_check_columns(&engine, &err))
		return complain(&err, RUN_USAGE);
	if (choice_sort(options->sort, &engine, &err)) {
		/* A "-" before it reverses. */
		if (!is_of_file(config, "sort", options->sort - options->reverse))
			return complain(&err, RUN_USAGE);
		note_setting(config, "sort", &err);
	}
	return run(options, config, keymap, &engine);
}

/*
 * What is opened from now on is not taken for one of these three, which whoever started us may have
 * closed: they fail as before, and a command gets them closed.
 */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_PATH | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct options options;
	struct config config = {0};
	struct keymap keymap;
	int status = RUN_OK;
	struct error err;

	fill_standard_descriptors();
	/* Characters only: numbers keep their point. */
	setlocale(LC_CTYPE, "");
	options_init(&options);
	keymap_init(&keymap);
	if (read_options(argc, argv, &options, &config, &keymap, &err))
		status = complain(&err, RUN_USAGE);
	else if (options.task == OPTIONS_HELP)
		options_print_help(stdout);
	else if (options.task == OPTIONS_VERSION)
		options_print_version(stdout);
	else
		status = run_or_list(&options, &config, &keymap);
	options_fini(&options);
	config_fini(&config);
	return status;
}
