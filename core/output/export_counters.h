// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EXPORT_COUNTERS_H
#define PMCTOP_EXPORT_COUNTERS_H

#include "core/base/hash_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Accounts of those who come and go, each with sums that only grow, whether anybody looks at them
 * or not; and of them the few to be told of: who ran most in the last minutes. Times are those of
 * snapshots, so a replay has the same as what was live.
 *
 * Bounded: where they are too many, those are forgotten that ended, then those that have not run
 * for longest; who comes back begins anew. So does who has a key after somebody else.
 */

/* Counts by the index of their event. Zeroed is empty. */
struct export_counters_sums {
	uint64_t *counts;
	bool *known; /* was ever counted; else its count is no count */
	size_t n;
};

void export_counters_sums_add(struct export_counters_sums *sums, size_t event, uint64_t count);
static inline bool export_counters_sums_has(const struct export_counters_sums *sums, size_t event)
{
	return event < sums->n && sums->known[event];
}
void export_counters_sums_fini(struct export_counters_sums *sums);

struct account {
	char *key;
	char *labels;      /* as they are told, of the last interval in which it ran */
	uint64_t start_ns; /* whose key it is; 0 where unknown */
	uint64_t ran_ns;   /* when it ran last ... */
	uint64_t ended_ns; /* ... and ended; 0: lives, as far as is known */
	double weight;     /* CPU time, less what is long past */
	struct export_counters_sums sums;
};

struct export_counters {
	size_t most;             /* accounts */
	struct hash_table table; /* by key: accounts, owned */
};

/* Weights halve in so long, ... */
#define EXPORT_COUNTERS_HALF_NS (60ull * 1000000000)
/* ... who ended is told of for so long: a scraper, or two, have seen the last of it by then ... */
#define EXPORT_COUNTERS_LINGER_NS (60ull * 1000000000)
/* ... and who did not run is told of no more, but not forgotten. */
#define EXPORT_COUNTERS_CURRENT_NS (900ull * 1000000000)

void export_counters_init(struct export_counters *counters, size_t most);
void export_counters_fini(struct export_counters *counters);

/* An interval that ended then: makes old weights less, and forgets who ended long ago. */
void export_counters_pass(struct export_counters *counters, uint64_t now_ns, uint64_t interval_ns);

/*
 * The account of a key that ran for so many ns in the interval that ended now_ns, made where there
 * is none. With a start (0: unknown) that is another's, or after the end of one whose start is not
 * known, it is somebody else. labels are copied. Valid until the next export_counters_pass.
 */
struct account *export_counters_run(struct export_counters *counters, const char *key,
				    uint64_t start_ns, const char *labels, uint64_t now_ns,
				    uint64_t cpu_ns);

/*
 * At most `top` of those that may be told of now, the weightiest first; *items is the caller's.
 * Returns how many. *left_out: how many more might have been.
 */
size_t export_counters_choose(const struct export_counters *counters, size_t top, uint64_t now_ns,
			      struct account ***items, size_t *left_out);

#endif
