// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BATCH_H
#define PMCTOP_BATCH_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/base/published_file.h"
#include "core/base/unwritten.h"
#include "core/engine/feed.h"
#include "core/output/batch_format.h"
#include "core/snapshot/run_summary.h"
#include "core/view/view.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Batch mode: one feed, one output, N refreshes, each printed when it is due. */
struct batch_options {
	uint64_t iterations; /* 0: until stopped */
	const struct batch_format *format;
	void *kept; /* state of the format, by its begin() */
	/* Called once for each note that the format does not print; NULL: never. */
	void (*note)(const char *sentence);
	struct notes *noted; /* the texts of these calls, at most NOTES_MAX; owned by the caller */
	/* The file that each refresh replaces; NULL: refreshes are appended. */
	struct published_file_replace *replaces;
	struct view_spec view;
	bool silent;    /* refreshes are not printed, only added to the summary or exported */
	bool recording; /* ends when the recording ends */
	struct unwritten *unwritten; /* updated while something is written; may be NULL */
	bool code; /* functions are wanted: `note` gets a sentence if a snapshot has none */

	/* Of a command. */
	struct run_summary *summary; /* every refresh is added to it; NULL: none */
	bool (*ended)(void *arg); /* whether the command has ended, called before every wait; NULL:
				     never */
	void *arg;
};

/*
 * Runs until one of these: the iterations are done, *stop is not 0, all processes of a target of
 * pids have ended, `recording` or the feed has ended, `ended` returns true. The interval under way
 * is then the last refresh. A signal handler sets *stop; a signal (EINTR) or sys_wake ends a wait
 * or write. A refresh is written as a whole, to the descriptor or to the
 * file that it replaces.
 *
 * Returns 1 if `ended` was true, else 0; or -errno with *err filled, from the feed or the output:
 * -EPIPE if its reader has gone (the caller must ignore SIGPIPE), -ENOSPC, -EIO ...
 */
int batch_run(const struct feed *feed, const struct batch_options *options, int fd,
	      const atomic_int *stop, struct error *err);

/*
 * Prints each part of the summary as an object or page, after batch_run(). 0, or -errno as
 * batch_run().
 */
int batch_print_summary(const struct batch_options *options, const struct snapshot_run *run, int fd,
			const atomic_int *stop, struct error *err);

/*
 * Prints what the format has left at the end of a run, after the calls above. 0, or -errno as
 * batch_run().
 */
int batch_finish(const struct batch_options *options, int fd, const atomic_int *stop,
		 struct error *err);

#endif
