// SPDX-License-Identifier: MIT
#ifndef PMCTOP_QUERY_WORKER_H
#define PMCTOP_QUERY_WORKER_H

#include "core/collect/collect.h"
#include "core/engine/query.h"
#include "core/event/event.h"
#include "core/metric/selection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds answers bit by bit, while whoever counts has nothing better to do. Of questions of a kind
 * the latest counts, and of its answers too. Zeroed has nothing to do.
 */
struct query_worker {
	bool wanted[QUERY_KINDS];
	char *text; /* of the outlook that is wanted; owned */
	struct event_index *event_index;
	uint8_t *states;
	size_t n_known;
	enum event_levels levels; /* that states were asked with */
	uint64_t told_ns;         /* when an answer last said how far it is */
	struct reply *answers[QUERY_KINDS];
};

/* Where answers are found; all borrowed for the call. */
struct query_source {
	const struct event_context *context;
	const struct selection *selection;
	struct collect *collect;
	const struct pmu_set *pmus;
};

void query_worker_fini(struct query_worker *query_worker);

void query_worker_submit(struct query_worker *query_worker, const struct query *query);
/* Whether there is something to do. */
bool query_worker_is_busy(const struct query_worker *query_worker);
/*
 * Does some of it, for about budget_ns; opening a probe (kprobe:...) takes longer. Drains the rings
 * where it must be longer.
 */
void query_worker_work(struct query_worker *query_worker, const struct query_source *source,
		       uint64_t budget_ns);
bool query_worker_has_reply(const struct query_worker *query_worker);
/* An answer, which is the caller's then; NULL where there is none. */
struct reply *query_worker_pop(struct query_worker *query_worker);

#endif
