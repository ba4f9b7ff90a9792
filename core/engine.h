// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENGINE_H
#define PMCTOP_ENGINE_H

#include "error.h"
#include "snapshot.h"
#include "sys.h"

#include <stdbool.h>

/*
 * One counting run: chooses the best collector that the kernel allows, keeps the task table, and
 * makes a snapshot an interval. Synchronous and single-threaded; core/collector gives it a thread.
 */
struct engine;

struct engine_config {
	const char *preset; /* NULL: overview, or software where there are no counters */
	bool proc_only;     /* leave perf_event_open alone and use /proc */
};

/* 0, or -errno and a sentence where nothing at all can be measured (not even /proc). */
int engine_new(const struct sys *sys, const struct engine_config *config, struct engine **engine,
	       struct error *err);
void engine_free(struct engine *engine);

/*
 * Waits until deadline_ns (CLOCK_MONOTONIC), folding records in as the rings fill. Returns 0 at
 * the deadline, 1 when sys_wake ended it early.
 */
int engine_wait(struct engine *engine, uint64_t deadline_ns);

/* Ends the interval now and hands over its picture; the caller frees it. Never fails. */
struct snapshot *engine_snapshot(struct engine *engine);

#endif
