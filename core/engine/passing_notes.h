// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PASSING_NOTES_H
#define PMCTOP_PASSING_NOTES_H

#include "core/base/notes.h"

/*
 * Sentences about what happened once, as a command that could not be done: each is on top of the
 * notes for PASSING_NOTES_REFRESHES intervals. Of more than PASSING_NOTES the oldest gives way.
 */
enum { PASSING_NOTES = 4, PASSING_NOTES_REFRESHES = 10 };

struct passing_notes {
	struct passing_note {
		char text[256];
		unsigned left; /* intervals; 0: none */
	} items[PASSING_NOTES];
};

/* On top again where it was said before. */
void passing_notes_say(struct passing_notes *self, struct notes *notes, const char *text);
/* At the end of each interval. */
void passing_notes_renew(struct passing_notes *self, struct notes *notes);

#endif
