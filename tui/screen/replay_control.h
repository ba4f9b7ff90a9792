// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_CONTROL_H
#define PMCTOP_REPLAY_CONTROL_H

#include "core/base/error.h"
#include "core/engine/playback.h"
#include "tui/term/keymap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is different while a recording is shown: keys that go to and fro in it, and what is said. */

struct app;
struct replay_index;

struct replay_control {
	bool active;
	struct playback playback;   /* position and speed, while active */
	struct replay_index *index; /* has the history of the whole recording; borrowed */
};

/* Where it is now, as its player tells. */
void replay_control_update(struct app *app, const struct playback *playback);
/* Does what a key means of a recording, and refuses what one cannot; false: it is as ever. */
bool replay_control_act(struct app *app, enum action action);

enum replay_goal {
	REPLAY_GOAL_TO, /* from the beginning on */
	REPLAY_GOAL_BY,
};

/*
 * "+90", "-0:30" by so much; "90", "1:30" there; "14:05:10" when the clock said so, or where that
 * lies outside of the recording, there; "50%", "begin", "end". INT64_MAX is the end. 0, or -EINVAL
 * and a sentence.
 */
int replay_control_parse_goal(const char *text, const struct playback *playback,
			      enum replay_goal *goal, int64_t *ns, struct error *err);

#endif
