// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLLECT_H
#define PMCTOP_COLLECT_H

#include "error.h"
#include "event.h"
#include "interval.h"
#include "notes.h"
#include "sys.h"
#include "tasks.h"

#include <poll.h>
#include <stddef.h>

/*
 * A way to learn what the machine does, behind one small table. Each fills an interval; the
 * engine decides when it ends.
 */
struct collect;

struct collect_ops {
	const char *mode; /* snapshot.mode */
	/* What to wait on: filled with at most max, returns how many there are. */
	size_t (*pollfds)(const struct collect *self, struct pollfd *fds, size_t max);
	/* Folds in what has been recorded so far. Cheap when there is nothing. */
	void (*drain)(struct collect *self);
	/*
	 * Brings the interval up to now and closes its accounts. Between two intervals it may open
	 * everything anew and change the states of events.
	 */
	void (*cut)(struct collect *self);
	void (*free)(struct collect *self);
};

struct collect {
	const struct collect_ops *ops;
	struct interval interval; /* being filled; the engine resets it after the cut */
};

/* What a collector is opened with; all borrowed for its life. */
struct collect_context {
	const struct sys *sys;
	struct event_set *events; /* the collector sets state and group of each */
	struct tasks *tasks;
	struct notes *notes;
};

/*
 * Per-CPU counter groups and switch records. -EACCES, -EPERM, -ENOSYS ... and a
 * sentence where the kernel does not grant that.
 */
int collect_system_open(const struct collect_context *context, struct collect **collect,
			struct error *err);

/*
 * CPU time and page faults of every process as /proc tells them: works wherever /proc is mounted,
 * and counts nothing. The last resort.
 */
int collect_proc_open(const struct collect_context *context, struct collect **collect,
		      struct error *err);

/* Whether this machine counts cycles at all: 0, or the kernel's -errno for it. */
int collect_probe_hardware(const struct sys *sys);

#endif
