// SPDX-License-Identifier: MIT
#ifndef PMCTOP_INQUIRY_H
#define PMCTOP_INQUIRY_H

#include "core/collect/collect.h"
#include "core/engine/question.h"
#include "core/event/event.h"
#include "core/metric/selection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds answers bit by bit, while whoever counts has nothing better to do. Of questions of a kind
 * the latest counts, and of its answers too. Zeroed has nothing to do.
 */
struct inquiry {
	bool wanted[QUESTION_KINDS];
	char *text; /* of the outlook that is wanted; owned */
	struct inventory *inventory;
	uint8_t *states;
	size_t n_known;
	enum event_levels levels; /* that states were asked with */
	uint64_t told_ns;         /* when an answer last said how far it is */
	struct answer *answers[QUESTION_KINDS];
};

/* Where answers are found; all borrowed for the call. */
struct inquiry_source {
	const struct event_context *context;
	const struct selection *selection;
	struct collect *collect;
	const struct pmu_set *pmus;
};

void inquiry_fini(struct inquiry *inquiry);

void inquiry_ask(struct inquiry *inquiry, const struct question *question);
/* Whether there is something to do. */
bool inquiry_is_open(const struct inquiry *inquiry);
/*
 * Does some of it, for about budget_ns; opening a probe (kprobe:...) takes longer. Drains the rings
 * where it must be longer.
 */
void inquiry_work(struct inquiry *inquiry, const struct inquiry_source *source, uint64_t budget_ns);
bool inquiry_has_answer(const struct inquiry *inquiry);
/* An answer, which is the caller's then; NULL where there is none. */
struct answer *inquiry_take(struct inquiry *inquiry);

#endif
