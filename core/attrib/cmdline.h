// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CMDLINE_H
#define PMCTOP_CMDLINE_H

#include "core/sys/sys.h"

#include <sys/types.h>

/*
 * The command line of a process, with blanks between its words: untrusted bytes, at most
 * CMDLINE_BYTES of them. The process may overwrite it. Immutable and reference-counted: tasks and
 * snapshots share it.
 */
enum { CMDLINE_BYTES = 4096 };

/* What the command lines of rows are for. */
enum command_lines {
	COMMAND_LINES_NONE,  /* rows have none */
	COMMAND_LINES_SHOWN, /* the user wants to see them */
	/* A filter or a search matches them. They are not printed, and not recorded. */
	COMMAND_LINES_MATCHED,
	/*
	 * The screen has room for them. They are not printed, and not recorded. Those of tasks that
	 * did not run are read slowly.
	 */
	COMMAND_LINES_SCREEN,
};

struct cmdline {
	unsigned references;
	char text[]; /* never "" */
};

/*
 * Reads it from /proc. Stores NULL if there is none (a kernel thread, a zombie), or it cannot be
 * read. 0, or -ETIMEDOUT without a change: the process holds it back (core/sys/process_call.h).
 */
int cmdline_read(const struct sys *sys, pid_t tid, struct cmdline **cmdline);
/* Makes one of a text, which is not "". */
struct cmdline *cmdline_new(const char *text);
/* The one that has this text: that of a row. */
struct cmdline *cmdline_of(const char *text);
struct cmdline *cmdline_ref(struct cmdline *cmdline); /* any thread */
void cmdline_unref(struct cmdline *cmdline);          /* any thread; NULL is valid */

#endif
