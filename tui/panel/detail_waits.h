// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_WAITS_H
#define PMCTOP_DETAIL_WAITS_H

#include "core/snapshot/snapshot.h"
#include "core/wait/wait_watch.h"

#include <stdint.h>

/* The single waits of the subject since the page was opened. Zeroed: none yet. */
struct detail_waits {
	struct wait_watch sum;
	uint64_t time_ns; /* of the intervals in it; 0: none */
};

/* Adds the waits of a snapshot, if it has those of the same task. */
void detail_waits_add(struct detail_waits *waits, const struct snapshot *snapshot);

#endif
