// SPDX-License-Identifier: MIT
#include "core/engine/passing_notes.h"

#include "core/base/util.h"

#include <string.h>

/* Where it stands already, or else whose time is over first. */
static struct passing_note *room_for(struct passing_notes *self, const char *text)
{
	struct passing_note *room = &self->items[0];

	for (size_t i = 0; i < PASSING_NOTES; i++) {
		struct passing_note *note = &self->items[i];
		if (note->left > 0 && strcmp(note->text, text) == 0)
			return note;
		if (note->left < room->left)
			room = note;
	}
	return room;
}

void passing_notes_say(struct passing_notes *self, struct notes *notes, const char *text)
{
	struct passing_note *note = room_for(self, text);

	if (note->left > 0)
		notes_remove(notes, note->text);
	text_copy(note->text, sizeof(note->text), text);
	note->left = PASSING_NOTES_REFRESHES;
	notes_add_urgent(notes, "%s", note->text);
}

void passing_notes_renew(struct passing_notes *self, struct notes *notes)
{
	for (size_t i = 0; i < PASSING_NOTES; i++)
		if (self->items[i].left > 0 && --self->items[i].left == 0)
			notes_remove(notes, self->items[i].text);
}
