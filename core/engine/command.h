// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COMMAND_H
#define PMCTOP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What whoever looks at the snapshots asks of whoever makes them, while it runs. It is done when
 * the interval ends; tasks and other columns go on. What cannot be done is told by an urgent note.
 */
enum command_kind {
	COMMAND_ADD_EVENTS, /* text: EVENT[,EVENT...], {EVENT,EVENT} */
	COMMAND_ADD_METRIC, /* text: NAME or NAME=EXPRESSION */
	COMMAND_REMOVE,     /* text: a column's name */
	COMMAND_LEVELS,     /* number: enum event_levels, of every event whose name does not say */
	COMMAND_PRESET,     /* text: its name; columns that were asked for beside it stay */
	COMMAND_ATTACH,     /* number: a process, which joins the target, or becomes it */
	COMMAND_COMMAND_LINES, /* number: whether rows have them */
	COMMAND_IDLE,          /* number: whether tasks that did not run have rows too */
	/* Gives up the processes of the target that have ended, or where none has, all of them. */
	COMMAND_DISMISS,
	COMMAND_RECORD, /* text: the file to record to from then on; NULL: none any more */
	/* Of a recording that is played (core/replay/replay_feed); a machine does not know them. */
	COMMAND_PAUSE,   /* number: whether it stands still */
	COMMAND_STEP,    /* number: so many intervals forward, or back; it stands still then */
	COMMAND_SEEK_BY, /* number: so many ns forward, or back */
	COMMAND_SEEK_TO, /* number: ns from the beginning on; INT64_MAX: the end */
	COMMAND_SPEED,   /* number: in thousandths, or PLAYBACK_SPEED_MAX */
};

/* Whether it is about what is counted and shown. */
bool command_changes_columns(enum command_kind kind);

struct command {
	enum command_kind kind;
	const char *text; /* borrowed for the call that passes it on; NULL where there is none */
	int64_t number;
};

/* A queue of them that owns its texts. Zeroed is empty. */
struct commands {
	struct command *items;
	size_t n, capacity;
};

/* Copies the text. */
void commands_add(struct commands *commands, const struct command *command);
/* Takes all that there are out of `from`, which is empty then, to the end of `commands`. */
void commands_move(struct commands *commands, struct commands *from);
void commands_clear(struct commands *commands);

#endif
