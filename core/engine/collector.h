// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLLECTOR_H
#define PMCTOP_COLLECTOR_H

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
struct collector;

/*
 * In two steps, so that the feed is opened on the caller's thread, where its errors return: with
 * the kernel as that thread is going to see it.
 */
int collector_new(struct collector **collector, struct error *err);
const struct sys *collector_sys(const struct collector *collector);
/* Takes the feed over, also where it fails. */
int collector_start(struct collector *collector, const struct feed *feed, struct error *err);
/* Stops the thread where it runs, closes everything. NULL is fine. */
void collector_free(struct collector *collector);

/* A descriptor that polls readable while there is something to be taken. */
int collector_fd(const struct collector *collector);
/* The newest snapshot, which the caller then owns, or NULL when there is none since the last. */
struct snapshot *collector_take(struct collector *collector);

/* feed_ask. Ends no interval; of answers that nobody took only the newest of a kind is kept. */
void collector_ask(struct collector *collector, const struct question *question);
/*
 * An answer, which the caller then owns, or NULL when there is none left. Take them until then,
 * after collector_take: that makes the descriptor wait for what comes next.
 */
struct answer *collector_take_answer(struct collector *collector);

/* Takes effect at once: the next interval ends `interval_ns` after the last one ended. */
void collector_set_interval(struct collector *collector, uint64_t interval_ns);

/*
 * feed_do. The interval under way ends at once, so that new columns are there after one whole
 * interval, and what could not be done is told then.
 */
void collector_do(struct collector *collector, const struct command *command);

/* Where a recording is, as of the last time it told. False: it is none, or has told nothing yet. */
bool collector_playback(struct collector *collector, struct playback *playback);

#endif
