// SPDX-License-Identifier: MIT
/*
 * Two neighbouring buckets become one. Both have sorted keys, so they are merged in one pass. A
 * value is the mean of both, weighted by the time in which it was known. If the result has more
 * keys than a bucket may have, those with the least CPU time are left out.
 */
#include "core/base/util.h"
#include "core/snapshot/history_internal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns the index in `other` of each metric of the layout, SIZE_MAX: none; the caller frees it.
 */
static size_t *map_metrics(const struct history_layout *layout, const struct history_layout *other)
{
	size_t *map = xcalloc(layout->n_metrics, sizeof(*map));

	for (size_t i = 0; i < layout->n_metrics; i++) {
		map[i] = i;
		if (layout != other)
			map[i] = history_layout_find(other, layout->names[i]);
		if (map[i] == other->n_metrics)
			map[i] = SIZE_MAX;
	}
	return map;
}

/* One of the two buckets, and the place of the current key in it; SIZE_MAX: none. */
struct half {
	const struct history_bucket *bucket;
	size_t *metrics;
	size_t at; /* the next key */
	size_t place;
	double known_ns;
};

static double half_value(const struct half *half, size_t metric)
{
	const struct history_bucket *bucket = half->bucket;

	if (half->place == SIZE_MAX || half->metrics[metric] == SIZE_MAX)
		return (double)NAN;
	return (double)history_unpack(
		bucket->values[half->place * bucket->layout->n_metrics + half->metrics[metric]]);
}

static uint16_t mean(const struct half halves[2], size_t metric)
{
	double sum = 0, ns = 0;

	for (int i = 0; i < 2; i++) {
		double value = half_value(&halves[i], metric);

		if (isnan(value))
			continue;
		sum += value * halves[i].known_ns;
		ns += halves[i].known_ns;
	}
	return ns > 0 ? history_pack((struct figure){.value = sum / ns}) : HISTORY_UNKNOWN;
}

/* Sets the next key in order, and its place in each half. Returns false after the last. */
static bool next_key(struct half halves[2], struct history_key *key)
{
	bool any = false;

	for (int i = 0; i < 2; i++) {
		const struct half *half = &halves[i];

		if (half->at == half->bucket->n_keys)
			continue;
		if (!any || history_key_compare(&half->bucket->keys[half->at], key) < 0)
			*key = half->bucket->keys[half->at];
		any = true;
	}
	for (int i = 0; any && i < 2; i++) {
		struct half *half = &halves[i];
		bool here = half->at < half->bucket->n_keys &&
			    history_key_compare(&half->bucket->keys[half->at], key) == 0;

		half->place = here ? half->at++ : SIZE_MAX;
		half->known_ns = here ? history_bucket_known(half->bucket, half->place) : 0;
	}
	return any;
}

/* Merges all keys of both, which may be too many. */
static void merge_all(struct half halves[2], struct history_bucket *all)
{
	size_t n_metrics = all->layout->n_metrics, n = 0;
	struct history_key key;

	history_bucket_room(all, halves[0].bucket->n_keys + halves[1].bucket->n_keys, n_metrics,
			    true);
	for (; next_key(halves, &key); n++) {
		double ns = halves[0].known_ns + halves[1].known_ns;

		all->keys[n] = key;
		all->known[n] = (uint16_t)(ns / (double)all->ns * HISTORY_KNOWN_ALL);
		for (size_t i = 0; i < n_metrics; i++)
			all->values[n * n_metrics + i] = mean(halves, i);
	}
	all->n_keys = n;
}

/* Returns a measure of the CPU time of a key. */
static uint64_t weight(const struct history_bucket *bucket, size_t percent, size_t place)
{
	size_t n_metrics = bucket->layout->n_metrics;
	float value = percent < n_metrics
			      ? history_unpack(bucket->values[place * n_metrics + percent])
			      : 1;

	return isnan(value) || value < 0
		       ? 0
		       : (uint64_t)((double)value * history_bucket_known(bucket, place) / 1e3);
}

/* Chooses the `most` busiest keys of a kind. Returns how many. */
static size_t choose_busiest(const struct history_bucket *bucket, enum history_kind kind,
			     size_t most, bool *chosen)
{
	size_t percent = history_layout_find(bucket->layout, "cpu_percent"), n = 0;
	struct history_pick *picks = xcalloc(bucket->n_keys, sizeof(*picks));

	for (size_t i = 0; i < bucket->n_keys; i++)
		if (bucket->keys[i].kind == kind)
			picks[n++] = (struct history_pick){weight(bucket, percent, i), i};
	history_select(picks, n, most);
	n = size_min(n, most);
	for (size_t i = 0; i < n; i++)
		chosen[picks[i].index] = true;
	free(picks);
	return n;
}

/* Chooses as many keys as a bucket may have, kinds with fewer keys first. */
static void choose_keys(const struct history_bucket *bucket, size_t most, bool *chosen)
{
	static const enum history_kind kinds[] = {
		HISTORY_MACHINE, HISTORY_TARGET, HISTORY_NODE,    HISTORY_SOCKET,  HISTORY_CPU,
		HISTORY_USER,    HISTORY_CGROUP, HISTORY_COMMAND, HISTORY_PROCESS, HISTORY_THREAD};

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		bool shared = kinds[k] >= HISTORY_THREAD;

		most -= choose_busiest(bucket, kinds[k],
				       shared ? most / (ARRAY_SIZE(kinds) - k) : most, chosen);
	}
}

/* Copies the keys of `all` that stay to a block of their own. */
static void keep_most(const struct history_bucket *all, struct history_bucket *bucket)
{
	size_t n_metrics = all->layout->n_metrics, most = history_bucket_most(n_metrics, true),
	       n = 0;
	bool *chosen = xcalloc(all->n_keys, sizeof(*chosen));

	if (all->n_keys <= most)
		memset(chosen, true, all->n_keys);
	else
		choose_keys(all, most, chosen);
	history_bucket_room(bucket, size_min(all->n_keys, most), n_metrics, true);
	for (size_t i = 0; i < all->n_keys; i++) {
		if (!chosen[i])
			continue;
		bucket->keys[n] = all->keys[i];
		bucket->known[n] = all->known[i];
		memcpy(bucket->values + n * n_metrics, all->values + i * n_metrics,
		       n_metrics * sizeof(*all->values));
		n++;
	}
	bucket->n_keys = n;
	free(chosen);
}

void history_bucket_merge(struct history_bucket *bucket, struct history_bucket *next)
{
	struct history_bucket all = {
		.begin_ns = bucket->begin_ns,
		.end_ns = next->end_ns > bucket->end_ns ? next->end_ns : bucket->end_ns,
		.ns = bucket->ns + next->ns,
		.layout = (next->ns > bucket->ns ? next : bucket)->layout,
	};
	struct half halves[2] = {
		{.bucket = bucket, .metrics = map_metrics(all.layout, bucket->layout)},
		{.bucket = next, .metrics = map_metrics(all.layout, next->layout)},
	};

	all.layout->references++;
	merge_all(halves, &all);
	free(halves[0].metrics);
	free(halves[1].metrics);
	history_bucket_fini(bucket);
	history_bucket_fini(next);
	*bucket = all; /* with its reference to the layout */
	keep_most(&all, bucket);
	free(all.keys);
}
