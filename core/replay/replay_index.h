// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_INDEX_H
#define PMCTOP_REPLAY_INDEX_H

#include "core/base/error.h"
#include "core/engine/request.h"
#include "core/replay/replay.h"
#include "core/snapshot/history.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Length of a recording, and the history of its figures from the beginning on. For a file, a
 * separate thread reads it once, at full speed, beside the replay feed. For a pipe, which cannot be
 * read twice, the feed passes its snapshots to replay_index_add().
 *
 * Threads: the owner calls replay_index_new, replay_index_start and replay_index_free. No other
 * call may be in progress during start, and none may follow free. All other functions are for any
 * thread.
 */
struct replay_index;

struct replay_index *replay_index_new(void);
/*
 * Starts to read a file. Borrows what config points to until replay_index_free. 0, or -errno with
 * *err filled.
 */
int replay_index_start(struct replay_index *index, const struct replay_config *config,
		       struct error *err);
void replay_index_free(struct replay_index *index); /* NULL is fine */

/* For a pipe: adds the next snapshot, borrowed for the call; ends the history. */
void replay_index_add(struct replay_index *index, const struct snapshot *snapshot);
void replay_index_finish(struct replay_index *index);

/* Reads the file again, with a request applied (replay_do). No effect without a file. */
void replay_index_do(struct replay_index *index, const struct request *request);

/*
 * Begin and end of the history so far, in snapshot time; 0 and 0: empty. Returns whether that is
 * the whole recording.
 */
bool replay_index_bounds(struct replay_index *index, uint64_t *begin_ns, uint64_t *end_ns);

/*
 * Locks the index and returns its history, valid and constant until replay_index_unlock_history.
 * Meanwhile all other calls block, so the caller keeps the lock briefly and calls no other function
 * of the index: that would deadlock.
 */
const struct history *replay_index_lock_history(struct replay_index *index);
void replay_index_unlock_history(struct replay_index *index);

/*
 * Readable, at most every 200 ms, when the history has grown. replay_index_clear_event resets it.
 */
int replay_index_fd(const struct replay_index *index);
void replay_index_clear_event(struct replay_index *index);

#endif
