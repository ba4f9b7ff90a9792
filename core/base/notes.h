// SPDX-License-Identifier: MIT
#ifndef PMCTOP_NOTES_H
#define PMCTOP_NOTES_H

#include <stdbool.h>
#include <stddef.h>

enum {
	NOTES_MAX = 32,
	NOTES_TRANSIENT = 4,
	NOTES_TRANSIENT_INTERVALS = 10,
};

/* What a note is about. notes_remove() removes all notes of one id. */
enum note_id {
	NOTE_NONE, /* stays */
	NOTE_TRANSIENT,
	/* core/collect */
	NOTE_CPUS_UNCOUNTED,
	NOTE_CPUS_ONLINE_UNREAD,
	NOTE_PROC_UNREAD,
	NOTE_PROC_STAT_UNREAD,
	NOTE_TASKS_UNREAD,
	NOTE_SOCKET_EVENTS,
	NOTE_COUNTERS_TAKEN,
	NOTE_COUNTERS_SHARED,
	NOTE_THREADS_UNCOUNTED,
	NOTE_DUTY_CYCLE,
	NOTE_CODE_RATE,
	NOTE_CODE_UNSAMPLED,
	/* core/engine */
	NOTE_LEVELS,
	NOTE_COLUMNS,
	NOTE_CPUS_OFFLINE,
	NOTE_CPUS_ONLINE,
	NOTE_STOLEN_TIME,
	NOTE_PROCESS_SILENT,
	NOTE_COMMAND_LINES,
	NOTE_CODE_NAMES,
	NOTE_LOST_RECORDS,
	/* core/replay */
	NOTE_NO_MATCH,
	NOTE_PROFILE,
};

struct note {
	enum note_id id;
	unsigned intervals_left; /* of a transient note: calls of notes_expire() that it outlives */
	char *text;              /* a sentence for the user; owned */
};

/*
 * Sentences for the user about this run, each text once. Urgent notes stand first, the latest of
 * them on top. At most NOTES_MAX are kept. If there are more, a new urgent note replaces the last
 * note, and any other new note is dropped. Zeroed is empty.
 */
struct notes {
	struct note *items;
	size_t n;
	size_t capacity;
};

/* Adds a note without an id at the end, or an urgent one on top, unless its text is there. */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_add_urgent(struct notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds the texts of other notes at the end. They stay, also if the others were transient. */
void notes_add_all(struct notes *notes, const struct notes *others);
/* As notes_add() and notes_add_urgent() for a note that is removed by its id. */
void notes_add_as(struct notes *notes, enum note_id id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void notes_add_urgent_as(struct notes *notes, enum note_id id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Adds an urgent note about something that happened once. It moves to the top if it is there
 * already. It stays for NOTES_TRANSIENT_INTERVALS calls of notes_expire(). Of more than
 * NOTES_TRANSIENT the oldest is removed.
 */
void notes_add_transient(struct notes *notes, const char *text);
/* Ends an interval of the transient notes. */
void notes_expire(struct notes *notes);

/* Inserts a text at an index, in a list with an order of its own. Returns whether it was new. */
bool notes_insert(struct notes *notes, size_t at, const char *text);
void notes_remove(struct notes *notes, enum note_id id);
void notes_fini(struct notes *notes);

#endif
