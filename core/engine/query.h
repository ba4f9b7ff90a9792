// SPDX-License-Identifier: MIT
#ifndef PMCTOP_QUERY_H
#define PMCTOP_QUERY_H

#include "core/engine/event_preview.h"
#include "core/metric/event_index.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What whoever looks at the snapshots wants to know of whoever makes them (who alone may ask
 * libpfm4). Unlike a command it changes nothing and ends no interval.
 */
enum query_kind {
	QUERY_EVENTS,  /* which events there are, and whether they can be counted */
	QUERY_PREVIEW, /* text: what it would be to count EVENT[,EVENT...] as well */
	QUERY_KINDS,
};

struct query {
	enum query_kind kind;
	const char *text; /* borrowed for the call that passes it on; NULL where there is none */
};

/* Immutable; owned by whoever takes it. */
struct reply {
	enum query_kind kind;
	/*
	 * EVENTS: their names come at once, and then now and again, of the same inventory, for how
	 * many of them from the first on the states are known; it is complete with the last one.
	 */
	struct event_index *event_index; /* a reference */
	uint8_t *states; /* enum figure_state: VALID, UNSUPPORTED, DENIED; of an example nothing */
	size_t n_known;
	struct event_preview *preview; /* OUTLOOK */
};

void reply_free(struct reply *answer); /* NULL is fine */

#endif
