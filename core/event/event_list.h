// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_LIST_H
#define PMCTOP_EVENT_LIST_H

#include "core/base/error.h"

#include <stddef.h>

/*
 * The argument of -e: "cycles,cpu/event=0x3c,umask=1/u,{branches,branch-misses}:u". Commas part
 * names, but not between the slashes of a PMU's terms; braces keep events in one group, and what
 * stands behind them stands behind each event in them.
 */
enum { EVENT_LIST_MAX = 256, EVENT_LIST_MAX_BYTES = 65536 };

struct event_list_item {
	char *name;     /* owned; for event_resolve() */
	unsigned group; /* the number of its braces, from 1; 0 outside */
};

struct event_list {
	struct event_list_item *items;
	size_t n, capacity;
	unsigned n_groups;
};

/*
 * Appends to a list (zeroed at first), so that -e can be repeated; the limits are for all of it.
 * Names are not looked up. -EINVAL, -E2BIG and a sentence with the position; then the list is as
 * before.
 */
int event_list_parse(const char *text, struct event_list *list, struct error *err);
void event_list_fini(struct event_list *list);

#endif
