// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CMDLINE_H
#define PMCTOP_CMDLINE_H

#include "core/sys/sys.h"

#include <sys/types.h>

/*
 * The words that a process was called with, or says it was, blanks between: hostile bytes, of which
 * the first CMDLINE_BYTES are kept. Immutable, counted by reference: tasks and snapshots share it.
 */
enum { CMDLINE_BYTES = 4096 };

struct cmdline {
	unsigned references;
	char text[]; /* never "" */
};

/*
 * NULL where it has none (a kernel thread, a zombie) or cannot be seen. The kernel reads it out of
 * the process's own memory: it waits for one that maps memory just now.
 */
struct cmdline *cmdline_read(const struct sys *sys, pid_t tid);
/* Those words, as one text that is not "". */
struct cmdline *cmdline_new(const char *text);
struct cmdline *cmdline_ref(struct cmdline *cmdline); /* any thread */
void cmdline_unref(struct cmdline *cmdline);          /* any thread; NULL is fine */

#endif
