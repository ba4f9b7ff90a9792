// SPDX-License-Identifier: MIT
#include "run.h"

#include "core/batch.h"
#include "core/engine.h"
#include "core/util.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The one word that a handler can reach. */
static volatile sig_atomic_t batch_stop;

/*
 * The wait or the write that is under way ends by itself (EINTR). One that begins just now would
 * not notice, so an alarm interrupts it, again and again.
 */
static void on_stop(int number)
{
	(void)number;
	batch_stop = 1;
	alarm(1);
}

/* errno says why. */
static int refuse_output(const char *path, struct error *err)
{
	return error_set(err, -errno, "'%.120s' cannot be written: %s.", path, strerror(errno));
}

static enum run_status print_until_done(const struct run_config *config, const struct sys *sys,
					struct engine *engine, struct error *err)
{
	const struct options *options = config->options;
	struct batch_options batch = {
		.interval_ns = options->interval_ns,
		.iterations = options->iterations,
		.format = options->format,
		.view = {.by = options->by, .reverse = options->reverse, .ascii = config->ascii},
	};
	const char *path = options->output;
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : STDOUT_FILENO;

	if (fd < 0) {
		refuse_output(path, err);
		return RUN_FAILED;
	}
	text_copy(batch.view.sort, sizeof(batch.view.sort), options->sort);

	int rc = batch_run(sys, engine, &batch, fd, &batch_stop, err);

	if (path && close(fd) && !rc)
		rc = refuse_output(path, err);
	/* A reader that has seen enough (head) is no failure. */
	return !rc || rc == -EPIPE ? RUN_OK : RUN_FAILED;
}

enum run_status run_batch(const struct run_config *config, struct error *err)
{
	const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
	enum run_status status;
	struct engine *engine;
	struct sys sys;

	int rc = sys_linux_init(&sys);

	if (rc) {
		error_set(err, rc, "No file descriptor is left.");
		return RUN_FAILED;
	}
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(stops); i++)
		signals_handle(stops[i], on_stop, 0);
	rc = engine_new(&sys, config->engine, &engine, err);
	status = rc ? run_refusal(rc) : print_until_done(config, &sys, engine, err);
	if (!rc)
		engine_free(engine);
	sys_linux_fini(&sys);
	return status;
}
