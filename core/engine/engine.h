// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENGINE_H
#define PMCTOP_ENGINE_H

#include "core/attrib/target.h"
#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/engine/query.h"
#include "core/engine/request.h"
#include "core/event/event.h"
#include "core/metric/metric_def.h"
#include "core/metric/preset.h"
#include "core/perfdata/recorder.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"
#include "core/tables/tables.h"

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

/* An argument of -e or -m. */
struct engine_column {
	enum engine_column_kind kind;
	const char *text;
	bool optional; /* what cannot be counted here is noted and left out; else it is an error */
};

/* All pointers are borrowed for the engine's life, unless stated otherwise. */

struct engine_config {
	const struct preset *preset;         /* NULL: overview, or software without counters */
	const struct engine_column *columns; /* after the preset's, in this order */
	size_t n_columns;
	const struct metric_def *user_metrics; /* for columns and presets, by name */
	size_t n_user_metrics;
	const struct preset *presets; /* the user's own, for REQUEST_PRESET */
	size_t n_presets;
	const struct notes *notes;   /* of every snapshot; NULL: none */
	struct tables_places tables; /* the user's files of events; zeroed: none */
	struct target_spec target;   /* zeroed: all tasks */
	/* Absolute path of getent(1), for users outside of /etc/passwd; NULL: they have numbers. */
	const char *getent;
	enum event_levels levels;         /* privilege levels to count */
	enum command_lines command_lines; /* of rows */
	bool idle;                        /* tasks that did not run have rows */
	bool patient;     /* these rows may come one after the other, so that they cost little */
	unsigned code_hz; /* samples of code a second on a busy CPU, for snapshot->code; 0: none */
	struct recorder *recorder; /* owned, also if engine_new() fails; NULL: no recording */
	struct error *recording; /* filled in, at the latest by engine_free(), if a recording ended
				    early; NULL: the caller does not need it */
	struct unwritten *unwritten; /* of later recordings (REQUEST_RECORD); may be NULL */
	/* Filled in with the snapshot of the short interval before the first, owned by the caller;
	 * NULL: none is wanted. */
	struct snapshot **glimpse;
	/* In system mode, the CPU time that counting may cost, in percent of the counted CPU; 0: no
	 * limit. */
	double budget_percent;
	bool counts_itself; /* snapshots have pmctop's own cost, in CPU time and cycles */
};

/*
 * Returns 0, or -errno and a sentence: -EINVAL if the columns make no sense, -EOPNOTSUPP if the
 * recorder cannot record in this mode, another code if even /proc cannot be read. Borrows sys for
 * its life. Counts short intervals, three at most, to see which switches the kernel does not
 * report: takes 20 to 60 ms if the caller wants a glimpse, else 60 to 180 ms, and the opening of
 * counters.
 */
int engine_new(const struct sys *sys, const struct engine_config *config, struct engine **engine,
	       struct error *err);
void engine_free(struct engine *engine);

/*
 * Waits until deadline_ns (CLOCK_MONOTONIC). Applies records as the rings fill, and answers queries
 * meanwhile. Returns 0 at the deadline. Returns 1 earlier after sys_wake(), a signal, or if there
 * is a reply.
 */
int engine_wait(struct engine *engine, uint64_t deadline_ns);

/*
 * Takes over all requests. Does each at once or at the end of the interval (request.def). Returns
 * how many snapshots it takes until one shows the effects: 0 if the last one does, or if no user
 * waits for them.
 */
unsigned engine_request(struct engine *engine, struct request_list *requests);

/* The replies, for reply_pop(). They stay in that place for the engine's life. */
struct reply **engine_replies(struct engine *engine);

/* The expected length of the interval that engine_snapshot() begins: its groups take turns in it.
 */
void engine_expect(struct engine *engine, uint64_t interval_ns);

/* Ends the interval now. Returns its snapshot, owned by the caller. Never fails. */
struct snapshot *engine_snapshot(struct engine *engine);

#endif
