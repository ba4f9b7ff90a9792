// SPDX-License-Identifier: MIT
/* Only generic events have a rank of their own: others are known by their codes alone. */
#include "core/event/code_members.h"

#include <stdbool.h>
#include <stdint.h>

enum rank {
	RANK_CYCLES,
	RANK_INSTRUCTIONS,
	RANK_MISSES,
	RANK_OTHER,
	RANK_NONE, /* does not sample */
};

static enum rank rank_of_generic(uint32_t config)
{
	switch (config) {
	case PERF_COUNT_HW_CPU_CYCLES:
		return RANK_CYCLES;
	case PERF_COUNT_HW_INSTRUCTIONS:
		return RANK_INSTRUCTIONS;
	case PERF_COUNT_HW_CACHE_MISSES:
	case PERF_COUNT_HW_BRANCH_MISSES:
		return RANK_MISSES;
	}
	return RANK_OTHER;
}

static enum rank rank_of(const struct event *event)
{
	if (event->kind != EVENT_HARDWARE || event->state != FIGURE_VALID || event->leads ||
	    event->n_codes == 0)
		return RANK_NONE;
	const struct perf_event_attr *attr = &event->codes[0].attr;
	/* Event 0 of Intel's core PMU has slots and the metrics beside it. */
	if (attr->type >= PERF_TYPE_RAW && (attr->config & 0xff) == 0)
		return RANK_NONE;
	if (attr->type == PERF_TYPE_HARDWARE)
		return rank_of_generic((uint32_t)attr->config);
	bool misses = attr->type == PERF_TYPE_HW_CACHE &&
		      (attr->config >> 16 & 0xff) == PERF_COUNT_HW_CACHE_RESULT_MISS;
	return misses ? RANK_MISSES : RANK_OTHER;
}

static bool is_counted(const struct plan *plan, size_t event)
{
	return event < plan->n_events &&
	       plan->first_counter[event] < plan->first_counter[event + 1];
}

size_t code_members_choose(const struct event_set *events, const struct plan *plan,
			   unsigned chosen[CODE_MEMBERS_MAX])
{
	size_t n = 0;

	for (int rank = RANK_CYCLES; !plan->per_task && rank < RANK_NONE; rank++)
		for (size_t i = 0; i < events->n && n < CODE_MEMBERS_MAX; i++)
			if ((int)rank_of(&events->items[i]) == rank && is_counted(plan, i))
				chosen[n++] = (unsigned)i;
	return n;
}
