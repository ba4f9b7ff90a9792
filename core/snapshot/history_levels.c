// SPDX-License-Identifier: MIT
/*
 * The array has the buckets of the current level. When it is full, its buckets are merged in pairs
 * and the level rises. Only buckets of one level are merged, so a value is rounded at most once a
 * level: a bucket of a lower level waits in `pending` until its neighbour is there.
 */
#include "core/snapshot/history_levels.h"

#include "core/base/util.h"

#include <stdlib.h>

struct history_levels *history_levels_new(void)
{
	return xcalloc(1, sizeof(struct history_levels));
}

void history_levels_free(struct history_levels *levels)
{
	if (!levels)
		return;
	for (size_t i = 0; i < HISTORY_BUCKETS; i++)
		history_bucket_fini(&levels->buckets[i]);
	for (size_t i = 0; i < HISTORY_LEVELS; i++)
		history_bucket_fini(&levels->pending[i]);
	free(levels);
}

/* Returns the number of a bucket among the buckets of a level. */
static uint64_t number_of(const struct history_levels *levels, const struct history_bucket *bucket,
			  unsigned level)
{
	uint64_t middle_ns = bucket->begin_ns + (bucket->end_ns - bucket->begin_ns) / 2;

	return u64_growth(levels->begin_ns, middle_ns) / levels->base_ns >> level;
}

/* Merges the bucket into `to`, which may be empty, and leaves it empty. */
static void merge_into(struct history_bucket *to, struct history_bucket *bucket)
{
	if (to->layout) {
		history_bucket_merge(to, bucket);
	} else {
		*to = *bucket;
		*bucket = (struct history_bucket){0};
	}
}

/* Merges all buckets in pairs: they are twice as long then. */
static void raise_level(struct history_levels *levels)
{
	for (size_t i = 0; i < HISTORY_BUCKETS; i++) {
		if (levels->buckets[i].layout && i > 0)
			merge_into(&levels->buckets[i / 2], &levels->buckets[i]);
	}
	levels->n_buckets = (levels->n_buckets + 1) / 2;
	levels->level++;
}

static void store_bucket(struct history_levels *levels, struct history_bucket *bucket)
{
	uint64_t number = number_of(levels, bucket, levels->level);

	merge_into(&levels->buckets[number], bucket);
	if (levels->n_buckets <= number)
		levels->n_buckets = number + 1;
}

/*
 * Adds a bucket of that level, not before the buckets so far, and merges it upwards as far as its
 * neighbours are there.
 */
static void merge_upwards(struct history_levels *levels, struct history_bucket *bucket,
			  unsigned level)
{
	for (; level < levels->level; level++) {
		struct history_bucket *waits = &levels->pending[level];

		if (waits->layout &&
		    number_of(levels, waits, level + 1) != number_of(levels, bucket, level + 1)) {
			struct history_bucket alone = *waits; /* its neighbour will not come */

			*waits = *bucket;
			*bucket = (struct history_bucket){0};
			merge_upwards(levels, &alone, level + 1);
			return;
		}
		if (!waits->layout) {
			merge_into(waits, bucket);
			return;
		}
		merge_into(waits, bucket);
		*bucket = *waits;
		*waits = (struct history_bucket){0};
	}
	store_bucket(levels, bucket);
}

void history_levels_add(struct history_levels *levels, struct history_bucket *bucket)
{
	if (levels->base_ns == 0) {
		levels->begin_ns = bucket->begin_ns;
		levels->base_ns = bucket->ns > HISTORY_BUCKET_NS ? bucket->ns : HISTORY_BUCKET_NS;
	}
	while (number_of(levels, bucket, levels->level) >= HISTORY_BUCKETS)
		raise_level(levels);
	merge_upwards(levels, bucket, 0);
}

void history_levels_end(struct history_levels *levels)
{
	for (unsigned level = 0; level < levels->level; level++) {
		struct history_bucket waits = levels->pending[level];

		levels->pending[level] = (struct history_bucket){0};
		if (waits.layout)
			merge_upwards(levels, &waits, level + 1);
	}
}

const struct history_bucket *history_levels_at(const struct history_levels *levels, uint64_t k)
{
	if (k < levels->n_buckets)
		return &levels->buckets[k];
	k -= levels->n_buckets;
	return k < levels->level ? &levels->pending[levels->level - 1 - k] : NULL;
}
