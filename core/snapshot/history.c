// SPDX-License-Identifier: MIT
/*
 * Snapshots are added up until they are a bucket. A live history keeps the last HISTORY_BUCKETS
 * buckets in a ring. The history of a whole recording keeps all, in core/snapshot/history_levels.h.
 * A value that is read is the mean of the buckets in a time, weighted by the time in which each was
 * known.
 */
#include "core/snapshot/history.h"

#include "core/base/util.h"
#include "core/snapshot/history_bucket.h"
#include "core/snapshot/history_levels.h"
#include "core/snapshot/snapshot_sum.h"

#include <math.h>
#include <stdlib.h>

struct history {
	/* Of a live history: bucket k of the run is at k % HISTORY_BUCKETS. */
	struct history_bucket buckets[HISTORY_BUCKETS];
	uint64_t n_buckets;            /* buckets ever made */
	uint64_t held;                 /* buckets that are read; UINT64_MAX: all */
	struct history_levels *levels; /* the buckets of a whole recording; NULL: live */
	uint64_t end_ns;               /* end of the last snapshot */
	struct snapshot_sum sum;       /* of the bucket in progress; sum.sum NULL: none */
	struct history_layout *layout; /* of the last bucket, a reference; NULL: no bucket yet */
};

static struct history_bucket *bucket_at(struct history *history, uint64_t k)
{
	return &history->buckets[k % HISTORY_BUCKETS];
}

/* Replaces the oldest bucket by an empty one. */
static struct history_bucket *bucket_begin(struct history *history, uint64_t ns)
{
	struct history_bucket *bucket = bucket_at(history, history->n_buckets++);

	history_bucket_fini(bucket);
	bucket->ns = ns;
	return bucket;
}

static void file_bucket(struct history *history, const struct snapshot *snapshot)
{
	struct history_bucket bucket;

	history_bucket_init(&bucket, snapshot, history->layout);
	if (bucket.layout != history->layout) {
		history_layout_unref(history->layout);
		history->layout = bucket.layout;
		history->layout->references++;
	}
	if (history->levels)
		history_levels_add(history->levels, &bucket);
	else
		*bucket_begin(history, snapshot->interval_ns) = bucket;
}

static void file_sum(struct history *history)
{
	if (!history->sum.sum)
		return;
	snapshot_sum_evaluate(history->sum.sum);
	file_bucket(history, history->sum.sum);
	snapshot_sum_fini(&history->sum);
}

/* Fills a time without snapshots with empty buckets. */
static void file_gap(struct history *history, uint64_t gap_ns, uint64_t interval_ns)
{
	uint64_t ns = interval_ns > HISTORY_BUCKET_NS ? interval_ns : NS_PER_S;
	uint64_t n = (gap_ns + ns / 2) / ns;

	for (n = n < HISTORY_BUCKETS ? n : HISTORY_BUCKETS; n > 0; n--)
		bucket_begin(history, ns);
}

struct history *history_new(void)
{
	struct history *history = xcalloc(1, sizeof(*history));

	history->held = UINT64_MAX;
	return history;
}

struct history *history_new_recorded(void)
{
	struct history *history = history_new();

	history->levels = history_levels_new();
	return history;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	for (size_t i = 0; i < HISTORY_BUCKETS; i++)
		history_bucket_fini(&history->buckets[i]);
	history_levels_free(history->levels);
	history_layout_unref(history->layout);
	snapshot_sum_fini(&history->sum);
	free(history);
}

/* Returns a shallow copy without the tasks that did not run, and without functions. */
static struct snapshot without_still(const struct snapshot *snapshot)
{
	struct snapshot ran = *snapshot;

	ran.threads.n = snapshot_ran(snapshot);
	ran.threads.n_still = 0;
	ran.code = NULL;
	return ran;
}

void history_add(struct history *history, const struct snapshot *all)
{
	const struct snapshot ran = without_still(all), *snapshot = &ran;
	uint64_t gap_ns = history->end_ns ? u64_growth(history->end_ns + snapshot->interval_ns,
						       snapshot->time_ns)
					  : 0;
	bool other = history->sum.sum && history->sum.sum->columns != snapshot->columns;

	history->end_ns = snapshot->time_ns;
	if (other || gap_ns > HISTORY_BUCKET_NS / 2)
		file_sum(history);
	if (!history->levels)
		file_gap(history, gap_ns, snapshot->interval_ns);
	if (!history->sum.sum && !snapshot->cut_short &&
	    snapshot->interval_ns >= HISTORY_BUCKET_NS) {
		file_bucket(history, snapshot);
		return;
	}
	if (!history->sum.sum)
		snapshot_sum_init(&history->sum, snapshot->columns, ROLLUP_THREAD);
	snapshot_sum_add(&history->sum, snapshot);
	if (!snapshot->cut_short && history->sum.sum->interval_ns >= HISTORY_BUCKET_NS)
		file_sum(history);
}

void history_end(struct history *history)
{
	file_sum(history);
	if (history->levels)
		history_levels_end(history->levels);
}

void history_hold(struct history *history, bool hold)
{
	history->held = hold ? history->n_buckets : UINT64_MAX;
}

/* Returns how many whole groups of buckets can be read. */
static uint64_t last_group(const struct history *history, unsigned step)
{
	uint64_t end = history->held < history->n_buckets ? history->held : history->n_buckets;

	return end / step;
}

/* Returns bucket k, or NULL if it is not kept any more. */
static const struct history_bucket *find_bucket(const struct history *history, uint64_t k)
{
	if (k >= history->n_buckets || k + HISTORY_BUCKETS < history->n_buckets)
		return NULL;
	return &history->buckets[k % HISTORY_BUCKETS];
}

/* The mean of a metric, with its index in the layout of the last bucket. */
struct reading {
	const struct history_key *key;
	const char *metric;
	const struct history_layout *layout;
	size_t index;
	double sum, ns; /* value * ns of the buckets read, and ns */
};

/* Adds a share of a bucket. */
static void add_bucket(struct reading *reading, const struct history_bucket *bucket, double share)
{
	double known_ns;

	if (bucket->layout != reading->layout) {
		reading->layout = bucket->layout;
		reading->index = history_layout_find(bucket->layout, reading->metric);
	}
	if (reading->index == bucket->layout->n_metrics)
		return;
	float value = history_bucket_value(bucket, reading->key, reading->index, &known_ns);
	if (isnan(value))
		return;
	reading->sum += (double)value * known_ns * share;
	reading->ns += known_ns * share;
}

/* Returns the mean and starts a new one. */
static float pop_mean(struct reading *reading)
{
	float mean = reading->ns > 0 ? (float)(reading->sum / reading->ns) : NAN;

	reading->sum = reading->ns = 0;
	return mean;
}

void history_read(const struct history *history, const struct history_key *key, const char *metric,
		  unsigned step, size_t n, float *values)
{
	uint64_t groups = last_group(history, step);
	struct reading reading = {.key = key, .metric = metric};

	for (size_t i = 0; i < n; i++) {
		values[i] = NAN;
		if (i + groups < n)
			continue;
		for (uint64_t k = (groups - n + i) * step, end = k + step; k < end; k++) {
			const struct history_bucket *bucket = find_bucket(history, k);

			if (bucket && bucket->layout)
				add_bucket(&reading, bucket, 1);
		}
		values[i] = pop_mean(&reading);
	}
}

uint64_t history_span_ns(const struct history *history, unsigned step, size_t n)
{
	uint64_t end = last_group(history, step) * step, wanted = (uint64_t)step * n, ns = 0;
	const struct history_bucket *last = end ? find_bucket(history, end - 1) : NULL;
	uint64_t each = last ? last->ns : NS_PER_S;

	for (uint64_t back = 1; back <= wanted; back++) {
		const struct history_bucket *bucket =
			back <= end ? find_bucket(history, end - back) : NULL;

		ns += bucket ? bucket->ns : each;
	}
	return ns;
}

bool history_reach(const struct history *history, uint64_t *begin_ns, uint64_t *end_ns)
{
	bool any = history->levels && history->levels->base_ns > 0;

	*begin_ns = any ? history->levels->begin_ns : 0;
	*end_ns = any ? history->end_ns : 0;
	return any;
}

void history_read_range(const struct history *history, const struct history_key *key,
			const char *metric, uint64_t from_ns, uint64_t to_ns, size_t n,
			float *values)
{
	struct reading reading = {.key = key, .metric = metric};
	double step_ns = (double)(to_ns - from_ns) / (double)n;
	uint64_t first = 0; /* first bucket that may overlap the next value */

	for (size_t i = 0; i < n; i++) {
		double begin_ns = (double)i * step_ns, end_ns = begin_ns + step_ns;
		const struct history_bucket *bucket;

		for (uint64_t k = first; (bucket = history_levels_at(history->levels, k)); k++) {
			/* Differences are exact as doubles, times of a long uptime are not. */
			double from = bucket->begin_ns > from_ns
					      ? (double)(bucket->begin_ns - from_ns)
					      : -(double)(from_ns - bucket->begin_ns);
			double length = (double)(bucket->end_ns - bucket->begin_ns);
			double inside = fmin(from + length, end_ns) - fmax(from, begin_ns);

			if (!bucket->layout)
				continue;
			if (from >= end_ns)
				break;
			if (from + length <= begin_ns)
				first = k;
			else if (inside > 0)
				add_bucket(&reading, bucket, inside / length);
		}
		values[i] = pop_mean(&reading);
	}
}
