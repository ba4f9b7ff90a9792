// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLLECT_H
#define PMCTOP_COLLECT_H

#include "core/attrib/count_mode.h"
#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/code/code_profile.h"
#include "core/collect/code_sampler.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perf/budget.h"
#include "core/perf/perf_access.h"
#include "core/perf/switch_event.h"
#include "core/perfdata/recorder.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"
#include "core/wait/wait_watch.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A way to count: fills an interval until the engine ends it. One thread makes all calls. */
struct collect;

/* What the engine wants of the next interval. */
struct collect_next {
	uint64_t length_ns; /* as expected */
	bool stale;         /* the selection has changed: counters are opened by a new plan */
	/* Samples of code; NULL: none. Borrowed until the renew after it. Not in mode proc. */
	const struct code_request *code;
	uint64_t code_ns; /* CPU time that samples of the last interval cost the engine */
};

/* What a cut returns beside the interval. What a way to count does not have is 0. */
struct collect_result {
	uint64_t records, switch_ns;         /* for snapshot_cost */
	unsigned windowed_cpus;              /* in the interval (duty_cycle.h) */
	size_t threads_ran, threads_counted; /* own threads that ran; those with counters */
	const struct wait_watch *watch;      /* of the interval; valid until renew. NULL: unknown */
	bool replans; /* the next renew makes a new plan, whatever the engine wants */
};

struct collect_ops {
	/* Fills in at most max descriptors to poll. Returns how many there are. */
	size_t (*pollfds)(const struct collect *self, struct pollfd *fds, size_t max);
	/* Applies the records so far. Cheap if there are none. */
	void (*drain)(struct collect *self);
	/* When the next turn, duty window or check is due (CLOCK_MONOTONIC; UINT64_MAX: never). */
	uint64_t (*due_ns)(const struct collect *self);
	void (*turn)(struct collect *self);
	/* Ends the interval now. Its tallies are final. */
	struct collect_result (*cut)(struct collect *self);
	/* Returns 0 if the process can be added to the target, else -EACCES and a sentence. */
	int (*admit)(struct collect *self, pid_t pid, struct error *err);
	/*
	 * Begins the next interval. It may first open all counters again by a new plan, and change
	 * the states of events. If next->stale it must do so.
	 */
	void (*renew)(struct collect *self, const struct collect_next *next);
	/*
	 * Between two intervals: watches the waits of a process or a thread (struct wait_watch)
	 * that began after since_ns; both 0: none. The function is NULL without records.
	 */
	void (*watch)(struct collect *self, pid_t pid, pid_t tid, uint64_t since_ns);
	/*
	 * Between two intervals: passes new events and groups to the recorder. Recorder NULL: ends
	 * the recording. The function is NULL if this way to count has no records.
	 */
	void (*record)(struct collect *self, struct recorder *recorder);
	void (*free)(struct collect *self);
};

/* All members are written by core/collect alone. */
struct collect {
	const struct collect_ops *ops;
	enum count_mode mode;
	struct interval interval; /* the current one; reset by renew */
	struct plan *plan;        /* of the interval; a reference */
	struct budget budget;     /* counters that plans may use */
	/* The event that samples switches; NULL: none. */
	const struct switch_event *switches;
	const struct code_event *code_events; /* sampled in the interval; until the next renew */
	size_t n_code_events;
};

/* Input of a collector. All borrowed for its life, and read again if it is stale. */
struct collect_context {
	const struct sys *sys;
	const struct pmu_set *pmus;
	struct event_set *events; /* probed; the collector may make more of them invalid */
	const struct plan_wants *wants;
	const struct perf_access *access;
	const struct target *target;
	struct tasks *tasks;
	struct notes *notes;
	double budget; /* share of a CPU's time that counting it may cost; 0: no limit */
};

/*
 * Counter groups of whole CPUs, with a record per switch. Returns 0, or -EACCES, -EPERM, -ENOSYS
 * ... and a sentence if the kernel does not grant them.
 */
int collect_system_open(const struct collect_context *context, struct collect **collect,
			struct error *err);

/*
 * Counters of the user's own threads that run, and /proc for other tasks: CPU time, page faults,
 * context switches. Without permission to count it uses /proc alone. Returns 0, or -EACCES and a
 * sentence if a process of -p belongs to another user.
 */
int collect_task_open(const struct collect_context *context, struct collect **collect,
		      struct error *err);

#endif
