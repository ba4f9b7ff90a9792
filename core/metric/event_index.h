// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_INDEX_H
#define PMCTOP_EVENT_INDEX_H

#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Every event that has a name here (core/metric/catalog), to pick from: immutable once made,
 * counted by reference. 18,000 of them on a large machine, in one block of text.
 */
struct event_index_item {
	const char *name; /* printable, as all texts; what -e takes, but where `example` */
	const char *pmu;
	const char *help;
	bool example; /* it shows how such names are written */
};

struct event_index {
	struct event_index_item *items;
	size_t n;
	char *texts;
	unsigned references;
};

/*
 * Asks for names, not whether they can be counted. That takes about 20 ms: every millisecond of it
 * `pause` is called, for what cannot wait; NULL: nothing is that urgent.
 */
struct event_index *event_index_new(const struct event_context *context, void (*pause)(void *arg),
				    void *arg);
struct event_index *event_index_ref(struct event_index *event_index); /* any thread */
void event_index_unref(struct event_index *event_index);              /* any thread; NULL is fine */

#endif
