// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_INDEX_H
#define PMCTOP_REPLAY_INDEX_H

#include "core/base/error.h"
#include "core/engine/command.h"
#include "core/replay/replay.h"
#include "core/snapshot/history.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A recording as a whole: how long it is, and the past of every figure from its beginning on. A
 * file is read once by a thread of its own, as fast as that goes, while whoever plays it goes on;
 * of a pipe, which nobody can read twice, whoever plays it says what came.
 *
 * replay_index_new, replay_index_start and replay_index_free are the owner's: nobody else may be in
 * a call when it is started, nor call anything once it is freed. All other calls are for any
 * thread.
 */
struct replay_index;

struct replay_index *replay_index_new(void);
/* Reads a file from now on; what config points to must outlive it. 0, or -errno and a sentence. */
int replay_index_start(struct replay_index *index, const struct replay_config *config,
		       struct error *err);
void replay_index_free(struct replay_index *index); /* NULL is fine */

/* Of a pipe: the next snapshot, which stays its owner's; and that there are no more. */
void replay_index_add(struct replay_index *index, const struct snapshot *snapshot);
void replay_index_finish(struct replay_index *index);

/* What a recording can do (replay_do): it is read anew. Nothing where no file is read. */
void replay_index_do(struct replay_index *index, const struct command *command);

/*
 * From when to when it reaches as far as it is known, in the time of snapshots; 0 and 0: nothing is
 * yet. Whether that is all.
 */
bool replay_index_bounds(struct replay_index *index, uint64_t *begin_ns, uint64_t *end_ns);

/*
 * The history, which does not change until replay_index_unlock_history: a lock is held until then,
 * which everyone else waits for, so be quick, and call nothing else of the survey's in between.
 */
const struct history *replay_index_lock_history(struct replay_index *index);
void replay_index_unlock_history(struct replay_index *index);

/* Polls readable now and then while there is something new to be drawn; replay_index_clear_event
 * resets it. */
int replay_index_fd(const struct replay_index *index);
void replay_index_clear_event(struct replay_index *index);

#endif
