// SPDX-License-Identifier: MIT
/*
 * The row's entries are copied into a profile of their own with one unknown task and no CPU: equal
 * stacks of all threads become one entry, so a sum of many intervals stays small. Counts of CPUs
 * are of their busy time, because idle tasks have no samples.
 */
#include "core/view/code_sum.h"

#include "core/base/util.h"
#include "core/snapshot/detail.h"
#include "core/snapshot/rollup.h"

#include <stdlib.h>
#include <string.h>

static void copy_entry(struct code_profile_builder *builder, const struct code_profile *profile,
		       const struct code_entry *from, uint32_t *functions, uint32_t *frames)
{
	struct code_entry entry = *from;

	for (uint32_t i = 0; i < from->depth; i++) {
		uint32_t id = profile->frames[from->frame + i];

		if (functions[id] == UINT32_MAX) {
			struct code_function function = profile->functions[id];

			function.why = NULL; /* it is in the name: code_together.h */
			functions[id] = code_profile_function(builder, &function);
		}
		frames[i] = functions[id];
	}
	entry.task = code_profile_task(builder, &(struct code_task){.pid = -1, .tid = -1});
	entry.cpu = -1;
	code_profile_add(builder, &entry, frames);
}

/* The entries of a view without tasks and CPUs. All events stay, at their places. */
static struct code_profile *copy_profile(const struct code_view *view, uint64_t lost)
{
	const struct code_profile *profile = view->profile;
	struct code_profile_builder *builder = code_profile_builder_new();
	uint32_t *functions = xcalloc(profile->n_functions, sizeof(*functions)), depth = 0;

	for (size_t i = 0; i < profile->n_functions; i++)
		functions[i] = UINT32_MAX;
	for (size_t i = 0; i < profile->n_events; i++)
		code_profile_event(builder, &profile->events[i]);
	for (size_t i = 0; i < view->n_entries; i++)
		if (view->entries[i]->depth > depth)
			depth = view->entries[i]->depth;
	uint32_t *frames = xcalloc(depth, sizeof(*frames));
	for (size_t i = 0; i < view->n_entries; i++)
		copy_entry(builder, profile, view->entries[i], functions, frames);
	free(frames);
	free(functions);
	code_profile_add_lost(builder, lost);
	return code_profile_end(builder);
}

static struct code_profile *profile_of_row(const struct snapshot *snapshot,
					   const struct history_key *key, bool tree)
{
	const struct code_subject subject = {.key = *key, .tree = tree};
	struct code_index *index = code_index_new(snapshot);
	struct code_view view;

	code_view_init(index, &subject, 0, &view);
	/* Which rows lost samples were of is unknown. */
	struct code_profile *profile =
		copy_profile(&view, key->kind == HISTORY_MACHINE ? snapshot->code->lost : 0);
	code_view_fini(&view);
	code_index_free(index);
	return profile;
}

static void add_tree(struct code_sum *sum, const struct snapshot *snapshot,
		     const struct history_key *key)
{
	struct rows rows;

	rollup_tallies(snapshot, ROLLUP_TREE, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		if ((uint32_t)rows.items[i].pid != key->number)
			continue;
		tally_add(&sum->columns->plan->shape, sum->tally,
			  rows_tally(sum->columns, &rows, i));
		sum->lost |= (rows.items[i].flags & ROW_LOST) != 0;
	}
	rows_fini(&rows);
}

static void add_busy(struct code_sum *sum, const uint64_t *tally, const uint64_t *idle)
{
	uint64_t *busy = snapshot_busy_tally(sum->columns, tally, idle);

	tally_add(&sum->columns->plan->shape, sum->tally, busy);
	free(busy);
}

static void add_cpus(struct code_sum *sum, const struct snapshot *snapshot,
		     const struct history_key *key)
{
	struct cpu_units units;

	rollup_cpus(snapshot, detail_rollup_of_cpus(key), &units);
	for (size_t i = 0; i < units.n; i++)
		if ((uint32_t)units.items[i].cpu == key->number && units.items[i].tally)
			add_busy(sum, units.items[i].tally, units.items[i].idle);
	cpu_units_fini(&units);
}

static void add_tasks(struct code_sum *sum, const struct snapshot *snapshot,
		      const struct history_key *key)
{
	struct detail detail;

	detail_init(snapshot, key, &detail);
	if (detail.sum.n > 0) {
		tally_add(&sum->columns->plan->shape, sum->tally, detail.sum.tallies);
		sum->lost |= (detail.sum.items[0].flags & ROW_LOST) != 0;
	}
	detail_fini(&detail);
}

static void add_tally(struct code_sum *sum, const struct snapshot *snapshot,
		      const struct history_key *key, bool tree)
{
	if (key->kind == HISTORY_MACHINE) {
		add_busy(sum, snapshot->totals, snapshot->idle);
	} else if (key->kind == HISTORY_TARGET) {
		if (snapshot->target)
			tally_add(&sum->columns->plan->shape, sum->tally, snapshot->target);
		sum->lost |= snapshot->target_lost;
	} else if (detail_is_of_cpus(key)) {
		add_cpus(sum, snapshot, key);
	} else if (tree) {
		add_tree(sum, snapshot, key);
	} else {
		add_tasks(sum, snapshot, key);
	}
}

bool code_sum_init(struct code_sum *sum, const struct snapshot *snapshot,
		   const struct history_key *key, bool tree)
{
	*sum = (struct code_sum){0};
	if (!snapshot->code)
		return false;
	sum->columns = columns_ref(snapshot->columns);
	sum->profile = profile_of_row(snapshot, key, tree);
	sum->tally = xcalloc(tally_width(&sum->columns->plan->shape), sizeof(*sum->tally));
	sum->interval_ns = snapshot->interval_ns;
	sum->uneven = snapshot->uneven;
	sum->intervals = 1;
	add_tally(sum, snapshot, key, tree);
	return true;
}

void code_sum_fini(struct code_sum *sum)
{
	if (sum->columns)
		columns_unref(sum->columns);
	code_profile_free(sum->profile);
	free(sum->tally);
	*sum = (struct code_sum){0};
}

void code_sum_add(struct code_sum *sum, const struct code_sum *more)
{
	if (!more->columns)
		return;
	if (!sum->columns) {
		sum->columns = columns_ref(more->columns);
		sum->tally = xcalloc(tally_width(&sum->columns->plan->shape), sizeof(*sum->tally));
	}
	struct code_profile *profile = sum->profile ? code_profile_sum(sum->profile, more->profile)
						    : code_profile_ref(more->profile);
	code_profile_free(sum->profile);
	sum->profile = profile;
	tally_add(&sum->columns->plan->shape, sum->tally, more->tally);
	sum->interval_ns += more->interval_ns;
	sum->intervals += more->intervals;
	sum->uneven = sum->uneven > more->uneven ? sum->uneven : more->uneven;
	sum->lost |= more->lost;
}

void code_sum_view(const struct code_sum *sum, enum history_kind kind, unsigned event,
		   struct code_view *view)
{
	/* All that a view reads of a snapshot if its profile has the samples of one row alone. */
	const struct snapshot snapshot = {
		.columns = sum->columns,
		.code = sum->profile,
		.interval_ns = sum->interval_ns,
		.uneven = sum->uneven,
	};
	const struct code_subject subject = {
		.key = history_key_of_all(kind),
		.selected = true,
		.tally = sum->tally,
		.lost = sum->lost,
	};
	struct code_index *index = code_index_new_exact(&snapshot);

	/* The view borrows the sum's profile, which outlives the index. */
	code_view_init(index, &subject, event, view);
	code_index_free(index);
}
