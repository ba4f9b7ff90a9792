// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ACTION_BLOCKED_H
#define PMCTOP_ACTION_BLOCKED_H

#include "core/snapshot/snapshot.h"
#include "tui/screen/replay_control.h"
#include "tui/term/keymap.h"

#include <stdbool.h>

/*
 * Returns the reason, a sentence, why an action is not available with --readonly, in a replay or
 * outside of one, or without the right to count; NULL if it is available. Help and key bar omit
 * such actions, and their keys show the sentence. The snapshot may be NULL.
 */
const char *action_blocked(bool readonly, const struct replay_control *replay,
			   const struct snapshot *snapshot, enum action action);

#endif
