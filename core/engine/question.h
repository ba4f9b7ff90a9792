// SPDX-License-Identifier: MIT
#ifndef PMCTOP_QUESTION_H
#define PMCTOP_QUESTION_H

#include "core/engine/outlook.h"
#include "core/metric/inventory.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What whoever looks at the snapshots wants to know of whoever makes them (who alone may ask
 * libpfm4). Unlike a command it changes nothing and ends no interval.
 */
enum question_kind {
	QUESTION_EVENTS,  /* which events there are, and whether they can be counted */
	QUESTION_OUTLOOK, /* text: what it would be to count EVENT[,EVENT...] as well */
	QUESTION_KINDS,
};

struct question {
	enum question_kind kind;
	const char *text; /* borrowed for the call that passes it on; NULL where there is none */
};

/* Immutable; owned by whoever takes it. */
struct answer {
	enum question_kind kind;
	/*
	 * EVENTS: their names come at once, and then now and again, of the same inventory, for how
	 * many of them from the first on the states are known; it is complete with the last one.
	 */
	struct inventory *inventory; /* a reference */
	uint8_t *states; /* enum figure_state: VALID, UNSUPPORTED, DENIED; of an example nothing */
	size_t n_known;
	struct outlook *outlook; /* OUTLOOK */
};

void answer_free(struct answer *answer); /* NULL is fine */

#endif
