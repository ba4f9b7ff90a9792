// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HISTORY_BUCKET_H
#define PMCTOP_HISTORY_BUCKET_H

#include "core/snapshot/history.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The figures of a piece of time (core/snapshot/history.h): sorted keys, for binary search, and
 * after them in the same block their values. A task costs nothing in buckets in which it did not
 * run, an old bucket is freed as a whole, and the size of a block bounds the memory.
 *
 * Values are floats cut to 16 bits: the sign, the whole range, and 8 significant bits, which is
 * more than a graph shows.
 */

/* The metrics of a bucket. All buckets between two changes of the columns share one. */
struct history_layout {
	size_t n_metrics;
	char **names;
	unsigned references;
};

struct history_bucket {
	uint64_t begin_ns, end_ns;     /* in the time of snapshots; may include gaps */
	uint64_t ns;                   /* the time without gaps */
	struct history_layout *layout; /* a reference; NULL: no snapshots */
	struct history_key *keys;
	uint16_t *values; /* n_keys x n_metrics; in the block of the keys */
	/* The share of `ns` in which each key was known, in 65535ths; NULL: all. */
	uint16_t *known; /* in the block of the keys */
	size_t n_keys;
};

/* Makes a bucket of a snapshot. It shares the layout `last` if the columns are the same. */
void history_bucket_init(struct history_bucket *bucket, const struct snapshot *snapshot,
			 struct history_layout *last);
void history_bucket_fini(struct history_bucket *bucket);
/*
 * Merges the next bucket into this one and leaves it empty. Values are means over the time in which
 * they were known. If there are too many keys, keys with the least CPU time are left out. If the
 * columns differ, the longer bucket's stay.
 */
void history_bucket_merge(struct history_bucket *bucket, struct history_bucket *next);

void history_layout_unref(struct history_layout *layout); /* NULL is fine */
/* Returns the index of a metric, or n_metrics if it was not counted. */
size_t history_layout_find(const struct history_layout *layout, const char *metric);

/* Returns a value, NAN: unknown, and the ns in which it was known. `metric` is an index. */
float history_bucket_value(const struct history_bucket *bucket, const struct history_key *key,
			   size_t metric, double *known_ns);

#endif
