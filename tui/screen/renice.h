// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RENICE_H
#define PMCTOP_RENICE_H

#include "core/base/error.h"
#include "core/sys/sys.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct app;

/* A process, or one of its threads, as a snapshot has shown it. */
struct renice_target {
	pid_t pid;
	pid_t tid;        /* 0: all threads of the process */
	uint64_t seen_ns; /* of the snapshot, CLOCK_MONOTONIC */
};

struct renice_change {
	char name[64];    /* "4121 postgres", printable */
	int from, to;     /* of the thread, or of the main thread */
	unsigned threads; /* that have the new value */
};

/*
 * Adds `delta` to the nice value of each thread of the target, between -20 and 19. Returns 0, or a
 * negative errno with an error text: -ESRCH if the target has ended, -EPERM if it belongs to
 * another user, -EACCES without the right to a lower value. A later task with that number never
 * gets the value, as far as the kernel allows: see renice.c.
 */
int renice_apply(const struct sys *sys, const struct renice_target *target, int delta,
		 struct renice_change *change, struct error *err);

/* Applies it to the tagged rows of the list or to the selected one, and shows the result. */
void renice_chosen(struct app *app, int delta);

#endif
