// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_H
#define PMCTOP_METRIC_H

#include "core/base/error.h"
#include "core/base/figure.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/event/tally.h"
#include "core/metric/metric_def.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A metric is a formula over events, with a unit and thresholds. Formulas are text, compiled once
 * against an event set to a short stack program and evaluated for every row of every snapshot.
 *
 *   expression: + - * / ( ) < <= > >= == != numbers, min(a, b), max(a, b), if(condition, a, b)
 *   events:     as they are written when they start with a letter and are made of letters, digits
 *               and _ . : - (a dash before a letter belongs to the name: L1-dcache-loads; so a
 *               subtraction has spaces around it), or anything in '...'
 *   variables:  interval_s (wall seconds of the interval), cpu_time_s ('task-clock' in seconds),
 *               slots_per_cycle (how many operations an Arm CPU can begin in a cycle; UNSUPPORTED
 *               where the kernel does not tell)
 *
 * Counts of an event whose groups counted only part of the time are scaled by domain ns / group ns,
 * for the CPUs of each PMU apart, and the figure is SCALED with the smallest share. What was
 * counted in a window is scaled to the time of that window first (core/event/tally.h), because
 * windows of different CPUs stand for different times. The time on CPUs whose PMU does not count it
 * at all lowers the share, and is not made up for. A missing input decides the figure's state (the
 * worst: DENIED, UNSUPPORTED, NOT_COUNTED); division by zero is UNDEFINED; NaN and infinity never
 * leave metric_eval. if() looks only at the branch it takes.
 */

/*
 * A group that missed less than one part in so many of the task's time counted all of it: the two
 * times are taken by different clocks a few instructions apart.
 */
#define METRIC_WHOLE_PARTS 200

struct metric {
	const struct metric_def *def; /* borrowed */
	const char *title;      /* of the form that was compiled; borrowed from it or from def */
	const char *expression; /* of that form, borrowed from def; NULL: none was compiled */
	struct metric_op *ops;  /* owned */
	size_t n_ops;
	size_t depth; /* of the stack that evaluation needs, bounded at compile time */
};

/* Where in tallies the counters of one event stand. */
struct metric_counter {
	unsigned count, group_ns, domain_ns;
};

struct metric_reading {
	size_t event;
	struct metric_counter *items; /* those of one domain in a row; owned */
	size_t n;
};

/* What metrics that are bound to one plan read of a row, each thing once. Zeroed is empty. */
struct metric_readings {
	struct metric_reading *items;
	size_t n;
	size_t capacity;
};

/*
 * Compiles one form of def (def->forms[form]); every event it names is added to the set (also those
 * before the place where it fails). -EINVAL with the position and what was expected, -ENOENT for an
 * unknown event, -E2BIG past the stated limits (4096 bytes, 64 deep). *metric is zeroed where it
 * fails.
 */
int metric_compile(const struct metric_def *def, size_t form, struct event_set *events,
		   struct metric *metric, struct error *err);
void metric_fini(struct metric *metric);

enum { METRIC_EVENTS_MAX = 256 };

/* The events that the formula names, each once; returns how many, at most max. */
size_t metric_events(const struct metric *metric, unsigned *events, size_t max);

/*
 * Chooses the counters by the plan, and adds to the readings what is not among them yet. All inputs
 * that need the PMU are read from the same groups: those that count all of them, so that only what
 * was counted together is divided. Where a plan had to take them apart, from all groups that have
 * any. Events that the plan does not know are bound to nothing.
 */
void metric_bind(struct metric *metric, const struct event_set *events, const struct plan *plan,
		 struct metric_readings *readings);
void metric_readings_fini(struct metric_readings *readings);
/* One reading for each event of the set: of every counter that the plan has of it. */
void metric_read_events(struct metric_readings *readings, const struct event_set *events,
			const struct plan *plan);
/* Whether some CPUs' PMU counts its inputs in several groups, because they do not fit in one. */
bool metric_is_apart(const struct metric *metric, const struct event_set *events,
		     const struct plan *plan);

/*
 * Compiles the first form, from number `from` on, that is meant for such CPUs (cpu_model_read),
 * whose events have a meaning here and whose machine tells what it asks (slots_per_cycle). Returns
 * its number; nothing of the forms that were passed over stays in the set. Where there is none,
 * what the last of them failed with, or -ENOENT.
 */
int metric_choose(const struct metric_def *def, unsigned cpus, size_t from,
		  struct event_set *events, struct metric *metric, struct error *err);

/* Only what can be said without knowing any event: 0, or -EINVAL and -E2BIG as above. */
int metric_check(const char *name, const char *expression, struct error *err);

/*
 * Whether its figures can be known, as far as the states of its events tell now: VALID, or the
 * worst of what keeps them from it. Every event counts, also in a branch that if() may not take.
 */
enum figure_state metric_state(const struct metric *metric, const struct event_set *events);

/* What formulas are evaluated over: one row. */
struct metric_input {
	const struct event_set *events;
	const struct plan *plan; /* that metrics are bound by and the tally is shaped by */
	const uint64_t *tally;
	bool machine; /* the whole machine: what sockets count is known */
	bool lost;    /* some of this row's slices were in lost records: its figures are LOST */
};

/* Reads a row: figures has room for as many as there are readings. */
void metric_read(const struct metric_readings *readings, const struct metric_input *input,
		 struct figure *figures);
/*
 * The metric of the row that these figures were read of. Rates have no better state and share than
 * the interval.
 */
struct figure metric_eval(const struct metric *metric, const struct figure *figures,
			  struct figure interval_s);

/*
 * The count of one event of a row, in its unit, with its state and scaled where its groups shared
 * the time. A task that did not run has counts of 0; one that ran while none of them did is
 * NOT_COUNTED.
 */
struct figure metric_read_one(const struct metric_reading *reading,
			      const struct metric_input *input);

/* The index of the event that the formula names first; SIZE_MAX if it names none. */
size_t metric_first_event(const struct metric *metric);

enum metric_level {
	METRIC_PLAIN,
	METRIC_WARN,
	METRIC_BAD,
};

/* Where a known figure stands against its thresholds; PLAIN where it is not known. */
enum metric_level metric_level(const struct metric_def *def, struct figure figure);

#endif
