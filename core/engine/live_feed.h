// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LIVE_FEED_H
#define PMCTOP_LIVE_FEED_H

#include "core/engine/engine.h"
#include "core/engine/feed.h"
#include "core/sys/sys.h"

#include <stdint.h>

/*
 * An engine as a feed: snapshots are due every interval from the first wait on. One that comes late
 * (a suspended process, a slow reader) takes in all the time since the last; those that it overran
 * are skipped, so that the ones after it come on time again and not in a bunch. One that is taken
 * before it is due begins anew.
 *
 * Takes the engine over, and borrows sys for its life. interval_ns > 0.
 */
void live_init(const struct sys *sys, struct engine *engine, uint64_t interval_ns,
	       struct feed *feed);

#endif
