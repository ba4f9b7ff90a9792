// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SURVEY_H
#define PMCTOP_SURVEY_H

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
 * survey_new, survey_start and survey_free are the owner's: nobody else may be in a call when it is
 * started, nor call anything once it is freed. All other calls are for any thread.
 */
struct survey;

struct survey *survey_new(void);
/* Reads a file from now on; what config points to must outlive it. 0, or -errno and a sentence. */
int survey_start(struct survey *survey, const struct replay_config *config, struct error *err);
void survey_free(struct survey *survey); /* NULL is fine */

/* Of a pipe: the next snapshot, which stays its owner's; and that there are no more. */
void survey_add(struct survey *survey, const struct snapshot *snapshot);
void survey_finish(struct survey *survey);

/* What a recording can do (replay_do): it is read anew. Nothing where no file is read. */
void survey_do(struct survey *survey, const struct command *command);

/*
 * From when to when it reaches as far as it is known, in the time of snapshots; 0 and 0: nothing is
 * yet. Whether that is all.
 */
bool survey_reach(struct survey *survey, uint64_t *begin_ns, uint64_t *end_ns);

/*
 * The history, which does not change until survey_give: a lock is held until then, which everyone
 * else waits for, so be quick, and call nothing else of the survey's in between.
 */
const struct history *survey_take(struct survey *survey);
void survey_give(struct survey *survey);

/* Polls readable now and then while there is something new to be drawn; survey_heard resets it. */
int survey_fd(const struct survey *survey);
void survey_heard(struct survey *survey);

#endif
