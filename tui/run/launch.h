// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LAUNCH_H
#define PMCTOP_LAUNCH_H

#include "core/base/error.h"
#include "core/snapshot/snapshot.h"
#include "tui/run/rights.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A command that pmctop starts and observes. launch_open() forks it before pmctop changes anything
 * about itself. The child waits while the engine opens, and execs at launch_go(). So it is counted
 * from its first instruction and inherits the user's original rights, priority, limits and signals.
 *
 * pmctop is the subreaper of the command's descendants (PR_SET_CHILD_SUBREAPER) and reaps them, so
 * that the process tree stays intact. One command at a time, in a process without other children.
 */
enum launch_io {
	LAUNCH_TO_STDERR, /* output to standard error; standard output is pmctop's */
	LAUNCH_KEEP,      /* pmctop's input and output */
	LAUNCH_HIDDEN,    /* no input, own session, output to a file for launch_show() */
};

struct launch_config {
	char *const *command;        /* argv, ended by NULL; borrowed */
	const struct rights *rights; /* with its environment; borrowed */
	bool hidden;                 /* LAUNCH_HIDDEN is possible: create a file for its output */
	const char *directory;       /* directory of that unnamed file; NULL: /tmp */
};

enum {
	LAUNCH_UNKNOWN = 125,        /* its status is unknown, or 125 */
	LAUNCH_CANNOT_EXECUTE = 126, /* as in shells */
	LAUNCH_NOT_FOUND = 127,
	LAUNCH_KILLED = 128, /* + number of the signal */
};

struct launch {
	char *const *command;
	pid_t pid;
	bool own_session;
	bool gone;                   /* launch_go() was called */
	bool terminated;             /* launch_terminate() was called */
	bool ended;                  /* it has ended; the following members are valid */
	bool killed;                 /* ended by a signal */
	int status;                  /* exit status, or LAUNCH_... */
	uint64_t began_ns, ended_ns; /* CLOCK_MONOTONIC */
	uint64_t user_ns, system_ns; /* CPU time, with descendants that it waited for */
	int socket;                  /* socket to the child until the exec; -1: closed */
	int output;                  /* output file; -1: none */
};

/*
 * Forks. Call it before signal handlers are set or anything else is changed that a child inherits.
 * Descriptors 0 to 2 must be open, because others would take their numbers. Returns 0, or -errno
 * and a sentence.
 */
int launch_open(const struct launch_config *config, struct launch *launch, struct error *err);
/* Releases all resources. A command before launch_go() is killed; a running one continues. */
void launch_close(struct launch *launch);

/*
 * Starts the exec. Returns 0, or -errno and a sentence; then `status` is set, and the child has
 * ended or ends in launch_close().
 */
int launch_go(struct launch *launch, enum launch_io io, struct error *err);

/* Reaps ended descendants. Returns whether the command itself has ended. Does not wait. */
bool launch_reap(struct launch *launch);
/*
 * Does what ^C on a terminal does: sends SIGINT to this process group, but not to this process. No
 * effect if the command has ended.
 */
void launch_interrupt(const struct launch *launch);
/*
 * Sends SIGTERM and SIGCONT to the command, or to its process group if it has a session of its own.
 */
void launch_terminate(struct launch *launch);
/* Calls launch_reap() until the command has ended or the time is over. Returns whether it ended. */
bool launch_wait(struct launch *launch, uint64_t patience_ns);

/*
 * Copies the output of a hidden command so far to fd. `stop` is called after each piece and ends
 * the copy if true; so does a write error.
 */
void launch_show(const struct launch *launch, int fd, bool (*stop)(void *arg), void *arg);

/* Fills the command's part of a summary. */
void launch_describe(const struct launch *launch, struct snapshot_run *run);
/* "ended with status 2", "was killed by signal 9", "still runs". */
void launch_report(const struct launch *launch, char *text, size_t size);
/* Sets *err: the command did not end by SIGTERM. */
void launch_explain_alive(const struct launch *launch, struct error *err);

#endif
