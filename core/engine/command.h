// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COMMAND_H
#define PMCTOP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Requests from the UI or batch loop to the engine, applied at the end of the interval. Tasks and
 * other columns go on. A command that fails becomes an urgent note.
 */
enum command_kind {
	COMMAND_ADD_EVENTS,    /* text: EVENT[,EVENT...], {EVENT,EVENT} */
	COMMAND_ADD_METRIC,    /* text: NAME or NAME=EXPRESSION */
	COMMAND_REMOVE,        /* text: a column's name */
	COMMAND_LEVELS,        /* number: enum event_levels, of event names without a level */
	COMMAND_PRESET,        /* text: a preset's name; columns of -e and -m stay */
	COMMAND_ATTACH,        /* number: a process that joins the target, or becomes it */
	COMMAND_COMMAND_LINES, /* number: enum command_lines, of rows */
	COMMAND_IDLE,          /* number: whether tasks that did not run have rows too */
	/* Removes processes that have ended from the target; if none has, all of them. */
	COMMAND_DISMISS,
	/* number: the process whose waits are counted one by one; -number: a thread; 0: none */
	COMMAND_WATCH,
	/* number: samples of code a second on a busy CPU, for snapshot->code; 0: none */
	COMMAND_CODE,
	COMMAND_RECORD, /* text: the file to record to; NULL: ends the recording */
	/* For a recording that is played (core/replay/replay_feed). A live engine refuses them. */
	COMMAND_PAUSE,   /* number: whether the replay is paused */
	COMMAND_STEP,    /* number: intervals forward, negative: back; then the replay pauses */
	COMMAND_SEEK_BY, /* number: ns forward, negative: back */
	COMMAND_SEEK_TO, /* number: ns from the beginning; INT64_MAX: the end */
	COMMAND_SPEED,   /* number: speed in thousandths, or PLAYBACK_SPEED_MAX */
	COMMAND_WHOLE,   /* number: whether a profile is one interval */
};

/* Whether a command of this kind changes what is counted and shown. */
bool command_changes_columns(enum command_kind kind);

struct command {
	enum command_kind kind;
	const char *text; /* borrowed for the call; NULL: none */
	int64_t number;
};

/* A queue of commands that owns their texts. Zeroed is empty. */
struct commands {
	struct command *items;
	size_t n, capacity;
};

/* Copies the text. */
void commands_add(struct commands *commands, const struct command *command);
/* Moves all commands of `from` to the end of `commands`. */
void commands_move(struct commands *commands, struct commands *from);
void commands_clear(struct commands *commands);

#endif
