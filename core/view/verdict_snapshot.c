// SPDX-License-Identifier: MIT
/*
 * The verdict of the machine or the target: each thread is judged, and the loss with the most CPU
 * time names the machine, if it has a tenth of what ran. Of stalled threads only the time counts
 * that is lost. If no loss stands out, the sum of all rows is judged.
 */
#include "core/view/verdict_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/cpu_stall.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	BUSY_LEAST = 5,   /* percent of all CPU time; below, the machine is idle */
	SHARE_LEAST = 10, /* percent of what ran; below, a verdict is not the machine's */
};

/* CPU time by verdict. */
struct shares {
	uint64_t ns[VERDICTS]; /* sums of verdict_ns() */
	uint64_t rows_ns;
	unsigned char *verdicts; /* of each row; owned */
};

static uint64_t row_ns(const struct snapshot *snapshot, size_t i)
{
	return rows_tally(snapshot->columns, &snapshot->threads, i)[TALLY_TASK_CLOCK];
}

/* Returns the CPU time of the row; of a stalled row, the time lost. */
static uint64_t verdict_ns(const struct judge *judge, size_t i, enum verdict verdict)
{
	const struct snapshot *snapshot = judge->snapshot;
	uint64_t ns = row_ns(snapshot, i);

	if (verdict != VERDICT_STALLED)
		return ns;
	double ipc = rows_figures(snapshot->columns, &snapshot->threads, i)[judge->ipc].value;
	double lost_ns = (double)ns * cpu_stall_share(ipc);
	/* A broken recording may have nearly 2^64 ns, which a double rounds up beyond u64. */
	return lost_ns < (double)ns ? (uint64_t)lost_ns : ns;
}

static void sum_shares(const struct judge *judge, struct shares *shares)
{
	const struct snapshot *snapshot = judge->snapshot;
	const struct rows *rows = &snapshot->threads;

	shares->verdicts = xcalloc(rows->n, sizeof(*shares->verdicts));
	for (size_t i = 0; i < snapshot_ran(snapshot); i++) {
		enum verdict verdict =
			judge_figures(judge, rows_figures(snapshot->columns, rows, i),
				      rows->items[i].flags)
				.verdict;

		shares->verdicts[i] = (unsigned char)verdict;
		shares->ns[verdict] += verdict_ns(judge, i, verdict);
		shares->rows_ns += row_ns(snapshot, i);
	}
}

struct part {
	pid_t pid;
	size_t row;
	uint64_t ns;
};

static int compare_parts(const void *a, const void *b)
{
	const struct part *part_a = a, *part_b = b;

	if (part_a->pid != part_b->pid)
		return part_a->pid < part_b->pid ? -1 : 1;
	return part_a->ns > part_b->ns ? -1 : part_a->ns < part_b->ns;
}

/* Returns the busiest thread of the process with the most time of a verdict. */
static size_t heaviest_row(const struct judge *judge, const struct shares *shares,
			   enum verdict verdict)
{
	const struct rows *rows = &judge->snapshot->threads;
	struct part *parts = xcalloc(rows->n, sizeof(*parts));
	size_t n = 0, best = 0;
	uint64_t best_ns = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (shares->verdicts[i] == verdict)
			parts[n++] =
				(struct part){rows->items[i].pid, i, verdict_ns(judge, i, verdict)};
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

/* "1.9 of 8 CPUs' time in memory-bound tasks: postgres (IPC 0.31, caMPKI 24.10)" */
static void describe_share(const struct judge *judge, const struct shares *shares,
			   enum verdict verdict, char *text, size_t size)
{
	const struct snapshot *snapshot = judge->snapshot;
	const struct columns *columns = snapshot->columns;
	size_t heaviest = heaviest_row(judge, shares, verdict);
	const struct row *row = &snapshot->threads.items[heaviest];
	const struct figure *figures = rows_figures(columns, &snapshot->threads, heaviest);
	struct judgement judgement = judge_figures(judge, figures, row->flags);
	char number[40], comm[3 * sizeof(row->comm)];

	text_fixed(number, sizeof(number),
		   (double)shares->ns[verdict] / (double)snapshot->interval_ns, 1);
	text_printable(comm, sizeof(comm), row->comm, sizeof(row->comm));
	snprintf(text, size, "%s%s of %zu CPUs' time %s: %s (",
		 verdict == VERDICT_STALLED ? "at least " : "", number, snapshot->n_cpus,
		 verdict_time(verdict), comm[0] ? comm : "?");
	verdict_append_figures(judge, &judgement, figures, false, text, size);
	verdict_append(text, size, ")");
}

/* Rows are not all that ran: some are filtered, some ended before a scan found them. */
static uint64_t busy_ns(const struct snapshot *snapshot, const struct shares *shares)
{
	uint64_t busy =
		u64_growth(snapshot->idle[TALLY_TASK_CLOCK], snapshot->totals[TALLY_TASK_CLOCK]);

	return busy > shares->rows_ns ? busy : shares->rows_ns;
}

static void describe_unattributed(const struct snapshot *snapshot, char *text, size_t size)
{
	char percent[24];

	text_percent(percent, sizeof(percent), snapshot_unattributed_time(snapshot));
	snprintf(text, size,
		 "%s of CPU time could not be attributed in this refresh; rows are too low",
		 percent);
}

/* Returns the subject of the sentence, or "" if it is the machine. */
static const char *scope_prefix(const struct snapshot *snapshot)
{
	if (!snapshot->target_figures)
		return "";
	return snapshot->targeted ? "the target is " : "your tasks are ";
}

enum verdict verdict_of_snapshot(const struct snapshot *snapshot, char *text, size_t size)
{
	char stub[1];
	uint64_t all_ns = snapshot->interval_ns * snapshot->n_cpus;
	const struct figure *figures =
		snapshot->target_figures ? snapshot->target_figures : snapshot->figures;
	enum verdict worst = VERDICT_NONE;
	struct shares shares = {0};
	struct judge judge;

	if (!text) {
		text = stub;
		size = sizeof(stub);
	}
	text[0] = '\0';
	judge_init(&judge, snapshot);
	sum_shares(&judge, &shares);
	uint64_t ran_ns = snapshot->targeted ? shares.rows_ns : busy_ns(snapshot, &shares);
	for (size_t v = VERDICT_FINE + 1; v < VERDICTS; v++)
		if (shares.ns[v] > shares.ns[worst] || !verdict_is_loss(worst))
			worst = (enum verdict)v;
	if (!snapshot->targeted && 100 * ran_ns < BUSY_LEAST * all_ns) {
		snprintf(text, size, "idle-ish: less than %d%% of the CPUs' time was used",
			 BUSY_LEAST);
		worst = VERDICT_IDLE;
	} else if (snapshot_rows_too_low(snapshot)) {
		describe_unattributed(snapshot, text, size);
		worst = VERDICT_NONE;
	} else if (shares.ns[worst] > 0 && 100 * shares.ns[worst] >= SHARE_LEAST * ran_ns) {
		describe_share(&judge, &shares, worst, text, size);
	} else {
		struct judgement judgement = judge_figures(&judge, figures, 0);
		const char *prefix = judgement.rule < 0 ? "" : scope_prefix(snapshot);
		size_t length = text_copy(text, size, prefix);

		verdict_explain(&judge, &judgement, figures, text + length, size - length);
		worst = judgement.verdict;
	}
	free(shares.verdicts);
	return worst;
}
