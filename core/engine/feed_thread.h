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
 * A thread that owns a feed: requests go in, snapshots and replies come out. It drains the rings
 * even while a frozen terminal blocks the reader. Of snapshots that the reader did not pop it keeps
 * the newest. One other thread makes all calls.
 */
struct feed_thread;

/*
 * Creation has two steps, so that the feed is opened on the caller's thread, where errors return.
 * It is opened with feed_thread_sys(), which the new thread will use.
 */
int feed_thread_new(struct feed_thread **feed_thread, struct error *err);
const struct sys *feed_thread_sys(const struct feed_thread *feed_thread);
/* Takes ownership of the feed, also on failure. Returns 0, or -errno and a sentence. */
int feed_thread_start(struct feed_thread *feed_thread, const struct feed *feed, struct error *err);
/* Stops the thread if it runs, and closes everything. NULL is fine. */
void feed_thread_free(struct feed_thread *feed_thread);

/* A descriptor, readable while there is a snapshot, a reply or a new playback. */
int feed_thread_fd(const struct feed_thread *feed_thread);
/* The newest snapshot, owned by the caller; NULL: none since the last call. */
struct snapshot *feed_thread_pop(struct feed_thread *feed_thread);

/* feed_request(). Takes over all requests, and ends no interval. */
void feed_thread_request(struct feed_thread *feed_thread, struct request_list *requests);
/*
 * The newest reply of a kind, owned by the caller; NULL: none left. Call it until it returns NULL,
 * after feed_thread_pop(), which resets the descriptor.
 */
struct reply *feed_thread_pop_reply(struct feed_thread *feed_thread);

/* Takes effect at once: the current interval ends interval_ns after the last one. */
void feed_thread_set_interval(struct feed_thread *feed_thread, uint64_t interval_ns);

/* The last reported position of a recording. Returns false for a live feed, or before the first. */
bool feed_thread_playback(struct feed_thread *feed_thread, struct playback *playback);

#endif
