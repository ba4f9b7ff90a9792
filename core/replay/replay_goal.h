// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_GOAL_H
#define PMCTOP_REPLAY_GOAL_H

#include "core/replay/replay_reader.h"

#include <stdint.h>

/*
 * The interval that a reader is to reach: by its number, or the first that ends at or after a
 * position. It takes many steps to reach it. Each step reads one interval, so the caller can stop
 * between two steps.
 */
enum replay_goal_kind {
	REPLAY_GOAL_NONE,
	REPLAY_GOAL_NUMBER,
	REPLAY_GOAL_POSITION,
};

struct replay_goal {
	enum replay_goal_kind kind;
	uint64_t number;      /* of REPLAY_GOAL_NUMBER */
	uint64_t position_ns; /* of REPLAY_GOAL_POSITION; not 0 */
};

enum { REPLAY_GOAL_BACK = 16 }; /* intervals before the goal that are kept too */

enum replay_goal_step {
	REPLAY_GOAL_NEARER,  /* to be called again */
	REPLAY_GOAL_REACHED, /* *number is kept by the reader */
	REPLAY_GOAL_WAITS,   /* the pipe has no complete interval yet */
	REPLAY_GOAL_FAILED,  /* there is no interval to show */
};

/*
 * Reads or skips one interval, or rewinds. A goal that is outside of the recording becomes the
 * nearest interval that can be reached, with *text set to the reason; else *text is not written.
 */
enum replay_goal_step replay_goal_step(struct replay_goal *goal, struct replay_reader *reader,
				       uint64_t *number, const char **text);

/* How much of the way from the beginning to the goal the reader has read, in percent. */
uint32_t replay_goal_percent(const struct replay_goal *goal, const struct replay_reader *reader);

#define REPLAY_AT_END "This is the end of the recording."

#endif
