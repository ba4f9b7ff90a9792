// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_TARGET_H
#define PMCTOP_REPLAY_TARGET_H

#include "core/replay/replay_state.h"

/*
 * Of a recording of everybody only these: processes with all that they start, threads, users,
 * cgroups. What the recording tells of its tasks is all there is to ask: whom it does not know has
 * no row. To be called when an interval has ended, before its picture is taken.
 */
void replay_target_choose(struct replay_state *state, const struct target_spec *spec);

#endif
