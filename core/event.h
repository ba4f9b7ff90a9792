// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_H
#define PMCTOP_EVENT_H

#include "error.h"
#include "figure.h"
#include "tally.h"

#include <linux/perf_event.h>
#include <stddef.h>

/*
 * Something countable: the name its user typed, what perf_event_open wants for it, and whether it
 * can be counted here.
 */
enum event_kind {
	EVENT_DERIVED,  /* measured by the slices: task-clock, context-switches */
	EVENT_SOFTWARE, /* counted by the kernel, needs no counter */
	EVENT_HARDWARE, /* needs a counter of the PMU */
};

struct event {
	char *name;       /* "cycles", owned */
	const char *unit; /* "" for counts, "ns" */
	enum event_kind kind;
	struct perf_event_attr attr; /* type, config*, exclude_*, sizes set; unused where DERIVED */
	enum figure_state state; /* VALID, UNSUPPORTED, DENIED or NOT_COUNTED, for the whole run */
	unsigned group;          /* index of the group that counts it; 0 where DERIVED */
};

/* The events of a run. items[0] is task-clock and items[1] context-switches, always. */
struct event_set {
	struct event *items;
	size_t n;
	size_t capacity;
};

/*
 * What a name means: fills *event (name copied) with state VALID, without asking whether it can be
 * opened. -ENOENT and a sentence where no resolver knows the name.
 */
int event_resolve(const char *name, struct event *event, struct error *err);
void event_fini(struct event *event);

/* A set that holds the two derived events. */
void event_set_init(struct event_set *set);
void event_set_fini(struct event_set *set);
void event_set_copy(struct event_set *copy, const struct event_set *set);

/* The index of the event with that name (resolved and appended if it is new) or -ENOENT. */
int event_set_add(struct event_set *set, const char *name, struct error *err);
/* The index of the event with that name or -ENOENT. */
int event_set_find(const struct event_set *set, const char *name);

#endif
