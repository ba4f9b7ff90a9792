// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RIGHTS_H
#define PMCTOP_RIGHTS_H

#include "core/base/error.h"
#include "tui/options/options.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Reduces the rights of this process. If a file lent it more (set-user-ID, file capabilities), it
 * gets the rights of its user. After the set-up it keeps only the rights that it needs.
 *
 * Linux has capabilities per thread. Call rights_enter() and rights_drop() while the process has
 * one thread; later threads inherit the rest. Dropped rights cannot be regained.
 */
struct rights {
	bool lent;          /* by the program's file: the user has fewer */
	char **environment; /* the original environment, for a command */
};

/* What the options need after the set-up. */
struct rights_need {
	bool counts;  /* opens events, also at hotplug */
	bool probes;  /* opens breakpoints or probes, perhaps in the kernel */
	bool names;   /* finds the functions of all users' processes and of the kernel */
	bool looks;   /* reads the I/O of all users' processes, and where they are blocked */
	bool signals; /* sends signals to other users' processes */
	bool renices; /* changes priorities, also of other users' processes */
	bool writes;  /* writes files that the command line names */
	bool reads;   /* reads a recording that it names */
	bool serves;  /* listens on a port, perhaps below 1024 */
};

/*
 * Call it before anything is read that the user chose. With lent rights, the process becomes its
 * user's and keeps only the right to count. It removes variables from the environment that ncurses
 * and libpfm4 read (never freed), and forbids tracing and core files. Returns 0, or -errno and a
 * sentence; then the process must end.
 */
int rights_enter(struct rights *rights, struct error *err);

/*
 * Drops unneeded rights from all sets, and sets no_new_privs, so fork a command before.
 * CAP_SYS_ADMIN stays if this kernel counts with nothing less. CAP_SYS_PTRACE also stays if /proc
 * hides processes, or if root may count only processes of its user (a user namespace). Returns 0,
 * or -errno and a sentence; then the process must end.
 */
int rights_drop(const struct rights *rights, const struct rights_need *need, struct error *err);

/*
 * For a forked child that waits to execute a command. Gives up lent rights, which the exec would
 * not pass on, and then lets the user trace the child: until then it is root's in /proc, where
 * hidepid hides it, and it cannot be counted as one of the user's. The user can then read a copy of
 * pmctop's memory, so fork before anything is read with a right that the user lacks. 0 or -errno.
 */
int rights_return(const struct rights *rights);

/* The needs of these options; `draws`: on a terminal. Pure. */
struct rights_need rights_need_of(const struct options *options, bool draws);

/* The capabilities for these needs, one bit each. Pure. */
uint64_t rights_wanted(const struct rights_need *need, bool lent);

/* Whether a variable ("NAME=value") is removed from the environment with lent rights. Pure. */
bool rights_hides(const char *variable);

#endif
