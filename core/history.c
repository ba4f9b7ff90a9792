// SPDX-License-Identifier: MIT
/*
 * Each bucket is a block of its own: keys in their order, for looking up by halves, and behind them
 * the values of each key. So a task that comes and goes costs nothing where it is not, old buckets
 * go as a whole, and memory is bounded by the size of a block.
 *
 * Values are floats cut to sixteen bits: a sign, all the range, and eight bits that mean something,
 * which is more than a graph shows.
 */
#include "history.h"

#include "snapshot_sum.h"
#include "util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the values of buckets are; the same of all buckets between two changes of the columns. */
struct layout {
	size_t n_metrics;
	char **names;
	unsigned references;
};

struct bucket {
	uint64_t ns;           /* how long it was */
	struct layout *layout; /* a reference; NULL: nobody looked */
	struct history_key *keys;
	uint16_t *values; /* n_keys x n_metrics; in the block of the keys */
	size_t n_keys;
};

struct history {
	struct bucket buckets[HISTORY_BUCKETS]; /* bucket k of the run is at k % HISTORY_BUCKETS */
	uint64_t n_buckets;                     /* that there ever were */
	uint64_t held;                          /* of which so many are read; UINT64_MAX: all */
	uint64_t end_ns;                        /* of the last snapshot */
	struct snapshot *sum;                   /* of the bucket in the making; NULL: none is */
};

/* ---- values */

static const uint16_t unknown = 0x7fc0; /* NaN */

static uint16_t pack(struct figure figure)
{
	float value = (float)figure.value;
	uint32_t bits;

	if (!figure_known(figure) || !isfinite(value))
		return unknown;
	memcpy(&bits, &value, sizeof(bits));
	/* To the nearest; a carry goes into the exponent, as it should. */
	return (uint16_t)((bits + 0x8000) >> 16);
}

static float unpack(uint16_t value)
{
	uint32_t bits = (uint32_t)value << 16;
	float unpacked;

	memcpy(&unpacked, &bits, sizeof(unpacked));
	return isfinite(unpacked) ? unpacked : NAN;
}

/* ---- layouts */

static bool layout_is_of(const struct layout *layout, const struct columns *columns)
{
	if (!layout || layout->n_metrics != columns->n_metrics)
		return false;
	for (size_t i = 0; i < layout->n_metrics; i++)
		if (strcmp(layout->names[i], columns->metrics[i].def->name) != 0)
			return false;
	return true;
}

static struct layout *layout_new(const struct columns *columns)
{
	struct layout *layout = xcalloc(1, sizeof(*layout));

	layout->n_metrics = columns->n_metrics;
	layout->names = xcalloc(columns->n_metrics, sizeof(char *));
	for (size_t i = 0; i < columns->n_metrics; i++)
		layout->names[i] = xstrdup(columns->metrics[i].def->name);
	return layout;
}

static void layout_unref(struct layout *layout)
{
	if (!layout || --layout->references > 0)
		return;
	for (size_t i = 0; i < layout->n_metrics; i++)
		free(layout->names[i]);
	free(layout->names);
	free(layout);
}

/* The index of a metric, n_metrics where it was none. */
static size_t layout_find(const struct layout *layout, const char *metric)
{
	size_t i = 0;

	while (i < layout->n_metrics && strcmp(layout->names[i], metric) != 0)
		i++;
	return i;
}

/* ---- keys */

static int compare_keys(const void *a, const void *b)
{
	const struct history_key *key_a = a, *key_b = b;

	if (key_a->kind != key_b->kind)
		return key_a->kind < key_b->kind ? -1 : 1;
	if (key_a->number != key_b->number)
		return key_a->number < key_b->number ? -1 : 1;
	return (key_a->start > key_b->start) - (key_a->start < key_b->start);
}

/* FNV-1a */
static uint64_t hash_path(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x100000001b3u;
	return hash;
}

struct history_key history_key_of_row(const struct snapshot *snapshot, enum rollup by,
				      const struct row *row)
{
	struct history_key key = {HISTORY_PROCESS, (uint32_t)row->pid, row->start_ns};
	const char *path;

	switch (by) {
	case ROLLUP_THREAD:
		key.kind = HISTORY_THREAD;
		key.number = (uint32_t)row->tid;
		break;
	case ROLLUP_USER:
		key = (struct history_key){HISTORY_USER, row->uid, 0};
		break;
	case ROLLUP_CGROUP:
		path = snapshot_cgroup(snapshot, row);
		key = (struct history_key){HISTORY_CGROUP, 0, path ? hash_path(path) : 0};
		break;
	case ROLLUP_PROCESS:
	case ROLLUP_TREE:
	case ROLLUP_CPU:
	case ROLLUP_SOCKET:
	case ROLLUP_NODE:
		break;
	}
	return key;
}

struct history_key history_key_of_cpu(enum rollup by, const struct snapshot_cpu *cpu)
{
	enum history_kind kind = by == ROLLUP_NODE     ? HISTORY_NODE
				 : by == ROLLUP_SOCKET ? HISTORY_SOCKET
						       : HISTORY_CPU;

	return (struct history_key){kind, (uint32_t)cpu->cpu, 0};
}

/* Of a thread or process whose start one side does not know, the last one of that number. */
static const uint16_t *bucket_find(const struct bucket *bucket, const struct history_key *key)
{
	struct history_key last = *key;
	size_t low = 0, high = bucket->n_keys;
	bool any = key->start == 0;

	if (any)
		last.start = UINT64_MAX;
	while (low < high) { /* the first one behind it */
		size_t middle = low + (high - low) / 2;

		if (compare_keys(&bucket->keys[middle], &last) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct history_key *found = &bucket->keys[low - 1];
	if (found->kind != key->kind || found->number != key->number ||
	    (!any && found->start != key->start && found->start != 0))
		return NULL;
	return bucket->values + (low - 1) * bucket->layout->n_metrics;
}

/* ---- what a bucket is to hold */

/* A bucket that is being made: keys in any order, each with the place of its values. */
struct draft_key {
	struct history_key key;
	size_t place;
};

struct draft {
	struct draft_key *keys;
	uint16_t *values;
	size_t n_metrics, n, most;
};

static void draft_add(struct draft *draft, struct history_key key, const struct figure *figures)
{
	if (!figures || draft->n == draft->most)
		return;
	draft->keys[draft->n] = (struct draft_key){key, draft->n};
	for (size_t i = 0; i < draft->n_metrics; i++)
		draft->values[draft->n * draft->n_metrics + i] = pack(figures[i]);
	draft->n++;
}

/* Those that are fewer come first. */
static const enum rollup rollups[] = {ROLLUP_USER, ROLLUP_CGROUP, ROLLUP_PROCESS, ROLLUP_THREAD};
static const enum rollup units[] = {ROLLUP_NODE, ROLLUP_SOCKET, ROLLUP_CPU};

/* A row, and how long it ran. */
struct pick {
	uint64_t ran_ns;
	size_t index;
};

/* Moves those that ran longest, so many, to the front: Hoare's selection. */
static void select_busiest(struct pick *picks, size_t n, size_t most)
{
	size_t low = 0, high = n;

	while (high - low > 1 && most > low && most < high) {
		uint64_t pivot = picks[low + (high - low - 1) / 2].ran_ns;
		size_t i = low, j = high - 1;

		for (;; i++, j--) {
			while (picks[i].ran_ns > pivot)
				i++;
			while (picks[j].ran_ns < pivot)
				j--;
			if (i >= j)
				break;
			struct pick pick = picks[i];
			picks[i] = picks[j];
			picks[j] = pick;
		}
		if (most <= j + 1)
			high = j + 1;
		else
			low = j + 1;
	}
}

/* The busiest rows of a roll-up, as far as there is room for so many. */
static void add_rows(const struct snapshot *snapshot, enum rollup by, const struct rows *rows,
		     size_t most, struct draft *draft)
{
	const struct columns *columns = snapshot->columns;
	struct figure *figures = xcalloc(columns->n_metrics, sizeof(*figures));
	struct pick *picks = xcalloc(rows->n, sizeof(*picks));

	for (size_t i = 0; i < rows->n; i++)
		picks[i] = (struct pick){rows_tally(columns, rows, i)[TALLY_TASK_CLOCK], i};
	select_busiest(picks, rows->n, most);
	for (size_t i = 0; i < size_min(most, rows->n); i++) {
		size_t index = picks[i].index;

		rows_evaluate_one(columns, snapshot->interval_ns, rows, index, figures);
		draft_add(draft, history_key_of_row(snapshot, by, &rows->items[index]), figures);
	}
	free(picks);
	free(figures);
}

/* What the fewer ones leave is for those behind them. */
static void add_rollups(const struct snapshot *snapshot, struct draft *draft)
{
	for (size_t k = 0; k < ARRAY_SIZE(rollups); k++) {
		size_t share = (draft->most - draft->n) / (ARRAY_SIZE(rollups) - k);
		struct rows rolled = {0};

		if (rollups[k] != ROLLUP_THREAD)
			rollup_tallies(snapshot, rollups[k], &rolled);
		add_rows(snapshot, rollups[k], rolled.items ? &rolled : &snapshot->threads, share,
			 draft);
		rows_fini(&rolled);
	}
}

static void add_cpus(const struct snapshot *snapshot, struct draft *draft)
{
	for (size_t k = 0; k < ARRAY_SIZE(units); k++) {
		struct cpu_units cpus;

		rollup_cpus(snapshot, units[k], &cpus);
		for (size_t i = 0; i < cpus.n; i++)
			draft_add(draft, history_key_of_cpu(units[k], &cpus.items[i]),
				  cpus.items[i].figures);
		cpu_units_fini(&cpus);
	}
}

/* ---- buckets */

static struct bucket *bucket_at(struct history *history, uint64_t k)
{
	return &history->buckets[k % HISTORY_BUCKETS];
}

/* A new one in the place of the oldest. */
static struct bucket *bucket_begin(struct history *history, uint64_t ns)
{
	struct bucket *bucket = bucket_at(history, history->n_buckets++);

	free(bucket->keys);
	layout_unref(bucket->layout);
	*bucket = (struct bucket){.ns = ns};
	return bucket;
}

/* Of the bucket before, where the columns are the same. */
static struct layout *choose_layout(struct history *history, const struct columns *columns)
{
	struct layout *last =
		history->n_buckets ? bucket_at(history, history->n_buckets - 1)->layout : NULL;
	struct layout *layout = layout_is_of(last, columns) ? last : layout_new(columns);

	layout->references++;
	return layout;
}

/* The keys in their order, each with its values. */
static void bucket_fill(struct bucket *bucket, struct draft *draft)
{
	size_t n = draft->n, row = draft->n_metrics * sizeof(*bucket->values);

	qsort(draft->keys, n, sizeof(*draft->keys), compare_keys); /* the key stands first */
	bucket->keys = xmalloc(n * (sizeof(*bucket->keys) + row));
	bucket->values = (uint16_t *)(bucket->keys + n);
	bucket->n_keys = n;
	for (size_t i = 0; i < n; i++) {
		bucket->keys[i] = draft->keys[i].key;
		memcpy(bucket->values + i * draft->n_metrics,
		       draft->values + draft->keys[i].place * draft->n_metrics, row);
	}
}

static void file_bucket(struct history *history, const struct snapshot *snapshot)
{
	size_t n_metrics = snapshot->columns->n_metrics;
	struct layout *layout = choose_layout(history, snapshot->columns);
	struct bucket *bucket = bucket_begin(history, snapshot->interval_ns);
	struct draft draft = {.n_metrics = n_metrics};

	draft.most =
		HISTORY_BUCKET_BYTES / (sizeof(struct history_key) + n_metrics * sizeof(uint16_t));
	draft.keys = xcalloc(draft.most, sizeof(*draft.keys));
	draft.values = xcalloc(draft.most * n_metrics, sizeof(*draft.values));
	draft_add(&draft, history_key_of_all(HISTORY_MACHINE), snapshot->figures);
	draft_add(&draft, history_key_of_all(HISTORY_TARGET), snapshot->target_figures);
	add_cpus(snapshot, &draft);
	add_rollups(snapshot, &draft);
	bucket->layout = layout;
	bucket_fill(bucket, &draft);
	free(draft.keys);
	free(draft.values);
}

static void file_sum(struct history *history)
{
	if (!history->sum)
		return;
	snapshot_sum_evaluate(history->sum);
	file_bucket(history, history->sum);
	snapshot_free(history->sum);
	history->sum = NULL;
}

/* Nobody took the snapshots of this time. */
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

void history_free(struct history *history)
{
	if (!history)
		return;
	for (size_t i = 0; i < HISTORY_BUCKETS; i++) {
		free(history->buckets[i].keys);
		layout_unref(history->buckets[i].layout);
	}
	snapshot_free(history->sum);
	free(history);
}

/* A look at the same snapshot without those that did nothing. */
static struct snapshot only_ran(const struct snapshot *snapshot)
{
	struct snapshot ran = *snapshot;

	ran.threads.n = snapshot_ran(snapshot);
	ran.threads.n_still = 0;
	return ran;
}

void history_add(struct history *history, const struct snapshot *all)
{
	const struct snapshot ran = only_ran(all), *snapshot = &ran;
	uint64_t gap_ns = history->end_ns ? u64_growth(history->end_ns + snapshot->interval_ns,
						       snapshot->time_ns)
					  : 0;
	bool other = history->sum && history->sum->columns != snapshot->columns;

	history->end_ns = snapshot->time_ns;
	if (other || gap_ns > HISTORY_BUCKET_NS / 2)
		file_sum(history);
	file_gap(history, gap_ns, snapshot->interval_ns);
	if (!history->sum && snapshot->interval_ns >= HISTORY_BUCKET_NS) {
		file_bucket(history, snapshot);
		return;
	}
	if (history->sum)
		snapshot_sum_add(history->sum, snapshot);
	else
		history->sum = snapshot_sum_new(snapshot);
	if (history->sum->interval_ns >= HISTORY_BUCKET_NS)
		file_sum(history);
}

/* ---- looking up */

void history_hold(struct history *history, bool hold)
{
	history->held = hold ? history->n_buckets : UINT64_MAX;
}

/* Where the value that ends with the last whole group of buckets begins. */
static uint64_t last_group(const struct history *history, unsigned step)
{
	uint64_t end = history->held < history->n_buckets ? history->held : history->n_buckets;

	return end / step;
}

/* Whether bucket k is (still) there. */
static const struct bucket *kept(const struct history *history, uint64_t k)
{
	if (k >= history->n_buckets || k + HISTORY_BUCKETS < history->n_buckets)
		return NULL;
	return &history->buckets[k % HISTORY_BUCKETS];
}

void history_read(const struct history *history, const struct history_key *key, const char *metric,
		  unsigned step, size_t n, float *values)
{
	uint64_t groups = last_group(history, step);
	const struct layout *layout = NULL;
	size_t index = 0;

	for (size_t i = 0; i < n; i++) {
		double sum = 0, ns = 0;

		values[i] = NAN;
		if (i + groups < n)
			continue;
		for (uint64_t k = (groups - n + i) * step, end = k + step; k < end; k++) {
			const struct bucket *bucket = kept(history, k);

			if (!bucket || !bucket->layout)
				continue;
			if (bucket->layout != layout) {
				layout = bucket->layout;
				index = layout_find(layout, metric);
			}
			const uint16_t *found =
				index < layout->n_metrics ? bucket_find(bucket, key) : NULL;
			if (!found || isnan(unpack(found[index])))
				continue;
			sum += (double)unpack(found[index]) * (double)bucket->ns;
			ns += (double)bucket->ns;
		}
		if (ns > 0)
			values[i] = (float)(sum / ns);
	}
}

uint64_t history_span_ns(const struct history *history, unsigned step, size_t n)
{
	uint64_t end = last_group(history, step) * step, wanted = (uint64_t)step * n, ns = 0;
	const struct bucket *last = end ? kept(history, end - 1) : NULL;
	uint64_t each = last ? last->ns : NS_PER_S;

	for (uint64_t back = 1; back <= wanted; back++) {
		const struct bucket *bucket = back <= end ? kept(history, end - back) : NULL;

		ns += bucket ? bucket->ns : each;
	}
	return ns;
}
