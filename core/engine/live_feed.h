// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LIVE_FEED_H
#define PMCTOP_LIVE_FEED_H

#include "core/engine/engine.h"
#include "core/engine/feed.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * An engine as a feed: a snapshot is due every interval_ns from the first wait on. A late one
 * (after a stopped process, or a slow reader) covers all time since the last. The deadlines that it
 * missed are skipped, so the next one is on time. A snapshot before its deadline starts a new
 * sequence of deadlines. With `begins_short` the first interval begins with a short one, as after a
 * request (snapshot->cut_short): a user waits for figures.
 *
 * Owns the engine, borrows sys for its life. interval_ns > 0.
 */
void live_init(const struct sys *sys, struct engine *engine, uint64_t interval_ns,
	       bool begins_short, struct feed *feed);

#endif
