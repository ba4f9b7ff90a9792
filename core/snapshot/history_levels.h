// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HISTORY_LEVELS_H
#define PMCTOP_HISTORY_LEVELS_H

#include "core/snapshot/history_bucket.h"

#include <stdint.h>

/* 640 buckets of level 32 are more than ten thousand years. */
enum { HISTORY_LEVELS = 32 };

/*
 * The buckets of a whole recording, of any length in bounded memory. Two neighbours of level n make
 * one bucket of level n + 1, which is twice as long. The time of a bucket alone decides its place,
 * so gaps that are longer than a bucket stay gaps.
 */
struct history_levels {
	/* Of the current level. Bucket 0 begins with the recording, and any may be empty. */
	struct history_bucket buckets[HISTORY_BUCKETS];
	uint64_t n_buckets;         /* up to the last used one */
	uint64_t begin_ns, base_ns; /* begin of the recording; length of a bucket of level 0, 0:
				       no bucket yet */
	unsigned level;             /* of `buckets` */
	/* After `buckets` in time: of each lower level, a bucket that waits for its neighbour. */
	struct history_bucket pending[HISTORY_LEVELS];
};

struct history_levels *history_levels_new(void);
void history_levels_free(struct history_levels *levels); /* NULL is fine */

/* Adds the next bucket in time, and leaves it empty. */
void history_levels_add(struct history_levels *levels, struct history_bucket *bucket);
/* After the last bucket: moves the waiting ones to the current level. */
void history_levels_end(struct history_levels *levels);

/* Bucket k in the order of time, which may be empty; NULL behind the last. Borrowed. */
const struct history_bucket *history_levels_at(const struct history_levels *levels, uint64_t k);

#endif
