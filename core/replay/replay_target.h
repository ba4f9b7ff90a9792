// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_TARGET_H
#define PMCTOP_REPLAY_TARGET_H

#include "core/replay/replay_state.h"

/*
 * Restricts a recording of all tasks to a target: processes with their descendants, threads, users,
 * cgroups. Only facts in the recording count: a task that it does not describe has no row. To be
 * called at the end of an interval, before its snapshot is built.
 */
void replay_target_choose(struct replay_state *state, const struct target_spec *spec);

#endif
