// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLLECTOR_H
#define PMCTOP_COLLECTOR_H

#include "engine.h"
#include "error.h"
#include "snapshot.h"

#include <stdint.h>

/*
 * A thread that owns an engine: commands and questions go in, snapshots and answers come out.
 * Whoever draws may stall for as long as a frozen terminal likes: the rings are drained all the
 * same, and of the snapshots that nobody took only the newest is kept. All calls come from one
 * other thread.
 */
struct collector;

/* Opens the engine on the caller's thread (so that errors return) and starts. interval_ns > 0. */
int collector_start(const struct engine_config *config, uint64_t interval_ns,
		    struct collector **collector, struct error *err);
/* Stops the thread, closes everything. NULL is fine. */
void collector_stop(struct collector *collector);

/* A descriptor that polls readable while a snapshot or an answer waits to be taken. */
int collector_fd(const struct collector *collector);
/* The newest snapshot, which the caller then owns, or NULL when there is none since the last. */
struct snapshot *collector_take(struct collector *collector);

/* engine_ask. Ends no interval; of answers that nobody took only the newest of a kind is kept. */
void collector_ask(struct collector *collector, const struct question *question);
/*
 * An answer, which the caller then owns, or NULL when there is none left. Take them until then,
 * after collector_take: that makes the descriptor wait for what comes next.
 */
struct answer *collector_take_answer(struct collector *collector);

/* Takes effect at once: the next interval ends `interval_ns` after the last one ended. */
void collector_set_interval(struct collector *collector, uint64_t interval_ns);

/*
 * engine_do. The interval under way ends at once, so that new columns are there after one whole
 * interval, and what could not be done is told then.
 */
void collector_do(struct collector *collector, const struct command *command);

#endif
