// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENGINE_H
#define PMCTOP_ENGINE_H

#include "core/attrib/target.h"
#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/engine/command.h"
#include "core/engine/query.h"
#include "core/event/event.h"
#include "core/metric/metric_def.h"
#include "core/metric/preset.h"
#include "core/perfdata/recorder.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * One counting run: chooses the best way to count that the kernel allows (core/collect), keeps the
 * task table, and makes one snapshot per interval. Synchronous and single-threaded;
 * core/engine/feed_thread gives it a thread.
 */
struct engine;

enum engine_column_kind {
	ENGINE_EVENTS, /* EVENT[,EVENT...], {EVENT,EVENT} */
	ENGINE_METRIC, /* NAME or NAME=EXPRESSION */
};

/* What -e or -m said. */
struct engine_column {
	enum engine_column_kind kind;
	const char *text;
	bool optional; /* what of it makes no sense here is noted, and the others are taken */
};

/* What it points to is borrowed for the engine's life. */
struct engine_config {
	const struct preset *preset; /* NULL: overview, or software where there are no counters */
	const struct engine_column *columns; /* beside the preset's, in their order */
	size_t n_columns;
	const struct metric_def *user_metrics; /* may be named by columns and by the preset */
	size_t n_user_metrics;
	const struct preset *presets; /* the user's own, which a command may name */
	size_t n_presets;
	const struct notes *notes; /* to be said from the beginning; may be NULL */
	struct target_spec target; /* zeroed: everybody */
	enum event_levels levels;  /* which privilege levels are counted */
	bool command_lines;        /* rows have them */
	bool idle;                 /* tasks that did not run have rows too */
	struct recorder *recorder; /* the engine's from then on, also where it fails; NULL: none */
	struct error *recording;   /* told, when the engine is freed at the latest, why a recording
				      has ended too soon; borrowed; NULL: nobody asks */
	bool proc_only;            /* leave perf_event_open alone and use /proc */
	struct snapshot **glimpse; /* given the picture of the short interval before the first, the
				      caller's from then on; borrowed; NULL: nobody asks */
	double budget_percent;     /* of a CPU, that counting it may take, where whole CPUs are
				      counted; 0: whatever it takes */
	bool counts_itself;        /* snapshots tell what we take, in cycles too */
};

/*
 * 0, or -errno and a sentence where nothing at all can be measured (not even /proc): -EINVAL where
 * it is the columns that make no sense, -EOPNOTSUPP where all could be counted but not recorded.
 * Borrows sys for its life. Takes 60 to 180 ms: a short interval before the first, to learn what
 * the kernel does not say.
 */
int engine_new(const struct sys *sys, const struct engine_config *config, struct engine **engine,
	       struct error *err);
void engine_free(struct engine *engine);

/*
 * Waits until deadline_ns (CLOCK_MONOTONIC), folding records in as the rings fill, and finding
 * answers meanwhile. Returns 0 at the deadline, 1 when sys_wake or a signal ended it early, or
 * there is an answer.
 */
int engine_wait(struct engine *engine, uint64_t deadline_ns);

/* Does it when the interval ends; of new columns the next snapshot but one tells. */
void engine_do(struct engine *engine, const struct command *command);

/* Asks; of questions of one kind the latest is answered. */
void engine_query(struct engine *engine, const struct query *query);
/* The next answer, which is the caller's then; NULL where there is none. */
struct reply *engine_pop_reply(struct engine *engine);

/* Ends the interval now and hands over its picture; the caller frees it. Never fails. */
struct snapshot *engine_snapshot(struct engine *engine);

#endif
