// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FEED_H
#define PMCTOP_FEED_H

#include "core/base/error.h"
#include "core/engine/command.h"
#include "core/engine/playback.h"
#include "core/engine/query.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What makes one snapshot after the other, at a pace of its own: a machine (core/engine/live_feed)
 * or a recording (core/replay/replay_feed). Whoever takes them, a thread beside the screen
 * (core/engine/feed_thread) or a loop that prints (core/output/batch), knows no difference. One
 * thread at a time.
 */
struct feed_ops {
	/*
	 * Until the next snapshot is due, or until_ns (CLOCK_MONOTONIC; UINT64_MAX: however long it
	 * takes). 1: it is due; 0: not yet, as it is until_ns, or sys_wake or a signal ended the
	 * wait, or there is an answer, or something to be told by `playback`; -ENODATA: there will
	 * be none any more; another -errno and a sentence: the same, for a reason.
	 */
	int (*wait)(void *ctx, uint64_t until_ns, struct error *err);
	/*
	 * The snapshot that is due, or where none is, what there is to be seen now: of a machine
	 * the interval ends; NULL: nothing that has not been handed over. The caller's.
	 */
	struct snapshot *(*snapshot)(void *ctx);
	/* How long intervals are from now on, counted from when the last one ended. */
	void (*set_interval)(void *ctx, uint64_t interval_ns);
	/* Those of core/engine/command.h. Of new columns the next snapshot but one tells. */
	void (*command)(void *ctx, const struct command *command);
	/* Of questions of one kind the latest is answered. */
	void (*query)(void *ctx, const struct query *query);
	/* The next answer, which is the caller's then; NULL where there is none. */
	struct reply *(*pop_reply)(void *ctx);
	/* Of a recording: where it is now. NULL: it is none. */
	void (*playback)(void *ctx, struct playback *playback);
	void (*free)(void *ctx);
};

struct feed {
	const struct feed_ops *ops; /* NULL: there is none */
	void *ctx;
};

static inline int feed_wait(const struct feed *feed, uint64_t until_ns, struct error *err)
{
	return feed->ops->wait(feed->ctx, until_ns, err);
}

static inline struct snapshot *feed_snapshot(const struct feed *feed)
{
	return feed->ops->snapshot(feed->ctx);
}

static inline void feed_set_interval(const struct feed *feed, uint64_t interval_ns)
{
	feed->ops->set_interval(feed->ctx, interval_ns);
}

static inline void feed_do(const struct feed *feed, const struct command *command)
{
	feed->ops->command(feed->ctx, command);
}

static inline void feed_query(const struct feed *feed, const struct query *query)
{
	feed->ops->query(feed->ctx, query);
}

static inline struct reply *feed_pop_reply(const struct feed *feed)
{
	return feed->ops->pop_reply(feed->ctx);
}

/* False where it is no recording. */
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
