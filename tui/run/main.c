// SPDX-License-Identifier: MIT
/*
 * main(): reads options and environment, then draws, prints, lists or examines. Only this file
 * writes messages to stderr and returns the exit status.
 */
#include "tui/options/choice.h"
#include "tui/options/keymap_config.h"
#include "tui/options/options.h"
#include "tui/options/settings.h"
#include "tui/options/user_files.h"
#include "tui/remote/link_watch.h"
#include "tui/remote/parcel.h"
#include "tui/remote/remote_folder.h"
#include "tui/run/ending.h"
#include "tui/run/launch.h"
#include "tui/run/output_buffer.h"
#include "tui/run/rights.h"
#include "tui/run/run.h"
#include "tui/run/start_watch.h"
#include "tui/term/term.h"
#include "tui/term/theme_load.h"
#include "tui/term/variables.h"

#include "core/base/fiber.h"
#include "core/base/text.h"
#include "core/base/thread.h"
#include "core/base/util.h"
#include "core/code/code_lanes.h"
#include "tui/options/config.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define DEFAULT_BUDGET_PERCENT 3.0
#define PRINTING               " Printing as with -b."

/*
 * Prints one line to stderr. Quoted file contents, words and variables may be hostile, so they are
 * made printable.
 */
static void print_message(const char *sentence, const char *next)
{
	char text[4 * sizeof(struct error)];

	text_printable(text, sizeof(text), sentence, UINT_MAX);
	/* Without stdio: another thread may stand in a write with the lock of stderr. */
	dprintf(STDERR_FILENO, "pmctop: %s%s\n", text, next);
}

static enum run_status print_error(const struct error *err, enum run_status status)
{
	print_message(err->text, "");
	return status;
}

static void print_note(const char *sentence)
{
	print_message(sentence, "");
}

static void print_notes(const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		print_note(notes->items[i].text);
}

/* Errors of the configuration may be the cause, so its notes come first. */
static enum run_status print_refusal(const struct config *config, const struct error *err)
{
	print_notes(&config->notes);
	return print_error(err, err->code == -EMFILE ? RUN_FAILED : RUN_USAGE);
}

/* For output without a screen: the port may have been chosen by the kernel. */
static void print_listening(const struct serve *serve)
{
	fprintf(stderr, "pmctop: Listening on %s: http://%s/metrics\n", serve->where, serve->where);
}

static bool wants_color(const struct options *options)
{
	const char *no_color = variable_value(VARIABLE_NO_COLOR);

	if (options->color != OPTIONS_COLOR_AUTO)
		return options->color == OPTIONS_COLOR_ALWAYS;
	return !no_color || !no_color[0];
}

static bool has_direct_color(void)
{
	const char *colorterm = variable_value(VARIABLE_COLORTERM);

	return colorterm && (!strcmp(colorterm, "truecolor") || !strcmp(colorterm, "24bit"));
}

/* Columns of the terminal on standard output; 0: no terminal. */
static unsigned terminal_width(void)
{
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Whether a screen can be drawn. A terminal type that cannot gives a message; a pipe does not. */
static bool can_draw(const char *terminal)
{
	if (!isatty(STDOUT_FILENO))
		return false;
	if (terminal && terminal[0] && strcmp(terminal, "dumb") != 0)
		return true;
	struct error err;
	error_set(&err, -ENOTTY, "The terminal (TERM=%.40s) cannot show screens.",
		  terminal ? terminal : "");
	print_message(err.text, PRINTING);
	return false;
}

/* Whether the value comes from the configuration: then its error does not end the program. */
static bool is_from_file(const struct config *file, const char *name, const char *value)
{
	const struct config_entry *entry = config_entry_find(&file->settings, name);

	return entry && entry->value == value;
}

static void note_setting(struct config *file, const char *name, const struct error *err)
{
	config_note(file, config_entry_find(&file->settings, name), err->text);
}

/* Where themes are: in the user's directory, or the texts that another machine sent. */
static struct theme_places find_themes(const struct parcel *sent, char dir[PATH_MAX])
{
	if (sent)
		return (struct theme_places){.sent = sent->themes, .n_sent = sent->n_themes};
	return (struct theme_places){.dir = user_files_themes(dir)};
}

static int load_theme(const char *name, const struct theme_places *places, struct config *file,
		      struct theme *theme, struct error *err)
{
	const struct theme_places none = {0};
	struct notes notes = {0};
	struct start_watch *watch = start_watch_new(print_note);
	int rc = theme_load(name, places, theme, &notes, err);

	start_watch_free(watch);
	if (rc && is_from_file(file, "theme", name)) {
		note_setting(file, "theme", err);
		rc = theme_load(NULL, &none, theme, &notes, err);
	}
	notes_add_all(&file->notes, &notes);
	notes_fini(&notes);
	return rc;
}

/*
 * Forks the command, which inherits everything unchanged; then drops rights, before any thread
 * exists.
 */
static int prepare_process(const struct options *options, const struct rights *rights, bool draws,
			   const struct parcel *sent, struct launch *launch, struct error *err)
{
	const struct launch_config config = {
		.command = options->command,
		.rights = rights,
		.hidden = draws,
		.directory = variable_value(VARIABLE_TMPDIR),
	};

	if (options->command && launch_open(&config, launch, err))
		return err->code;
	run_prepare();
	struct rights_need need = rights_need_of(options, draws);

	need.signals |= sent != NULL; /* with sudo: to the shell, which is another user's */
	int rc = rights_drop(rights, &need, err);
	/* After rights_drop(): with lent rights, ncurses must not read files below $HOME. */
	if (rc == 0 && draws)
		term_prepare(variable_value(VARIABLE_TERM));
	return rc;
}

/* On a host: pmctop ends with the connection. */
static int watch_link(const struct parcel *sent, struct error *err)
{
	int rc = sent ? link_watch_start(&sent->link, LINK_PATIENCE_MS) : 0;

	return rc ? error_set_not_started(err, rc, "A thread") : 0;
}

static int draw_or_print(const struct run_config *config, bool draws, struct error *err)
{
	int status = draws ? run_live(config, err) : RUN_NO_TERMINAL;

	if (status != RUN_NO_TERMINAL)
		return status;
	if (draws)
		print_message(err->text, PRINTING);
	err->text[0] = '\0';
	if (config->serve->where[0])
		print_listening(config->serve);
	return run_batch(config, err);
}

struct counting {
	const struct run_config *config;
	bool draws;
	int status;
	struct error *err;
};

static void run_in_fiber(void *arg)
{
	struct counting *counting = arg;

	counting->status = draw_or_print(counting->config, counting->draws, counting->err);
}

/*
 * In a fiber: the files of a process may not answer. This thread does nothing else meanwhile, and
 * blocks all signals.
 */
static int run_apart(const struct run_config *config, bool draws, struct error *err)
{
	struct counting counting = {config, draws, RUN_FAILED, err};
	struct fiber *fiber;
	sigset_t all, before;

	if (fiber_start(&fiber, run_in_fiber, &counting)) /* no more threads: here then */
		return draw_or_print(config, draws, err);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	fiber_join(fiber);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return counting.status;
}

/* The theme is checked here, because its notes name files of this machine. */
static int run_on_host(int argc, char **argv, const struct options *options, struct config *config,
		       const struct rights *rights)
{
	char theme_dir[PATH_MAX];
	const struct theme_places themes = find_themes(NULL, theme_dir);
	struct theme theme;
	struct error err = {0};
	struct notes notes = {0};

	if (load_theme(options->theme, &themes, config, &theme, &err))
		return print_refusal(config, &err);
	print_notes(&config->notes);
	int status = run_remote(argc, argv, options, config, &themes, rights->environment,
				print_note, &notes, &err);
	print_notes(&notes);
	notes_fini(&notes);
	return err.text[0] ? (int)print_error(&err, (enum run_status)status) : status;
}

static int run_counting(const struct options *options, struct config *file,
			const struct keymap *keymap, const struct engine_config *engine,
			const struct rights *rights, const struct parcel *sent)
{
	struct theme theme;
	struct serve serve = {0};
	struct launch launch = {0};
	struct ending *ending = NULL;
	struct error err = {0};
	char theme_dir[PATH_MAX], save_path[PATH_MAX];
	int status = RUN_FAILED;

	const struct theme_places themes = find_themes(sent, theme_dir);
	if (load_theme(options->theme, &themes, file, &theme, &err))
		return print_refusal(file, &err);
	if (!sent)
		print_notes(&file->notes);

	struct run_config config = {
		.options = options,
		.engine = engine,
		.theme = &theme,
		.themes = &themes,
		.keymap = keymap,
		.serve = &serve,
		.notes = &file->notes,
		.note = print_note,
		.save_path = sent ? NULL : user_files_save(options->config, save_path),
		.save_pattern = file->path,
		.terminal = variable_value(VARIABLE_TERM),
		.width = terminal_width(),
		.launch = options->command ? &launch : NULL,
		.host = sent && !sent->host ? "the host"
			: sent              ? sent->host
					    : NULL,
		.color = wants_color(options),
		.direct_color = has_direct_color(),
		.utf8 = sent ? sent->utf8 : strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	};
	bool draws = !options->batch && can_draw(config.terminal);

	const struct ending_config end = {
		.note = print_note,
		.launch = config.launch,
		.keys = draws,
	};

	if (prepare_process(options, rights, draws, sent, &launch, &err) == 0 &&
	    ending_new(&end, &ending, &err) == 0 && watch_link(sent, &err) == 0 &&
	    serve_open(options, &serve, &err) == 0) {
		config.ending = ending;
		status = run_apart(&config, draws, &err);
	}
	serve_close(&serve);
	if (options->command)
		launch_close(&launch);
	ending_free(ending);
	if (err.text[0])
		print_message(err.text, "");
	return status;
}

/* Parses the command line for --config, then again on top of the configuration. */
static int read_options(int argc, char **argv, const struct parcel *sent, struct options *options,
			struct config *config, struct keymap *keymap, struct error *err)
{
	struct notes said = {0};

	if (options_parse(argc, argv, options, err))
		return err->code;
	if (options->task == OPTIONS_HELP || options->task == OPTIONS_VERSION)
		return 0;
	int rc = 0;
	if (!sent)
		rc = user_files_load(options->config, config, &said, err);
	else if (sent->config)
		config_parse(sent->config_path, sent->config, config);
	print_notes(&said);
	notes_fini(&said);
	if (rc)
		return rc;
	options_fini(options);
	options_init(options);
	settings_apply(config, options);
	keymap_configure(keymap, config);
	return options_parse(argc, argv, options, err);
}

static enum run_status run_listing(const struct options *options, const struct config *config,
				   const struct keymap *keymap, const struct engine_config *engine,
				   const struct rights *rights, const struct parcel *sent)
{
	char theme_dir[PATH_MAX];
	const struct theme_places themes = find_themes(sent, theme_dir);
	const struct listing listing = {
		.list = options->list,
		.themes = &themes,
		.keymap = keymap,
		.pattern = options->pattern,
		.engine = engine,
		.presets = config->presets,
		.n_presets = config->n_presets,
		.cpu_model = options->cpu_model,
		.width = terminal_width(),
	};
	struct error err = {0};
	struct notes notes = {0};
	enum run_status status = run_list(&listing, options, rights, &notes, &err);

	print_notes(&notes);
	notes_fini(&notes);
	return err.text[0] ? print_error(&err, status) : status;
}

static enum run_status print_about(enum options_task task)
{
	struct error err;
	struct output_buffer buffer;

	output_buffer_open(&buffer);
	if (task == OPTIONS_HELP)
		options_print_help(buffer.file);
	else
		options_print_version(buffer.file);
	return output_buffer_print(&buffer, NULL, &err) ? print_error(&err, RUN_FAILED) : RUN_OK;
}

static enum run_status run_examination(const struct options *options,
				       const struct tables_places *tables,
				       const struct rights *rights)
{
	unsigned width = options->output ? 0 : terminal_width();
	bool color = wants_color(options) && (width > 0 || options->color == OPTIONS_COLOR_ALWAYS);
	struct error err = {0};
	enum run_status status = run_doctor(options, tables, rights, width, color, &err);

	return err.text[0] ? print_error(&err, status) : status;
}

/* The default is no limit for a command, as in perf stat. */
static double budget_percent(const struct options *options)
{
	if (options->budget_percent >= 0)
		return options->budget_percent;
	return options->command ? 0 : DEFAULT_BUDGET_PERCENT;
}

/* The sort column of the configuration may be unknown: that is a note. */
static int check_sort(struct options *options, struct config *config,
		      const struct engine_config *engine, struct error *err)
{
	const char *renamed = choice_renamed_column(options->sort);
	int result = choice_sort(options->sort, engine, err);

	if (result == 0)
		return 0;
	if (renamed) {
		notes_add(&config->notes, "Column '%s': the name is now '%s'. Use the new name.",
			  options->sort, renamed);
		options->sort = renamed;
		return 0;
	}
	/* Without the "-" that reverses. */
	if (!is_from_file(config, "sort", options->sort - options->reverse))
		return result;
	note_setting(config, "sort", err);
	return 0;
}

static int run_or_list(struct options *options, struct config *config, const struct keymap *keymap,
		       const struct rights *rights, const struct parcel *sent)
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
		.getent = "/usr/bin/getent",
		.levels = options->count,
		.command_lines = options_command_lines(options),
		.budget_percent = budget_percent(options),
		.counts_itself = true,
		.idle = options->idle,
		.code_hz = options->code ? options->frequency : 0,
	};
	char tables[PATH_MAX];
	struct error err;

	/* On a host (--ssh, --via) the folder that is named is one of the user's machine. */
	user_files_tables(sent ? NULL : options->event_tables, tables, &engine.tables);
	if (sent && sent->tables.folder)
		engine.tables.read = &sent->tables;
	if (options->task != OPTIONS_RUN && !sent)
		print_notes(&config->notes);
	if (options->task == OPTIONS_DOCTOR)
		return run_examination(options, &engine.tables, rights);
	if (options->task == OPTIONS_LIST)
		return run_listing(options, config, keymap, &engine, rights, sent);
	if (options->preset && preset_choose(options->preset, config->presets, config->n_presets,
					     &engine.preset, &err)) {
		if (!is_from_file(config, "preset", options->preset))
			return print_refusal(config, &err);
		note_setting(config, "preset", &err);
	}
	if (choice_check_columns(&engine, &err))
		return print_refusal(config, &err);
	if (check_sort(options, config, &engine, &err))
		return print_refusal(config, &err);
	return run_counting(options, config, keymap, &engine, rights, sent);
}

static int run_task(int argc, char **argv, struct options *options, struct config *config,
		    const struct keymap *keymap, const struct rights *rights,
		    const struct parcel *sent)
{
	/*
	 * With a limit on files (ulimit -f), write() returns the error. A command must inherit the
	 * default action.
	 */
	if (options->task != OPTIONS_RUN)
		signal(SIGXFSZ, SIG_IGN);
	if (options->task == OPTIONS_HELP || options->task == OPTIONS_VERSION)
		return print_about(options->task);
	if (options->ssh || options->via)
		return run_on_host(argc, argv, options, config, rights);
	return run_or_list(options, config, keymap, rights, sent);
}

/*
 * "pmctop --remote FOLDER", which --ssh or --via of another machine starts
 * (tui/remote/remote_folder.h).
 * Replaces the command line. Returns true if this is one. *status is negative, or the status of a
 * failure.
 */
static bool receive_parcel(int *argc, char ***argv, struct parcel *sent, int *recording,
			   int *status)
{
	struct error err;

	if (*argc != 3 || strcmp((*argv)[1], "--remote") != 0)
		return false;
	if (remote_folder_receive((*argv)[2], sent, recording, &err)) {
		*status = print_error(&err, RUN_FAILED);
		return true;
	}
	*argc = (int)sent->n_words;
	*argv = sent->words;
	return true;
}

/*
 * Fills descriptors 0 to 2 that the parent has closed, so that no later file gets their numbers.
 * Reads and writes of them still fail, and a command gets them closed.
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

/* The kernel lets this thread's stack grow up to a limit that the user sets. */
static int check_stack(struct error *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= THREAD_STACK_BYTES)
		return 0;
	return error_set(err, -ENOMEM,
			 "The limit of the stack is %ju KiB, which is not enough. Raise the limit: "
			 "ulimit -s %d",
			 (uintmax_t)limit.rlim_cur / 1024, THREAD_STACK_BYTES / 1024);
}

/* The large frames begin here. */
static SELDOM int run_main(int argc, char **argv)
{
	struct options options;
	struct config config = {0};
	struct keymap keymap;
	struct rights rights;
	struct parcel parcel = {0};
	int recording = -1;
	int status = -1;
	struct error err;

	if (rights_enter(&rights, &err))
		return print_error(&err, RUN_FAILED);
	const struct parcel *sent =
		receive_parcel(&argc, &argv, &parcel, &recording, &status) ? &parcel : NULL;
	if (status >= 0)
		return status;
	/* Characters only: numbers keep their point. */
	setlocale(LC_CTYPE, "");
	options_init(&options);
	keymap_init(&keymap);
	struct start_watch *watch = start_watch_new(print_note);
	int rc = read_options(argc, argv, sent, &options, &config, &keymap, &err);
	start_watch_free(watch);
	if (rc) {
		status = print_refusal(&config, &err);
	} else {
		if (parcel.theme)
			parcel_add_theme(&parcel, options.theme ? options.theme : "default",
					 parcel.theme);
		if (recording >= 0)
			options.record =
				(struct recorder_spec){.path = parcel.record, .pipe = recording};
		status = run_task(argc, argv, &options, &config, &keymap, &rights, sent);
	}
	options_fini(&options);
	config_fini(&config);
	parcel_fini(&parcel);
	return status;
}

int main(int argc, char **argv)
{
	struct error err;

	/* First: a helper has no descriptor but its socket, and must not get some. */
	code_lanes_main(argc, argv);
	fill_standard_descriptors();
	return check_stack(&err) ? (int)print_error(&err, RUN_FAILED) : run_main(argc, argv);
}
