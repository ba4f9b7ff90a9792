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
 * What someone wants to see: columns in their order; with them the events that they need, probed,
 * and which of these belong together in a group.
 */
struct selection_column {
	struct metric_def def; /* owned */
	size_t form;           /* of def; METRIC_FORMS_MAX: none for this machine */
	bool preset;           /* it came with the preset; the others stand behind those */
	bool asked;            /* someone asked for it, maybe beside the preset */
	unsigned together;     /* columns with the same number, but 0, were asked for as {a,b} */
};

struct selection {
	const struct event_context *context; /* borrowed */
	unsigned cpus;                       /* enum cpu_kind bits */
	bool soon;   /* by event_probe_soon: it is only to see what would be */
	bool no_pmu; /* no hardware event at all can be counted */
	struct event_set events;
	struct selection_column *columns;
	size_t n;
	size_t capacity;
	unsigned groups; /* the last number given to {a,b} */
	struct plan_wants wants;
};

enum { SELECTION_MAX = 256 }; /* columns, and events; more say so */

void selection_init(struct selection *selection, const struct event_context *context);
/* Of what was counted: these events (copied) are all that there are, as their states say. */
void selection_init_recorded(struct selection *selection, const struct event_context *context,
			     const struct event_set *events);
void selection_fini(struct selection *selection);

/* All of it, with what is known of its events, to try what would be. */
void selection_copy(struct selection *copy, const struct selection *selection);

/*
 * Adds a column, in the first form whose events can all be counted here; where there is none, in
 * the first one that this machine has names for, so that its figures say why they are missing. A
 * built-in metric with none at all is unsupported, and is no error. One that is there already is
 * left alone; another one of the same name is -EEXIST.
 * -EINVAL, -ENOENT, -E2BIG and a sentence for a formula that does not compile on any machine.
 */
int selection_add_metric(struct selection *selection, const struct metric_def *def,
			 struct error *err);

/*
 * Adds one of a name that there is not yet, in its first form; in none where that does not compile.
 */
void selection_add_recorded(struct selection *selection, const struct metric_def *def);

/*
 * Adds a column for each event of a list as -e takes it. All or, with a sentence, none; even then
 * indices of events may change.
 */
int selection_add_events(struct selection *selection, const char *list, struct error *err);

/*
 * What there is so far is the preset's. leave_out: what no form is for here goes, unless that is
 * everything.
 */
void selection_mark_preset(struct selection *selection, bool leave_out);

/*
 * Adds the columns of another one that were asked for. Where one cannot be added, -errno and a
 * sentence; what has been added by then stays.
 */
int selection_add_asked(struct selection *selection, const struct selection *from,
			struct error *err);

/*
 * Names mean something else now (context->levels): finds every column's form and events anew. All
 * or, with a sentence, nothing. Indices of events change.
 */
int selection_renew(struct selection *selection, struct error *err);

/* -ENOENT where there is no column of that name. Indices of events change. */
int selection_remove(struct selection *selection, const char *name);

/*
 * A column's metric, compiled over these events, which hold the selection's. `def` is the column's,
 * or a copy of it that lives as long as the metric.
 */
void selection_compile(const struct selection_column *column, const struct metric_def *def,
		       const struct event_set *events, struct metric *metric);

#endif
