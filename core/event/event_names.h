// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_NAMES_H
#define PMCTOP_EVENT_NAMES_H

#include "core/base/error.h"

#include <stddef.h>

/*
 * The argument of -e: "cycles,cpu/event=0x3c,umask=1/u,{branches,branch-misses}:u". Commas part
 * names, but not between the slashes of a PMU's terms; braces keep events in one group, and what
 * stands behind them stands behind each event in them.
 */
enum { EVENT_NAMES_MAX = 256, EVENT_NAMES_MAX_BYTES = 65536 };

struct event_name {
	char *name;     /* owned; for event_resolve() */
	unsigned group; /* the number of its braces, from 1; 0 outside */
};

struct event_names {
	struct event_name *items;
	size_t n, capacity;
	unsigned n_groups;
};

/*
 * Appends to a list (zeroed at first), so that -e can be repeated; the limits are for all of it.
 * Names are not looked up. -EINVAL, -E2BIG and a sentence with the position; then the list is as
 * before.
 */
int event_names_parse(const char *text, struct event_names *list, struct error *err);
void event_names_fini(struct event_names *list);

#endif
