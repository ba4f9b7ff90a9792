// SPDX-License-Identifier: MIT
#ifndef PMCTOP_GROUP_H
#define PMCTOP_GROUP_H

#include "event.h"
#include "plan.h"
#include "sys.h"

#include <stddef.h>
#include <stdint.h>

/* One counter group on one CPU: descriptors in opening order, the first leads. */
struct group {
	const struct sys *sys;
	int *fds;
	size_t n;
	int switch_fd; /* of fds: samples every context switch; its ring takes the tick's too */
	int tick_fd;   /* of fds: samples when armed */
	uint64_t switch_id, tick_id;
};

/*
 * Opens a planned group, not counting yet. A ring on switch_fd will wake its reader when half of
 * ring_bytes is full. On failure *failed is the index of the member that the kernel refused.
 */
int group_open(struct group *group, const struct sys *sys, const struct event_set *events,
	       const struct plan_group *plan, int cpu, size_t ring_bytes, size_t *failed);
void group_close(struct group *group); /* zeroed is fine */

/* 0 or -errno, all of these. Sends the tick's records to the ring that is mapped on switch_fd, and
 * starts to count. */
int group_start(struct group *group);

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

/*
 * Whether the group is on the PMU: *running_ns is how long it was so far, *enabled_ns how long it
 * wished to be.
 */
int group_read_times(const struct group *group, uint64_t *enabled_ns, uint64_t *running_ns);

/* Asks whether one event can be counted on a CPU at all: 0, or the kernel's -errno. */
int group_probe(const struct sys *sys, const struct event *event, int cpu);

#endif
