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

static int print(struct engine *engine, const struct batch_options *options, int fd,
		 const volatile sig_atomic_t *stop)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return -ENOMEM;
	struct snapshot *snapshot = engine_snapshot(engine);
	struct view view;
	view_init(snapshot, &options->view, &view);
	options->format->write(&view, memory);
	view_fini(&view);
	snapshot_free(snapshot);
	int code = fclose(memory) ? -ENOMEM : write_all(fd, text, size, stop);
	free(text);
	return code;
}

int batch_run(const struct sys *sys, struct engine *engine, const struct batch_options *options,
	      int fd, const volatile sig_atomic_t *stop, struct error *err)
{
	uint64_t start_ns = sys_now_ns(sys);
	uint64_t due = 1; /* which multiple of the interval */

	for (uint64_t done = 0; options->iterations == 0 || done < options->iterations; done++) {
		while (!*stop && engine_wait(engine, start_ns + due * options->interval_ns) != 0)
			;
		if (*stop)
			return 0;
		int code = print(engine, options, fd, stop);
		if (code == -EINTR && *stop)
			return 0;
		if (code < 0)
			return fail(code, err);
		uint64_t passed = (sys_now_ns(sys) - start_ns) / options->interval_ns;
		due = passed >= due ? passed + 1 : due + 1;
	}
	return 0;
}
