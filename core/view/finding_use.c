// SPDX-License-Identifier: MIT
/*
 * Who uses the CPUs: a busy CPU is never without a sentence. A process that used half a CPU is
 * named. Of the rest, which may be many short processes, the ancestor that has most of it below it.
 */
#include "core/view/finding_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/snapshot/rollup.h"

#include <stdio.h>
#include <stdlib.h>

#define USER_CPUS 0.5 /* a process, or all others together, with less has no sentence */
#define MOST      0.8 /* an ancestor of so much of the rest is named */

/* The processes as a tree, and what each used itself. */
struct users {
	const struct snapshot *snapshot;
	struct rows tree;    /* with the sums of the descendants; owned */
	uint64_t *own_ns;    /* without them; owned */
	bool *named;         /* has a sentence; owned */
	uint64_t *rest_ns;   /* of all below it, and itself, that have none; owned */
	size_t *descendants; /* of these; owned */
};

static uint64_t tree_ns(const struct users *users, size_t i)
{
	return rows_tally(users->snapshot->columns, &users->tree, i)[TALLY_TASK_CLOCK];
}

static void users_init(struct users *users, const struct snapshot *snapshot)
{
	*users = (struct users){.snapshot = snapshot};
	rollup_tallies(snapshot, ROLLUP_TREE, &users->tree);
	const size_t n = users->tree.n;
	users->own_ns = xcalloc(n, sizeof(*users->own_ns));
	users->named = xcalloc(n, sizeof(*users->named));
	users->rest_ns = xcalloc(n, sizeof(*users->rest_ns));
	users->descendants = xcalloc(n, sizeof(*users->descendants));
	for (size_t i = 0; i < n; i++)
		users->own_ns[i] = tree_ns(users, i);
	for (size_t i = 0; i < n; i++)
		if (users->tree.parents[i] != SIZE_MAX) {
			uint64_t *own_ns = &users->own_ns[users->tree.parents[i]];
			*own_ns = u64_growth(tree_ns(users, i), *own_ns);
		}
}

static void users_fini(struct users *users)
{
	free(users->own_ns);
	free(users->named);
	free(users->rest_ns);
	free(users->descendants);
	rows_fini(&users->tree);
}

static bool is_told(const struct findings *findings, pid_t pid)
{
	for (size_t i = 0; i < findings->n; i++)
		if (findings->items[i].pid == pid)
			return true;
	return false;
}

/* " use 1.9 of 2 CPUs"; before a lower bound " at least", before an estimate "~". */
static void append_use(struct finding *finding, const struct users *users, size_t n,
		       enum figure_state state)
{
	const size_t cpus = users->snapshot->n_cpus;
	char number[40], text[80];

	text_fixed(number, sizeof(number), finding->cpus, 1);
	snprintf(text, sizeof(text), " use%s %s%s of %zu CPU%s", n == 1 ? "s" : "",
		 state == FIGURE_LOST ? "at least " : figure_mark(state), number, cpus,
		 cpus == 1 ? "" : "s");
	verdict_append(finding->text, sizeof(finding->text), text);
}

/* The state of the row's CPU time. */
static enum figure_state state_of(const struct users *users, size_t i)
{
	const struct row *row = &users->tree.items[i];

	if (row->flags & ROW_LOST)
		return FIGURE_LOST;
	return row_doubt(row, rows_tally(users->snapshot->columns, &users->tree, i)) > 0
		       ? FIGURE_SCALED
		       : FIGURE_VALID;
}

/* "spin (77) uses 1.0 of 2 CPUs", "make (77) and 312 descendants use 1.9 of 2 CPUs" */
static void add_user(struct findings *findings, const struct users *users, size_t i, uint64_t ns)
{
	const struct row *row = &users->tree.items[i];
	const size_t n = users->descendants[i];
	struct finding *finding = findings_add(findings, VERDICT_CPU,
					       (double)ns / (double)users->snapshot->interval_ns);
	char pid[24], below[48] = "";

	finding->pid = finding->tid = row->pid;
	verdict_append_comm(finding->text, sizeof(finding->text), row);
	snprintf(pid, sizeof(pid), " (%d)", row->pid);
	verdict_append(finding->text, sizeof(finding->text), pid);
	if (n > 0)
		snprintf(below, sizeof(below), " and %zu descendant%s", n, n == 1 ? "" : "s");
	verdict_append(finding->text, sizeof(finding->text), below);
	append_use(finding, users, 1 + n, state_of(users, i));
}

/* Names the processes with half a CPU, the busiest first. */
static void add_processes(struct findings *findings, struct users *users)
{
	const double least_ns = USER_CPUS * (double)users->snapshot->interval_ns;

	while (findings->n < FINDINGS_MAX) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < users->tree.n; i++)
			if (!users->named[i] && (double)users->own_ns[i] >= least_ns &&
			    (best == SIZE_MAX || users->own_ns[i] > users->own_ns[best]))
				best = i;
		if (best == SIZE_MAX)
			return;
		users->named[best] = true;
		if (!is_told(findings, users->tree.items[best].pid))
			add_user(findings, users, best, users->own_ns[best]);
	}
}

/* Adds up what has no sentence, below each row. Returns the sum. */
static uint64_t sum_rest(struct users *users)
{
	uint64_t all_ns = 0;

	for (size_t i = 0; i < users->tree.n; i++) {
		if (users->named[i] || users->own_ns[i] == 0)
			continue;
		all_ns += users->own_ns[i];
		users->rest_ns[i] += users->own_ns[i];
		for (size_t up = users->tree.parents[i]; up != SIZE_MAX;
		     up = users->tree.parents[up]) {
			users->rest_ns[up] += users->own_ns[i];
			users->descendants[up]++;
		}
	}
	return all_ns;
}

/* Returns the lowest row that has most of the rest; SIZE_MAX: none but the first process. */
static size_t common_ancestor(const struct users *users, uint64_t all_ns)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < users->tree.n; i++)
		if (users->tree.items[i].pid > 1 &&
		    (double)users->rest_ns[i] >= MOST * (double)all_ns &&
		    (best == SIZE_MAX || users->descendants[i] < users->descendants[best]))
			best = i;
	return best;
}

/* "45 other processes use 1.2 of 2 CPUs" */
static void add_others(struct findings *findings, const struct users *users, uint64_t all_ns)
{
	struct finding *finding = findings_add(
		findings, VERDICT_CPU, (double)all_ns / (double)users->snapshot->interval_ns);
	enum figure_state state = FIGURE_VALID;
	size_t n = 0;

	for (size_t i = 0; i < users->tree.n; i++)
		if (!users->named[i] && users->own_ns[i] > 0) {
			state = figure_worse(state, state_of(users, i));
			n++;
		}
	snprintf(finding->text, sizeof(finding->text), "%zu %sprocess%s", n,
		 findings->n > 1 ? "other " : "", n == 1 ? "" : "es");
	append_use(finding, users, n, state);
}

static void add_rest(struct findings *findings, struct users *users)
{
	uint64_t all_ns = sum_rest(users);

	if ((double)all_ns < USER_CPUS * (double)users->snapshot->interval_ns)
		return;
	size_t ancestor = common_ancestor(users, all_ns);
	if (ancestor == SIZE_MAX)
		add_others(findings, users, all_ns);
	else if (!is_told(findings, users->tree.items[ancestor].pid))
		add_user(findings, users, ancestor, users->rest_ns[ancestor]);
}

void findings_add_users(struct findings *findings, const struct losses *losses)
{
	const struct snapshot *snapshot = losses->judge->snapshot;
	struct users users;

	if ((double)losses->rows_ns < USER_CPUS * (double)snapshot->interval_ns)
		return;
	users_init(&users, snapshot);
	add_processes(findings, &users);
	if (findings->n < FINDINGS_MAX)
		add_rest(findings, &users);
	users_fini(&users);
}
