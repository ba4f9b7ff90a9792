// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BATCH_H
#define PMCTOP_BATCH_H

#include "engine.h"
#include "error.h"
#include "summary.h"
#include "sys.h"
#include "view.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Prints instead of draws: one engine, one output, N refreshes.
 *
 * Refreshes are due at start + k * interval. One that comes late (a suspended process, a slow
 * reader) takes in all the time since the last; those that it overran are skipped, so that the
 * ones after it come on time again and not in a bunch. The snapshot says how long it really was.
 */
struct batch_format {
	const char *name; /* "text", "json": what --format takes */
	void (*write)(const struct view *view, FILE *out);
};

/* The first is the default. */
extern const struct batch_format batch_formats[];
extern const size_t batch_formats_n;

/* NULL where there is none of that name. */
const struct batch_format *batch_format_find(const char *name);

struct batch_options {
	uint64_t interval_ns; /* > 0 */
	uint64_t iterations;  /* 0: until stopped */
	const struct batch_format *format;
	struct view_spec view;
	bool recording; /* it is all that is wanted: ends with it */

	/* Of a command. */
	struct summary *summary; /* every refresh is added to it; NULL: none is */
	bool summary_only;       /* refreshes are made for it alone, and not printed */
	bool (*ended)(
		void *arg); /* whether it is over: asked before every wait; NULL: it never is */
	void *arg;
};

/*
 * Runs until the iterations are done, *stop is not 0, all processes that were asked for by number
 * have ended, `recording` has, or `ended` says so: then the interval under way is the last refresh.
 * A signal handler sets *stop; a signal (EINTR) or sys_wake ends the wait or the write that is
 * under way. A refresh is written as a whole, to the descriptor.
 *
 * Returns 1 where it has `ended`, else 0; or -errno and a sentence once the output cannot be
 * written: -EPIPE when its reader went away (the caller must ignore SIGPIPE, and may well end
 * quietly), -ENOSPC, -EIO ...
 */
int batch_run(const struct sys *sys, struct engine *engine, const struct batch_options *options,
	      int fd, const volatile sig_atomic_t *stop, struct error *err);

/*
 * Prints the summary: an object or a page for each of its parts. 0, or -errno as batch_run, which
 * should have run before.
 */
int batch_print_summary(const struct batch_options *options, const struct snapshot_run *run, int fd,
			const volatile sig_atomic_t *stop, struct error *err);

#endif
