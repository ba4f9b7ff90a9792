// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PLAN_H
#define PMCTOP_PLAN_H

#include "attrib.h"
#include "event.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Which events sit in which counter groups, and where the sampled switch event and the tick sit
 * among them. Pure: it asks the event set what can be counted, and nothing else.
 *
 * In a group the hardware events come first, so that a hardware event leads where there is one:
 * a software leader with hardware siblings opens 250 times slower. Then the switch event and the
 * tick, then the software events.
 */
enum { PLAN_SWITCH = -1, PLAN_TICK = -2 };

struct plan_group {
	int *members;        /* in opening order: an event's index, PLAN_SWITCH or PLAN_TICK */
	bool switch_records; /* ask for SWITCH records too */
	struct attrib_layout layout; /* of its records; event_of is members */
};

struct plan {
	struct plan_group *groups;
	size_t n_groups;
};

/* Groups for the events whose state is VALID; sets each one's event->group. */
void plan_make(struct event_set *events, bool switch_records, struct plan *plan);
void plan_fini(struct plan *plan);

#endif
