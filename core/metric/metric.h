// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_H
#define PMCTOP_METRIC_H

#include "core/base/error.h"
#include "core/base/figure.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/event/tally.h"
#include "core/metric/fact.h"
#include "core/metric/metric_def.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A metric is a formula over events, with a unit and thresholds. The text of a formula is compiled
 * once, with an event set, to a short stack program. The program is run for every row of every
 * snapshot.
 *
 *   expression: + - * / ( ) < <= > >= == != numbers, min(a, b), max(a, b), if(condition, a, b)
 *               a if condition else b: binds least, as in Python
 *               a & b, a | b: 1 if both, or one, are not 0; they bind less than comparisons, as in
 *               perf's formulas, & before |
 *               d_ratio(a, b): a / b, but 0 if b is 0
 *               estimate(a): a, SCALED at best: of a typical value, not of this machine
 *               percentile(event, p): the latency in ns below which p percent of the counts of a
 *               histogram are (wakeups: core/event/event_wait.h); UNDEFINED if there are none.
 *               If some counts are missing it is SCALED, but LOST with p = 100: a lower bound
 *               samples(event), error(event), share(event): of an event of a recorded profile, the
 *               number of samples, the standard error of the count in percent, and the count
 *               in percent of the machine's
 *   events:     a name of letters, digits and _ . : - that starts with a letter, or any text in
 *               '...'. A dash before a letter belongs to the name (L1-dcache-loads), so a
 *               subtraction has spaces around it.
 *   variables:  interval_s (wall seconds of the interval), cpu_time_s ('task-clock' in seconds),
 *               the facts of a task (core/metric/fact.h), and what the table in metric_constant.c
 *               has of vendors and of perf: SYSTEM_TSC_FREQ, #num_cores, duration_time (seconds),
 *               slots_per_cycle (operations that an Arm CPU can start in a cycle). They are
 *               UNSUPPORTED if the kernel does not have the value
 *   metrics:    a name without quotes that is no event: the value of that metric, in its unit, by
 *               its first form for these CPUs with known events. It may begin with digits
 *               (4K_Aliasing), and its formula may name other metrics
 *
 * A count of groups that were on for a part of the time is scaled by domain ns / group ns, for each
 * PMU separately, and the figure is SCALED with the smallest share. A count of a window is first
 * scaled to the time that the window stands for (core/event/tally.h), because windows of different
 * CPUs stand for different times. Time on CPUs with a PMU that cannot count the event lowers the
 * share, but nothing is scaled up for it.
 *
 * The tally of several tasks has the scaled counts of each, because their groups were on for
 * different parts of their times (plan_estimate_turns()). Tasks whose group was never on have the
 * rate of the others. If they ran for more than half of the time, the count of a sum of processes
 * or of the machine is NOT_COUNTED.
 *
 * A count of a recorded profile is SCALED, with 1 - its standard error as the share. Without a
 * sample it is NOT_COUNTED.
 *
 * A missing input decides the state of the figure (the worst of DENIED, UNSUPPORTED, NOT_COUNTED).
 * Division by zero is UNDEFINED. NaN and infinity never leave metric_eval(). A missing condition of
 * if() or `if` is the state of its figure; else only the branch that it takes is used.
 *
 * A constant is a number, a variable that this machine has, or an operation on constants. What
 * cannot change a figure because of a constant is no part of the compiled formula: the branch that
 * a condition does not take, x in 0 * x, 0 & x, 1 | x, d_ratio(0, x) and d_ratio(x, 0). Its events
 * are not counted, and need not exist.
 */

#define METRIC_WHOLE_PARTS PLAN_WHOLE_PARTS
/* A sum of tasks is known if at least half of their time is of tasks with counts. */
#define METRIC_REACHED_PARTS 2

struct metric {
	const struct metric_def *def; /* borrowed */
	const char *title;            /* of the compiled form; borrowed from def */
	const char *expression;       /* of the compiled form, borrowed from def; NULL: none */
	struct metric_op *ops;        /* owned */
	size_t n_ops;
	/* The metrics that its formula names, also through others: the name there, and forms[0]. */
	struct metric_def *named; /* owned */
	size_t n_named;
	size_t depth; /* stack slots of the evaluation, <= METRIC_DEPTH_MAX */
};

/* Indices in a tally of one counter and its times. */
struct metric_counter {
	unsigned count, group_ns, domain_ns;
};

/* What is read of an event of a recorded profile; of other events, the count. */
enum metric_part {
	METRIC_PART_COUNT,
	METRIC_PART_SAMPLES, /* the number of samples */
	METRIC_PART_ERROR,   /* the standard error of the count, in percent of it */
	METRIC_PART_SHARE,   /* the count in percent of the machine's */
};

struct metric_reading {
	size_t event;
	double percentile; /* of a histogram, its ranges are the items; 0: the sum of all counts */
	enum metric_part part;
	bool estimate;                /* an event of waiting that is SCALED at best */
	bool part_estimate;           /* one that is SCALED where it is not known */
	bool single;                  /* UNDEFINED for a sum of several processes */
	struct metric_counter *items; /* counters of one domain are consecutive; owned */
	size_t n;
};

/* The distinct readings of the metrics that are bound to one plan. Zeroed is empty. */
struct metric_readings {
	struct metric_reading *items;
	size_t n;
	size_t capacity;
};

/*
 * Compiles def->forms[form] and adds the events that it needs to the set. On failure other events
 * of it may stay in the set, and *metric is zeroed. Returns 0; -EINVAL with the position and what
 * was expected; -ENOENT for an unknown event; -ELOOP for metrics that name each other in a cycle;
 * -E2BIG beyond 32 KiB, a depth of 128, 16 metrics in each other, or 65536 operations.
 */
int metric_compile(const struct metric_def *def, size_t form, struct event_set *events,
		   struct metric *metric, struct error *err);
void metric_fini(struct metric *metric);

enum { METRIC_EVENTS_MAX = 256 };

/* Fills the distinct events of the formula. Returns how many, at most max. */
size_t metric_events(const struct metric *metric, unsigned *events, size_t max);

/*
 * Chooses the counters of the plan, and adds the readings that are not there yet. All inputs that
 * need the PMU are read from the groups that count all of them, because only counts of one group
 * may be divided. If the plan has no such group, they are read from all groups that have any. An
 * event that is not in the plan has no counters.
 */
void metric_bind(struct metric *metric, const struct event_set *events, const struct plan *plan,
		 struct metric_readings *readings);
void metric_readings_fini(struct metric_readings *readings);
/* Makes one reading for each event of the set, of all its counters in the plan. */
void metric_read_events(struct metric_readings *readings, const struct event_set *events,
			const struct plan *plan);
/* Returns whether a PMU counts the inputs in several groups, because they do not fit in one. */
bool metric_is_apart(const struct metric *metric, const struct event_set *events,
		     const struct plan *plan);

/*
 * Compiles the first form, from number `from` on, that is for these CPUs (cpu_kind_read) and that
 * has only known events and variables. Returns its number. Events of skipped
 * forms do not stay in the set. If there is no such form, returns the error of the last one, or
 * -ENOENT.
 */
int metric_choose(const struct metric_def *def, unsigned cpus, size_t from,
		  struct event_set *events, struct metric *metric, struct error *err);

/* Checks the grammar alone, not the events: 0, or -EINVAL and -E2BIG as above. */
int metric_check(const char *name, const char *expression, struct error *err);

/*
 * Returns whether its figures can be known, by the states of its events: VALID, or the worst state.
 * All events take part, also those in a branch that a condition may not take.
 */
enum figure_state metric_state(const struct metric *metric, const struct event_set *events);

/* The inputs of an evaluation: one row. */
struct metric_input {
	const struct event_set *events;
	const struct plan *plan; /* the plan of the metrics and of the tally's shape */
	const uint64_t *tally;
	const uint64_t *totals; /* tally of the machine, for share(); NULL: unknown */
	bool machine;           /* the row is the whole machine: counts of sockets are known */
	bool sum;               /* the row is the sum of several processes, for formulas */
	bool lost;              /* slices of this row were in lost records: its figures are LOST */
	float doubt; /* part of the counts that may be another row's, 0..1: figures are SCALED */
	uint64_t clock_doubt_ns; /* by so much its task-clock may be wrong: it is SCALED */
	bool outside; /* its counts, but not its task-clock and switches, have some of idle time */
};

/* Reads a row into figures[readings->n]. */
void metric_read(const struct metric_readings *readings, const struct metric_input *input,
		 struct figure *figures);
/*
 * Returns the metric of a row from the figures of metric_read() and the row's facts[FACTS] (NULL:
 * not read, NOT_COUNTED). The state and share of a rate are no better than interval_s has.
 */
struct figure metric_eval(const struct metric *metric, const struct figure *figures,
			  const struct figure *facts, struct figure interval_s);

/*
 * Returns the count of one event of a row, in its unit, scaled if its groups shared the time. A
 * task that did not run has a count of 0. A task that ran only while all groups were off is
 * NOT_COUNTED.
 */
struct figure metric_read_one(const struct metric_reading *reading,
			      const struct metric_input *input);

/* What is known of the errors of a row's figures. */
struct metric_bounds {
	uint64_t interval_ns;
	uint64_t clock_ns;       /* its CPU time is too low by at most this; UINT64_MAX: unknown */
	const uint64_t *missing; /* tally: its counts are too low by at most these; NULL: unknown */
	const uint64_t *totals;  /* tally of the machine, if `missing` is set */
};

/* An error of less than this part of the interval, or of a count, is small. */
enum { METRIC_CLOSE_PARTS = 100 };

/*
 * Returns whether the error of a row's figure is known to be small: of a time in percent of the
 * interval, of a count, or of a count per second. Of other metrics, and of ratios, it is not known.
 * A count may be SCALED if what it lacks is in metric_bounds.missing. A time of waiting, which may
 * be SCALED, has an error of at most the part of the lifetime that is not known; it must not be
 * LOST by metric_input.
 */
bool metric_is_close(const struct metric *metric, const struct metric_readings *readings,
		     const struct metric_input *input, const struct metric_bounds *bounds);

/* Returns the facts in the formula, as bits 1 << enum fact. */
unsigned metric_facts(const struct metric *metric);
/* Returns the index of the first event in the formula; SIZE_MAX: none. */
size_t metric_first_event(const struct metric *metric);

enum metric_level {
	METRIC_PLAIN,
	METRIC_WARN,
	METRIC_BAD,
};

/* Compares a figure with its thresholds. PLAIN if it is unknown. */
enum metric_level metric_level(const struct metric_def *def, struct figure figure);

#endif
