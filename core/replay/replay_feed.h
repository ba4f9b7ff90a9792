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
 * A recording as a feed: a snapshot is due after its recorded interval divided by the speed. The
 * requests from REQUEST_PAUSE on pause, step, seek and set the speed.
 *
 * The latest snapshots are kept (core/replay/replay_reader.h). To seek before them, a file is read
 * again from its beginning. feed_wait seeks for at most REPLAY_FEED_TURN_NS in each call and
 * returns 0 before the goal is reached. A pipe cannot be read again, so a seek stops at the oldest
 * kept snapshot. While paused, the feed does not read from a pipe.
 *
 * A truncated or broken recording ends at the defect. struct playback has the reason, and the
 * reason why a request was not done.
 */
#define REPLAY_FEED_TURN_NS 20000000ull

struct replay_feed_config {
	struct replay_config replay; /* borrows what it points to, for the feed's life */
	uint32_t speed;              /* in thousandths, or PLAYBACK_SPEED_MAX */
	bool stays;                  /* wait for requests at the end; else the feed ends there */
	/* Length of a file; receives the snapshots of a pipe. Borrowed, or NULL. */
	struct replay_index *index;
};

/* 0, or -errno and *err filled (replay_new). Borrows sys for its life. */
int replay_feed_open(const struct sys *sys, const struct replay_feed_config *config,
		     struct feed *out, struct error *err);

#endif
