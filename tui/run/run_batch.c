// SPDX-License-Identifier: MIT
/*
 * Prints until the end. With a command: lets it exec when everything is open, counts until it ends,
 * and prints the summary. A signal that ends pmctop ends the command too.
 */
#include "tui/run/run.h"

#include "core/base/output_file.h"
#include "core/base/published_file.h"
#include "core/base/safe_path.h"
#include "core/base/util.h"
#include "core/output/batch.h"
#include "tui/options/output_apart.h"
#include "tui/options/user_files.h"
#include "tui/run/ending.h"
#include "tui/run/launch.h"
#include "tui/term/signals.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* ^C reaches the command too. It has this time to end by itself. */
#define INTERRUPT_PATIENCE_NS (2 * NS_PER_S)
#define TERMINATE_PATIENCE_NS (1 * NS_PER_S)
/* Time limit of the summary for a reader that does not read, after a signal. */
#define SUMMARY_PATIENCE_NS (600 * NS_PER_MS)
#define TICK_NS             (50 * NS_PER_MS)

struct batch_run {
	const struct run_config *config;
	struct sys sys;
	struct feed feed;
	struct launch *launch; /* the command; NULL: none */
	int fd;                /* descriptor of the output */
	struct published_file_replace replaces;
	struct notes noted; /* notes already printed to standard error */
};

/*
 * State at file scope, as signal handlers need it: the signal that requested the end, and the sys
 * to wake.
 */
static atomic_int batch_stop;
static const struct sys *batch_sys;

/* SIGALRM at the end of the time and after each tick. 0: no more. */
static void set_alarm(uint64_t ns)
{
	const struct itimerval alarm = {
		.it_interval = {.tv_usec = ns ? (suseconds_t)(TICK_NS / NS_PER_US) : 0},
		.it_value = {.tv_usec = (suseconds_t)(ns / NS_PER_US)},
	};

	setitimer(ITIMER_REAL, &alarm, NULL);
}

/*
 * The signal may be handled on another thread (tui/run/ending.h), SIGALRM is not. It ends a running
 * wait or write with EINTR, but not one that begins just after it, so it is repeated.
 */
static void on_end_signal(int number)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&batch_stop, &none, number))
		set_alarm(NS_PER_MS);
}

static void on_child_signal(int number)
{
	(void)number;
	sys_wake(batch_sys);
}

static bool command_ended(void *launch)
{
	return launch_reap(launch);
}

/* Adds the present snapshot. */
static void add_to_summary(struct batch_run *run, struct run_summary *summary)
{
	struct snapshot *snapshot = feed_snapshot(&run->feed);

	run_summary_add(summary, snapshot);
	snapshot_free(snapshot);
}

/* Counts while it waits; another signal ends the wait. */
static bool await_command(struct batch_run *run, uint64_t patience_ns, struct run_summary *summary)
{
	uint64_t until_ns = sys_now_ns(&run->sys) + patience_ns;
	struct error never;

	set_alarm(0);
	batch_stop = 0;
	ending_allow(run->config->ending, patience_ns);
	while (!launch_reap(run->launch) && !batch_stop && sys_now_ns(&run->sys) < until_ns)
		if (feed_wait(&run->feed, until_ns, &never) == 1)
			add_to_summary(run, summary);
	return run->launch->ended;
}

static void end_command(struct batch_run *run, int stopped_by, struct run_summary *summary)
{
	if (stopped_by == SIGINT && await_command(run, INTERRUPT_PATIENCE_NS, summary))
		return;
	launch_terminate(run->launch);
	await_command(run, TERMINATE_PATIENCE_NS, summary);
}

static int print_summary(struct batch_run *run, const struct batch_options *options, bool stopped,
			 struct error *err)
{
	struct snapshot_run facts;

	batch_stop = 0;
	set_alarm(stopped ? SUMMARY_PATIENCE_NS : 0);
	ending_allow(run->config->ending, 0);
	launch_describe(run->launch, &facts);
	return batch_print_summary(options, &facts, run->fd, &batch_stop, err);
}

/* The command's exit status, or 128 + the signal that ended it. */
static int command_status(const struct batch_run *run, int stopped_by, struct error *err)
{
	const struct launch *launch = run->launch;

	if (!launch->ended)
		launch_explain_alive(launch, err);
	if (launch->ended && !launch->terminated)
		return launch->status;
	return LAUNCH_KILLED + (stopped_by ? stopped_by : SIGTERM);
}

static int run_command(struct batch_run *run, struct batch_options *options, struct error *err)
{
	struct launch *launch = run->launch;

	if (batch_stop) /* before the exec */
		return LAUNCH_KILLED + batch_stop;
	if (launch_go(launch, run->config->options->output ? LAUNCH_KEEP : LAUNCH_TO_STDERR, err))
		return launch->status;

	options->summary = run_summary_new(SUMMARY_PROCESSES_MAX);
	options->silent |= !run->config->options->refreshes;
	options->ended = command_ended;
	options->arg = launch;

	int rc = batch_run(&run->feed, options, run->fd, &batch_stop, err);
	int stopped_by = batch_stop;

	/* On a host (--ssh, --via) no terminal has sent ^C to the command, too. */
	if (stopped_by == SIGINT && run->config->host)
		launch_interrupt(launch);

	if (rc <= 0)
		end_command(run, stopped_by, options->summary);
	if (rc == 0)
		add_to_summary(run, options->summary);
	if (rc >= 0)
		rc = print_summary(run, options, rc == 0, err);
	run_summary_free(options->summary);
	if (rc < 0 && rc != -EPIPE)
		return RUN_FAILED;
	err->text[0] = '\0';
	return command_status(run, stopped_by, err);
}

/* EPIPE is no failure: a reader such as head has enough. */
static int run_system(struct batch_run *run, const struct batch_options *options, struct error *err)
{
	int rc = batch_run(&run->feed, options, run->fd, &batch_stop, err);

	if (rc && rc != -EPIPE)
		return RUN_FAILED;
	err->text[0] = '\0';
	return RUN_OK;
}

/* Whether nothing is printed and counters are only served. */
static bool serves_only(const struct options *options)
{
	return options->listen && !options->printed && !options->output;
}

/*
 * Opens the output as run->fd, or prepares a file that each refresh replaces. path NULL: standard
 * output.
 */
static int open_output(struct batch_run *run, const char *path, struct batch_options *batch,
		       struct error *err)
{
	struct unwritten *unwritten = ending_unwritten(run->config->ending, ENDING_OUTPUT);
	struct stat status;

	if (path)
		unwritten_name(unwritten, path);
	int rc =
		path && batch->format->replace ? published_file_open(path, &run->replaces, err) : 0;
	if (rc < 0)
		return rc;
	run->fd = STDOUT_FILENO;
	if (rc > 0)
		batch->replaces = &run->replaces;
	else if (path)
		run->fd = output_file_open(path, err);
	if (run->fd < 0)
		return run->fd;
	/* A signal interrupts the write to a pipe or a terminal, and nothing is awaited. */
	if (rc > 0 || (path && run->fd != STDOUT_FILENO && fstat(run->fd, &status) == 0 &&
		       S_ISREG(status.st_mode))) {
		batch->unwritten = unwritten;
		unwritten_open(unwritten);
	} else {
		unwritten_close(unwritten);
	}
	return 0;
}

/* *err may be set already. */
static int close_output(struct batch_run *run, const char *path, int status, struct error *err)
{
	published_file_fini(&run->replaces);
	int rc = run->fd != STDOUT_FILENO && close(run->fd) ? -errno : 0;
	unwritten_close(ending_unwritten(run->config->ending, ENDING_OUTPUT));
	if (rc && !err->text[0]) {
		safe_path_refuse(path, rc, err);
		return RUN_FAILED;
	}
	return status;
}

/* Prints what the format has kept, also after a failure: it is what there was until then. */
static int print_rest(struct batch_run *run, const struct batch_options *batch, int status,
		      struct error *err)
{
	struct error late;

	if (!batch->format->finish)
		return status;
	if (batch_stop)
		set_alarm(SUMMARY_PATIENCE_NS);
	batch_stop = 0;
	int rc = batch_finish(batch, run->fd, &batch_stop, &late);
	if (!rc || rc == -EPIPE || err->text[0])
		return status;
	*err = late;
	return status == RUN_OK ? RUN_FAILED : status;
}

static int print_until_done(struct batch_run *run, struct error *err)
{
	const struct options *options = run->config->options;
	struct batch_options batch = {
		.iterations = options->iterations,
		.format = batch_format_for(options->format, options->output),
		.note = run->config->note,
		.noted = &run->noted,
		.silent = serves_only(options),
		.code = options->code,
		.view = {.by = options->by,
			 .reverse = options->reverse,
			 .top = options->top,
			 .command = options->command_lines ? VIEW_COMMAND_WHOLE : VIEW_COMMAND_NAME,
			 .width = options->output ? 0 : run->config->width,
			 .ascii = run->config->options->ascii || !run->config->utf8},
	};
	const char *path = options->output;
	int status;

	if (!path && options->record.path && strcmp(options->record.path, "-") == 0) {
		path = "/dev/null"; /* standard output has the recording */
		batch.recording = true;
	}
	if (open_output(run, path, &batch, err))
		return RUN_FAILED;
	text_copy(batch.view.sort, sizeof(batch.view.sort), options->sort);
	if (options->filter)
		text_copy(batch.view.filter.text, sizeof(batch.view.filter.text), options->filter);
	if (batch.format->begin)
		batch.kept = batch.format->begin(options->top ? options->top : batch.format->top);
	status = options->command ? run_command(run, &batch, err) : run_system(run, &batch, err);
	status = print_rest(run, &batch, status, err);
	if (batch.format->end)
		batch.format->end(batch.kept);
	return close_output(run, path, status, err);
}

static int start_and_print(struct batch_run *run, struct error *err)
{
	const struct options *options = run->config->options;
	struct engine_config config = *run->config->engine;
	char cache[PATH_MAX];
	const struct replay_config replay = {
		.path = options->replay,
		.engine = &config,
		.interval_ns = options->interval_ns,
		.interval_given = options->delays,
		.whole = !options->delays,
		.symfs = options->symfs,
		.build_id_cache = user_files_build_id_cache(cache),
	};
	struct error recording = {0};
	int status;

	if (run->launch)
		config.target.command = run->launch->pid;
	config.recording = &recording;
	config.unwritten = ending_unwritten(run->config->ending, ENDING_RECORDING);
	if (options->replay)
		status = run_open_replay(options, &replay, serves_only(options), NULL, &run->sys,
					 &run->feed, err);
	else
		status = run_open_machine(options, &config, false, &run->sys, &run->feed, err);
	if (status == RUN_OK) {
		serve_feed(run->config->serve, &run->feed);
		status = print_until_done(run, err);
	}
	feed_free(&run->feed);
	/* EPIPE of a recording is no failure either. */
	if (!recording.code || recording.code == -EPIPE)
		return status;
	if (!err->text[0])
		*err = recording;
	return status == RUN_OK && !run->launch ? RUN_FAILED : status;
}

static void handle_signals(const struct sys *sys)
{
	batch_sys = sys;
	signals_handle_ends(on_end_signal, 0);
	signals_handle(SIGALRM, on_end_signal, 0);
	signals_handle(SIGCHLD, on_child_signal, SA_RESTART);
}

int run_batch(const struct run_config *config, struct error *err)
{
	struct batch_run run = {.config = config, .launch = config->launch, .replaces = {.fd = -1}};

	if (output_apart_check(config->options, err))
		return RUN_USAGE;
	int rc = sys_linux_init(&run.sys);
	if (rc) {
		error_set_no_descriptor(err, rc);
		return RUN_FAILED;
	}
	handle_signals(&run.sys);
	int status = start_and_print(&run, err);
	signals_unhandle(SIGCHLD,
			 on_child_signal); /* before the sys that the handler wakes is freed */
	sys_linux_fini(&run.sys);
	notes_fini(&run.noted);
	return status;
}
