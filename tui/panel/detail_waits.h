// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_WAITS_H
#define PMCTOP_DETAIL_WAITS_H

#include "core/snapshot/snapshot.h"
#include "core/wait/wait_watch.h"

#include <stdint.h>
#include <sys/types.h>

/* The single waits of a subject since the page was opened. */
struct detail_waits {
	struct wait_watch sum; /* pid or tid: of the subject; both 0: it has none */
	uint64_t time_ns;      /* of the intervals in it; 0: none */
};

/* Begins without waits. As in struct wait_watch, one of pid and tid is not 0, or both are. */
void detail_waits_begin(struct detail_waits *waits, pid_t pid, pid_t tid);
/* Adds the waits of a snapshot, if they are of the same task. */
void detail_waits_add(struct detail_waits *waits, const struct snapshot *snapshot);

#endif
