// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_CHILD_H
#define PMCTOP_FAKE_KERNEL_CHILD_H

#include "tests/fake_kernel/world.h"

/*
 * A process that "me" of a contract test has forked: does as it is told, on the same CPU, and
 * sleeps otherwise. Every function returns when it has done so and sleeps again. One that is still
 * there when the test ends (or fails) ends with it.
 */
struct child {
	struct world *world;
	pid_t pid; /* of its one thread, too */
	int fd;    /* to the real one */
};

void child_begin(struct child *child, struct world *world);
void child_spins(const struct child *child, uint64_t ns);      /* at least, on the CPU */
void child_faults(const struct child *child, unsigned pages);  /* at least as many */
void child_forks(const struct child *child, unsigned pages);   /* one that faults, and is reaped */
void child_threads(const struct child *child, unsigned pages); /* likewise */
/* Starts it on another CPU than that of "me", until child_stops(). False: there is none. */
bool child_runs(const struct child *child);
void child_stops(const struct child *child);
/* These end it; it is reaped. */
void child_execs(struct child *child); /* becomes "true" */
void child_exits(struct child *child);

#endif
