// SPDX-License-Identifier: MIT
/*
 * What uses the CPUs: a busy CPU is never without a sentence. A process is named that used half a
 * CPU beside what findings about running have of it. Of the rest, which may be many short
 * processes, the lowest ancestor is named that has most of it below it.
 */
#include "core/view/finding_internal.h"

#include "core/base/hash_table.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/snapshot/rollup.h"

#include <stdio.h>
#include <stdlib.h>

#define LEAST_CPUS 0.5 /* a process, or all others together, with less has no sentence */
#define MOST       0.8 /* an ancestor of so much of the rest is named */

enum {
	KTHREADD = 2,     /* neither the first process nor this one names its descendants */
	ANCESTORS = 1000, /* so many are looked at, above each process */
};

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

static bool has_finding(const struct findings *findings, enum verdict verdict)
{
	for (size_t i = 0; i < findings->n; i++)
		if (findings->items[i].verdict == verdict)
			return true;
	return false;
}

/* Whether a finding is about what the thread does while it runs. */
static bool is_covered(const struct findings *findings, enum verdict verdict)
{
	enum verdict_cost cost = verdict_cost(verdict);

	return (cost == COST_CPU_TIME || cost == COST_STALLS) && has_finding(findings, verdict);
}

/* %CPU of a thread. Without that column: of its time, which may be a lower bound. */
static struct figure thread_percent(const struct snapshot *snapshot, size_t i)
{
	const struct columns *columns = snapshot->columns;
	const uint64_t *tally = rows_tally(columns, &snapshot->threads, i);
	int metric = columns_metric(columns, "cpu_percent");

	if (metric >= 0)
		return rows_figures(columns, &snapshot->threads, i)[metric];
	return (struct figure){
		.value = 100 * (double)tally[TALLY_TASK_CLOCK] / (double)snapshot->interval_ns,
		.share = 1,
		.state = snapshot->threads.items[i].flags & ROW_LOST ? FIGURE_LOST : FIGURE_VALID,
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
		struct figure percent = thread_percent(snapshot, i);

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

static void append_name(struct finding *finding, const struct row *row)
{
	char pid[24];

	finding->pid = finding->tid = row->pid;
	verdict_append_comm(finding->text, sizeof(finding->text), row);
	snprintf(pid, sizeof(pid), " (%d)", row->pid);
	verdict_append(finding->text, sizeof(finding->text), pid);
}

/* " use 1.9 of 2 CPUs"; before a lower bound " at least", before an estimate "~". */
static void append_use(struct finding *finding, const struct consumers *consumers, bool several,
		       enum figure_state state)
{
	const size_t cpus = consumers->snapshot->n_cpus;
	char number[40], of[40] = "", text[120];

	text_fixed(number, sizeof(number), finding->cpus, 1);
	if (finding->cpus <= (double)cpus)
		snprintf(of, sizeof(of), " of %zu", cpus);
	snprintf(text, sizeof(text), " use%s %s%s%s CPU%s", several ? "" : "s",
		 state == FIGURE_LOST ? "at least " : figure_mark(state), number, of,
		 cpus == 1 ? "" : "s");
	verdict_append(finding->text, sizeof(finding->text), text);
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
			findings_add(findings, VERDICT_NONE, item->percent.value / 100);
		item->named = true;
		append_name(finding, &consumers->tree.items[best]);
		append_use(finding, consumers, false, item->percent.state);
	}
}

/* Adds up what has no sentence, below each row. */
static struct figure sum_rest(struct consumers *consumers, size_t *n)
{
	struct figure all = figure_exact(0);

	*n = 0;
	for (size_t i = 0; i < consumers->tree.n; i++) {
		struct consumer *item = &consumers->items[i];
		size_t up = consumers->tree.parents[i];

		if (!item->named && item->percent.value <= 0)
			continue;
		if (!item->named) {
			all = figure_sum(all, item->percent);
			item->rest = figure_sum(item->rest, item->percent);
			++*n;
		}
		for (unsigned k = 0; k < ANCESTORS && up != SIZE_MAX; k++) {
			struct consumer *above = &consumers->items[up];

			above->named_below += item->named;
			above->descendants += !item->named;
			if (!item->named)
				above->rest = figure_sum(above->rest, item->percent);
			up = consumers->tree.parents[up];
		}
	}
	return all;
}

static unsigned depth(const struct consumers *consumers, size_t i)
{
	unsigned depth = 0;

	while (depth < ANCESTORS && (i = consumers->tree.parents[i]) != SIZE_MAX)
		depth++;
	return depth;
}

/* Returns the lowest row that has most of the rest below it; SIZE_MAX: none that tells anything. */
static size_t common_ancestor(const struct consumers *consumers, double all)
{
	size_t best = SIZE_MAX;
	unsigned best_depth = 0;

	for (size_t i = 0; i < consumers->tree.n; i++) {
		if (consumers->tree.items[i].pid <= KTHREADD ||
		    consumers->items[i].descendants == 0 ||
		    consumers->items[i].rest.value < MOST * all)
			continue;
		if (best == SIZE_MAX || depth(consumers, i) > best_depth) {
			best = i;
			best_depth = depth(consumers, i);
		}
	}
	return best;
}

/* "make (77) and 312 descendants", "312 descendants of make (77)" if it has a sentence of its own
 */
static void append_family(struct finding *finding, const struct consumers *consumers, size_t i)
{
	const struct consumer *item = &consumers->items[i];
	char text[64];

	if (!item->named)
		append_name(finding, &consumers->tree.items[i]);
	snprintf(text, sizeof(text), "%s%zu %sdescendant%s%s", item->named ? "" : " and ",
		 item->descendants, item->named_below > 0 ? "other " : "",
		 item->descendants == 1 ? "" : "s", item->named ? " of " : "");
	verdict_append(finding->text, sizeof(finding->text), text);
	if (item->named)
		append_name(finding, &consumers->tree.items[i]);
}

/* "make (77) and 312 descendants use 1.9 of 2 CPUs", or "45 other processes use 1.2 of 2 CPUs" */
static void add_rest(struct findings *findings, struct consumers *consumers)
{
	char text[48];
	size_t n;
	struct figure rest = sum_rest(consumers, &n);

	if (rest.value < 100 * LEAST_CPUS)
		return;
	size_t ancestor = common_ancestor(consumers, rest.value);
	if (ancestor != SIZE_MAX)
		rest = consumers->items[ancestor].rest;
	struct finding *finding = findings_add(findings, VERDICT_NONE, rest.value / 100);
	if (ancestor != SIZE_MAX) {
		append_family(finding, consumers, ancestor);
	} else {
		snprintf(text, sizeof(text), "%zu %sprocess%s", n, findings->n > 1 ? "other " : "",
			 n == 1 ? "" : "es");
		verdict_append(finding->text, sizeof(finding->text), text);
	}
	append_use(finding, consumers, ancestor != SIZE_MAX || n > 1, rest.state);
}

void findings_add_consumers(struct findings *findings, const struct losses *losses)
{
	const double least_ns = LEAST_CPUS * (double)losses->judge->snapshot->interval_ns;
	struct consumers consumers;

	if ((double)losses->rows_ns < least_ns)
		return;
	consumers_init(&consumers, findings, losses);
	add_processes(findings, &consumers);
	/* What a finding has of forks is of the processes that were started. */
	if (findings->n < FINDINGS_MAX && !has_finding(findings, VERDICT_FORKS))
		add_rest(findings, &consumers);
	consumers_fini(&consumers);
}
