// SPDX-License-Identifier: MIT
/*
 * Actions that make no sense now, with the reason. One table per cause: --readonly, a replay, no
 * replay, or counters that the kernel denies.
 */
#include "tui/screen/action_blocked.h"

static const char *blocked_by_readonly(enum action action)
{
	switch ((int)action) {
	case ACTION_KILL:
		return "--readonly: no signal is sent.";
	case ACTION_RAISE_PRIORITY:
	case ACTION_LOWER_PRIORITY:
		return "--readonly: no priority is changed.";
	case ACTION_RECORD:
		return "--readonly: nothing is recorded.";
	case ACTION_SAVE:
	case ACTION_SAVE_SCREEN:
		return "--readonly: nothing is saved.";
	}
	return NULL;
}

static const char *blocked_in_replay(const struct playback *playback, enum action action)
{
	switch ((int)action) {
	case ACTION_INTERVAL:
		return playback->native
			       ? "Replay: intervals are the recording's. [ and ] change the speed."
			       : NULL;
	case ACTION_PRESET:
		return playback->profile ? "Replay: a profile has no other events than its own."
					 : NULL;
	case ACTION_COUNT:
		return "Replay: user mode and kernel cannot be separated in a recording.";
	case ACTION_KILL:
		return "Replay: no signal is sent to the processes of a recording.";
	case ACTION_RAISE_PRIORITY:
	case ACTION_LOWER_PRIORITY:
		return "Replay: the processes of a recording have no priority to change.";
	case ACTION_ATTACH:
	case ACTION_DETACH:
		return "Replay: a recording's processes cannot be attached.";
	case ACTION_RECORD:
		return "Replay: nothing is recorded.";
	}
	return NULL;
}

static const char *blocked_outside_replay(bool readonly, enum action action)
{
	/* G, [ and ] have another function in less and in htop. */
	if (action == ACTION_GO)
		return "This key works only in a replay: --replay FILE. The last line: End.";
	if ((action == ACTION_SLOWER || action == ACTION_FASTER) && !readonly)
		return "This key works only in a replay: --replay FILE. Priority: F7 F8.";
	if (action >= ACTION_STEP_BACK && action <= ACTION_FASTER)
		return "This key works only in a replay: --replay FILE.";
	return NULL;
}

static const char *blocked_by_mode(enum count_mode mode, enum action action)
{
	if (mode != COUNT_MODE_SYSTEM && action == ACTION_RECORD)
		return "No recording: whole CPUs are not counted. pmctop --doctor helps.";
	if (mode == COUNT_MODE_PROC && action == ACTION_CODE)
		return "No functions: counters are denied. pmctop --doctor helps.";
	if (mode == COUNT_MODE_PROC && action == ACTION_COUNT)
		return "Counters are denied, so there is no mode to choose.";
	return NULL;
}

const char *action_blocked(bool readonly, const struct replay_control *replay,
			   const struct snapshot *snapshot, enum action action)
{
	const char *why = readonly ? blocked_by_readonly(action) : NULL;

	if (why)
		return why;
	if (replay->active)
		return blocked_in_replay(&replay->playback, action);
	why = blocked_outside_replay(readonly, action);
	return why || !snapshot ? why : blocked_by_mode(snapshot->mode, action);
}
