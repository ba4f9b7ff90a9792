// SPDX-License-Identifier: MIT
/*
 * What uses the CPUs: a busy CPU is never without a sentence. A process is named that used half a
 * CPU beside what findings about running have of it. Of the rest, which may be many short
 * processes, the lowest ancestor is named that has most of it below it.
 */
#include "core/base/figure_mark.h"
#include "core/view/finding_internal.h"

#include "core/base/hash_table.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/snapshot/rollup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_CPUS 0.5 /* a process, or all others together, with less has no sentence */
#define MOST       0.8 /* an ancestor of so much of the rest is named */

enum { KTHREADD = 2 }; /* neither the first process nor this one names its descendants */

/* A process, without what findings have of it. */
struct consumer {
	struct figure percent; /* of a CPU */
	bool named;            /* has a sentence */
	/* Of all without a sentence, of it and below it. */
	struct figure rest;
	size_t descendants, named_below;
};

struct consumers {
	const struct snapshot *snapshot;
	struct rows tree;       /* owned */
	struct consumer *items; /* one for each row; owned */
};

/* Whether a finding is about what the thread does while it runs. */
static bool is_covered(const struct findings *findings, enum verdict verdict)
{
	enum verdict_cost cost = verdict_cost(verdict);

	return (cost == COST_CPU_TIME || cost == COST_STALLS) && findings_have(findings, verdict);
}

/* %CPU of a thread. Without that column: of its time, which may be a lower bound. */
static struct figure thread_percent(const struct judge *judge, size_t i)
{
	const struct snapshot *snapshot = judge->snapshot;
	const struct rows *rows = &snapshot->threads;
	const uint64_t *tally = rows_tally(snapshot->columns, rows, i);

	if (judge->cpu_percent >= 0)
		return rows_figures(snapshot->columns, rows, i)[judge->cpu_percent];
	return (struct figure){
		.value = 100 * (double)tally[TALLY_TASK_CLOCK] / (double)snapshot->interval_ns,
		.share = 1,
		.state = rows->items[i].flags & ROW_LOST ? FIGURE_LOST : FIGURE_VALID,
	};
}

static void add_threads(struct consumers *consumers, const struct findings *findings,
			const struct losses *losses)
{
	const struct snapshot *snapshot = consumers->snapshot;
	struct hash_table index;

	hash_table_init(&index, consumers->tree.n);
	for (size_t i = 0; i < consumers->tree.n; i++)
		hash_table_add(&index, (uint32_t)consumers->tree.items[i].pid)->number = i + 1;
	for (size_t i = 0; i < snapshot_ran(snapshot); i++) {
		size_t at =
			hash_table_slot(&index, (uint32_t)snapshot->threads.items[i].pid)->number;
		struct figure percent = thread_percent(losses->judge, i);

		if (at > 0 && figure_known(percent) &&
		    !is_covered(findings, (enum verdict)losses->verdicts[i]))
			consumers->items[at - 1].percent =
				figure_sum(consumers->items[at - 1].percent, percent);
	}
	hash_table_fini(&index);
}

static void consumers_init(struct consumers *consumers, const struct findings *findings,
			   const struct losses *losses)
{
	*consumers = (struct consumers){.snapshot = losses->judge->snapshot};
	rollup_tallies(consumers->snapshot, ROLLUP_TREE, &consumers->tree);
	consumers->items = xcalloc(consumers->tree.n, sizeof(*consumers->items));
	for (size_t i = 0; i < consumers->tree.n; i++)
		consumers->items[i].percent = consumers->items[i].rest = figure_exact(0);
	add_threads(consumers, findings, losses);
}

static void consumers_fini(struct consumers *consumers)
{
	free(consumers->items);
	rows_fini(&consumers->tree);
}

static void append_task(struct finding *finding, const struct row *row)
{
	finding->pid = finding->tid = row->pid;
	verdict_append_task(finding->text, sizeof(finding->text), row);
}

/* " use 1.9 of 2 CPUs"; before a lower bound " at least", before an estimate "~". */
static void append_use(struct finding *finding, const struct snapshot *snapshot, bool several)
{
	const size_t cpus = snapshot->n_cpus;
	char number[40], of[40] = "", text[120];

	text_fixed(number, sizeof(number), finding->cpus, 1);
	if (finding->cpus < (double)cpus + 0.05) /* as it is printed */
		snprintf(of, sizeof(of), " of %zu", cpus);
	snprintf(text, sizeof(text), " use%s %s%s%s CPU%s", several ? "" : "s",
		 finding->state == FIGURE_LOST ? "at least " : figure_mark(finding->state), number,
		 of, cpus == 1 ? "" : "s");
	verdict_append(finding->text, sizeof(finding->text), text);
}

static struct finding *add_use(struct findings *findings, double cpus, enum figure_state state)
{
	struct finding *finding = findings_add(findings, FINDING_OF_USE, VERDICT_NONE);

	finding->cpus = cpus;
	finding->state = state;
	return finding;
}

/* Names the processes with half a CPU, the busiest first: "spin (77) uses 1.0 of 2 CPUs". */
static void add_processes(struct findings *findings, struct consumers *consumers)
{
	while (findings->n < FINDINGS_MAX) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < consumers->tree.n; i++) {
			const struct consumer *item = &consumers->items[i];

			if (consumers->tree.items[i].pid > 0 && !item->named &&
			    item->percent.value >= 100 * LEAST_CPUS &&
			    (best == SIZE_MAX ||
			     item->percent.value > consumers->items[best].percent.value))
				best = i;
		}
		if (best == SIZE_MAX)
			return;
		struct consumer *item = &consumers->items[best];
		struct finding *finding =
			add_use(findings, item->percent.value / 100, item->percent.state);
		item->named = true;
		append_task(finding, &consumers->tree.items[best]);
		append_use(finding, consumers->snapshot, false);
	}
}

/* Adds up what has no sentence, below each row. Returns the sum, and the number of processes. */
static struct figure sum_rest(struct consumers *consumers, const size_t *leaves_first, size_t *n)
{
	struct figure all = figure_exact(0);

	*n = 0;
	for (size_t k = 0; k < consumers->tree.n; k++) {
		struct consumer *item = &consumers->items[leaves_first[k]];
		size_t parent = consumers->tree.parents[leaves_first[k]];
		bool counts = !item->named && item->percent.value > 0;

		if (counts) {
			all = figure_sum(all, item->percent);
			item->rest = figure_sum(item->rest, item->percent);
			++*n;
		}
		if (parent == SIZE_MAX)
			continue;
		struct consumer *above = &consumers->items[parent];
		above->rest = figure_sum(above->rest, item->rest);
		above->descendants += item->descendants + counts;
		above->named_below += item->named_below + item->named;
	}
	return all;
}

/*
 * Returns the lowest row that has most of the rest below it; SIZE_MAX: none. Two that have are
 * above one another.
 */
static size_t common_ancestor(const struct consumers *consumers, const size_t *leaves_first,
			      double all)
{
	for (size_t k = 0; k < consumers->tree.n; k++) {
		size_t i = leaves_first[k];

		if (consumers->tree.items[i].pid > KTHREADD &&
		    consumers->items[i].descendants > 0 &&
		    consumers->items[i].rest.value >= MOST * all)
			return i;
	}
	return SIZE_MAX;
}

/* "make (77) and 312 descendants"; "312 descendants of make (77)", if make has a sentence. */
static void append_family(struct finding *finding, const struct consumers *consumers, size_t i)
{
	const struct consumer *item = &consumers->items[i];
	const struct row *row = &consumers->tree.items[i];
	const size_t size = sizeof(finding->text);
	char descendants[48];

	snprintf(descendants, sizeof(descendants), "%zu %sdescendant%s", item->descendants,
		 item->named_below > 0 ? "other " : "", item->descendants == 1 ? "" : "s");
	if (item->named) {
		verdict_append(finding->text, size, descendants);
		verdict_append(finding->text, size, " of ");
		append_task(finding, row);
	} else {
		append_task(finding, row);
		verdict_append(finding->text, size, " and ");
		verdict_append(finding->text, size, descendants);
	}
}

/* Returns a process without a sentence, of those whose name has most of the rest. */
static const struct row *most_of_rest(const struct consumers *consumers)
{
	const struct rows *tree = &consumers->tree;
	double *sums = xcalloc(tree->n, sizeof(*sums)); /* of a name, at its first process */
	struct hash_table names;
	size_t most = 0;

	hash_table_init(&names, 0);
	for (size_t i = 0; i < tree->n; i++) {
		const struct consumer *item = &consumers->items[i];
		uint64_t key = hash_text(tree->items[i].comm);
		struct hash_slot *slot = hash_table_slot(&names, key);

		if (item->named || !(item->percent.value > 0))
			continue;
		while (slot->item &&
		       strcmp(tree->items[slot->number - 1].comm, tree->items[i].comm) != 0)
			slot = hash_table_next(&names, slot);
		if (!slot->item)
			(slot = hash_table_add(&names, key))->number = i + 1;
		sums[slot->number - 1] += item->percent.value;
		if (sums[slot->number - 1] > sums[most])
			most = slot->number - 1;
	}
	hash_table_fini(&names);
	free(sums);
	return &tree->items[most];
}

/* "45 other processes (most: cc1)" */
static void append_processes(struct finding *finding, const struct consumers *consumers, size_t n,
			     bool other)
{
	const size_t size = sizeof(finding->text);
	const bool several = n > 1;

	snprintf(finding->text, size, "%zu %sprocess%s (%s", n, other ? "other " : "",
		 several ? "es" : "", several ? "most: " : "");
	verdict_append_comm(finding->text, size, most_of_rest(consumers));
	verdict_append(finding->text, size, ")");
}

/*
 * "make (77) and 312 descendants use 1.9 of 2 CPUs", or "45 other processes (most: cc1) use 1.2 of
 * 2 CPUs"
 */
static void add_rest(struct findings *findings, struct consumers *consumers)
{
	size_t *leaves_first = rollup_leaves_first(&consumers->tree), n;
	struct figure rest = sum_rest(consumers, leaves_first, &n);
	size_t ancestor = common_ancestor(consumers, leaves_first, rest.value);

	free(leaves_first);
	if (rest.value < 100 * LEAST_CPUS)
		return;
	if (ancestor != SIZE_MAX)
		rest = consumers->items[ancestor].rest;
	struct finding *finding = add_use(findings, rest.value / 100, rest.state);
	if (ancestor != SIZE_MAX)
		append_family(finding, consumers, ancestor);
	else
		append_processes(finding, consumers, n, findings->n > 1);
	append_use(finding, consumers->snapshot, ancestor != SIZE_MAX || n > 1);
}

/* What has no row: "tasks outside of this pid namespace use ~1.0 of 2 CPUs". */
static void add_outside(struct findings *findings, const struct snapshot *snapshot)
{
	if (snapshot->targeted || !snapshot_has_others(snapshot) || findings->n == FINDINGS_MAX)
		return;
	/* Interrupts of idle CPUs may be in it. */
	uint64_t ns = u64_growth(snapshot_doubt_ns(snapshot), snapshot->others[TALLY_TASK_CLOCK]);
	double cpus = (double)ns / (double)snapshot->interval_ns;
	if (cpus < LEAST_CPUS)
		return;
	struct finding *finding = add_use(findings, cpus, FIGURE_SCALED);
	text_copy(finding->subject, sizeof(finding->subject), "outside");
	text_copy(finding->text, sizeof(finding->text), "tasks outside of this pid namespace");
	append_use(finding, snapshot, true);
}

void findings_add_consumers(struct findings *findings, const struct losses *losses)
{
	const double least_ns = LEAST_CPUS * (double)losses->judge->snapshot->interval_ns;
	struct consumers consumers;

	if ((double)losses->rows_ns >= least_ns) {
		consumers_init(&consumers, findings, losses);
		add_processes(findings, &consumers);
		/* What a finding has of forks is of the processes that were started. */
		if (findings->n < FINDINGS_MAX && !findings_have(findings, VERDICT_FORKS))
			add_rest(findings, &consumers);
		consumers_fini(&consumers);
	}
	add_outside(findings, losses->judge->snapshot);
}
