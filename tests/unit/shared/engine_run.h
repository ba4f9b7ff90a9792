// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_ENGINE_RUN_H
#define PMCTOP_TESTS_ENGINE_RUN_H

#include "core/base/util.h"
#include "core/engine/engine.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * An engine on the fake kernel, and accessors for its snapshots. Each snapshot must conserve, and
 * each thread's time must be the sum of its times on the CPUs. The caller owns what is returned,
 * except rows.
 */
#define INTERVAL_NS (100 * NS_PER_MS)

struct engine *open_engine_with(const struct sys *sys, const struct engine_config *config);
struct engine *open_engine(const struct sys *sys);

/*
 * Counts these events, without a preset's columns (NULL: the default preset), with a budget in
 * percent of a CPU (0: none). One engine at a time: it borrows a static configuration.
 */
struct engine *open_events(const struct sys *sys, const char *events, double budget_percent);

struct snapshot *next_snapshot(struct engine *engine, struct fk *fk, uint64_t interval_ns);

/* Fails unless each thread's time is the sum of its times on the CPUs. */
void check_places(const struct snapshot *snapshot);

/* The snapshot of the last of n intervals. */
struct snapshot *nth_snapshot(struct engine *engine, struct fk *fk, int n);

/* Fails if there is no such event. */
size_t event_index(const struct snapshot *snapshot, const char *name);

/* Fails unless the columns have these names, in this order: "ipc cycles". */
void check_columns(const struct snapshot *snapshot, const char *names);

/* The count of an event over all groups; 0 if the task did not run. */
uint64_t count_of(const struct snapshot *snapshot, pid_t tid, const char *event);

/* NULL: the task has no row. */
const struct row *row_of(const struct snapshot *snapshot, pid_t tid);

/* Flags of a task that has a row. */
bool has_exited(const struct snapshot *snapshot, pid_t tid);
bool has_lost(const struct snapshot *snapshot, pid_t tid);

/* Whether a note contains this text. */
bool has_note(const struct snapshot *snapshot, const char *part);

/* The figure of a metric, or of an event, of a task. Fails if the task has no row. */
struct figure task_figure(const struct snapshot *snapshot, pid_t tid, const char *metric);
struct figure event_figure(const struct snapshot *snapshot, pid_t tid, const char *event);

/* Frees both. Fails if a descriptor or a mapping is left. */
void close_all(struct engine *engine, struct fk *fk);

/* Rates per nanosecond: 2 cycles and 1 instruction (IPC 0.5); 1 and 1. */
#define HALF_IPC                                             \
	{                                                    \
		[FK_CYCLES] = {2}, [FK_INSTRUCTIONS] = { 1 } \
	}
#define FULL_IPC                                             \
	{                                                    \
		[FK_CYCLES] = {1}, [FK_INSTRUCTIONS] = { 1 } \
	}

#endif
