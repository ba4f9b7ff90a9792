// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PLAN_H
#define PMCTOP_PLAN_H

#include "core/event/event.h"
#include "core/event/tally.h"
#include "core/sys/pmu.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The counter groups, their events, and which groups take turns. A plan is a function of its
 * request. It does not change once made, and has a reference count.
 *
 * A *domain* is the CPUs of one core PMU, nearly always all CPUs. Its first group is always on and
 * keeps the clock: it has the sampled switch event, the tick and the software events, which need no
 * counter. If all hardware events fit together they are in this group too, for one record a switch.
 * Otherwise they are in further groups, each with a switch event and a tick. One of them is on at
 * a time. An event of a socket is a domain with one group of one counter.
 *
 * A *counter* is one event in one group. The inputs of a metric stand in one group, so an event
 * that many metrics need may be counted in several groups. An event that is a histogram (`wakeups`)
 * has a counter for each of its ranges, in one group.
 *
 * If tasks are counted (core/collect/collect_task), no switches are sampled. The first domain is
 * all CPUs. It has a group for each file of /proc, which may be unreadable (page faults,
 * context switches, times), and one for the software events. The domains of the core PMUs follow,
 * with only hardware groups; the kernel multiplexes them.
 *
 * An event that counts only behind a leader (Intel's topdown metrics behind slots) is in a group
 * with it, if it is in the event set: event_set_add_leaders().
 *
 * In a group the hardware events come first, so that a hardware event leads: a software leader with
 * hardware siblings opens 250 times slower. Groups of a domain that may be on together differ in
 * size, which identifies their samples.
 */
enum {
	PLAN_SWITCH = -1,
	PLAN_TICK = -2,
	PLAN_PAD = -3, /* counts nothing; makes the size of a group unique */
};

/*
 * A group that missed less than 1/200 of the task's time counted all of it: the two times are read
 * from different clocks, a few instructions apart.
 */
#define PLAN_WHOLE_PARTS 200

struct plan_counter {
	unsigned event; /* index in the event set */
	unsigned code;  /* index in event->codes */
	unsigned group; /* 0, without meaning, for derived events */
};

/* The values of a group's records. Borrowed; it must outlive the streams that use it. */
struct attrib_layout {
	size_t n_values;
	size_t n_hardware;     /* leading values of the PMU, which also count in the idle task */
	size_t switch_value;   /* index of the count of switches, N */
	const int *counter_of; /* by value: index of the counter in tallies, or negative */
	unsigned group;        /* index; its ns in tallies come from these records */
	unsigned domain;
	bool clock; /* its slices give task-clock, context-switches and the ns of the domain */
};

struct plan_group {
	unsigned domain;
	int *members; /* in the order of opening: index of a counter, or PLAN_... */
	size_t n_members;
	struct attrib_layout layout; /* of its records; counter_of is members */
};

struct plan_domain {
	size_t pmu;           /* index in the pmu_set */
	bool socket;          /* counted by core/collect/socket_counter, without switches */
	bool all_cpus;        /* not of one PMU: software events, /proc and waits */
	bool waits;           /* its ns are lifetimes, not run time */
	unsigned first_group; /* the group that keeps the clock */
	unsigned n_groups;
};

struct plan {
	struct tally_shape shape;
	struct plan_counter *counters; /* sorted by event */
	unsigned *first_counter;       /* by event, n_events + 1: index of its first counter */
	struct plan_group *groups;
	struct plan_domain *domains; /* domains of core PMUs first, in their order */
	size_t n_events;
	bool per_task;
	int times_group; /* index of the group of EVENT_PROC, without members; -1: none */
	unsigned references;
};

/* The first groups of a plan per task. They have no members. */
enum {
	PLAN_GROUP_PROC,
	PLAN_GROUP_SWITCHES,
	PLAN_GROUP_TIMES,
	PLAN_GROUP_SOFTWARE, /* has members: software events, or PLAN_PAD */
};

/* Events that belong together: the inputs of one metric, {a,b}, or one event. */
struct plan_want {
	unsigned *events; /* indices in the event set */
	size_t n;
	/*
	 * Counted only on CPUs where counters are free beside all other wants: never in turns, nor
	 * per task, where each event of each thread is a descriptor.
	 */
	bool optional;
};

/* The most important first. */
struct plan_wants {
	struct plan_want *items;
	size_t n;
};

struct plan_request {
	const struct event_set *events; /* those with state VALID are counted */
	const struct pmu_set *pmus;
	const struct plan_wants *wants;
	bool per_task;       /* separate_clock has no effect then */
	bool separate_clock; /* no hardware events in the group of the clock, because counters are
				shared */
	bool watchdog;       /* the NMI watchdog takes a counter of each CPU */
	/*
	 * The counter budget: the most hardware events of one group, by core PMU, and whether
	 * some codes fit in one group (NULL: always). Called only with codes that can be
	 * counted at the same time as far as is known (counter_constraint.h).
	 */
	const size_t *most;
	bool (*fits)(void *arg, size_t pmu, const struct event_code *const *codes, size_t n);
	void *arg;
};

struct plan *plan_new(const struct plan_request *request);
/*
 * Completes a plan of counted CPUs from a recording. The caller allocates the plan and its arrays
 * with xcalloc(), and fills references (1), shape, counters, domains, times_group, and domain and
 * members of each group. 0, or -EBADMSG for a plan that is inconsistent, for which only
 * plan_unref() is valid.
 */
int plan_restore(struct plan *plan, const struct event_set *events, size_t n_pmus);
struct plan *plan_ref(struct plan *plan); /* any thread */
void plan_unref(struct plan *plan);       /* any thread; NULL is fine */

/* Whether a plan per task reads an event from /proc: times, waits, and page faults of all levels.
 */
bool plan_is_of_proc(const struct event *event);
/*
 * Makes these events VALID for such a plan, whether or not the kernel can open them. Events of
 * waiting that only records of switches have are DENIED.
 */
void plan_use_proc(struct event_set *events);

/*
 * Whether tasks have values that their slices do not have: times of /proc, waits. A recording
 * stores them for each task.
 */
bool plan_has_task_values(const struct plan *plan, const struct event_set *events);

/* The largest number of groups that take turns on a CPU; 1: none do. */
unsigned plan_most_turns(const struct plan *plan);

/*
 * Groups that take turns: completes the estimates of one task's tally (tally_beside()) for the time
 * in which a group was off while the task ran. A group that was never on has none. In a sum of such
 * tallies each task has the weight of its run time, and not of the time that its group was on.
 */
void plan_estimate_turns(const struct plan *plan, uint64_t *tally);
/* Removes these estimates from a tally. */
void plan_clear_turns(const struct plan *plan, uint64_t *tally);
/* Adds these estimates, and nothing else, of a part to a sum. */
void plan_add_turns(const struct plan *plan, const uint64_t *part, uint64_t *sum);

/* The sum of all counters of an event, neither scaled nor in its unit. */
uint64_t plan_count(const struct plan *plan, const uint64_t *tally, size_t event);

/* Returns the first counter of another event or group: a histogram has several counters. */
unsigned plan_next_counter(const struct plan *plan, unsigned counter);

/* The first counter of an event in a group, or -ENOENT. */
int plan_counter_in(const struct plan *plan, unsigned group, unsigned event);

#endif
