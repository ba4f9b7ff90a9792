// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_CONTROL_H
#define PMCTOP_REPLAY_CONTROL_H

#include "core/base/error.h"
#include "core/engine/playback.h"
#include "tui/term/keymap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of a replay and the keys that move in it. */

struct app;
struct messages;
struct replay_index;

struct replay_control {
	bool active;
	struct playback playback;   /* position and speed, while active */
	struct replay_index *index; /* history of the whole recording; borrowed */
};

/* Updates position and state from the player, and shows its messages. */
void replay_control_update(struct replay_control *replay, struct messages *messages,
			   const struct playback *playback);
/*
 * Does the action of a key in a replay. Returns false if there is no replay, or if the action is
 * the same as live.
 */
bool replay_control_act(struct app *app, enum action action);

enum replay_goal {
	REPLAY_GOAL_TO, /* a time from the beginning */
	REPLAY_GOAL_BY,
};

/*
 * Parses a typed goal: "+90" and "-0:30" move by a time; "90" and "1:30" are times from the
 * beginning; "14:05:10" is a time of day, or a time from the beginning if the recording does not
 * have that time of day; "50%", "begin" and "end". *ns is INT64_MAX for the end. Returns 0, or
 * -EINVAL with an error text.
 */
int replay_control_parse_goal(const char *text, const struct playback *playback,
			      enum replay_goal *goal, int64_t *ns, struct error *err);

#endif
