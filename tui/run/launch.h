// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LAUNCH_H
#define PMCTOP_LAUNCH_H

#include "core/base/error.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A command that pmctop starts, watches and ends with. It is forked first, before pmctop changes
 * anything about itself, waits while the engine opens, and execs when it is let go: it is counted
 * from its first instruction, and has what pmctop was given: rights, priority, limits, signals.
 *
 * pmctop adopts what the command leaves behind (PR_SET_CHILD_SUBREAPER), and reaps it: the tree
 * stays a tree while it is watched. One at a time, in a process without other children.
 */
enum launch_io {
	LAUNCH_TO_STDERR, /* its output goes to standard error: standard output is pmctop's own */
	LAUNCH_KEEP,      /* it has pmctop's input and output */
	LAUNCH_HIDDEN,    /* no input, a session of its own, output into a file for launch_show */
};

struct launch_config {
	char *const *command;     /* argv, NULL behind its end; borrowed */
	char *const *environment; /* the same */
	bool hidden;              /* it may be: there is to be a file for its output */
	const char *directory;    /* where that is made, which never has a name; NULL: /tmp */
};

enum {
	LAUNCH_UNKNOWN = 125,        /* it ended with an unknown status, or with this one */
	LAUNCH_CANNOT_EXECUTE = 126, /* as shells have it */
	LAUNCH_NOT_FOUND = 127,
	LAUNCH_KILLED = 128, /* + the signal */
};

struct launch {
	char *const *command;
	pid_t pid;
	bool own_session;
	bool gone;                   /* it was let go */
	bool terminated;             /* by launch_terminate */
	bool ended;                  /* and what follows is known: */
	bool killed;                 /* by a signal */
	int status;                  /* of its exit, or LAUNCH_... */
	uint64_t began_ns, ended_ns; /* CLOCK_MONOTONIC */
	uint64_t user_ns, system_ns; /* with all that it waited for */
	int socket;                  /* to it until it execs; -1: closed */
	int output;                  /* -1: none */
};

/*
 * Forks, to be called before signals are handled or ignored, or anything else that a child
 * inherits is changed. Descriptors 0 to 2 are open, or others would be taken for them. 0, or
 * -errno and a sentence.
 */
int launch_open(const struct launch_config *config, struct launch *launch, struct error *err);
/* Lets go of what is left. A command that was never let go never runs; one that runs goes on. */
void launch_close(struct launch *launch);

/*
 * Lets it exec. 0, or -errno and a sentence where it cannot: `status` is set then, and it has ended
 * or does so in launch_close.
 */
int launch_go(struct launch *launch, enum launch_io io, struct error *err);

/* Reaps what it left behind and has ended; whether the command itself has. Does not wait. */
bool launch_reap(struct launch *launch);
/* SIGTERM to the command, stopped or not; to its whole group where it has a session of its own. */
void launch_terminate(struct launch *launch);
/* launch_reap, again and again for so long. */
bool launch_wait(struct launch *launch, uint64_t patience_ns);

/*
 * Copies what a hidden command wrote so far, until `stop`, which is asked after each piece, is
 * true; an output that takes no more ends it.
 */
void launch_show(const struct launch *launch, int fd, bool (*stop)(void *arg), void *arg);

/* What a summary says of it. */
void launch_describe(const struct launch *launch, struct snapshot_run *run);
/* "ended with status 2", "was killed by signal 9", "still runs" */
void launch_report(const struct launch *launch, char *text, size_t size);
/* Says that it did not end by SIGTERM. */
void launch_explain_alive(const struct launch *launch, struct error *err);

#endif
