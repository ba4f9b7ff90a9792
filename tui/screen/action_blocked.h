// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ACTION_BLOCKED_H
#define PMCTOP_ACTION_BLOCKED_H

#include "tui/screen/replay_control.h"
#include "tui/term/keymap.h"

#include <stdbool.h>

/*
 * Returns the reason, a sentence, why an action is not available with --readonly, in a replay or
 * outside of one; NULL if it is available. Help and key bar omit such actions, and their keys show
 * the sentence.
 */
const char *action_blocked(bool readonly, const struct replay_control *replay, enum action action);

#endif
