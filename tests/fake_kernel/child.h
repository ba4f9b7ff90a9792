// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_CHILD_H
#define PMCTOP_FAKE_KERNEL_CHILD_H

#include "tests/fake_kernel/world.h"

/*
 * A process forked by "me" of a contract test. It sleeps on the CPU of "me" and runs commands. Each
 * function returns when its command is done and the child sleeps again. A child that is left at the
 * end of the test, also of a failed one, ends with it.
 */
struct child {
	struct world *world;
	pid_t pid; /* also its tid */
	int fd;    /* pipe to a real child */
};

void child_begin(struct child *child, struct world *world);
void child_spins(const struct child *child, uint64_t ns);     /* CPU time, at least */
void child_faults(const struct child *child, unsigned pages); /* page faults, at least */
void child_forks(const struct child *child,
		 unsigned pages); /* forks a child that faults and is reaped */
void child_threads(const struct child *child, unsigned pages); /* the same with a thread */
/* Runs it on another CPU than "me" has, until child_stops(). Returns false if there is none. */
bool child_runs(const struct child *child);
void child_stops(const struct child *child);
/* These end the child; it is reaped. */
void child_execs(struct child *child); /* becomes "true" */
void child_exits(struct child *child);

#endif
