// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_INDEX_H
#define PMCTOP_EVENT_INDEX_H

#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * All named events of this machine (core/metric/catalog.h), for pickers. Immutable, with a count of
 * references. A large machine has 18,000; their texts are one block.
 */
struct event_index_item {
	const char *name; /* printable, as all texts; name for -e, unless `example` */
	const char *pmu;
	const char *help;
	bool example; /* shows how such names are written */
};

struct event_index {
	struct event_index_item *items;
	size_t n;
	char *texts;
	unsigned references;
};

/*
 * Makes an index of names; nothing is probed. It takes 5 ms for 2,400 events, and calls `pause`
 * every millisecond, so that the caller can do urgent work; NULL: none.
 */
struct event_index *event_index_new(const struct event_context *context, void (*pause)(void *arg),
				    void *arg);
struct event_index *event_index_ref(struct event_index *event_index); /* any thread */
void event_index_unref(struct event_index *event_index);              /* any thread; NULL is fine */

#endif
