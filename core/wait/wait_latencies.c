// SPDX-License-Identifier: MIT
/*
 * Wake-ups by latency: a count for each task of the interval and each range. Counts of ranges can
 * be added up, so that a process or the machine has the percentiles of all its wake-ups.
 */
#include "core/wait/waits_internal.h"

#include "core/base/util.h"

#include <string.h>

static uint32_t *latencies_of(const struct waits *waits, const struct task_wait *account)
{
	return waits->latencies + account->place * WAKEUP_RANGES;
}

void waits_clear_latencies(struct waits *waits, const struct task_wait *account)
{
	if (!waits_want_latencies(waits))
		return;
	waits->latencies = array_reserve(waits->latencies, &waits->latencies_capacity,
					 waits->n_tasks * WAKEUP_RANGES, sizeof(*waits->latencies));
	memset(latencies_of(waits, account), 0, WAKEUP_RANGES * sizeof(*waits->latencies));
}

void waits_count_latency(struct waits *waits, const struct task_wait *account, uint64_t ns)
{
	if (waits_want_latencies(waits))
		latencies_of(waits, account)[wakeup_range(ns)]++;
}

void waits_add_latencies(const struct waits *waits, const struct task_wait *account,
			 uint64_t *tally, uint64_t *totals)
{
	size_t first = (size_t)waits->places.counts[WAIT_WAKEUPS];

	if (!waits_want_latencies(waits))
		return;
	const uint32_t *latencies = latencies_of(waits, account);
	for (size_t i = 0; i < WAKEUP_RANGES; i++) {
		tally[first + i] += latencies[i];
		totals[first + i] += latencies[i];
	}
}
