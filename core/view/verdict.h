// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VERDICT_H
#define PMCTOP_VERDICT_H

#include "core/base/figure.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What limits a task, a CPU or the machine, in one word. A const table has the rules: conditions on
 * metrics, with the thresholds of those metrics. A rule with an unknown figure does not fire. If no
 * rule fires there is no verdict. A row with figures that are too low (ROW_LOST) has no verdict.
 */
enum verdict {
	VERDICT_NONE,
	VERDICT_IDLE,     /* hardly ran */
	VERDICT_FINE,     /* no counted figure stands out */
	VERDICT_KERNEL,   /* runs mostly in the kernel */
	VERDICT_SWITCHES, /* is switched away after very short slices */
	VERDICT_FAULTS,
	VERDICT_MEMORY,   /* waits for loads and stores */
	VERDICT_BRANCH,   /* works on wrong paths */
	VERDICT_FRONTEND, /* waits for instructions */
	VERDICT_CORE,     /* waits for execution units, or for its own results */
	VERDICT_BACKEND,  /* CORE or MEMORY: not counted which */
	VERDICT_STALLED,  /* waits, for no counted reason */
	VERDICTS,
};

/* "memory-bound", "thrashing switches"; "none" */
const char *verdict_name(enum verdict verdict);
/* Of at most eight columns: "memory", "switches"; "-" for none. */
const char *verdict_label(enum verdict verdict);
/* Returns whether the verdict is a loss of CPU time. */
bool verdict_is_loss(enum verdict verdict);

enum {
	VERDICT_RULES_MAX = 32,
	VERDICT_CONDITIONS_MAX = 3,
};

/* A rule, in the words of the manual. */
struct verdict_rule {
	unsigned tier; /* rules of a later tier are used only if none of an earlier tier fires */
	enum verdict verdict;
	char conditions[128]; /* by metrics' names: "ipc < 1 and cache_mpki (as L2MPKI) >= 10" */
};

/* In the order of their tiers. */
extern const size_t verdict_rules_n;
struct verdict_rule verdict_rule_at(size_t i);

/* The rules that the columns of a snapshot have all metrics for. */
struct judge {
	const struct snapshot *snapshot; /* borrowed */
	/* The metric of each condition of each rule, or -1. */
	short metrics[VERDICT_RULES_MAX][VERDICT_CONDITIONS_MAX];
	short factors[VERDICT_RULES_MAX][VERDICT_CONDITIONS_MAX];
	short unless[VERDICT_RULES_MAX];
	short cpu_percent, ipc; /* or -1 */
	/* The rules with all their metrics, in the order of the table. */
	unsigned char usable[VERDICT_RULES_MAX];
	size_t n_usable;
};

void judge_init(struct judge *judge, const struct snapshot *snapshot);

struct judgement {
	enum verdict verdict;
	int rule; /* the rule that fired, for verdict_explain; -1: none */
	/* Last figure / limit, 1..4; less than 1 if the verdict is no loss. */
	double severity;
	enum figure_state state; /* VALID, SCALED or LOST: the least certain figure's */
};

/* Judges figures[n_metrics] of a row (with its flags), a CPU or the machine (flags 0). */
struct judgement judge_figures(const struct judge *judge, const struct figure *figures,
			       unsigned flags);

/*
 * Writes the rule that fired and its figures, "memory-bound: IPC 0.31 < 1 and caMPKI 24.10 >= 10".
 * With a known IPC there is always a verdict. So if there is none, writes why IPC is unknown (no
 * counters, counters denied or in use, IPC is no column or was not counted), or that records were
 * lost.
 */
void verdict_explain(const struct judge *judge, const struct judgement *judgement,
		     const struct figure *figures, char *text, size_t size);

/*
 * Returns the verdict of the machine, or of the target, and writes a sentence with the loss that
 * has the most CPU time, and its main task: "1.9 of 8 CPUs' time in memory-bound tasks: postgres
 * (IPC 0.31, caMPKI 24.10)". Of stalled tasks only the lost time counts, by the formula of stall%
 * (cpu_stall.h): "at least 1.9 of 8 CPUs' time lost in stalled tasks: postgres (IPC 0.31)". If no
 * loss stands out, the sum of all rows is judged. The sentence then begins with "the target is", or
 * with "your tasks are" if only the user's tasks are counted. If rows are too low
 * (snapshot_rows_too_low), returns VERDICT_NONE and a sentence about that. text may be NULL.
 */
enum verdict verdict_of_snapshot(const struct snapshot *snapshot, char *text, size_t size);

#endif
