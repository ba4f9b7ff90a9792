// SPDX-License-Identifier: MIT
#include "batch.h"

#include "out_json.h"
#include "out_text.h"
#include "util.h"

#include <errno.h>
#include <string.h>

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

/* One refresh to the output; the errno of stdio is read here, as close as it can be. */
static int print(struct engine *engine, const struct batch_options *options, FILE *out)
{
	struct snapshot *snapshot = engine_snapshot(engine);
	struct view view;
	int code = 0;

	view_init(snapshot, &options->view, &view);
	errno = 0;
	options->format->write(&view, out);
	if (fflush(out) != 0 || ferror(out))
		code = errno ? -errno : -EIO;
	view_fini(&view);
	snapshot_free(snapshot);
	return code;
}

int batch_run(const struct sys *sys, struct engine *engine, const struct batch_options *options,
	      FILE *out, const volatile sig_atomic_t *stop, struct error *err)
{
	uint64_t start_ns = sys_now_ns(sys);
	uint64_t due = 1; /* which multiple of the interval */

	for (uint64_t done = 0; options->iterations == 0 || done < options->iterations; done++) {
		while (!*stop && engine_wait(engine, start_ns + due * options->interval_ns) != 0)
			;
		if (*stop)
			return 0;
		int code = print(engine, options, out);
		if (code == -EINTR && *stop)
			return 0;
		if (code < 0)
			return fail(code, err);
		uint64_t passed = (sys_now_ns(sys) - start_ns) / options->interval_ns;
		due = passed >= due ? passed + 1 : due + 1;
	}
	return 0;
}
