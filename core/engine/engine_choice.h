// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENGINE_CHOICE_H
#define PMCTOP_ENGINE_CHOICE_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/engine/engine.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/metric/preset.h"
#include "core/metric/selection.h"
#include "core/perf/perf_access.h"
#include "core/snapshot/snapshot.h"

/* What a recording has: no other events can be shown. */
struct engine_recorded {
	const struct event_set *events;
	const struct metric_def *defs; /* each in one form or none; the preset's first */
	size_t n, n_preset;
	bool no_facts;        /* of tasks (core/metric/fact.h) */
	struct preset preset; /* of the first n_preset; name only; NULL: not recorded */
};

/*
 * What is counted and shown: a preset and the columns of -e and -m become a selection. The
 * selection and a plan of its events become the columns of snapshots.
 */
struct engine_choice {
	const struct engine_config *config; /* borrowed, as are the next three */
	const struct event_context *names;  /* PMUs and privilege levels of names */
	const struct perf_access *access;
	struct notes *notes;                    /* for optional columns that cannot be counted */
	const struct engine_recorded *recorded; /* NULL: live */
	const struct preset *preset;            /* the current one */
	struct selection selection;             /* owned: selection_fini */
};

/*
 * Selects the preset's columns, then the configuration's. Returns 0, or -errno and a sentence if
 * they make no sense; then the selection is unchanged.
 */
int engine_choice_make(struct engine_choice *choice, struct error *err);
/* Changes the preset, and keeps the other columns. Returns as above. */
int engine_choice_preset(struct engine_choice *choice, const char *name, struct error *err);
/* Adds NAME or NAME=EXPRESSION. Returns 0, or -errno and a sentence. */
int engine_choice_add_metric(struct engine_choice *choice, const char *text, struct error *err);

/* Removes a column. Returns 0, or -ENOENT and a sentence. */
int engine_choice_remove(struct engine_choice *choice, const char *name, struct error *err);

/* Copies the events and binds the metrics to the plan. Returns a reference of the caller. */
struct columns *engine_choice_columns(const struct engine_choice *choice, struct plan *plan);

#endif
