// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FEED_H
#define PMCTOP_FEED_H

#include "core/base/error.h"
#include "core/engine/playback.h"
#include "core/engine/query.h"
#include "core/engine/request.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A source of snapshots with its own pace: a machine (core/engine/live_feed) or a recording
 * (core/replay/replay_feed). The readers, a thread beside the screen (core/engine/feed_thread) and
 * a loop that prints (core/output/batch), treat both alike. One thread at a time.
 */
struct feed_ops {
	/*
	 * Waits until the next snapshot is due, or until until_ns (CLOCK_MONOTONIC; UINT64_MAX: no
	 * limit). Returns 1 if a snapshot is due. Returns 0 at until_ns, after sys_wake() or a
	 * signal, if there is a reply, or if `playback` has changed. Returns -ENODATA at the end of
	 * all snapshots, another -errno and a sentence if they ended with an error.
	 */
	int (*wait)(void *ctx, uint64_t until_ns, struct error *err);
	/*
	 * Returns the snapshot that is due, owned by the caller. If none is due, a live feed ends
	 * its interval now; a replay returns NULL if there is nothing new.
	 */
	struct snapshot *(*snapshot)(void *ctx);
	/* Sets the length of intervals, also of the current one. */
	void (*set_interval)(void *ctx, uint64_t interval_ns);
	/*
	 * Takes over all requests. The effect of each, or a note why there is none, is in one of
	 * the next two snapshots. If these are far, they are short intervals (snapshot->cut_short).
	 */
	void (*request)(void *ctx, struct request_list *requests);
	/* The position in a recording. NULL for a live feed. */
	void (*playback)(void *ctx, struct playback *playback);
	void (*free)(void *ctx);
};

struct feed {
	const struct feed_ops *ops; /* NULL: no feed */
	void *ctx;
	struct reply **replies; /* for reply_pop(); NULL: a recording has none */
	/*
	 * Called with each snapshot before it is returned, so also with those that a slow reader
	 * drops. NULL: not needed.
	 */
	void (*finished)(void *arg, const struct snapshot *snapshot);
	void *arg; /* of finished; borrowed for the feed's life */
};

static inline int feed_wait(const struct feed *feed, uint64_t until_ns, struct error *err)
{
	return feed->ops->wait(feed->ctx, until_ns, err);
}

static inline struct snapshot *feed_snapshot(const struct feed *feed)
{
	struct snapshot *snapshot = feed->ops->snapshot(feed->ctx);

	if (snapshot && feed->finished)
		feed->finished(feed->arg, snapshot);
	return snapshot;
}

static inline void feed_set_interval(const struct feed *feed, uint64_t interval_ns)
{
	feed->ops->set_interval(feed->ctx, interval_ns);
}

static inline void feed_request(const struct feed *feed, struct request_list *requests)
{
	feed->ops->request(feed->ctx, requests);
}

/* Returns false for a live feed. */
static inline bool feed_playback(const struct feed *feed, struct playback *playback)
{
	if (!feed->ops->playback)
		return false;
	feed->ops->playback(feed->ctx, playback);
	return true;
}

static inline void feed_free(struct feed *feed)
{
	if (feed->ops)
		feed->ops->free(feed->ctx);
	*feed = (struct feed){0};
}

#endif
