// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLUMNS_H
#define PMCTOP_COLUMNS_H

#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/metric/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The events and compiled metrics of a run. They do not change once they are made: a change of
 * either makes new columns. The maker allocates them with xcalloc and sets `references` to 1. The
 * last columns_unref() frees them and all that they point to.
 */
struct columns {
	struct event_set events;
	struct plan *plan;       /* a reference; its shape is the shape of all tallies */
	struct metric_def *defs; /* copies; of `metrics`, in their order */
	struct metric *metrics;
	size_t n_metrics;
	size_t n_shown;  /* metrics[n_shown..n_metrics) are for verdicts: evaluated, never shown */
	size_t n_preset; /* metrics of the preset, the first ones; the user added the others */
	struct metric_readings readings;       /* of all metrics */
	struct metric_readings event_readings; /* one for each event, over all its counters */
	char *preset;                          /* name of the preset, owned */
	char **pmus; /* names by the PMU indices of event codes and domains; owned */
	size_t n_pmus;
	enum event_levels levels; /* counted levels of events without a modifier */
	bool has_topdown;         /* these CPUs have events for the preset topdown */
	unsigned references;
};

struct columns *columns_ref(struct columns *columns); /* any thread */
void columns_unref(struct columns *columns);          /* any thread; NULL is fine */
/* Returns the index of the metric of that name, which may be hidden, or -ENOENT. */
int columns_metric(const struct columns *columns, const char *name);
/* Whether a metric of that name is shown. */
bool columns_show(const struct columns *columns, const char *name);
/* Returns the facts that metrics need, as bits 1 << enum fact (core/metric/fact.h). */
unsigned columns_facts(const struct columns *columns);

/* Returns whether they show a recorded profile: run times are unknown, events are sampled. */
bool columns_of_profile(const struct columns *columns);
/*
 * Returns the index in tallies by which rows are ranked: run time, or in a profile, where that is
 * unknown, the counter of the first event.
 */
size_t columns_rank(const struct columns *columns);

/* The interval and the machine to which the figures of rows relate. */
struct metric_scope {
	struct figure interval_s;
	const uint64_t *totals; /* tally of the machine; NULL: unknown */
};

/* Evaluates the metrics of one tally after the other, in one buffer. */
struct evaluator {
	const struct columns *columns;
	struct metric_input input; /* the caller sets `machine`, `sum`, `lost`; totals are set */
	struct figure interval_s;
	const struct figure *facts; /* of the row, set by the caller; NULL: none */
	struct figure *counts;      /* owned; one for each reading */
};

void evaluator_init(struct evaluator *evaluator, const struct columns *columns,
		    struct metric_scope scope);
void evaluator_fini(struct evaluator *evaluator);
/* Fills figures[n_metrics]. */
void evaluator_run(struct evaluator *evaluator, const uint64_t *tally, struct figure *figures);

#endif
