// SPDX-License-Identifier: MIT
/*
 * What the verdicts of all threads cost the machine or the target, in CPU time, so that they can be
 * compared. A verdict about running costs the CPU time of its threads, of stalled ones only what is
 * lost. Tasks that wait for a CPU would run on all CPUs at most. Tasks that are blocked would run
 * on CPUs that were idle meanwhile: with a busy machine their wait costs nothing, but counts.
 */
#include "core/view/verdict_internal.h"

#include "core/base/util.h"

#include <stdlib.h>

enum {
	BUSY_LEAST = 5,   /* percent of all CPU time; below, the machine is idle */
	SHARE_LEAST = 10, /* percent of what ran; below, a verdict is not the machine's */
	WAIT_LEAST = 20,  /* percent of a CPU; below, a wait is nothing on an idle machine either */
	STEAL_LEAST = 10, /* percent of all CPU time */
};

static uint64_t row_ns(const struct snapshot *snapshot, size_t i)
{
	return rows_tally(snapshot->columns, &snapshot->threads, i)[TALLY_TASK_CLOCK];
}

static void judge_rows(struct losses *losses)
{
	const struct snapshot *snapshot = losses->judge->snapshot;
	const struct rows *rows = &snapshot->threads;

	for (size_t i = 0; i < snapshot_ran(snapshot); i++) {
		const struct verdict_subject subject = {
			.figures = rows_figures(snapshot->columns, rows, i),
			.row = &rows->items[i],
		};
		const struct judgement judgement = judge_subject(losses->judge, &subject);
		uint64_t ns = row_ns(snapshot, i);

		losses->rows_ns += ns;
		losses->verdicts[i] = (unsigned char)judgement.verdict;
		if (!verdict_is_loss(judgement.verdict))
			continue;
		losses->costs_ns[i] = judgement_cost_ns(losses->judge, &judgement, &subject, ns);
		losses->ns[judgement.verdict] += losses->costs_ns[i];
		losses->held_ns[judgement.verdict] += losses->costs_ns[i];
		losses->n[judgement.verdict]++;
		losses->states[judgement.verdict] =
			figure_worse(losses->states[judgement.verdict], judgement.state);
	}
}

/* Rows are not all that ran: some are filtered, some ended before a scan found them. */
static uint64_t busy_ns(const struct snapshot *snapshot, uint64_t rows_ns)
{
	uint64_t busy =
		u64_growth(snapshot->idle[TALLY_TASK_CLOCK], snapshot->totals[TALLY_TASK_CLOCK]);

	return busy > rows_ns ? busy : rows_ns;
}

static void limit_losses(struct losses *losses)
{
	const struct snapshot *snapshot = losses->judge->snapshot;
	double all_ns = (double)losses->all_ns;
	double idle_ns = all_ns - (double)busy_ns(snapshot, losses->rows_ns);

	for (size_t v = 0; v < VERDICTS; v++) {
		enum verdict_cost cost = verdict_cost((enum verdict)v);
		double most = cost == COST_SLEEP ? idle_ns : all_ns;

		if ((cost == COST_SLEEP || cost == COST_QUEUES) && losses->ns[v] > most)
			losses->ns[v] = most;
	}
}

void losses_init(struct losses *losses, const struct judge *judge)
{
	const struct snapshot *snapshot = judge->snapshot;

	*losses = (struct losses){
		.judge = judge,
		.verdicts = xcalloc(snapshot->threads.n, sizeof(*losses->verdicts)),
		.costs_ns = xcalloc(snapshot->threads.n, sizeof(*losses->costs_ns)),
		.all_ns = snapshot->interval_ns * snapshot->n_cpus,
	};
	judge_rows(losses);
	limit_losses(losses);
	losses->ran_ns = snapshot->targeted ? losses->rows_ns : busy_ns(snapshot, losses->rows_ns);
	if (!snapshot->targeted && snapshot->machine.known[MACHINE_STEAL])
		losses->ns[VERDICT_STEAL] = losses->held_ns[VERDICT_STEAL] =
			snapshot->machine.values[MACHINE_STEAL] / 100 * (double)losses->all_ns;
}

void losses_fini(struct losses *losses)
{
	free(losses->verdicts);
	free(losses->costs_ns);
}

bool losses_are_idle(const struct losses *losses)
{
	return !losses->judge->snapshot->targeted &&
	       100 * losses->ran_ns < BUSY_LEAST * losses->all_ns;
}

static bool stands_out(const struct losses *losses, enum verdict verdict)
{
	const double ns = losses->held_ns[verdict];
	bool is_trait = ns > 0 && 100 * ns >= SHARE_LEAST * (double)losses->ran_ns;

	switch (verdict_cost(verdict)) {
	case COST_CPU_TIME:
	case COST_STALLS:
	case COST_PROCESSES:
		return is_trait && !losses_are_idle(losses);
	case COST_QUEUES:
	case COST_SLEEP:
		return is_trait &&
		       100 * ns >= WAIT_LEAST * (double)losses->judge->snapshot->interval_ns;
	case COST_CPUS:
		return ns > 0 && 100 * ns >= STEAL_LEAST * (double)losses->all_ns;
	case COST_STOP: /* findings_add_still() */
	case COST_NONE:
		break;
	}
	return false;
}

static bool costs_more(const struct losses *losses, enum verdict a, enum verdict b)
{
	if (losses->ns[a] != losses->ns[b])
		return losses->ns[a] > losses->ns[b];
	return losses->held_ns[a] > losses->held_ns[b];
}

size_t losses_order(const struct losses *losses, enum verdict order[VERDICTS])
{
	size_t n = 0;

	for (size_t v = 0; v < VERDICTS; v++) {
		size_t at = n;

		if (!stands_out(losses, (enum verdict)v))
			continue;
		for (n++; at > 0 && costs_more(losses, (enum verdict)v, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = (enum verdict)v;
	}
	return n;
}

struct part {
	pid_t pid;
	size_t row;
	double ns;
};

static int compare_parts(const void *a, const void *b)
{
	const struct part *part_a = a, *part_b = b;

	if (part_a->pid != part_b->pid)
		return part_a->pid < part_b->pid ? -1 : 1;
	return part_a->ns > part_b->ns ? -1 : part_a->ns < part_b->ns;
}

size_t losses_row(const struct losses *losses, enum verdict verdict)
{
	const struct rows *rows = &losses->judge->snapshot->threads;
	struct part *parts = xcalloc(losses->n[verdict], sizeof(*parts));
	size_t n = 0, best = 0;
	double best_ns = -1;

	for (size_t i = 0; i < rows->n; i++)
		if (losses->verdicts[i] == verdict)
			parts[n++] = (struct part){rows->items[i].pid, i, losses->costs_ns[i]};
	qsort(parts, n, sizeof(*parts), compare_parts);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (parts[i].pid != parts[first].pid)
			first = i;
		else if (i > first)
			parts[first].ns += parts[i].ns;
		if (parts[first].ns > best_ns) {
			best_ns = parts[first].ns;
			best = parts[first].row;
		}
	}
	free(parts);
	return best;
}
