// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HISTORY_H
#define PMCTOP_HISTORY_H

#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Past figures of the machine and the target, of CPUs, sockets and nodes, and of tasks, processes,
 * users, cgroups and commands: all metrics that were counted at the time.
 *
 * Time is divided into buckets. A bucket has one snapshot, or the sum of as many as take about a
 * second. Counts are added up before they are divided. A snapshot that is cut short is a
 * part of the next one's bucket. HISTORY_BUCKETS are kept: at least 10
 * minutes, more with slower refreshes. A bucket takes at most HISTORY_BUCKET_BYTES: it has the
 * machine, then CPUs, then users, cgroups, commands, processes and tasks, and leaves out keys with
 * the least CPU time. That is 15 MiB in all. The bucket in progress is a snapshot of a second
 * beside it.
 *
 * An unknown value is a gap, never 0: the task did not run, or was left out, or there was no
 * snapshot. The history has no clock: its times are the snapshots'.
 */
struct history;

enum {
	HISTORY_BUCKETS = 640,
	HISTORY_BUCKET_BYTES = 24 << 10,
};
/* A bucket is complete from here on: refreshes are never exactly on time. */
#define HISTORY_BUCKET_NS 950000000ull

/* What the past figures belong to. */
enum history_kind {
	HISTORY_MACHINE,
	HISTORY_TARGET,
	HISTORY_CPU,
	HISTORY_SOCKET,
	HISTORY_NODE,
	HISTORY_THREAD,
	HISTORY_PROCESS,
	HISTORY_USER,
	HISTORY_CGROUP,
	HISTORY_COMMAND,
};

struct history_key {
	enum history_kind kind;
	uint32_t number; /* number of a CPU, socket or node, tid, pid, uid */
	uint64_t start;  /* start of a thread or process, 0: any; hash of a cgroup's path, or of a
			    command */
};

/* The key of the machine or the target. */
static inline struct history_key history_key_of_all(enum history_kind kind)
{
	return (struct history_key){.kind = kind};
}
/* The key of a row or CPU of that grouping. By tree it is the key of the process alone. */
struct history_key history_key_of_row(const struct snapshot *snapshot, enum rollup by,
				      const struct row *row);
struct history_key history_key_of_cpu(enum rollup by, const struct snapshot_cpu *cpu);

struct history *history_new(void);
/*
 * Returns a history of a whole recording. A bucket is as long as the first
 * snapshot's interval, and at least HISTORY_BUCKET_NS.
 * When all buckets are used, each two become one, so at least half of HISTORY_BUCKETS are in use.
 * Read it with history_read_range() only.
 */
struct history *history_new_recorded(void);
void history_free(struct history *history); /* NULL is fine */

/* Adds the next snapshot, which is borrowed for the call. */
void history_add(struct history *history, const struct snapshot *snapshot);

/* Ends the history: completes the bucket in progress. */
void history_end(struct history *history);

/* While held, reads end at the current bucket. New snapshots are still added. */
void history_hold(struct history *history, bool hold);

/*
 * Reads the last n values of a metric by its name, the newest last, NAN: unknown. Each value is the
 * mean of `step` >= 1 buckets. The division into groups of `step` is fixed, so a value that was
 * shown does not change later.
 */
void history_read(const struct history *history, const struct history_key *key, const char *metric,
		  unsigned step, size_t n, float *values);
/*
 * Returns the time that these n values cover. For time before the first bucket, the length of the
 * last bucket counts.
 */
uint64_t history_span_ns(const struct history *history, unsigned step, size_t n);

/* The time of a whole history, in the time of snapshots. Returns false, and 0: empty. */
bool history_reach(const struct history *history, uint64_t *begin_ns, uint64_t *end_ns);
/* Of a whole history: means over n equal parts of a time, NAN: unknown. from_ns < to_ns. */
void history_read_range(const struct history *history, const struct history_key *key,
			const char *metric, uint64_t from_ns, uint64_t to_ns, size_t n,
			float *values);

#endif
