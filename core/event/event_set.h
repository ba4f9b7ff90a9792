// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_SET_H
#define PMCTOP_EVENT_SET_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct event;
struct event_code;
struct event_context;

enum { EVENT_SET_MAX = 512 };

/* The events of a run. items[0] is always task-clock, items[1] context-switches. */
struct event_set {
	const struct event_context *context; /* borrowed; NULL: names that need no files */
	struct event *items;
	size_t n;
	size_t capacity;
	size_t n_hidden; /* the last ones, which only hidden columns need: not shown */
	bool frozen;     /* no names can be added */
};

/* The number of events to show, the first ones. */
static inline size_t event_set_shown(const struct event_set *set)
{
	return set->n - set->n_hidden;
}

/* A set with the two derived events. */
void event_set_init(struct event_set *set, const struct event_context *context);
void event_set_fini(struct event_set *set);
/* The copy has no context. */
void event_set_copy(struct event_set *copy, const struct event_set *set);

/*
 * The index of the event with that name, which is resolved and appended if it is new. Or the -errno
 * of event_resolve(), -E2BIG beyond EVENT_SET_MAX, or -ENOENT for a new one in a frozen set.
 */
int event_set_add(struct event_set *set, const char *name, struct error *err);
/*
 * The index of an event that must lead the group of a code (counter_constraint_leads()) and can be
 * counted, or -ENOENT.
 */
int event_set_leader(const struct event_set *set, const struct event_code *code);
/* Whether an event needs another one to be counted: itself, or the leader of its groups. */
bool event_set_needs(const struct event_set *set, size_t event, size_t other);
/* Appends the events that must lead the groups of an event, if there are none in the set. */
void event_set_add_leaders(struct event_set *set, size_t event);
/* Drops the events without their flag in `needed`, except the first two. Indices change. */
void event_set_keep(struct event_set *set, const bool *needed);
/* The index of the event with that name, or with another name of it ("cs"), or -ENOENT. */
int event_set_find(const struct event_set *set, const char *name);

#endif
