// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_READER_H
#define PMCTOP_REPLAY_READER_H

#include "core/base/error.h"
#include "core/replay/replay.h"
#include "core/replay/replay_index.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the intervals of a replay, numbered from 1 in the order of the recording, and keeps the
 * latest snapshots, so that steps back need no reading. At most REPLAY_READER_SNAPSHOTS snapshots
 * and REPLAY_READER_BYTES bytes are kept, but always the latest two. The kept ones have
 * consecutive numbers and end with `last`. Positions are times from the beginning of interval 1.
 */
enum {
	REPLAY_READER_SNAPSHOTS = 600,
	REPLAY_READER_BYTES = 64 << 20,
};

struct replay_reader {
	struct replay *replay;           /* owned */
	struct replay_index *pipe_index; /* receives the snapshots of a pipe; borrowed, or NULL */
	const char *name;                /* of the recording, for snapshots; borrowed */
	struct snapshot
		*items[REPLAY_READER_SNAPSHOTS]; /* n: at n % REPLAY_READER_SNAPSHOTS; owned */
	size_t n, bytes;
	uint64_t oldest_begin_ns; /* position where the oldest kept snapshot begins */
	uint64_t last;            /* number of the latest interval that was read; 0: none */
	uint64_t position_ns;     /* end of interval `last` */
	uint64_t farthest_ns;     /* greatest position_ns so far */
	bool begun;               /* begin_ns and begin_real_ns are valid */
	uint64_t begin_ns;        /* beginning of interval 1, in snapshot time */
	uint64_t begin_real_ns;   /* beginning of interval 1, CLOCK_REALTIME; 0: unknown */
	uint64_t interval_ns;     /* length of the latest snapshot */
	uint64_t usual_ns;        /* length of most of the latest snapshots */
	unsigned n_usual;         /* how many of them confirm usual_ns */
	bool end_known;           /* interval `end` is the last of the recording */
	uint64_t end;
	struct error broken; /* why no interval follows `end`; empty at the plain end */
	bool waiting;        /* the pipe has no complete interval yet */
	bool changed;        /* `waiting` or `end_known` changed; reset by the caller */
};

/* Takes over the replay. */
void replay_reader_init(struct replay_reader *reader, struct replay *replay,
			struct replay_index *pipe_index, const char *name);
void replay_reader_fini(struct replay_reader *reader);

/* Reads and keeps the next snapshot: 1; 0 at the end or if broken; -EAGAIN: nothing to read yet. */
int replay_reader_next(struct replay_reader *reader);
/* The same without a snapshot, and faster. Drops all kept snapshots. */
int replay_reader_skip(struct replay_reader *reader);
/* Goes back before interval 1 and drops all kept snapshots. 0 or -errno; then it is broken. */
int replay_reader_rewind(struct replay_reader *reader);
/* False for a pipe. */
bool replay_reader_can_rewind(const struct replay_reader *reader);
/* Whether `last` is the end of the recording. */
bool replay_reader_at_end(const struct replay_reader *reader);

/* Drops the kept snapshots before `number`; UINT64_MAX: all. */
void replay_reader_drop_before(struct replay_reader *reader, uint64_t number);
/* Number of the oldest kept snapshot; last + 1 if none is kept. */
uint64_t replay_reader_oldest(const struct replay_reader *reader);
bool replay_reader_has(const struct replay_reader *reader, uint64_t number);
/* A kept snapshot; borrowed. */
struct snapshot *replay_reader_at(const struct replay_reader *reader, uint64_t number);
/* Number of the first interval that ends at or after position_ns; 0: it is not kept. */
uint64_t replay_reader_find(const struct replay_reader *reader, uint64_t position_ns);

#endif
