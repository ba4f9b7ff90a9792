// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VERDICT_INTERNAL_H
#define PMCTOP_VERDICT_INTERNAL_H

#include "core/view/code_view.h"
#include "core/view/verdict.h"

/* Shared by core/view/verdict*.c, and for these alone. */

/* verdict_rules.c: the table of rules. */

struct condition {
	const char *metric; /* NULL: no more conditions */
	char sign;          /* '<', or '>': at least */
	double limit;
	bool per_cpu;      /* the limit is for each CPU's worth of time that was used */
	const char *title; /* title of the form that the limit is for; NULL: any form */
	/*
	 * The limit is for the metric combined with these: the product ('*'), the quotient ('/') or
	 * the difference ('-', where an unknown operand is 0).
	 */
	char sign_of_operands;
	const char *operands[VERDICT_OPERANDS_MAX];
	/*
	 * Of a wait, in percent: it must be at least this share of the wait and the CPU time. So a
	 * sum of many threads that wait little does not fire. 0: none.
	 */
	double share;
};

enum rule_subject {
	RULE_OF_ALL,
	RULE_OF_TASKS,
	RULE_OF_CPUS, /* CPUs and the machine */
};

struct rule {
	unsigned tier;
	enum verdict verdict;
	struct condition conditions[VERDICT_CONDITIONS_MAX]; /* all must hold */
	/* Other causes: if one of these is unknown, the rule does not fire. */
	const char *with[VERDICT_WITH_MAX];
	const char *unless; /* a better metric: if it is known, the rule does not fire */
	enum rule_subject subject;
	bool of_users;    /* not for kernel threads */
	bool of_sums;     /* of figures that only grow in an interval: lower bounds prove it */
	bool of_pressure; /* only if memory is known to be short */
};

extern const struct rule verdict_rules[];

/* verdict.c */

/* Returns the limit for the CPUs of the subject, or for its CPU time. */
double verdict_limit(const struct judge *judge, const struct condition *condition,
		     const struct verdict_subject *subject);
/*
 * Returns whether the last figure of the rule that fired is a share of the time. Rules of waits by
 * rates, as of major faults, do not show how long the wait was.
 */
bool verdict_has_time(const struct judge *judge, const struct judgement *judgement);

/* verdict_loss.c */

/* What each verdict costs the machine, or the target. */
struct losses {
	const struct judge *judge;
	double ns[VERDICTS];                /* at most what the CPUs could have run */
	double held_ns[VERDICTS];           /* of all threads together */
	size_t n[VERDICTS];                 /* threads */
	enum figure_state states[VERDICTS]; /* of both ns: the worst of the threads' */
	unsigned char *verdicts;            /* of each row of the threads; owned */
	double *costs_ns;                   /* of each row; owned */
	uint64_t rows_ns, ran_ns;           /* CPU time of the rows, and of all that ran */
	uint64_t all_ns;                    /* of all CPUs */
};

void losses_init(struct losses *losses, const struct judge *judge);
void losses_fini(struct losses *losses);
/* Returns whether less than 5 % of the CPUs' time was used. */
bool losses_are_idle(const struct losses *losses);
/*
 * Writes the losses that stand out, the greatest first, and returns their number. Waits while all
 * CPUs were busy cost no CPU time (`ns` 0): they come last, the longest first.
 */
size_t losses_order(const struct losses *losses, enum verdict order[VERDICTS]);
/* Returns the worst thread of the process with the greatest cost of a verdict that has a thread. */
size_t losses_row(const struct losses *losses, enum verdict verdict);

/* verdict_words.c */

/* What a verdict costs. */
enum verdict_cost {
	COST_NONE,
	COST_CPU_TIME,
	COST_STALLS,    /* the part of the CPU time that is lost in stalls */
	COST_PROCESSES, /* CPU time of processes that were started */
	COST_QUEUES,    /* time runnable without a CPU */
	COST_SLEEP,     /* blocked time */
	COST_STOP,      /* stopped time: never a loss of CPU time */
	COST_CPUS,      /* of the machine: CPU time that it does not get */
};

enum verdict_cost verdict_cost(enum verdict verdict);
/* Returns "waits for the disk", of a task that waits; NULL: it does not. */
const char *verdict_wait(enum verdict verdict);
/* Appends to a text of `size` bytes, as far as it fits. Returns the new length. */
size_t verdict_append(char *text, size_t size, const char *more);
/* Appends a comm. */
void verdict_append_comm(char *text, size_t size, const struct row *row);
/* Appends a comm and a pid: "postgres (4121)". */
void verdict_append_task(char *text, size_t size, const struct row *row);
/* Appends the figures of the rule that fired, with their limits or without. */
void verdict_append_figures(const struct judge *judge, const struct judgement *judgement,
			    const struct verdict_subject *subject, bool limits, char *text,
			    size_t size);
/* Appends the quota of the row's cgroup, if there is one: "web.service may use 0.5 CPUs". */
void verdict_append_quota(const struct snapshot *snapshot, const struct row *row,
			  const char *before, char *text, size_t size);
/*
 * verdict_code.c: appends in which function a row spends what its verdict is about, "; 62 % of its
 * cache-misses are in hash_lookup (libfoo.so)". Nothing if there are no samples, or too few, or the
 * verdict is a wait.
 */
void verdict_append_function(const struct judge *judge, const struct judgement *judgement,
			     const struct code_subject *subject, char *text, size_t size);
/* Writes which function a profile has most samples in; "" if that is not clear. */
void verdict_of_profile(const struct snapshot *snapshot, char *text, size_t size);

/* Appends the tasks that ran on the CPUs of a row, the busiest first: "spin, cc1 (2)". */
void verdict_append_competitors(const struct snapshot *snapshot, const struct detail *detail,
				char *text, size_t size);

#endif
