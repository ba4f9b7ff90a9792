// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLLECT_H
#define PMCTOP_COLLECT_H

#include "core/attrib/count_mode.h"
#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perf/budget.h"
#include "core/perf/perf_access.h"
#include "core/perf/switch_event.h"
#include "core/perfdata/recorder.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A way to learn what the machine does, behind one small table. Each fills an interval; the
 * engine decides when it ends.
 */
struct collect;

struct collect_ops {
	/* What to wait on: filled with at most max, returns how many there are. */
	size_t (*pollfds)(const struct collect *self, struct pollfd *fds, size_t max);
	/* Folds in what has been recorded so far. Cheap when there is nothing. */
	void (*drain)(struct collect *self);
	/* Groups that do not fit together take turns: when the next is due (UINT64_MAX: never). */
	uint64_t (*due_ns)(const struct collect *self);
	void (*turn)(struct collect *self);
	/* Brings the interval up to now and closes its accounts. */
	void (*cut)(struct collect *self);
	/* Whether a process may be watched too: -EACCES and a sentence where it is not ours. */
	int (*admit)(struct collect *self, pid_t pid, struct error *err);
	/*
	 * Begins the next interval. Before it does, it may open everything anew, by a new plan, and
	 * change the states of events; it must where self->stale.
	 */
	void (*renew)(struct collect *self);
	/*
	 * Between two intervals: has the recorder told of what is counted from now on and it has
	 * not heard of; NULL: nobody records any more. NULL where nothing can be recorded.
	 */
	void (*record)(struct collect *self, struct recorder *recorder);
	void (*free)(struct collect *self);
};

struct collect {
	const struct collect_ops *ops;
	enum count_mode mode;
	struct interval interval; /* being filled; renew begins it anew */
	struct plan *plan;        /* of the interval; owned */
	struct budget budget;     /* what plans are made for */
	/* The event that samples the switches of CPUs; NULL: none does. */
	const struct switch_event *switches;
	uint64_t refresh_ns;         /* how long an interval is to be; set by the engine */
	bool stale;                  /* what is wanted has changed; set by the engine */
	uint64_t records, switch_ns; /* of snapshot_cost */
	/* Of those that may have counters: how many threads ran, and how many of these had some. */
	size_t threads_ran, threads_counted;
};

/* What a collector is opened with; all borrowed for its life, and read anew where it is stale. */
struct collect_context {
	const struct sys *sys;
	const struct pmu_set *pmus;
	struct event_set *events; /* probed; the collector may find fewer of them VALID */
	const struct plan_wants *wants;
	const struct perf_access *access;
	const struct target *target;
	struct tasks *tasks;
	struct notes *notes;
	double budget; /* share of a CPU that counting may take of it; 0: whatever it takes */
};

/*
 * Per-CPU counter groups and switch records. -EACCES, -EPERM, -ENOSYS ... and a
 * sentence where the kernel does not grant that.
 */
int collect_system_open(const struct collect_context *context, struct collect **collect,
			struct error *err);

/*
 * Counters of each of our own threads that does something, and of everybody else what /proc tells:
 * CPU time, page faults, context switches. Where there is no right to count it counts nothing, but
 * works wherever /proc is mounted: the last resort. -EACCES and a sentence where who was asked for
 * by number is not ours.
 */
int collect_task_open(const struct collect_context *context, struct collect **collect,
		      struct error *err);

#endif
