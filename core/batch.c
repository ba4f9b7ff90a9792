// SPDX-License-Identifier: MIT
#include "batch.h"

#include "out_json.h"
#include "out_text.h"
#include "util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct batch_format batch_formats[] = {
	{.name = "text", .write = out_text},
	{.name = "json", .write = out_json},
};

const size_t batch_formats_n = ARRAY_SIZE(batch_formats);

const struct batch_format *batch_format_find(const char *name)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		if (strcmp(batch_formats[i].name, name) == 0)
			return &batch_formats[i];
	return NULL;
}

static int fail(int code, struct error *err)
{
	const char *why = strerrordesc_np(-code); /* strerror would ask the locale */

	if (code == -EPIPE)
		return error_set(err, code, "The reader of the output went away.");
	if (code == -ENOSPC)
		return error_set(err, code,
				 "The output is cut short: no space left on the device.");
	return error_set(err, code, "The output is cut short: %s.", why ? why : "unknown error");
}

/* A stuck reader must not keep us from stopping: stdio would go on after the signal. */
static int write_all(int fd, const char *text, size_t size, const volatile sig_atomic_t *stop)
{
	while (size > 0) {
		ssize_t written = write(fd, text, size);
		if (written < 0 && errno == EINTR && !*stop)
			continue;
		if (written < 0)
			return -errno;
		text += written;
		size -= (size_t)written;
	}
	return 0;
}

/* As threads or rolled up; a summary's rows are processes in any case. */
static int print(const struct snapshot *snapshot, const struct batch_options *options, int fd,
		 const volatile sig_atomic_t *stop)
{
	struct view_spec spec = options->view;
	char *text = NULL;
	size_t size = 0;
	FILE *memory = xopen_memstream(&text, &size);
	struct view view;

	if (snapshot->run && spec.by == ROLLUP_THREAD)
		spec.by = ROLLUP_PROCESS;
	view_init(snapshot, &spec, &view);
	options->format->write(&view, memory);
	view_fini(&view);
	int code = fclose(memory) ? -ENOMEM : write_all(fd, text, size, stop);
	free(text);
	return code;
}

/* *over: whoever was asked for by number has ended. */
static int refresh(struct engine *engine, const struct batch_options *options, int fd,
		   const volatile sig_atomic_t *stop, bool *over)
{
	struct snapshot *snapshot = engine_snapshot(engine);
	int code = 0;

	if (options->summary)
		summary_add(options->summary, snapshot);
	if (!options->summary_only)
		code = print(snapshot, options, fd, stop);
	*over = snapshot->ended || (options->recording && snapshot->recorded_bytes == 0);
	snapshot_free(snapshot);
	return code;
}

int batch_run(const struct sys *sys, struct engine *engine, const struct batch_options *options,
	      int fd, const volatile sig_atomic_t *stop, struct error *err)
{
	uint64_t start_ns = sys_now_ns(sys);
	uint64_t due = 1; /* which multiple of the interval */

	for (uint64_t done = 0; options->iterations == 0 || done < options->iterations; done++) {
		bool ended;

		do
			ended = options->ended && options->ended(options->arg);
		while (!ended && !*stop &&
		       engine_wait(engine, start_ns + due * options->interval_ns) != 0);
		if (*stop && !ended)
			return 0;
		bool over;
		int code = refresh(engine, options, fd, stop, &over);
		if (code < 0 && !(code == -EINTR && *stop))
			return fail(code, err);
		if (ended || code < 0)
			return ended;
		if (over && !options->ended)
			return 0;
		uint64_t passed = (sys_now_ns(sys) - start_ns) / options->interval_ns;
		due = passed >= due ? passed + 1 : due + 1;
	}
	return 0;
}

int batch_print_summary(const struct batch_options *options, const struct snapshot_run *run, int fd,
			const volatile sig_atomic_t *stop, struct error *err)
{
	for (size_t i = 0; i < summary_parts(options->summary); i++) {
		struct snapshot *snapshot = summary_snapshot(options->summary, i, run);
		int code = print(snapshot, options, fd, stop);

		snapshot_free(snapshot);
		if (code == -EINTR && *stop)
			return 0;
		if (code < 0)
			return fail(code, err);
	}
	return 0;
}
