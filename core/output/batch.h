// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BATCH_H
#define PMCTOP_BATCH_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/base/published_file.h"
#include "core/engine/feed.h"
#include "core/output/batch_format.h"
#include "core/snapshot/run_summary.h"
#include "core/view/view.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prints instead of draws: one feed, one output, N refreshes, each as soon as it is due. */
struct batch_options {
	uint64_t iterations; /* 0: until stopped */
	const struct batch_format *format;
	void *kept; /* by the format, which has begun */
	/* Called once with each note that the format leaves; NULL: never. */
	void (*note)(const char *sentence);
	struct notes *noted; /* the caller's: the sentences of these calls, at most NOTES_MAX */
	/* The file that each refresh replaces; NULL: they follow each other. */
	struct published_file_replace *replaces;
	struct view_spec view;
	bool silent;    /* refreshes are made for the summary, or for others, and not printed */
	bool recording; /* it is all that is wanted: ends with it */

	/* Of a command. */
	struct run_summary *summary; /* every refresh is added to it; NULL: none is */
	bool (*ended)(
		void *arg); /* whether it is over: asked before every wait; NULL: it never is */
	void *arg;
};

/*
 * Runs until the iterations are done, *stop is not 0, all processes that were asked for by number
 * have ended, `recording` has, the feed has, or `ended` says so: then the interval under way is the
 * last refresh.
 * A signal handler sets *stop; a signal (EINTR) or sys_wake ends the wait or the write that is
 * under way. A refresh is written as a whole, to the descriptor.
 *
 * Returns 1 where it has `ended`, else 0; or -errno and a sentence: the feed's, or once the output
 * cannot be written: -EPIPE when its reader went away (the caller must ignore SIGPIPE, and may well
 * end quietly), -ENOSPC, -EIO ...
 */
int batch_run(const struct feed *feed, const struct batch_options *options, int fd,
	      const volatile sig_atomic_t *stop, struct error *err);

/*
 * Prints the summary: an object or a page for each of its parts. 0, or -errno as batch_run, which
 * should have run before.
 */
int batch_print_summary(const struct batch_options *options, const struct snapshot_run *run, int fd,
			const volatile sig_atomic_t *stop, struct error *err);

#endif
