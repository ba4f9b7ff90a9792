// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PLAN_H
#define PMCTOP_PLAN_H

#include "core/event/event.h"
#include "core/event/tally.h"
#include "core/sys/pmu.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Which events sit in which counter groups, and which groups take turns. Pure: from what is wanted,
 * and what fits, follows the plan. Immutable once made, counted by reference.
 *
 * A *domain* is the CPUs of one core PMU: nearly always all of them. Its first group is always on
 * and keeps the clock: the sampled switch event, the tick and the software events, which need no
 * counter. Hardware events that fit together join it, for one record a switch; else they are in
 * groups of their own behind it, each with a switch event and a tick, and one of these is on at a
 * time. An event of a socket is a domain with one group of one counter for itself.
 *
 * A *counter* is one event in one group. The inputs of a metric stand in one group, so an event
 * that many metrics need may be counted in several groups.
 *
 * Counted per task (core/collect/collect_task) there are no switches to sample: the first domain is
 * that of all CPUs, with groups for what /proc tells of a task, each of which it may not tell: page
 * faults, context switches, times; and one of the software events. The core PMUs' domains follow,
 * with hardware groups alone; the kernel lets them take turns.
 *
 * In a group the hardware events come first, so that a hardware event leads where there is one: a
 * software leader with hardware siblings opens 250 times slower. Groups of a domain that may be on
 * together differ in size: their samples are told apart by it.
 */
enum {
	PLAN_SWITCH = -1,
	PLAN_TICK = -2,
	PLAN_PAD = -3, /* counts nothing, makes a group's size its own */
};

struct plan_counter {
	unsigned event; /* index in the event set */
	unsigned code;  /* index in event->codes */
	unsigned group; /* of the derived ones 0, and of no meaning */
};

/* What the values of a group's records mean. Borrowed; must outlive the streams that use it. */
struct attrib_layout {
	size_t n_values;
	size_t n_hardware;     /* the first so many need the PMU: the idle task has some too */
	size_t switch_value;   /* which value is N */
	const int *counter_of; /* value -> index of the counter in tallies, or negative */
	unsigned group;        /* whose ns in tallies it makes */
	unsigned domain;
	bool clock; /* its slices make task-clock, context-switches and the domain's ns */
};

struct plan_group {
	unsigned domain;
	int *members; /* in opening order: a counter's index, or PLAN_... */
	size_t n_members;
	struct attrib_layout layout; /* of its records; counter_of is members */
};

struct plan_domain {
	size_t pmu;    /* index in the pmu_set */
	bool socket;   /* its groups are counted by core/collect/socket_counter, not by switches */
	bool all_cpus; /* per task: of no PMU */
	unsigned first_group; /* the one that keeps the clock */
	unsigned n_groups;
};

struct plan {
	struct tally_shape shape;
	struct plan_counter *counters; /* in the order of their events */
	unsigned *first_counter;       /* of each event, and one more: where the last one's end */
	struct plan_group *groups;
	struct plan_domain *domains; /* the core PMUs' first, in their order */
	size_t n_events;
	bool per_task;
	int times_group; /* of EVENT_PROC, which has no members; -1: nobody asks */
	unsigned references;
};

/* The first groups of a plan per task: they have no members. */
enum {
	PLAN_GROUP_PROC,
	PLAN_GROUP_SWITCHES,
	PLAN_GROUP_TIMES,
	PLAN_GROUP_SOFTWARE, /* has members: its own, or PLAN_PAD */
};

/* Events that belong together: the inputs of one metric, {a,b}, or one event. */
struct plan_want {
	unsigned *events; /* indices in the event set */
	size_t n;
};

/* In the order of their importance. */
struct plan_wants {
	struct plan_want *items;
	size_t n;
};

struct plan_request {
	const struct event_set *events; /* those whose state is VALID are counted */
	const struct pmu_set *pmus;
	const struct plan_wants *wants;
	bool per_task;       /* the next is of no meaning then */
	bool separate_clock; /* no hardware events in the clock's group: counters are shared */
	/*
	 * The counter budget: how many hardware events one group of a core PMU may have at most
	 * (by PMU), and whether these fit together on it at all (NULL: they do).
	 */
	const size_t *most;
	bool (*fits)(void *arg, size_t pmu, const struct event_code *const *codes, size_t n);
	void *arg;
};

struct plan *plan_new(const struct plan_request *request);
/*
 * The rest of a plan of counted CPUs that someone else's words tell of: its shape, counters,
 * domains, times_group, and of each group domain and members; made with xcalloc and one reference,
 * as are its arrays, also those of members. 0, or -EBADMSG where they contradict themselves: then
 * it is good for plan_unref() alone.
 */
int plan_restore(struct plan *plan, const struct event_set *events, size_t n_pmus);
struct plan *plan_ref(struct plan *plan); /* any thread */
void plan_unref(struct plan *plan);       /* any thread; NULL is fine */

/* Whether a plan per task leaves an event to /proc: page faults of whichever level. */
bool plan_is_of_proc(const struct event *event);
/* For such a plan: these are VALID, whatever the kernel answered. */
void plan_use_proc(struct event_set *events);

/* How many groups take turns on a CPU, where that is most; 1: nobody waits. */
unsigned plan_most_turns(const struct plan *plan);

/* What all counters of an event say, as it was counted: neither scaled nor in its unit. */
uint64_t plan_count(const struct plan *plan, const uint64_t *tally, size_t event);

/* The counter of an event in a group, or -ENOENT. */
int plan_counter_in(const struct plan *plan, unsigned group, unsigned event);

#endif
