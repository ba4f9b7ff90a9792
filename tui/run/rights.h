// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RIGHTS_H
#define PMCTOP_RIGHTS_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What this process may do: no more than its user where a file lent it more (set-user-ID, file
 * capabilities), and from the set-up on no more than it needs, whoever started it.
 *
 * Linux keeps capabilities thread by thread, so both functions are for a process that has one; all
 * that it starts later have what is left. What is given up cannot be had again.
 */
struct rights {
	bool lent;          /* by a file: whoever started it has less */
	char **environment; /* as it was given: what a command is to get */
};

/* What is done later, out of what the command line asks for. */
struct rights_need {
	bool counts;  /* events are opened, also at every hotplug */
	bool probes;  /* hardware breakpoints may be the kernel's */
	bool signals; /* other users' processes may get them */
	bool writes;  /* files that the command line names, wherever they are */
	bool reads;   /* the same of a recording */
	bool serves;  /* a port, which may be below 1024 */
};

/*
 * To be called before anything is read that the user chose. Where rights were lent this process
 * becomes its user's, and keeps nothing but the right to count; what ncurses and libpfm4 would
 * read of the environment is taken out of it (never freed), and nobody may look into its memory,
 * nor a core file hold it. 0, or -errno and a sentence: then it must not go on.
 */
int rights_enter(struct rights *rights, struct error *err);

/*
 * Gives up what is not needed, of all sets, and that an exec gives new rights: a command must have
 * been forked. CAP_SYS_ADMIN stays where this kernel counts for nothing less, CAP_SYS_PTRACE where
 * /proc hides processes, or where root may count only processes of its user (a user namespace). 0,
 * or -errno and a sentence as above.
 */
int rights_drop(const struct rights *rights, const struct rights_need *need, struct error *err);

/* The capabilities, one bit each, that these needs may take. Pure. */
uint64_t rights_wanted(const struct rights_need *need, bool lent);

/* Whether the libraries may not see this variable ("NAME=value") where rights were lent. Pure. */
bool rights_hides(const char *variable);

#endif
