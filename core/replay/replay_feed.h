// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_FEED_H
#define PMCTOP_REPLAY_FEED_H

#include "core/base/error.h"
#include "core/engine/feed.h"
#include "core/replay/replay.h"
#include "core/replay/replay_index.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A recording as a feed: its snapshots are due at the recorded intervals divided by the speed, and
 * commands go to and fro in it (COMMAND_PAUSE and those behind it).
 *
 * The last snapshots are kept (core/replay/snapshot_cache.h). Farther back a file is read again
 * from its beginning, in bits of REPLAY_FEED_BIT_NS between which feed_wait returns, so that nobody
 * waits for it; a pipe cannot be, and goes back to the oldest that is kept. One that stands still
 * is waited for, and not read.
 *
 * A recording that is cut off or broken ends there. What it tells and cannot do stands in struct
 * playback.
 */
enum { REPLAY_FEED_BACK = 16 }; /* so many before the one that was asked for are kept too */
#define REPLAY_FEED_BIT_NS 20000000ull

struct replay_feed_config {
	struct replay_config replay; /* what it points to is borrowed for the feed's life */
	uint32_t speed;              /* in thousandths, or PLAYBACK_SPEED_MAX */
	bool stays; /* at the end, for whoever goes back; else the feed ends with it */
	struct replay_index
		*replay_index; /* knows how long it is, and is told of a pipe; borrowed; or NULL */
};

/* 0, or -errno and a sentence (replay_new). Borrows sys for its life. */
int replay_feed_open(const struct sys *sys, const struct replay_feed_config *config,
		     struct feed *feed, struct error *err);

#endif
