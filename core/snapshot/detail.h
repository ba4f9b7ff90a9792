// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_H
#define PMCTOP_DETAIL_H

#include "core/snapshot/history.h"
#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"

#include <stddef.h>
#include <stdint.h>

/*
 * All that a snapshot says of one task, process, user, cgroup, CPU, socket or node: it is found by
 * its key in history, whether it ran now or not, and added up from its threads alone.
 */
struct detail_thread {
	size_t row;  /* of the snapshot's threads */
	uint64_t ns; /* that it ran: of a CPU, there */
};

struct detail_place {
	int cpu;
	uint64_t ns;
};

struct detail {
	struct history_key key;
	/*
	 * One row, with its tally and figures; its n is 0 where nothing of it ran. Of a CPU it has
	 * no names.
	 */
	struct rows sum;
	struct detail_thread *threads; /* of it that ran, or ran there: the busiest first */
	size_t n_threads;
	struct detail_place *places; /* where it ran, the busiest first; none: nobody tells */
	size_t n_places;
};

void detail_init(const struct snapshot *snapshot, const struct history_key *key,
		 struct detail *detail);
void detail_fini(struct detail *detail);

#endif
