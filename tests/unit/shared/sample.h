// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SAMPLE_H
#define PMCTOP_TESTS_SAMPLE_H

#include "core/base/util.h"
#include "core/metric/metric.h"
#include "core/metric/preset.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Snapshots made by hand, for tests of code that reads them: no kernel, no engine. The columns have
 * the events of the overview preset in two groups, and the metrics of any preset.
 */
enum {
	SAMPLE_CYCLES = TALLY_FIRST_COUNTED,
	SAMPLE_INSTRUCTIONS,
	SAMPLE_BRANCH_MISSES,
	SAMPLE_CACHE_MISSES,
	SAMPLE_PAGE_FAULTS,
	SAMPLE_MIGRATIONS,
	SAMPLE_EVENTS,
	SAMPLE_GROUPS = 2,
	SAMPLE_WIDTH = 2 * (SAMPLE_EVENTS + SAMPLE_GROUPS) + 3, /* with one domain */
	SAMPLE_GROUP_0 = SAMPLE_EVENTS, /* index in a tally: cycles, instructions, branch-misses */
	SAMPLE_GROUP_1 = SAMPLE_EVENTS + 1, /* the other events */
	SAMPLE_DOMAIN = SAMPLE_EVENTS + SAMPLE_GROUPS,
};

void sample_events(struct event_set *set);

/* The value of a metric over one row. It is bound to the plan of `input`. */
struct figure sample_eval(struct metric *metric, const struct metric_input *input,
			  double interval_s);

/* Counts each event once; one domain with two groups. The caller has one reference. */
struct plan *sample_plan(void);

/* The caller has one reference: for a snapshot, or for columns_unref(). */
struct columns *sample_columns(const char *preset);
/* The same with these metrics, up to NULL, instead of the preset's. */
struct columns *sample_columns_of(const char *preset, const char *const *names);

/* A row and its counts. Both groups counted for the row's time on a CPU, unless `shared`. */
struct sample_row {
	struct row row;
	uint64_t counts[SAMPLE_EVENTS];
	bool shared; /* group 1 counted for group_1_ns only */
	uint64_t group_1_ns;
};

/* A task p/t of a user and a cgroup that ran for so many ns. */
#define SAMPLE_TASK(p, t, parent, owner, group, name, ns) \
	{                                                 \
		.row = {.pid = (p),                       \
			.tid = (t),                       \
			.ppid = (parent),                 \
			.uid = (owner),                   \
			.cgroup = (group),                \
			.threads = 1,                     \
			.comm = name,                     \
			.user = #owner},                  \
		.counts = {[TALLY_TASK_CLOCK] = (ns)},    \
	}

void sample_tally(const struct sample_row *from, uint64_t *tally);

void sample_rows(const struct columns *columns, const struct sample_row *from, size_t n,
		 struct rows *rows);

/*
 * A snapshot of 1 s without rows and CPUs; all tallies are 0. Takes over the reference of columns.
 */
struct snapshot *sample_snapshot_new(struct columns *columns, const char *host, const char *pmu);

void sample_fill_rows(struct snapshot *snapshot, const struct sample_row *from, size_t n);

/* Adds n CPUs with zero tallies. */
void sample_cpus(struct snapshot *snapshot, size_t n);

/*
 * A machine of two CPUs that lacks memory, at a load of 7: the values of a virtual machine that
 * swaps.
 */
void sample_machine(struct snapshot *snapshot);

/* Makes it a CPU without any record in this interval. */
void sample_silence(struct snapshot_cpu *cpu);

/* The same after sample_evaluate(): subtracts the CPU's counts from the totals. */
void sample_silence_of(struct snapshot *snapshot, size_t i);

/* Sets the paths of the cgroups; they are copied. */
void sample_cgroups(struct snapshot *snapshot, const char *const *paths, size_t n);
#define SAMPLE_CGROUPS(snapshot, ...)                                \
	sample_cgroups(snapshot, (const char *const[]){__VA_ARGS__}, \
		       ARRAY_SIZE(((const char *const[]){__VA_ARGS__})))

/* Sets the main threads that did not run. */
void sample_sleeping(struct snapshot *snapshot, const struct row *rows, size_t n);

/* Sums the CPUs that have tallies, and evaluates the figures of CPUs and machine. */
void sample_evaluate(struct snapshot *snapshot);

/*
 * A snapshot of 1 s that conserves: CPU 0 ran every row, CPU 1 was idle. Takes over the reference
 * of columns.
 */
struct snapshot *sample_snapshot(struct columns *columns, const struct sample_row *from, size_t n);

#endif
