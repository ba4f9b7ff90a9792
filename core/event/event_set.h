// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_SET_H
#define PMCTOP_EVENT_SET_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct event;
struct event_context;

enum { EVENT_SET_MAX = 512 };

/* The events of a run. items[0] is task-clock and items[1] context-switches, always. */
struct event_set {
	const struct event_context *context; /* borrowed; NULL: names that need no files */
	struct event *items;
	size_t n;
	size_t capacity;
	bool frozen; /* names are found, and never added */
};

/* A set that holds the two derived events. */
void event_set_init(struct event_set *set, const struct event_context *context);
void event_set_fini(struct event_set *set);
/* The copy has no context. */
void event_set_copy(struct event_set *copy, const struct event_set *set);

/*
 * The index of the event with that name, resolved and appended if it is new; or what
 * event_resolve() says; -E2BIG beyond EVENT_SET_MAX; -ENOENT for a new one where it is frozen.
 */
int event_set_add(struct event_set *set, const char *name, struct error *err);
/* Drops the events that are not needed (one flag for each), but the first two; indices change. */
void event_set_keep(struct event_set *set, const bool *needed);
/* The index of the event with that name, or that is generic and has it too ("cs"), or -ENOENT. */
int event_set_find(const struct event_set *set, const char *name);

#endif
