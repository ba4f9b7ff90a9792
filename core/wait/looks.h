// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LOOKS_H
#define PMCTOP_LOOKS_H

#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/event/event_wait.h"
#include "core/sys/blocked.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Samples of why threads are blocked (core/sys/blocked.h): by a lock, the disk, or paging, and in
 * which state.
 *
 * No record has the reason, and without tracefs none has the state, so a few threads are looked at
 * 10 to 20 times a second. The part of a thread's blocked time with a reason is the part of the
 * looks at which it was blocked that found this reason. Such an estimate has a standard deviation
 * of at most 0.5 / sqrt(looks) of the interval: 0.22 with LOOKS_LEAST, 0.14 with those of a second.
 *
 * Each cut chooses the threads for the next interval: half by their time in state D, half by how
 * often they woke up, if they were blocked for a good part of the interval. If a thread is chosen
 * again, its looks so far count half. A turn stops at its share of the time, LOOKS_COST, and the
 * next one goes on with the next thread. On a slow machine that leaves few looks an interval: then
 * fewer threads are chosen, so that each has enough.
 *
 * A wait that is shorter than the time from the begin of a turn to the look is seen too seldom, if
 * the thread waits on the CPU of this one: then it has woken up, and waits for the CPU. So one look
 * at a blocked thread is enough, and stays so for two intervals.
 *
 * Cost, 6.18 on x86-64, with cold caches: a look takes 12 us of CPU time, at a futex 18 us. 32
 * threads in a contended mutex would take 7.5 ms a second and take the 5 ms of LOOKS_COST. 32
 * threads that sleep take 1.0 ms.
 */
enum {
	LOOKS_MOST = 32, /* threads */
	LOOKS_FEW = 4,   /* threads are chosen at least */
	/* Turns at which a thread was looked at: an estimate from fewer ones means nothing. */
	LOOKS_LEAST = 5,
	LOOKS_COST = 200, /* turns take at most 1/200 of the time */
	/* After so many looks that found another reason, only one of LOOKS_SELDOM turns is used. */
	LOOKS_OTHER = 2,
	LOOKS_SELDOM = 8,
};
/* Turns come at random times, so that they do not keep step with a thread. */
#define LOOKS_PAUSE_LEAST_NS (50 * NS_PER_MS)
#define LOOKS_PAUSE_MOST_NS  (100 * NS_PER_MS)

/* How often a thread was looked at. All from LOOK_LOCK on are parts of LOOK_BLOCKED. */
enum look_count {
	LOOK_TURNS,
	LOOK_BLOCKED,
	LOOK_STATES,  /* of LOOK_BLOCKED: the state is known ... */
	LOOK_D,       /* ... it is D */
	LOOK_STOPPED, /* ... it is T or t */
	LOOK_LOCK,
	LOOK_FUTEX,      /* it is no lock */
	LOOK_OPEN_FUTEX, /* it may be a lock */
	LOOK_DISK,
	LOOK_PAGE,
	LOOK_OPEN_PAGE, /* it may be the disk */
	LOOK_OTHER,
	LOOK_BLIND, /* the reason could not be read */
	LOOK_COUNTS,
};

struct looked {
	struct task *task;
	pid_t tid; /* of the task; of a process without tasks for its threads: of one of them */
	bool ended;
	double counts[LOOK_COUNTS];
};

/* The tasks with the largest weights, in descending order. */
struct look_ranking {
	size_t n;
	struct {
		struct task *task;
		pid_t tid;
		uint64_t weight;
	} items[LOOKS_MOST];
};

struct looks {
	/* Borrowed. */
	const struct sys *sys;
	const struct target *target;
	struct tasks *tasks;
	struct blocked_rights rights;
	bool wanted, begun;
	pid_t pid; /* of this process */
	uint64_t random;
	uint64_t turned_ns, due_ns; /* the last turn, the next one */
	struct looked items[LOOKS_MOST];
	size_t n, next;
	unsigned turns;
	unsigned looked; /* looks of this interval */
	bool stopped;    /* a turn of this interval stopped at its share of the time */
	struct look_ranking by_d, by_wakeups; /* of the current interval, for the next */
};

/* Only tasks of the target are looked at. */
void looks_init(struct looks *looks, const struct sys *sys, const struct target *target,
		struct tasks *tasks);
/* Whether a plan has an event that needs looks. */
static inline bool looks_are_wanted(const struct wait_places *places)
{
	return places->counts[WAIT_LOCK] >= 0 || places->counts[WAIT_DISK] >= 0 ||
	       places->counts[WAIT_PAGING] >= 0 || places->counts[WAIT_UNINTERRUPTIBLE] >= 0 ||
	       places->counts[WAIT_STOPPED] >= 0;
}
/* Begins without threads. If not `wanted`, the functions below do nothing. */
void looks_begin(struct looks *looks, bool wanted);

/* When the next turn is due; UINT64_MAX: never. */
static inline uint64_t looks_due_ns(const struct looks *looks)
{
	return looks->n > 0 ? looks->due_ns : UINT64_MAX;
}
void looks_turn(struct looks *looks, uint64_t now_ns);

/*
 * Parts of the blocked time of a thread, 0..1; `known`: the part of which the reason is known,
 * `states`: the part of which the state is known.
 */
struct look_parts {
	double lock, disk, paging, known;
	double uninterruptible, stopped, states;
};

/* Pure. False if too little is known. */
bool look_parts_of(const double counts[LOOK_COUNTS], struct look_parts *parts);
/* The same of a task in the current interval; false also if it was not looked at. */
bool looks_parts(const struct looks *looks, const struct task *task, struct look_parts *parts);
/*
 * Divides the blocked time of a task, if it was looked at. by_state: also by its states, which no
 * record has.
 */
void looks_estimate(const struct looks *looks, const struct task *task, bool by_state,
		    struct wait_values *values);

/* What one interval had of a task, or of the threads of a process that has one task for all. */
struct look_reasons {
	uint64_t lifetime_ns, blocked_ns, uninterruptible_ns;
	uint32_t wakeups; /* from blocked */
	pid_t tid;        /* the thread to look at; 0: that of the task */
};

/* At the cut: for each task that is alive, then once to choose among them. */
void looks_consider(struct looks *looks, struct task *task, const struct look_reasons *reasons);
void looks_choose(struct looks *looks, uint64_t now_ns);

#endif
