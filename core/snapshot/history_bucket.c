// SPDX-License-Identifier: MIT
/*
 * A bucket is drafted with keys in any order, within the room that it may take: the machine and
 * CPUs first, then the busiest rows of each grouping. Groupings with fewer rows come first, and
 * what they leave is for the next. Then the keys are sorted into one block with their values.
 */
#include "core/snapshot/history_internal.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint16_t history_pack(struct figure figure)
{
	float value = (float)figure.value;
	uint32_t bits;

	if (!figure_known(figure) || !isfinite(value))
		return HISTORY_UNKNOWN;
	memcpy(&bits, &value, sizeof(bits));
	/* Rounds to nearest. A carry into the exponent is correct. */
	return (uint16_t)((bits + 0x8000) >> 16);
}

float history_unpack(uint16_t value)
{
	uint32_t bits = (uint32_t)value << 16;
	float unpacked;

	memcpy(&unpacked, &bits, sizeof(unpacked));
	return isfinite(unpacked) ? unpacked : NAN;
}

static bool layout_is_of(const struct history_layout *layout, const struct columns *columns)
{
	if (!layout || layout->n_metrics != columns->n_metrics)
		return false;
	for (size_t i = 0; i < layout->n_metrics; i++)
		if (strcmp(layout->names[i], columns->metrics[i].def->name) != 0)
			return false;
	return true;
}

static struct history_layout *layout_new(const struct columns *columns)
{
	struct history_layout *layout = xcalloc(1, sizeof(*layout));

	layout->n_metrics = columns->n_metrics;
	layout->names = xcalloc(columns->n_metrics, sizeof(char *));
	for (size_t i = 0; i < columns->n_metrics; i++)
		layout->names[i] = xstrdup(columns->metrics[i].def->name);
	return layout;
}

void history_layout_unref(struct history_layout *layout)
{
	if (!layout || --layout->references > 0)
		return;
	for (size_t i = 0; i < layout->n_metrics; i++)
		free(layout->names[i]);
	free(layout->names);
	free(layout);
}

size_t history_layout_find(const struct history_layout *layout, const char *metric)
{
	size_t i = 0;

	while (i < layout->n_metrics && strcmp(layout->names[i], metric) != 0)
		i++;
	return i;
}

int history_key_compare(const void *a, const void *b)
{
	const struct history_key *key_a = a, *key_b = b;

	if (key_a->kind != key_b->kind)
		return key_a->kind < key_b->kind ? -1 : 1;
	if (key_a->number != key_b->number)
		return key_a->number < key_b->number ? -1 : 1;
	return (key_a->start > key_b->start) - (key_a->start < key_b->start);
}

struct history_key history_key_of_row(const struct snapshot *snapshot, enum rollup by,
				      const struct row *row)
{
	struct history_key key = {HISTORY_PROCESS, (uint32_t)row->pid, row->start_ns};

	switch (by) {
	case ROLLUP_THREAD:
		key.kind = HISTORY_THREAD;
		key.number = (uint32_t)row->tid;
		break;
	case ROLLUP_USER:
		key = (struct history_key){HISTORY_USER, row->uid, 0};
		break;
	case ROLLUP_CGROUP:
	case ROLLUP_COMMAND:
		key = (struct history_key){by == ROLLUP_CGROUP ? HISTORY_CGROUP : HISTORY_COMMAND,
					   0, hash_text(rollup_text(snapshot, by, row))};
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

double history_bucket_known(const struct history_bucket *bucket, size_t place)
{
	double share = bucket->known ? (double)bucket->known[place] / HISTORY_KNOWN_ALL : 1;

	return (double)bucket->ns * share;
}

/*
 * Returns the place of a key, or SIZE_MAX. If the start of a thread or process is unknown on either
 * side, the last one with that number.
 */
static size_t bucket_find(const struct history_bucket *bucket, const struct history_key *key)
{
	struct history_key last = *key;
	size_t low = 0, high = bucket->n_keys;
	bool any = key->start == 0;

	if (any)
		last.start = UINT64_MAX;
	while (low < high) { /* the first key after it */
		size_t middle = low + (high - low) / 2;

		if (history_key_compare(&bucket->keys[middle], &last) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return SIZE_MAX;
	const struct history_key *found = &bucket->keys[low - 1];
	if (found->kind != key->kind || found->number != key->number ||
	    (!any && found->start != key->start && found->start != 0))
		return SIZE_MAX;
	return low - 1;
}

float history_bucket_value(const struct history_bucket *bucket, const struct history_key *key,
			   size_t metric, double *known_ns)
{
	size_t place = bucket_find(bucket, key);

	*known_ns = 0;
	if (place == SIZE_MAX)
		return NAN;
	*known_ns = history_bucket_known(bucket, place);
	return history_unpack(bucket->values[place * bucket->layout->n_metrics + metric]);
}

/* A bucket in progress: unsorted keys, each with the place of its values. */
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
		draft->values[draft->n * draft->n_metrics + i] = history_pack(figures[i]);
	draft->n++;
}

/* Groupings with fewer rows come first. */
static const enum rollup rollups[] = {ROLLUP_USER, ROLLUP_CGROUP, ROLLUP_COMMAND, ROLLUP_PROCESS,
				      ROLLUP_THREAD};
static const enum rollup units[] = {ROLLUP_NODE, ROLLUP_SOCKET, ROLLUP_CPU};

void history_select(struct history_pick *picks, size_t n, size_t most)
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
			struct history_pick pick = picks[i];
			picks[i] = picks[j];
			picks[j] = pick;
		}
		if (most <= j + 1)
			high = j + 1;
		else
			low = j + 1;
	}
}

/* Adds the `most` busiest rows. */
static void add_rows(const struct snapshot *snapshot, enum rollup by, const struct rows *rows,
		     size_t most, struct draft *draft)
{
	const struct columns *columns = snapshot->columns;
	struct figure *figures = xcalloc(columns->n_metrics, sizeof(*figures));
	struct history_pick *picks = xcalloc(rows->n, sizeof(*picks));

	size_t rank = columns_rank(columns);

	for (size_t i = 0; i < rows->n; i++)
		picks[i] = (struct history_pick){rows_tally(columns, rows, i)[rank], i};
	history_select(picks, rows->n, most);
	for (size_t i = 0; i < size_min(most, rows->n); i++) {
		size_t index = picks[i].index;

		rows_evaluate_one(columns, snapshot_scope(snapshot), rows, index, figures);
		draft_add(draft, history_key_of_row(snapshot, by, &rows->items[index]), figures);
	}
	free(picks);
	free(figures);
}

/* Each grouping gets an equal share of the room that is left. */
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

void history_bucket_room(struct history_bucket *bucket, size_t n, size_t n_metrics, bool known)
{
	size_t row = sizeof(*bucket->keys) + (n_metrics + known) * sizeof(*bucket->values);

	bucket->keys = xmalloc(n * row);
	bucket->values = (uint16_t *)(bucket->keys + n);
	bucket->known = known ? bucket->values + n * n_metrics : NULL;
	bucket->n_keys = n;
}

size_t history_bucket_most(size_t n_metrics, bool known)
{
	return HISTORY_BUCKET_BYTES /
	       (sizeof(struct history_key) + (n_metrics + known) * sizeof(uint16_t));
}

/* Sorts the draft into the bucket. */
static void fill_bucket(struct history_bucket *bucket, struct draft *draft)
{
	size_t row = draft->n_metrics * sizeof(*bucket->values);

	qsort(draft->keys, draft->n, sizeof(*draft->keys),
	      history_key_compare); /* the key is the first member */
	history_bucket_room(bucket, draft->n, draft->n_metrics, false);
	for (size_t i = 0; i < draft->n; i++) {
		bucket->keys[i] = draft->keys[i].key;
		memcpy(bucket->values + i * draft->n_metrics,
		       draft->values + draft->keys[i].place * draft->n_metrics, row);
	}
}

static void draft_init(struct draft *draft, size_t n_metrics, size_t most)
{
	*draft = (struct draft){.n_metrics = n_metrics, .most = most};
	draft->keys = xcalloc(most, sizeof(*draft->keys));
	draft->values = xcalloc(most * n_metrics, sizeof(*draft->values));
}

static void draft_fini(struct draft *draft)
{
	free(draft->keys);
	free(draft->values);
}

void history_bucket_init(struct history_bucket *bucket, const struct snapshot *snapshot,
			 struct history_layout *last)
{
	size_t n_metrics = snapshot->columns->n_metrics;
	struct draft draft;

	*bucket = (struct history_bucket){
		.begin_ns = u64_growth(snapshot->interval_ns, snapshot->time_ns),
		.end_ns = snapshot->time_ns,
		.ns = snapshot->interval_ns,
		.layout = layout_is_of(last, snapshot->columns) ? last
								: layout_new(snapshot->columns),
	};
	bucket->layout->references++;
	draft_init(&draft, n_metrics, history_bucket_most(n_metrics, false));
	draft_add(&draft, history_key_of_all(HISTORY_MACHINE), snapshot->figures);
	draft_add(&draft, history_key_of_all(HISTORY_TARGET), snapshot->target_figures);
	add_cpus(snapshot, &draft);
	add_rollups(snapshot, &draft);
	fill_bucket(bucket, &draft);
	draft_fini(&draft);
}

void history_bucket_fini(struct history_bucket *bucket)
{
	free(bucket->keys);
	history_layout_unref(bucket->layout);
	*bucket = (struct history_bucket){0};
}
