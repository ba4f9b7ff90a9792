// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FEED_THREAD_H
#define PMCTOP_FEED_THREAD_H

#include "core/base/error.h"
#include "core/engine/feed.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A thread that owns a feed: commands and questions go in, snapshots and answers come out.
 * Whoever draws may stall for as long as a frozen terminal likes: the rings are drained all the
 * same, and of the snapshots that nobody took only the newest is kept. All calls come from one
 * other thread.
 */
struct feed_thread;

/*
 * In two steps, so that the feed is opened on the caller's thread, where its errors return: with
 * the kernel as that thread is going to see it.
 */
int feed_thread_new(struct feed_thread **feed_thread, struct error *err);
const struct sys *feed_thread_sys(const struct feed_thread *feed_thread);
/* Takes the feed over, also where it fails. */
int feed_thread_start(struct feed_thread *feed_thread, const struct feed *feed, struct error *err);
/* Stops the thread where it runs, closes everything. NULL is fine. */
void feed_thread_free(struct feed_thread *feed_thread);

/* A descriptor that polls readable while there is something to be taken. */
int feed_thread_fd(const struct feed_thread *feed_thread);
/* The newest snapshot, which the caller then owns, or NULL when there is none since the last. */
struct snapshot *feed_thread_pop(struct feed_thread *feed_thread);

/* feed_query. Ends no interval; of answers that nobody took only the newest of a kind is kept. */
void feed_thread_query(struct feed_thread *feed_thread, const struct query *query);
/*
 * An answer, which the caller then owns, or NULL when there is none left. Take them until then,
 * after feed_thread_pop: that makes the descriptor wait for what comes next.
 */
struct reply *feed_thread_pop_reply(struct feed_thread *feed_thread);

/* Takes effect at once: the next interval ends `interval_ns` after the last one ended. */
void feed_thread_set_interval(struct feed_thread *feed_thread, uint64_t interval_ns);

/*
 * feed_do. The interval under way ends at once, so that new columns are there after one whole
 * interval, and what could not be done is told then.
 */
void feed_thread_do(struct feed_thread *feed_thread, const struct command *command);

/* Where a recording is, as of the last time it told. False: it is none, or has told nothing yet. */
bool feed_thread_playback(struct feed_thread *feed_thread, struct playback *playback);

#endif
