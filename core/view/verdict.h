// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VERDICT_H
#define PMCTOP_VERDICT_H

#include "core/base/figure.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What ails a task, a CPU or the machine, in a word: a rule of a const table over the metrics that
 * are counted now, with the thresholds of those metrics. Nothing is guessed: a rule any of whose
 * figures is not known does not fire, and where none does there is no verdict. A row whose figures
 * are too low (ROW_LOST) has none either.
 */
enum verdict {
	VERDICT_NONE,
	VERDICT_IDLE,     /* it hardly ran */
	VERDICT_FINE,     /* nothing that is counted stands out */
	VERDICT_KERNEL,   /* it is the kernel that runs for it */
	VERDICT_SWITCHES, /* it hardly runs before it is switched away again */
	VERDICT_FAULTS,
	VERDICT_MEMORY,   /* waits for loads and stores */
	VERDICT_BRANCH,   /* works on wrong paths */
	VERDICT_FRONTEND, /* waits for instructions */
	VERDICT_CORE,     /* waits for execution units, or for its own results */
	VERDICT_BACKEND,  /* the last or MEMORY: nobody counts which */
	VERDICT_STALLED,  /* waits, and nothing that is counted says for what */
	VERDICTS,
};

/* "memory-bound", "thrashing switches"; "none" */
const char *verdict_name(enum verdict verdict);
/* Of at most eight columns: "memory", "switches"; "-" for none. */
const char *verdict_label(enum verdict verdict);
/* Whether it is a loss, which somebody may want to look into. */
bool verdict_is_loss(enum verdict verdict);

enum {
	VERDICT_RULES_MAX = 32,
	VERDICT_CONDITIONS_MAX = 3,
};

/* A rule, in the words of the manual. */
struct verdict_rule {
	unsigned tier; /* a rule of an earlier tier that fires goes before */
	enum verdict verdict;
	char conditions[128]; /* by metrics' names: "ipc < 1 and cache_mpki (as L2MPKI) >= 10" */
};

/* In the order of their tiers. */
extern const size_t verdict_rules_n;
struct verdict_rule verdict_rule_at(size_t i);

/* The rules, as far as the columns of this snapshot have what they ask for. */
struct judge {
	const struct snapshot *snapshot; /* borrowed */
	/* Of each rule: the metric that each of its conditions is of, or -1. */
	short metrics[VERDICT_RULES_MAX][VERDICT_CONDITIONS_MAX];
	short factors[VERDICT_RULES_MAX][VERDICT_CONDITIONS_MAX];
	short unless[VERDICT_RULES_MAX];
	short cpu_percent, ipc; /* or -1 */
	/* Those rules that have all of theirs, in the order of the table. */
	unsigned char usable[VERDICT_RULES_MAX];
	size_t n_usable;
};

void judge_init(struct judge *judge, const struct snapshot *snapshot);

struct judgement {
	enum verdict verdict;
	int rule; /* that fired, for verdict_explain; -1: none */
	/* How far its last figure is beyond its limit, 1..4; less where nothing is lost. */
	double severity;
	enum figure_state state; /* VALID, SCALED or LOST: of its least certain figure */
};

/* Of figures of the snapshot's metrics: a row's (its flags), a CPU's or the machine's (0). */
struct judgement judge_figures(const struct judge *judge, const struct figure *figures,
			       unsigned flags);

/*
 * The rule that fired and its figures, "memory-bound: IPC 0.31 < 1 and caMPKI 24.10 >= 10". Where
 * there is no verdict, why IPC is not known, since with it there is one: no counters, they are
 * denied or taken, IPC is no column, it was not counted; or lost records.
 */
void verdict_explain(const struct judge *judge, const struct judgement *judgement,
		     const struct figure *figures, char *text, size_t size);

/*
 * The machine, or the target where rows are of one: the loss that takes most CPU time of the rows,
 * and who has it, "1.9 of 8 CPUs' time in memory-bound tasks: postgres (IPC 0.31, caMPKI 24.10)".
 * Of tasks that are only stalled it is the time that is lost, by the formula of stall%
 * (cpu_stall.h): "at least 1.9 of 8 CPUs' time lost in stalled tasks: postgres (IPC 0.31)". Where
 * no row's stands out, what all together are. Where rows are too low (snapshot_rows_too_low) there
 * is none, and the text says so. text may be NULL.
 */
enum verdict verdict_of_snapshot(const struct snapshot *snapshot, char *text, size_t size);

#endif
