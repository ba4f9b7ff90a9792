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
 * A recording as snapshots. A native recording gives the snapshots that were shown live, figure for
 * figure (core/replay/replay_native.c). A perf recording gives what its samples of context switches
 * allow (core/replay/replay_perf.c):
 *
 *      perf record -a -e '{context-switches,cycles,instructions,...}:S' -c 1
 *
 * The leader may be sched:sched_switch. 'perf sched record' has times only.
 *
 * Records go to core/attrib, as live ones do. A replay has no pace: the caller requests each
 * snapshot (core/replay/replay_feed.h).
 */
struct replay;

struct replay_config {
	const char *path; /* a file or directory; "-": standard input */
	const struct engine_config
		*engine;      /* columns, target and rows, as far as the recording has them */
	uint64_t interval_ns; /* of a perf recording; a native one keeps its intervals ... */
	bool interval_given;  /* ... and, if the user gave interval_ns, adds a note */
	/*
	 * A profile, which has no context switches (core/replay/replay_profile.c), is one interval
	 * if it is a file. `grows`: the first snapshots are of its first samples, each of more
	 * than the one before.
	 */
	bool whole, grows;
	bool no_functions; /* of a profile: saves the time to find them */
	/* Of a profile, NULL: none, borrowed: as in struct code_names_config. */
	const char *symfs, *build_id_cache;
};

/* Source of bytes other than a path (core/perfdata/perfdata_read.h). */
struct perfdata_input;

/*
 * Reads until the columns are known. 0, or -errno with *err filled: the recording cannot be opened,
 * is no perf.data, or has nothing that can be shown. Borrows sys, for waits.
 */
int replay_new(const struct sys *sys, const struct replay_config *config, struct replay **replay,
	       struct error *err);
/* The same for a borrowed input; ignores config->path. */
int replay_new_from(const struct sys *sys, const struct replay_config *config,
		    const struct perfdata_input *input, struct replay **replay, struct error *err);
void replay_free(struct replay *replay); /* NULL is fine */

/*
 * 1 and the next snapshot, owned by the caller; 0 at the end; -EAGAIN: the pipe has no more yet,
 * wait for replay_fd(); or -errno with *err filled: the recording is broken from here on. All
 * intervals before the defect, and of a perf recording the part of the last one, were returned
 * before.
 */
int replay_next(struct replay *replay, struct snapshot **snapshot, struct error *err);
/* The same without a snapshot, and faster: *time_ns is snapshot->time_ns. */
int replay_skip(struct replay *replay, uint64_t *time_ns, struct error *err);

/* Whether it is a file; goes back to its beginning. */
bool replay_can_rewind(const struct replay *replay);
int replay_rewind(struct replay *replay, struct error *err);

/* Readable when a pipe has more; -1 for a file. */
int replay_fd(const struct replay *replay);
/* Records read so far, of all types. */
uint64_t replay_records(const struct replay *replay);
/* Whether it is a native recording. */
bool replay_is_native(const struct replay *replay);

/* Whether it has samples without counts. */
bool replay_is_profile(const struct replay *replay);
/* Whether it is a profile that is shown as one interval. */
bool replay_is_whole(const struct replay *replay);

/* Sets the interval of a perf recording; a profile that was shown as one interval is to be rewound.
 */
void replay_set_interval(struct replay *replay, uint64_t interval_ns);
/* Makes a profile in a file one interval, from the next rewind on. Returns false for others. */
bool replay_set_whole(struct replay *replay);
/*
 * Applies FIGURES of request.def before the next snapshot. A request that a recording cannot do
 * (all but columns of recorded events) becomes an urgent note.
 */
void replay_do(struct replay *replay, const struct request *request);

#endif
