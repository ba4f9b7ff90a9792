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

/* One counter group of one CPU or task: descriptors in opening order, the first leads. */
struct group {
	const struct sys *sys;
	int *fds;
	size_t n;
	bool samples;  /* that of a CPU does; then it has the next two */
	int switch_fd; /* of fds: samples every context switch; its ring takes the tick's too */
	int tick_fd;   /* of fds: samples when armed */
	uint64_t switch_id, tick_id;
};

/* Whom a group counts: whoever runs on a CPU, or a task wherever it runs. */
struct group_place {
	pid_t tid;         /* -1: everybody */
	int cpu;           /* -1: everywhere */
	size_t ring_bytes; /* of a ring on switch_fd: wakes its reader as ring_wake_bytes says */
	const struct switch_event *switches; /* what samples them; NULL: the software event */
	bool inherit; /* also what the task forks from now on; readings are the sum */
	bool on_exec; /* begins to count by itself when the task execs */
};

/*
 * Opens that group of the plan, not counting yet. On failure *failed is the index of the member
 * that the kernel refused.
 */
int group_open(struct group *group, const struct sys *sys, const struct event_set *events,
	       const struct plan *plan, unsigned index, const struct group_place *place,
	       size_t *failed);
void group_close(struct group *group); /* zeroed is fine */

/* What perf_event_open is asked for to count a member: a counter of the plan, or PLAN_... */
struct perf_event_attr group_member_attr(const struct event_set *events, const struct plan *plan,
					 unsigned group, int member,
					 const struct group_place *place);
/* Of one that samples every context switch. ring_bytes, switches: as in a group_place. */
struct perf_event_attr group_switch_attr(const struct switch_event *switches, size_t ring_bytes);

/* 0 or -errno, all of these. */

/*
 * Sends the group's records to the ring that is mapped on ring_fd: its samples, and the leader's
 * THROTTLE and UNTHROTTLE.
 */
int group_send(const struct group *group, int ring_fd);
/* To count, and not to: counts and times stand still meanwhile. */
int group_enable(const struct group *group);
int group_disable(const struct group *group);
/* The id of a member in its records. */
int group_id(const struct group *group, size_t member, uint64_t *id);
/* Its reading (enum record_reading), of READING_VALUES + group->n numbers. */
int group_read(const struct group *group, uint64_t *reading);

/*
 * The tick: a cpu-clock sample of the group, made while a task runs. Always enabled, with a period
 * so long that it never comes by itself; arming makes it come after a tenth of a millisecond, again
 * and again until it is disarmed. (A sibling that is enabled in a running group need not start
 * before its leader is switched off and on, Linux 6.18; a change of its period reaches it at once.)
 * Never arm the CPU that the caller runs on: a slow virtual CPU can be so busy ticking that nobody
 * gets to disarm it.
 */
int group_arm_tick(const struct group *group);
int group_disarm_tick(const struct group *group);

/* Of an event beside the groups whose SWITCH records tell of switches that are not sampled. */
struct perf_event_attr group_switch_record_attr(void);
/* Of one that tells who is born, ends and gets a name, while the groups are off. */
struct perf_event_attr group_life_record_attr(void);

/* What perf_event_open is asked for to count by that code. */
struct perf_event_attr group_counting_attr(const struct event_code *code);

#endif
