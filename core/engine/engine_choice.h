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

/* What was counted and shown once: no other events can be had. */
struct engine_recorded {
	const struct event_set *events;
	const struct metric_def *defs; /* each in one form, or in none; the preset's first */
	size_t n, n_preset;
	struct preset preset; /* what these were: its name alone; NULL: nobody says */
};

/*
 * The engine's part in what is counted and shown: a preset, and what was asked for beside it,
 * become a selection; with a plan of its events that becomes the columns of snapshots.
 */
struct engine_choice {
	const struct engine_config *config; /* borrowed, as are the next three */
	const struct event_context *names;  /* how names are meant */
	const struct perf_access *access;
	struct notes *notes;                    /* what could not be taken, and is no error */
	const struct engine_recorded *recorded; /* of a recording; else NULL */
	const struct preset *preset;            /* the one that is shown */
	struct selection selection;             /* owned: selection_fini */
};

/*
 * The preset's columns, then the configuration's. 0, or -errno and a sentence where the columns
 * make no sense; then the selection is what it was.
 */
int engine_choice_make(struct engine_choice *choice, struct error *err);
/* Another preset, known or the user's, with what was asked for; as above. */
int engine_choice_preset(struct engine_choice *choice, const char *name, struct error *err);
/* NAME or NAME=EXPRESSION: 0, or -errno and a sentence. */
int engine_choice_add_metric(struct engine_choice *choice, const char *text, struct error *err);

/* The events as they are now, with the metrics bound to the plan: one reference, the caller's. */
struct columns *engine_choice_columns(const struct engine_choice *choice, struct plan *plan);

#endif
