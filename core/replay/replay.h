// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_H
#define PMCTOP_REPLAY_H

#include "core/base/error.h"
#include "core/engine/engine.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A recording as snapshots: those that were shown when pmctop recorded it, figure for figure
 * (core/replay/replay_native.c), or those that can be made of what perf recorded
 * (core/replay/replay_perf.c):
 *
 *     perf record -a -e '{context-switches,cycles,instructions,...}:S' -c 1
 *
 * The leader may be sched:sched_switch; 'perf sched record' has times alone.
 *
 * The records go to core/attrib, as live ones do. It knows no pace: whoever wants the next snapshot
 * asks for it (core/replay/replay_feed.h).
 */
struct replay;

struct replay_config {
	const char *path; /* "-": standard input */
	const struct engine_config
		*engine;      /* columns, target, rows: as far as a recording has them */
	uint64_t interval_ns; /* of snapshots of what perf recorded; ours are as they were ... */
	bool asked;           /* ... and a note says so: somebody asked for others */
};

/* Where bytes come from, if not from a path (core/perfdata/perfdata_read.h). */
struct perfdata_input;

/*
 * Reads until it is known whose recording it is. 0, or -errno and a sentence: it cannot be opened,
 * is no perf.data, or has nothing in it that can be shown. Borrows sys, to wait with.
 */
int replay_new(const struct sys *sys, const struct replay_config *config, struct replay **replay,
	       struct error *err);
/* The same of other bytes: config->path is of no meaning; the input is borrowed. */
int replay_new_from(const struct sys *sys, const struct replay_config *config,
		    const struct perfdata_input *input, struct replay **replay, struct error *err);
void replay_free(struct replay *replay); /* NULL is fine */

/*
 * 1 and the next snapshot, which is the caller's; 0 at the end; -EAGAIN where a pipe has no more
 * yet: wait for replay_fd(); or -errno and a sentence where the recording is broken from here on:
 * what could be told before has been told, the part of an interval that was left too.
 */
int replay_next(struct replay *replay, struct snapshot **snapshot, struct error *err);
/* The same without a picture, and faster: *time_ns is snapshot->time_ns. */
int replay_skip(struct replay *replay, uint64_t *time_ns, struct error *err);

/* Of a file: from the beginning again. */
bool replay_can_rewind(const struct replay *replay);
int replay_rewind(struct replay *replay, struct error *err);

/* A descriptor that polls readable when there is more; -1 of a file. */
int replay_fd(const struct replay *replay);
/* Records that were read so far, of all kinds. */
uint64_t replay_records(const struct replay *replay);
/* Whether pmctop made it: its intervals are as they were. */
bool replay_is_native(const struct replay *replay);

/* How long the intervals of what perf recorded are from now on. */
void replay_set_interval(struct replay *replay, uint64_t interval_ns);
/*
 * As engine_do, before the next snapshot: those that a recording can do (columns, of events that
 * it has); of others an urgent note says that it cannot.
 */
void replay_do(struct replay *replay, const struct command *command);

#endif
