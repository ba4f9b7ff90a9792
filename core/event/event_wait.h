// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_WAIT_H
#define PMCTOP_EVENT_WAIT_H

#include "core/event/event.h"
#include "core/event/plan.h"

#include <stdbool.h>

/*
 * Events of waiting (EVENT_WAIT): why a task does not run. core/wait computes them from switch
 * records and /proc. For every task and interval
 *
 *     time on a CPU + runq_time + blocked_time = its lifetime in the interval
 *
 * Times are in ns. preempted_time and throttled_time are parts of runq_time. The times from
 * uninterruptible_time to paging_time are parts of blocked_time, which may overlap. forks and
 * forked_time are attributed to the nearest ancestor that is older than the interval. The rows of
 * the descendants have the same CPU time as theirs, so no sum of CPU times has forked_time.
 */
enum event_wait {
	WAIT_RUNQ,            /* runnable without a CPU */
	WAIT_PREEMPTED,       /* ... since it left its CPU while it was runnable */
	WAIT_THROTTLED,       /* ... while its cgroup had used up its CPU quota */
	WAIT_BLOCKED,         /* neither running nor runnable */
	WAIT_UNINTERRUPTIBLE, /* state D */
	WAIT_STOPPED,         /* states T and t */
	WAIT_LOCK,            /* for a lock that another thread holds: futex, kernel mutex, file */
	WAIT_DISK,            /* for a block device */
	WAIT_PAGING,          /* for a page of a file or of swap that must be read */
	WAIT_FORKED,          /* CPU time of descendants that began in the interval */
	WAIT_VOLUNTARY,       /* switches of a task that blocks or ends */
	WAIT_INVOLUNTARY,     /* switches of a task that is runnable */
	WAIT_FORKS,           /* processes that it started, and their descendants */
	WAIT_WAKEUPS,         /* wake-ups, a counter for each latency: enum wakeup_latency */
	WAIT_EVENTS,
};

/*
 * The groups of the plan's domain of waiting: one for each source. A recording has the groups of
 * the version that made it, which may be fewer and in another order: its plan names the group of
 * each event.
 */
enum event_wait_group {
	WAIT_OF_RECORDS,     /* prev_state of switch records; per task: /proc/PID/task/TID/status */
	WAIT_OF_PREEMPTIONS, /* the same, also of the last switch before the interval */
	WAIT_OF_QUEUES,      /* wake-ups, or /proc/PID/task/TID/schedstat */
	WAIT_OF_REST, /* the same, of what it leaves of the lifetime; CPUs have no such time */
	WAIT_OF_BOTH,
	WAIT_OF_FORKS, /* FORK records, of all the lifetime */
	/*
	 * Throttled time of cgroups: known beside run queues, and without a quota; else an estimate
	 * of each task's part.
	 */
	WAIT_OF_CGROUPS,
	WAIT_OF_LOOKS,   /* samples of where threads are blocked; an estimate */
	WAIT_OF_WAKINGS, /* records of sched:sched_waking */
	WAIT_GROUPS,
};

extern const char *const event_wait_names[WAIT_EVENTS];

/* Returns the value of an event of kind EVENT_WAIT. */
enum event_wait event_wait_of(const struct event *event);
enum event_wait_group event_wait_group(enum event_wait wait);
/* "ns", or "" for counts. */
const char *event_wait_unit(enum event_wait wait);
/*
 * Whether its figures are estimates, FIGURE_SCALED at best. per_task: of a plan per task, where
 * states are samples (core/wait/wait_scan.h).
 */
bool event_wait_is_estimate(enum event_wait wait, bool per_task);
/* Whether its figures are exact where its source is known, and estimates elsewhere. */
bool event_wait_is_part_estimate(enum event_wait wait);
/* Whether it needs no records of whole CPUs: of switches, forks or wake-ups. */
bool event_wait_is_of_proc(enum event_wait wait);

/*
 * `wakeups` has a counter for each range of latencies, the time from a wake-up to the slice after
 * it. The k-th range begins at WAKEUP_LEAST_NS * sqrt(2)^k. The first one has all shorter
 * latencies too, the last one (from 12 s on) all longer ones. In a plan these counters are
 * consecutive, in this order.
 */
enum wakeup_latency {
	WAKEUP_LEAST_NS = 512,
	WAKEUP_RANGES = 50,
};

/* The number of counters of an event in a plan: WAKEUP_RANGES or 1. */
size_t event_wait_counters(enum event_wait wait);
/* The range of a latency. */
size_t wakeup_range(uint64_t latency_ns);
/* The geometric middle of a range in ns: within 19 % of all latencies in it. */
double wakeup_range_ns(size_t range);

/* Where the events of waiting are in a tally. */
struct wait_places {
	bool any;                /* false: the plan has none */
	int counts[WAIT_EVENTS]; /* the first counter; -1: not in the plan */
	size_t groups[WAIT_GROUPS], lifetime;
	size_t beside; /* from the known ns of a group to the estimated ones */
};

void wait_places_find(struct wait_places *places, const struct plan *plan,
		      const struct event_set *events);

/*
 * The values of a task in an interval, and the ns of its lifetime for which each source is known,
 * or for which there are estimates alone.
 */
struct wait_values {
	uint64_t counts[WAIT_EVENTS], known_ns[WAIT_GROUPS], estimated_ns[WAIT_GROUPS];
	uint64_t lifetime_ns;
};

/*
 * Fills in the values of a task that did not run. `blocked`: it did not wait for a CPU either, else
 * this is an estimate. `sleeping`: it was in no other state.
 */
void wait_values_still(uint64_t lifetime_ns, bool blocked, bool sleeping,
		       struct wait_values *values);
/* The same where a short run may be unseen: estimates. */
void wait_values_unseen(uint64_t lifetime_ns, struct wait_values *values);

/*
 * Cuts the times of a task at the length of an interval: waits end at the reading of their sources,
 * a little later or earlier than the counters.
 */
void wait_values_clip(uint64_t most_ns, struct wait_values *values);

void wait_values_add(const struct wait_places *places, const struct wait_values *values,
		     uint64_t *tally);

#endif
