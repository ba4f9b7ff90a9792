// SPDX-License-Identifier: MIT
/*
 * The sum is divided into parts, one for each plan. If the events change back, the earlier part
 * goes on.
 */
#include "core/snapshot/run_summary.h"

#include "core/base/notes.h"
#include "core/base/util.h"
#include "core/snapshot/snapshot_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sum of the snapshots of one plan. */
struct part {
	struct snapshot_sum sum; /* by process */
	uint64_t *folded;        /* tally of the folded processes; NULL: none */
	size_t n_folded;
	unsigned folded_flags;
};

struct run_summary {
	size_t most; /* processes of a part */
	struct part parts[SUMMARY_PARTS_MAX];
	size_t n_parts;
	struct notes notes;
	bool full; /* a part was left out */
};

static const struct columns *part_columns(const struct part *part)
{
	return part->sum.sum->columns;
}

/* Order of folding: ended processes first, then by CPU time ascending, then by age. */
static int compare_for_fold(const void *index_a, const void *index_b, void *arg)
{
	const struct part *part = arg;
	const struct rows *rows = &part->sum.sum->threads;
	const struct columns *columns = part_columns(part);
	size_t a = *(const size_t *)index_a, b = *(const size_t *)index_b;
	unsigned ended_a = rows->items[a].flags & ROW_EXITED;
	unsigned ended_b = rows->items[b].flags & ROW_EXITED;
	size_t rank = columns_rank(columns);
	uint64_t ns_a = rows_tally(columns, rows, a)[rank];
	uint64_t ns_b = rows_tally(columns, rows, b)[rank];

	if (ended_a != ended_b)
		return ended_a ? -1 : 1;
	if (ns_a != ns_b)
		return ns_a < ns_b ? -1 : 1;
	return a < b ? -1 : 1;
}

/* Folds all but `left` processes: half of them, so that this is not done at every refresh. */
static void fold_processes(struct part *part, size_t left)
{
	const struct rows *rows = &part->sum.sum->threads;
	const struct tally_shape *shape = &part_columns(part)->plan->shape;
	size_t *order = xcalloc(rows->n, sizeof(*order));
	bool *kept = xcalloc(rows->n, sizeof(*kept));

	if (!part->folded)
		part->folded = xcalloc(tally_width(shape), sizeof(*part->folded));
	for (size_t i = 0; i < rows->n; i++)
		order[i] = i;
	qsort_r(order, rows->n, sizeof(*order), compare_for_fold, part);
	for (size_t k = 0; k < rows->n; k++) {
		size_t i = order[k];

		kept[i] = k >= rows->n - left;
		if (kept[i])
			continue;
		tally_add(shape, part->folded, rows_tally(part_columns(part), rows, i));
		part->folded_flags |= rows->items[i].flags & ROW_LOST;
		part->n_folded++;
	}
	snapshot_sum_keep_rows(&part->sum, kept);
	free(order);
	free(kept);
}

static void part_fini(struct part *part)
{
	snapshot_sum_fini(&part->sum);
	free(part->folded);
}

/* Returns whether tallies of these columns have the meaning of the part's. */
static bool part_fits(const struct part *part, const struct columns *b)
{
	const struct columns *a = part_columns(part);
	const struct plan *plan_a = a->plan, *plan_b = b->plan;

	if (plan_a == plan_b)
		return true;
	if (a->levels != b->levels || a->events.n != b->events.n ||
	    plan_a->n_events != plan_b->n_events ||
	    memcmp(&plan_a->shape, &plan_b->shape, sizeof(plan_a->shape)) != 0)
		return false;
	for (size_t i = 0; i < a->events.n; i++)
		if (strcmp(a->events.items[i].name, b->events.items[i].name) != 0 ||
		    a->events.items[i].state != b->events.items[i].state)
			return false;
	for (unsigned i = 0; i < plan_a->shape.n_counters; i++)
		if (plan_a->counters[i].event != plan_b->counters[i].event ||
		    plan_a->counters[i].code != plan_b->counters[i].code ||
		    plan_a->counters[i].group != plan_b->counters[i].group)
			return false;
	for (unsigned i = 0; i < plan_a->shape.n_groups; i++)
		if (plan_a->groups[i].domain != plan_b->groups[i].domain)
			return false;
	return true;
}

static void fill_folded(const struct part *part, struct snapshot *snapshot)
{
	struct rows *rows = &snapshot->threads;
	const struct columns *columns = snapshot->columns;
	struct row *more = &rows->items[rows->n - 1];

	*more = (struct row){
		.uid = (uid_t)-1, .cgroup = -1, .threads = 1, .flags = part->folded_flags};
	snprintf(more->comm, sizeof(more->comm), "%zu more", part->n_folded);
	memcpy(rows_tally(columns, rows, rows->n - 1), part->folded,
	       tally_width(&columns->plan->shape) * sizeof(*part->folded));
}

/* Returns the part as a snapshot without sequence and notes. */
static struct snapshot *part_snapshot(const struct part *part, const struct snapshot_run *run)
{
	struct snapshot *snapshot = snapshot_sum_copy(&part->sum, part->folded != NULL);

	snapshot->run = xmalloc(sizeof(*run));
	*snapshot->run = *run;
	if (part->folded)
		fill_folded(part, snapshot);
	rows_evaluate(snapshot->columns, snapshot_scope(snapshot), &snapshot->threads);
	snapshot_sum_evaluate(snapshot);
	return snapshot;
}

/* Returns the part of the snapshot's plan; NULL if there are too many. */
static struct part *find_or_add_part(struct run_summary *summary, struct columns *columns)
{
	for (size_t i = summary->n_parts; i-- > 0;)
		if (part_fits(&summary->parts[i], columns))
			return &summary->parts[i];
	if (summary->n_parts == SUMMARY_PARTS_MAX) {
		summary->full = true;
		return NULL;
	}
	struct part *part = &summary->parts[summary->n_parts++];
	*part = (struct part){0};
	snapshot_sum_init(&part->sum, columns, ROLLUP_PROCESS);
	return part;
}

void run_summary_add(struct run_summary *summary, const struct snapshot *snapshot)
{
	struct part *part = find_or_add_part(summary, snapshot->columns);

	if (!part)
		return;
	snapshot_sum_add(&part->sum, snapshot);
	if (part->sum.sum->threads.n > summary->most)
		fold_processes(part, summary->most / 2);
	for (size_t i = 0; i < snapshot->n_notes; i++)
		notes_add(&summary->notes, "%s", snapshot->notes[i]);
}

static void fill_notes(const struct run_summary *summary, struct snapshot *snapshot)
{
	static const char too_many[] =
		"Summary: the events changed too often. Counts of the latest events are left out.";

	snapshot->notes = xcalloc(summary->notes.n + 1, sizeof(char *));
	if (summary->full)
		snapshot->notes[snapshot->n_notes++] = xstrdup(too_many);
	for (size_t i = 0; i < summary->notes.n; i++)
		snapshot->notes[snapshot->n_notes++] = xstrdup(summary->notes.items[i].text);
}

struct snapshot *run_summary_snapshot(const struct run_summary *summary, size_t part,
				      const struct snapshot_run *run)
{
	struct snapshot_run whole = *run;

	whole.part = (unsigned)part + 1;
	whole.parts = (unsigned)summary->n_parts;
	struct snapshot *snapshot = part_snapshot(&summary->parts[part], &whole);
	snapshot->sequence = part + 1;
	fill_notes(summary, snapshot);
	return snapshot;
}

size_t run_summary_parts(const struct run_summary *summary)
{
	return summary->n_parts;
}

struct run_summary *run_summary_new(size_t most)
{
	struct run_summary *summary = xcalloc(1, sizeof(*summary));

	summary->most = most;
	return summary;
}

void run_summary_free(struct run_summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->n_parts; i++)
		part_fini(&summary->parts[i]);
	notes_fini(&summary->notes);
	free(summary);
}
