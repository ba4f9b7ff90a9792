// SPDX-License-Identifier: MIT
#include "core/replay/replay_lead.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Size of a record in memory, padded to words, also if it is invalid. */
static size_t padded_size(const struct perf_event_header *record)
{
	return (record->size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

void replay_lead_fini(struct replay_lead *lead)
{
	free(lead->bytes);
	*lead = (struct replay_lead){0};
}

void replay_lead_keep(struct replay_lead *lead, const struct perf_event_header *record)
{
	size_t size = padded_size(record);

	lead->bytes = array_reserve(lead->bytes, &lead->capacity, lead->n + size, 1);
	memcpy(lead->bytes + lead->n, record, record->size);
	lead->n += size;
}

int replay_lead_read(struct replay_lead *lead, struct replay_state *state,
		     const struct perf_event_header **record, struct error *err)
{
	if (lead->at < lead->n) {
		const void *bytes = lead->bytes + lead->at;

		*record = bytes;
		lead->at += padded_size(*record);
		return 1;
	}
	replay_lead_fini(lead);
	return replay_state_read(state, record, err);
}
