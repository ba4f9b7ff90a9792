// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HISTORY_BUCKET_H
#define PMCTOP_HISTORY_BUCKET_H

#include "core/snapshot/history.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The figures of a piece of time, of core/snapshot/history: keys in their order, for looking up by
 * halves, and behind them in the same block the values of each. So a task that comes and goes costs
 * nothing where it is not, old buckets go as a whole, and memory is bounded by the size of a block.
 *
 * Values are floats cut to sixteen bits: a sign, all the range, and eight bits that mean something,
 * which is more than a graph shows.
 */

/* What the values of buckets are; the same of all buckets between two changes of the columns. */
struct history_layout {
	size_t n_metrics;
	char **names;
	unsigned references;
};

struct history_bucket {
	uint64_t begin_ns, end_ns;     /* in the time of snapshots; there may be gaps between */
	uint64_t ns;                   /* how long it was without them */
	struct history_layout *layout; /* a reference; NULL: nobody looked */
	struct history_key *keys;
	uint16_t *values; /* n_keys x n_metrics; in the block of the keys */
	/* For which part of that time there was something of each key, in 65535ths; NULL: all. */
	uint16_t *known; /* in the same block */
	size_t n_keys;
};

/* Of a snapshot; `last` is shared where the columns are still those. */
void history_bucket_init(struct history_bucket *bucket, const struct snapshot *snapshot,
			 struct history_layout *last);
void history_bucket_fini(struct history_bucket *bucket);
/*
 * Takes what is behind it in, and leaves it empty: values are means over the time in which they
 * were known. Of what is more than a bucket holds, those that ran least are left out. Where the
 * columns differ it has those of the longer one.
 */
void history_bucket_merge(struct history_bucket *bucket, struct history_bucket *next);

void history_layout_unref(struct history_layout *layout); /* NULL is fine */
/* The index of a metric, n_metrics where it was none. */
size_t history_layout_find(const struct history_layout *layout, const char *metric);

/*
 * A value, NAN where it is not known, and for how much of the bucket's time it was. The layout must
 * have that metric.
 */
float history_bucket_value(const struct history_bucket *bucket, const struct history_key *key,
			   size_t metric, double *known_ns);

#endif
