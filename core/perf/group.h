// SPDX-License-Identifier: MIT
#ifndef PMCTOP_GROUP_H
#define PMCTOP_GROUP_H

#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perf/switch_event.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One counter group of one CPU or task. Owns its descriptors, in opening order: the first leads. */
struct group {
	const struct sys *sys;
	int *fds;
	size_t n;
	bool samples;  /* a group of a CPU: it has the members below */
	int switch_fd; /* of fds: samples every context switch, and has the ring */
	int tick_fd;   /* of fds: samples while it is armed */
	uint64_t switch_id, tick_id;
	/*
	 * Bit n: fds[n] counts, and can sample code by PERF_EVENT_IOC_PERIOD
	 * (core/perf/code_event.h).
	 */
	uint64_t code_members;
};

/* What a group counts: all tasks of a CPU, or a task on all CPUs. */
struct group_place {
	pid_t tid;                           /* -1: all tasks */
	int cpu;                             /* -1: all CPUs */
	size_t ring_bytes;                   /* of the ring on switch_fd, for ring_wake_bytes() */
	const struct switch_event *switches; /* samples switches; NULL: the software event */
	bool inherit;                        /* also counts future children; readings are the sum */
	bool on_exec;                        /* the kernel enables it when the task execs */
	const unsigned *code_events; /* indices in the event set (core/event/code_members.h) */
	size_t n_code_events;
};

/*
 * Opens that group of the plan, disabled. In a group of a CPU the events that `place` has for it
 * are opened so that they can sample code. One that the kernel refuses so counts only. Returns 0,
 * or the kernel's -errno: then *failed is the index of the member that it refused.
 */
int group_open(struct group *group, const struct sys *sys, const struct event_set *events,
	       const struct plan *plan, unsigned index, const struct group_place *place,
	       size_t *failed);
void group_close(struct group *group); /* zeroed is valid */

/* The attr of a member that only counts: a counter of the plan, or PLAN_... */
struct perf_event_attr group_member_attr(const struct event_set *events, const struct plan *plan,
					 unsigned group, int member,
					 const struct group_place *place);
/* The attr of the event that samples every context switch. Arguments: as in a group_place. */
struct perf_event_attr group_switch_attr(const struct switch_event *switches, size_t ring_bytes);
/* The attr of the event outside the groups that samples every wake-up. */
struct perf_event_attr group_waking_attr(const struct switch_event *switches, size_t ring_bytes);

/* The functions below return 0 or -errno. */

/*
 * Redirects the group's records to the ring that is mapped on ring_fd: its samples, and the
 * leader's THROTTLE and UNTHROTTLE.
 */
int group_redirect(const struct group *group, int ring_fd);
/* While a group is disabled, its counts and times do not grow. */
int group_enable(const struct group *group);
int group_disable(const struct group *group);
/* The id of a member in its records. */
int group_id(const struct group *group, size_t member, uint64_t *id);
/* Reads READING_VALUES + group->n numbers (enum record_reading). -EBADMSG: a short read. */
int group_read(const struct group *group, uint64_t *reading);

/*
 * The tick: a cpu-clock sample of the group, made while a task runs. It is always enabled, with a
 * period of 1000 s. Armed, it comes every tenth of a millisecond until it is disarmed. (On Linux
 * 6.18 a sibling that is enabled in a running group may not start before its leader is disabled and
 * enabled. A change of its period has an effect at once.)
 * Never arm the CPU on which the caller runs: ticks can keep a slow virtual CPU so busy that the
 * caller cannot disarm it.
 */
int group_arm_tick(const struct group *group);
int group_disarm_tick(const struct group *group);

/* The attr of an event outside the groups that makes SWITCH records, for hidden switches. */
struct perf_event_attr group_switch_record_attr(void);
/*
 * The attr of an event outside the groups that makes FORK, EXIT and COMM records while the groups
 * are disabled.
 */
struct perf_event_attr group_life_record_attr(void);

/* The attr that counts a code in a group. */
struct perf_event_attr group_counting_attr(const struct event_code *code);

#endif
