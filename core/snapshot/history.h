// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HISTORY_H
#define PMCTOP_HISTORY_H

#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The past of figures: of the machine and the target, of CPUs, sockets and nodes, and of tasks,
 * processes, users and cgroups, every metric that there was at the time.
 *
 * Time is cut into buckets of one snapshot each, or of as many as make about a second; what those
 * counted is added up before it is divided. HISTORY_BUCKETS of them are kept: at least 10 minutes,
 * and more where refreshes are slower. A bucket takes at most HISTORY_BUCKET_BYTES, whatever the
 * machine does: the machine comes first, then CPUs, then users, cgroups, processes and tasks, of
 * each of which those that ran least are left out. All together that is 15 MiB; the bucket that is
 * not yet whole is beside it a snapshot of a second.
 *
 * What is not known is a gap, and never 0: who did not run, or was left out, or nobody looked. It
 * has no clock: time is that of the snapshots.
 */
struct history;

enum {
	HISTORY_BUCKETS = 640,
	HISTORY_BUCKET_BYTES = 24 << 10,
};
/* Refreshes are never exactly on time: a bucket is whole from here on. */
#define HISTORY_BUCKET_NS 950000000ull

/* Whose past it is. */
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
};

struct history_key {
	enum history_kind kind;
	uint32_t number; /* of a CPU, socket, node, thread, process, user */
	uint64_t start;  /* of a thread or process: 0 is any; a cgroup's path, as a number */
};

/* Without a number: the machine and the target. */
static inline struct history_key history_key_of_all(enum history_kind kind)
{
	return (struct history_key){.kind = kind};
}
/* A row of the snapshot, or a CPU, as rolled up in that way; by tree it is the process alone. */
struct history_key history_key_of_row(const struct snapshot *snapshot, enum rollup by,
				      const struct row *row);
struct history_key history_key_of_cpu(enum rollup by, const struct snapshot_cpu *cpu);

struct history *history_new(void);
/*
 * One that forgets nothing: it begins with the first snapshot, whose interval is how long its
 * buckets are, and when all have been used pairs of them become one. Of HISTORY_BUCKETS, however
 * long it is, at least half are in use. It is read by history_read_range alone.
 */
struct history *history_new_whole(void);
void history_free(struct history *history); /* NULL is fine */

/* The next snapshot; it stays its owner's. */
void history_add(struct history *history, const struct snapshot *snapshot);

/* Nothing follows: what has not made a whole bucket yet is one all the same. */
void history_end(struct history *history);

/* Whether what is read stands still; what comes meanwhile is kept all the same. */
void history_hold(struct history *history, bool hold);

/*
 * The last n values of a metric, by its name: the newest at the end, NAN where nothing is known.
 * Each is the mean of `step` >= 1 buckets, always of the same ones, so that a value that has been
 * shown does not change as others come.
 */
void history_read(const struct history *history, const struct history_key *key, const char *metric,
		  unsigned step, size_t n, float *values);
/* How long those n values were; what lies before the first bucket is as long as the last one. */
uint64_t history_span_ns(const struct history *history, unsigned step, size_t n);

/* From when to when a whole one reaches, in the time of snapshots. False and 0: nowhere yet. */
bool history_reach(const struct history *history, uint64_t *begin_ns, uint64_t *end_ns);
/*
 * n values of as many parts of a time, each the mean of what is known of it, NAN where nothing is;
 * from_ns < to_ns.
 */
void history_read_range(const struct history *history, const struct history_key *key,
			const char *metric, uint64_t from_ns, uint64_t to_ns, size_t n,
			float *values);

#endif
