// SPDX-License-Identifier: MIT
/*
 * Prints until it is done. With a command: lets it go once everything is open, counts until it
 * ends, and closes with the summary. What ends pmctop before ends the command too.
 */
#include "run.h"

#include "core/batch.h"
#include "core/engine.h"
#include "core/util.h"
#include "launch.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ^C reaches the command as well: it may take so long to end by that. */
#define INTERRUPT_PATIENCE_NS (2 * NS_PER_S)
#define TERMINATE_PATIENCE_NS (1 * NS_PER_S)
/* A reader that is stuck gets the summary of a run that was stopped, or not, within so long. */
enum { SUMMARY_PATIENCE_S = 4 };

struct batch_run {
	const struct run_config *config;
	struct sys sys;
	struct engine *engine;
	struct launch launch; /* of the command, where there is one */
	int fd;               /* of the output */
};

/* The two words that a handler can reach: the signal that asked for the end, and whom to wake. */
static volatile sig_atomic_t batch_stop;
static const struct sys *batch_sys;

/*
 * The wait or the write that is under way ends by itself (EINTR). One that begins just now would
 * not notice, so an alarm interrupts it, again and again.
 */
static void on_stop(int number)
{
	if (!batch_stop)
		batch_stop = number;
	alarm(1);
}

static void on_child(int number)
{
	(void)number;
	sys_wake(batch_sys);
}

/* ---- the command */

static bool command_ended(void *launch)
{
	return launch_reap(launch);
}

/* Counting goes on meanwhile; another signal is a reason not to wait. */
static bool await_command(struct batch_run *run, uint64_t patience_ns)
{
	uint64_t until_ns = sys_now_ns(&run->sys) + patience_ns;

	alarm(0);
	batch_stop = 0;
	while (!launch_reap(&run->launch) && !batch_stop && sys_now_ns(&run->sys) < until_ns)
		engine_wait(run->engine, until_ns);
	return run->launch.ended;
}

static void end_command(struct batch_run *run, int stopped_by)
{
	if (stopped_by == SIGINT && await_command(run, INTERRUPT_PATIENCE_NS))
		return;
	launch_terminate(&run->launch);
	await_command(run, TERMINATE_PATIENCE_NS);
}

static int print_summary(struct batch_run *run, const struct batch_options *options, bool stopped,
			 struct error *err)
{
	struct snapshot_run facts;

	batch_stop = 0;
	alarm(stopped ? SUMMARY_PATIENCE_S : 0);
	launch_describe(&run->launch, &facts);
	return batch_print_summary(options, &facts, run->fd, &batch_stop, err);
}

/* The command's own status, or that of what ended it. */
static int command_status(const struct batch_run *run, int stopped_by, struct error *err)
{
	const struct launch *launch = &run->launch;

	if (!launch->ended)
		launch_explain_alive(launch, err);
	if (launch->ended && !launch->terminated)
		return launch->status;
	return LAUNCH_KILLED + (stopped_by ? stopped_by : SIGTERM);
}

static int run_command(struct batch_run *run, struct batch_options *options, struct error *err)
{
	if (batch_stop) /* before it began */
		return LAUNCH_KILLED + batch_stop;
	if (launch_go(&run->launch, err))
		return run->launch.status;

	options->summary = summary_new(SUMMARY_PROCESSES_MAX);
	options->summary_only = !run->config->options->refreshes;
	options->ended = command_ended;
	options->arg = &run->launch;

	int rc = batch_run(&run->sys, run->engine, options, run->fd, &batch_stop, err);
	int stopped_by = batch_stop;

	if (rc <= 0)
		end_command(run, stopped_by);
	if (rc == 0) {
		struct snapshot *rest = engine_snapshot(run->engine);

		summary_add(options->summary, rest);
		snapshot_free(rest);
	}
	if (rc >= 0)
		rc = print_summary(run, options, rc == 0, err);
	summary_free(options->summary);
	if (rc < 0 && rc != -EPIPE)
		return RUN_FAILED;
	err->text[0] = '\0';
	return command_status(run, stopped_by, err);
}

/* ---- the output */

/* errno says why. */
static int refuse_output(const char *path, struct error *err)
{
	return error_set(err, -errno, "'%.120s' cannot be written: %s.", path, strerror(errno));
}

/* A reader that has seen enough (head) is no failure. */
static int run_system(struct batch_run *run, const struct batch_options *options, struct error *err)
{
	int rc = batch_run(&run->sys, run->engine, options, run->fd, &batch_stop, err);

	if (rc && rc != -EPIPE)
		return RUN_FAILED;
	err->text[0] = '\0';
	return RUN_OK;
}

static int print_until_done(struct batch_run *run, struct error *err)
{
	const struct options *options = run->config->options;
	struct batch_options batch = {
		.interval_ns = options->interval_ns,
		.iterations = options->iterations,
		.format = options->format,
		.view = {.by = options->by,
			 .reverse = options->reverse,
			 .command_lines = options->command_lines,
			 .ascii = run->config->options->ascii || !run->config->utf8},
	};
	const char *path = options->output;
	int status;

	if (!path && options->record.path && strcmp(options->record.path, "-") == 0) {
		path = "/dev/null"; /* standard output is the recording's */
		batch.recording = true;
	}

	run->fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : STDOUT_FILENO;
	if (run->fd < 0) {
		refuse_output(path, err);
		return RUN_FAILED;
	}
	text_copy(batch.view.sort, sizeof(batch.view.sort), options->sort);
	if (options->filter)
		text_copy(batch.view.filter.text, sizeof(batch.view.filter.text), options->filter);
	status = options->command ? run_command(run, &batch, err) : run_system(run, &batch, err);
	if (path && close(run->fd) && !err->text[0]) {
		refuse_output(path, err);
		return RUN_FAILED;
	}
	return status;
}

/* ---- all of it */

static int start_and_print(struct batch_run *run, struct error *err)
{
	struct engine_config engine = *run->config->engine;

	engine.target.command = run->launch.pid;
	if (run_open_recorder(run->config->options, &engine.recorder, err))
		return RUN_FAILED;
	int rc = engine_new(&run->sys, &engine, &run->engine, err);
	if (rc)
		return run_refusal(rc);
	err->text[0] = '\0'; /* the notes have it */
	int status = print_until_done(run, err);
	engine_free(run->engine);
	return status;
}

static void handle_signals(const struct sys *sys)
{
	const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};

	batch_sys = sys;
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(stops); i++)
		signals_handle(stops[i], on_stop, 0);
	signals_handle(SIGCHLD, on_child, SA_RESTART);
}

int run_batch(const struct run_config *config, struct error *err)
{
	struct batch_run run = {.config = config};
	const struct launch_config launch = {
		.command = config->options->command,
		.io = config->options->output ? LAUNCH_KEEP : LAUNCH_TO_STDERR,
	};
	int rc = sys_linux_init(&run.sys);

	if (rc) {
		error_set(err, rc, "No file descriptor is left.");
		return RUN_FAILED;
	}
	if (launch.command && launch_open(&launch, &run.launch, err)) {
		sys_linux_fini(&run.sys);
		return RUN_FAILED;
	}
	run_prepare();
	handle_signals(&run.sys);
	int status = start_and_print(&run, err);
	if (launch.command)
		launch_close(&run.launch);
	signals_unhandle(SIGCHLD, on_child); /* before whom it wakes goes */
	sys_linux_fini(&run.sys);
	return status;
}
