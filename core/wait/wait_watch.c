// SPDX-License-Identifier: MIT
#include "core/wait/wait_watch.h"

#include <math.h>
#include <string.h>

/* The two bits below the highest one choose the bucket of its power of two. */
static size_t bucket_of(uint64_t ns)
{
	if (ns < 4)
		return (size_t)ns;
	unsigned high = 63 - (unsigned)__builtin_clzll(ns);
	size_t bucket = 4 * (size_t)(high - 1) + (ns >> (high - 2) & 3);
	return bucket < WAIT_BUCKETS ? bucket : WAIT_BUCKETS - 1;
}

/* The longest wait of a bucket. */
static uint64_t bucket_end_ns(size_t bucket)
{
	if (bucket < 4)
		return bucket;
	unsigned high = (unsigned)(bucket / 4) + 1;
	return ((4 + bucket % 4 + 1) << (high - 2)) - 1;
}

void wait_histogram_add(struct wait_histogram *histogram, uint64_t ns)
{
	histogram->counts[bucket_of(ns)]++;
	histogram->n++;
	if (ns > histogram->max_ns)
		histogram->max_ns = ns;
}

void wait_histogram_merge(struct wait_histogram *histogram, const struct wait_histogram *more)
{
	for (size_t i = 0; i < WAIT_BUCKETS; i++)
		histogram->counts[i] += more->counts[i];
	histogram->n += more->n;
	if (more->max_ns > histogram->max_ns)
		histogram->max_ns = more->max_ns;
}

uint64_t wait_histogram_percentile(const struct wait_histogram *histogram, double share)
{
	uint64_t rank = (uint64_t)ceil(share * (double)histogram->n), n = 0;

	for (size_t i = 0; i < WAIT_BUCKETS - 1 && histogram->n > 0; i++) {
		n += histogram->counts[i];
		if (n >= rank && n > 0)
			return bucket_end_ns(i) < histogram->max_ns ? bucket_end_ns(i)
								    : histogram->max_ns;
	}
	return histogram->max_ns;
}

void wait_watch_reset(struct wait_watch *watch)
{
	memset(watch->kinds, 0, sizeof(watch->kinds));
	watch->lost = false;
}
