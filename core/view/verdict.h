// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VERDICT_H
#define PMCTOP_VERDICT_H

#include "core/base/figure.h"
#include "core/snapshot/detail.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What limits a task, a CPU or the machine, in one word. A const table (verdict_rules.c) has the
 * rules: conditions on metrics, with limits. A rule with an unknown figure does not fire. If no
 * rule fires there is no verdict.
 *
 * Figures with the state LOST are lower bounds. A rule about sums fires if such a figure is at
 * least its limit, but not if one must be below a limit, or is divided by another. Other rules do
 * not fire for rows with figures that are too low (ROW_LOST).
 */
enum verdict {
	VERDICT_NONE,
	VERDICT_UNKNOWN,  /* a figure is missing that could have a reason: verdict_explain */
	VERDICT_IDLE,     /* a CPU or the machine that hardly ran */
	VERDICT_FINE,     /* no counted figure stands out */
	VERDICT_CPU,      /* the same, and it always ran */
	VERDICT_KERNEL,   /* runs mostly in the kernel */
	VERDICT_SWITCHES, /* is switched away after very short slices */
	VERDICT_FAULTS,
	VERDICT_MEMORY,          /* waits for loads and stores */
	VERDICT_BRANCH,          /* works on wrong paths */
	VERDICT_FRONTEND,        /* waits for instructions */
	VERDICT_CORE,            /* waits for execution units, or for its own results */
	VERDICT_BACKEND,         /* CORE or MEMORY: not counted which */
	VERDICT_STALLED,         /* waits, for no counted reason */
	VERDICT_THROTTLED,       /* its cgroup has used its CPU quota up */
	VERDICT_MEMORY_PRESSURE, /* waits for pages that were taken from it for lack of memory */
	VERDICT_FORKS,           /* starts many short processes */
	VERDICT_LOCK,            /* waits for locks that other threads hold */
	VERDICT_DISK,            /* waits for block devices */
	VERDICT_BLOCKED,         /* in uninterruptible sleep, for another reason */
	VERDICT_RUNQ,            /* runnable without a CPU */
	VERDICT_STOPPED,         /* by a signal or a debugger, all the time */
	VERDICT_STEAL,           /* of the machine: its CPUs run other virtual machines */
	VERDICTS,
};

/* "memory-bound", "thrashing switches"; "none" */
const char *verdict_name(enum verdict verdict);
/* Of at most eight columns: "memory", "switches"; "blank" for none, "?" for unknown. */
const char *verdict_label(enum verdict verdict);
/* Its meaning for a row, for the help. */
const char *verdict_help(enum verdict verdict);
/* The name for json and csv; "": null there. */
const char *verdict_word(enum verdict verdict);
/* Returns whether the verdict is a loss of CPU time, or a wait. */
bool verdict_is_loss(enum verdict verdict);

enum {
	VERDICT_RULES_MAX = 64,
	VERDICT_CONDITIONS_MAX = 3,
	VERDICT_OPERANDS_MAX = 2,
	VERDICT_WITH_MAX = 2,
};

/* A rule, in the words of the manual. */
struct verdict_rule {
	unsigned tier; /* rules of a later tier are used only if none of an earlier tier fires */
	enum verdict verdict;
	char conditions[160]; /* by metrics' names: "ipc < 1 and cache_mpki (as L2MPKI) >= 10" */
};

/* In the order of their tiers. */
extern const size_t verdict_rules_n;
struct verdict_rule verdict_rule_at(size_t i);

/* Places of the metrics of a condition among the columns; -1: no column. */
struct judge_condition {
	short metric;
	short operands[VERDICT_OPERANDS_MAX];
};

/* The rules that the columns of a snapshot have all metrics for. */
struct judge {
	const struct snapshot *snapshot; /* borrowed */
	struct judge_condition conditions[VERDICT_RULES_MAX][VERDICT_CONDITIONS_MAX];
	short unless[VERDICT_RULES_MAX];
	short with[VERDICT_RULES_MAX][VERDICT_WITH_MAX];
	short cpu_percent, ipc; /* or -1 */
	/* The rules with all their metrics, in the order of the table. */
	unsigned char usable[VERDICT_RULES_MAX];
	size_t n_usable;
};

void judge_init(struct judge *judge, const struct snapshot *snapshot);

/* What is judged. */
struct verdict_subject {
	const struct figure *figures; /* n_metrics */
	const struct row *row;        /* of tasks; NULL: a CPU, several CPUs, or the machine */
	/* Of that row, for its function and the tasks that took its CPUs in verdict_explain();
	 * NULL: without both. */
	const struct detail *detail;
	unsigned cpus; /* of several CPUs, or of the machine; 0: limits grow with the CPU time */
};

struct judgement {
	enum verdict verdict;
	int rule; /* the rule that fired, for verdict_explain; -1: none */
	/* Last figure / limit, 1..4; less than 1 if the verdict is no loss. */
	double severity;
	enum figure_state state; /* VALID, SCALED or LOST: the least certain figure's */
};

struct judgement judge_subject(const struct judge *judge, const struct verdict_subject *subject);

/*
 * Returns the ns that the verdict costs a row that ran for cpu_ns: the CPU time, of a stalled row
 * the lost part of it (cpu_stall.h), of a wait the waiting time (the CPU time if the rule is about
 * a rate of faults), of forks the CPU time of the processes.
 */
double judgement_cost_ns(const struct judge *judge, const struct judgement *judgement,
			 const struct verdict_subject *subject, uint64_t cpu_ns);

/*
 * Writes the rule that fired and its figures, "memory-bound: IPC 0.31 < 1 and caMPKI 24.10 >= 10";
 * then, of waits, what caused them: the cgroup's quota, or the tasks that took the CPUs; else, if
 * the snapshot has samples, the function with the largest share of the event it is about. Without a
 * verdict, and if nothing stands out, writes which figure is unknown and why: no counters, counters
 * denied or in use, IPC is no column or was not counted, records were lost.
 */
void verdict_explain(const struct judge *judge, const struct judgement *judgement,
		     const struct verdict_subject *subject, char *text, size_t size);

#endif
