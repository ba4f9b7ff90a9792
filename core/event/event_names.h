// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_NAMES_H
#define PMCTOP_EVENT_NAMES_H

#include "core/base/error.h"

#include <stddef.h>

/*
 * The argument of -e: "cycles,cpu/event=0x3c,umask=1/u,{branches,branch-misses}:u". Commas separate
 * names, except between the slashes of a PMU's terms. Braces keep events in one group. Modifiers
 * behind the braces apply to each event in them.
 */
enum { EVENT_NAMES_MAX = 256, EVENT_NAMES_MAX_BYTES = 65536 };

struct event_name {
	char *name;     /* owned; for event_resolve() */
	unsigned group; /* 1-based number of its braces; 0: outside */
};

struct event_names {
	struct event_name *items;
	size_t n, capacity;
	unsigned n_groups;
};

/*
 * Appends the names to a list, which is zeroed at first, so that -e can be repeated. The limits are
 * for the whole list. Names are not resolved. 0, or -EINVAL, -E2BIG and a sentence with the
 * position; then the list is unchanged.
 */
int event_names_parse(const char *text, struct event_names *list, struct error *err);
void event_names_fini(struct event_names *list);

#endif
