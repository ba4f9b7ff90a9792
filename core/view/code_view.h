// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_VIEW_H
#define PMCTOP_CODE_VIEW_H

#include "core/base/figure.h"
#include "core/code/code_profile.h"
#include "core/snapshot/history.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The functions of a row of a snapshot, from the snapshot's profile, with their callers and
 * callees.
 *
 *     count of a function = exact count of the row * share of the function
 *
 * The standard error of a share p is sqrt(p * (1 - p) / n). n is the number of samples, or what
 * samples of equal weight would have to be to vary as much: (sum of weights)^2 / sum of squares.
 */

/* The samples of a function, or of an edge, among the samples of one event. */
struct code_share {
	uint64_t samples;
	double share; /* of the weights, 0..1; 0 if there are no samples */
	double error; /* standard error of the share, 0..1 */
};

struct code_line {
	uint32_t id;                          /* index in the profile's functions */
	const struct code_function *function; /* borrowed from the profile */
	struct code_share *events;            /* one for each event of the profile */
	/*
	 * columns->n_metrics: metrics of the function's counts, FIGURE_SCALED at best. Metrics that
	 * need a count without a sample in the function are NOT_COUNTED, as are facts of tasks.
	 */
	struct figure *figures;
	/*
	 * The standard errors of these figures in their unit, by the errors of the shares alone.
	 * The events have samples of their own, so their errors are independent.
	 */
	double *errors;
};

/* What a code view is of. */
struct code_subject {
	struct history_key key; /* of any kind; HISTORY_MACHINE: all but the idle tasks */
	bool tree;              /* a process with its descendants */
	bool selected;          /* the profile has samples of the subject alone (code_sum.h) */
	pid_t pid;              /* of a thread: its process, to find it faster; 0: unknown */
	const uint64_t *tally;  /* exact counts of the row; NULL: unknown, and so are figures */
	bool lost;              /* the row is ROW_LOST */
};

/* The samples of one event. */
struct code_total {
	uint64_t samples, weight;
	double squares;
	uint64_t alone; /* samples without a caller, as in struct code_edges */
};

struct code_view {
	const struct code_profile *profile; /* borrowed from the index */
	struct code_line *lines;            /* functions that were running, by share of `event` */
	size_t n;
	struct code_total *totals;         /* of the row, one for each event */
	const struct code_entry **entries; /* of the row, in the profile */
	size_t n_entries;
	struct code_share *shares; /* of all lines */
	struct figure *figures;    /* of all lines */
	double *errors;            /* of all lines */
};

/* Finds rows of a snapshot's profile. To be made once for many views of one snapshot. */
struct code_index;

/*
 * NULL if the snapshot has no profile. Borrows the snapshot, which must outlive it. The functions
 * are as in code_together.h; _exact: as in the snapshot's profile.
 */
struct code_index *code_index_new(const struct snapshot *snapshot);
struct code_index *code_index_new_exact(const struct snapshot *snapshot);
void code_index_free(struct code_index *index); /* NULL is fine */

/*
 * Fills the view, sorted by the share of that event (< n_events), then by name. Borrows the
 * index, which must outlive the view.
 */
void code_view_init(const struct code_index *index, const struct code_subject *subject,
		    unsigned event, struct code_view *view);
void code_view_fini(struct code_view *view);

/*
 * Whether all counts that a metric of the columns needs are sampled, so that functions have it.
 * Metrics of facts of tasks, and those without a count, are not.
 */
bool code_has_metric(const struct code_profile *profile, const struct columns *columns,
		     size_t metric);

/* A caller or a callee of a function. */
struct code_edge {
	const struct code_function *function; /* NULL: none is known, or the function itself ran */
	uint32_t id;             /* index in the profile's functions; UINT32_MAX: NULL */
	struct code_share share; /* among the samples of the function */
};

struct code_edges {
	uint64_t samples;          /* in which the function ran, or a function that it called */
	struct code_edge *callers; /* the largest share first */
	size_t n_callers;
	struct code_edge *callees;
	size_t n_callees;
};

/*
 * The direct callers and callees of a function in the samples of one event. A sample counts once,
 * at the innermost call of the function. An address outside of all mappings is not a caller. Shares
 * of callers add up to 1, and so do shares of callees.
 */
void code_edges_init(const struct code_view *view, uint32_t function, unsigned event,
		     struct code_edges *edges);
void code_edges_fini(struct code_edges *edges);

#endif
