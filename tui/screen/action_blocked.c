// SPDX-License-Identifier: MIT
#include "tui/screen/action_blocked.h"

static const char *blocked_by_readonly(enum action action)
{
	switch ((int)action) {
	case ACTION_KILL:
		return "No signal is sent: this is --readonly.";
	case ACTION_RECORD:
		return "Nothing is recorded: this is --readonly.";
	case ACTION_SAVE:
		return "Nothing is saved: this is --readonly.";
	}
	return NULL;
}

static const char *blocked_in_replay(const struct playback *playback, enum action action)
{
	switch ((int)action) {
	case ACTION_INTERVAL:
		return playback->native
			       ? "The intervals are those that were recorded: [ and ] change "
				 "the speed."
			       : NULL;
	case ACTION_COUNT:
		return "What was counted is recorded: user mode and kernel cannot be told apart "
		       "now.";
	case ACTION_KILL:
		return "No signal is sent: the processes of a recording are not here.";
	case ACTION_ATTACH:
	case ACTION_DETACH:
		return "Nothing is attached to: the processes of a recording are not here.";
	case ACTION_RECORD:
		return "This is a recording: nothing is recorded of it.";
	}
	return NULL;
}

static const char *blocked_outside_replay(enum action action)
{
	if (action >= ACTION_STEP_BACK && action <= ACTION_FASTER)
		return "That key goes to and fro in a recording: --replay FILE.";
	return NULL;
}

const char *action_blocked(bool readonly, const struct replay_control *replay, enum action action)
{
	const char *why = readonly ? blocked_by_readonly(action) : NULL;

	if (why)
		return why;
	return replay->active ? blocked_in_replay(&replay->playback, action)
			      : blocked_outside_replay(action);
}
