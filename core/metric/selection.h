// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SELECTION_H
#define PMCTOP_SELECTION_H

#include "core/base/error.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/metric/metric.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The columns that the user wants, in their order, and the events that they need. The events are
 * probed. Some of them must be in one group. Hidden columns and their events come last.
 */
struct selection_column {
	struct metric_def def; /* owned */
	size_t form;           /* index in def->forms; METRIC_FORMS_MAX: none for this machine */
	bool preset;           /* from the preset; the columns of the preset come first */
	bool named;            /* the user named it, possibly also in the preset */
	bool optional;         /* hidden, and counted only by free counters (plan_want) */
	unsigned together;     /* same number > 0: named together as {a,b} */
};

struct selection {
	const struct event_context *context; /* borrowed */
	unsigned cpus;                       /* enum cpu_kind bits */
	bool soon;                           /* probe with event_probe_soon(): a preview */
	bool no_pmu;                         /* no hardware event can be counted */
	bool no_facts;                       /* a recording without facts of tasks */
	struct event_set events;
	struct selection_column *columns;
	size_t n;
	size_t n_shown;              /* columns[n_shown..n) are hidden */
	const char *const *hidden;   /* names of built-in metrics; borrowed; NULL: none */
	const char *const *optional; /* the same, of selection_hide_optional() */
	const char *optional_beside;
	size_t capacity;
	unsigned groups; /* last number of a {a,b} */
	struct plan_wants wants;
};

enum { SELECTION_MAX = 256 }; /* columns, and events; more are an error */

void selection_init(struct selection *selection, const struct event_context *context);
/* For a recording: the events (copied) with their states are the only ones. */
void selection_init_recorded(struct selection *selection, const struct event_context *context,
			     const struct event_set *events);
void selection_fini(struct selection *selection);

/* Copies all, with the states of the events, for a preview. */
void selection_copy(struct selection *copy, const struct selection *selection);

/*
 * Adds a column in the first form with events that can all be counted. Else in the first form with
 * known events, so that its figures have the reason. A built-in metric without such a form is
 * unsupported, which is no error. A column that is there already does not change; another formula
 * of the same name is -EEXIST. A formula that compiles on no machine is -EINVAL, -ENOENT or -E2BIG
 * with a sentence.
 */
int selection_add_metric(struct selection *selection, const struct metric_def *def,
			 struct error *err);

/*
 * Adds a column for each definition that has a new name, in its first form, or in none if that does
 * not compile. One call for many takes much less time than a call for each.
 */
void selection_add_recorded(struct selection *selection, const struct metric_def *defs, size_t n);

/*
 * Adds a column for each event of a list as for -e. Adds all, or none and returns an error with a
 * sentence. Indices of events may change in both cases.
 */
int selection_add_events(struct selection *selection, const char *list, struct error *err);

/*
 * Marks the columns so far as the preset's. leave_out: drops columns without a form for this
 * machine, unless that is all of them.
 */
void selection_mark_preset(struct selection *selection, bool leave_out);

/*
 * Adds the columns of another selection that the user named. Returns -errno with a sentence if one
 * cannot be added; the columns before it stay.
 */
int selection_add_named(struct selection *selection, const struct selection *from,
			struct error *err);

/*
 * From now on adds a hidden column, last, for each of these metrics that is no other column. Those
 * with an unknown event, or with an event that a recording does not have, are left out.
 */
void selection_hide(struct selection *selection, const char *const *names);
/*
 * The same for metrics that only free counters count (plan_want.optional), while the preset has the
 * column `beside`. They come after the other hidden ones. Both are borrowed.
 */
void selection_hide_optional(struct selection *selection, const char *const *names,
			     const char *beside);

/*
 * Finds the forms and events of all columns again, after a change of context->levels. Changes all,
 * or nothing and returns an error with a sentence. Indices of events change.
 */
int selection_renew(struct selection *selection, struct error *err);

/* Returns -ENOENT if no column has that name. Indices of events change. */
int selection_remove(struct selection *selection, const char *name);

/*
 * Compiles the metric of a column with these events, which include the selection's. `def` is the
 * column's, or a copy of it that outlives the metric.
 */
void selection_compile(const struct selection_column *column, const struct metric_def *def,
		       const struct event_set *events, struct metric *metric);

#endif
