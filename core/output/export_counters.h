// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EXPORT_COUNTERS_H
#define PMCTOP_EXPORT_COUNTERS_H

#include "core/base/hash_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Accounts of tasks, cgroups or users, found by a key. Each has sums that only grow while it
 * exists. At most `top` accounts are exported: those with most CPU time in the last minutes. Times
 * are taken from snapshots, so a replay exports the same as the live run.
 *
 * Bounded: above `most` accounts, ended ones are removed first, then accounts that ran longest ago.
 * A key that comes back after its removal, or belongs to a new task, begins at 0.
 */

/* Counts by the index of their event. Zeroed is empty. */
struct export_counters_sums {
	uint64_t *counts;
	bool *known; /* counted at least once */
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
	char *labels;      /* of the last interval in which it ran */
	uint64_t start_ns; /* start time of the task with the key; 0: unknown */
	uint64_t ran_ns;   /* end of the last interval in which it ran */
	uint64_t ended_ns; /* time of its end; 0: not ended, as far as known */
	double weight;     /* CPU time, halved every EXPORT_COUNTERS_HALF_NS */
	struct export_counters_sums sums;
};

struct export_counters {
	size_t most;             /* accounts */
	struct hash_table table; /* by key: accounts, owned */
};

/* Half-life of weights. */
#define EXPORT_COUNTERS_HALF_NS (60ull * 1000000000)
/* How long an ended account is kept, so that one or two scrapers get its last values. */
#define EXPORT_COUNTERS_LINGER_NS (60ull * 1000000000)
/* How long an account is exported after it ran last. It is kept longer. */
#define EXPORT_COUNTERS_CURRENT_NS (900ull * 1000000000)

void export_counters_init(struct export_counters *counters, size_t most);
void export_counters_fini(struct export_counters *counters);

/*
 * Ends an interval at now_ns: halves weights in proportion, and removes accounts that ended long
 * ago.
 */
void export_counters_pass(struct export_counters *counters, uint64_t now_ns, uint64_t interval_ns);

/*
 * The account of a key that ran for cpu_ns in the interval that ended at now_ns; created if there
 * is none. It begins at 0 if start_ns (0: unknown) is another than before, or if it has ended and
 * its start is unknown. Copies labels. Valid until the next export_counters_pass.
 */
struct account *export_counters_run(struct export_counters *counters, const char *key,
				    uint64_t start_ns, const char *labels, uint64_t now_ns,
				    uint64_t cpu_ns);

/*
 * Stores at most `top` current accounts, by descending weight, in *items, which the caller frees.
 * Returns their number. *left_out: number of other current accounts.
 */
size_t export_counters_choose(const struct export_counters *counters, size_t top, uint64_t now_ns,
			      struct account ***items, size_t *left_out);

#endif
