// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_LEAD_H
#define PMCTOP_REPLAY_LEAD_H

#include "core/base/error.h"
#include "core/replay/replay_state.h"

#include <linux/perf_event.h>
#include <stddef.h>

/*
 * The first records of a perf recording, which show what is in it. They are kept until that is
 * decided, and read again then. Zeroed is empty.
 */
struct replay_lead {
	unsigned char *bytes; /* owned */
	size_t n, capacity, at;
};

enum { REPLAY_LEAD_BYTES = 16 << 20 }; /* enough for a decision */

void replay_lead_fini(struct replay_lead *lead);
void replay_lead_keep(struct replay_lead *lead, const struct perf_event_header *record);
/* Returns the kept records in turn, then the records of replay_state_read(). */
int replay_lead_read(struct replay_lead *lead, struct replay_state *state,
		     const struct perf_event_header **record, struct error *err);

#endif
