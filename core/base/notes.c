// SPDX-License-Identifier: MIT
/*
 * An array in the order of the screen: urgent notes first. A text is there once. A note that is
 * removed later has an id. A transient note counts down the intervals that it stays.
 */
#include "core/base/notes.h"

#include "core/base/util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool insert_note(struct notes *notes, size_t at, enum note_id id, const char *text)
{
	for (size_t i = 0; i < notes->n; i++)
		if (!strcmp(notes->items[i].text, text))
			return false;
	if (notes->n == NOTES_MAX && at == NOTES_MAX)
		return false;
	if (notes->n == NOTES_MAX)
		free(notes->items[--notes->n].text);
	notes->items =
		array_reserve(notes->items, &notes->capacity, notes->n + 1, sizeof(*notes->items));
	memmove(notes->items + at + 1, notes->items + at, (notes->n - at) * sizeof(*notes->items));
	notes->items[at] = (struct note){.id = id, .text = xstrdup(text)};
	notes->n++;
	return true;
}

static void remove_note(struct notes *notes, size_t at)
{
	free(notes->items[at].text);
	notes->n--;
	memmove(notes->items + at, notes->items + at + 1, (notes->n - at) * sizeof(*notes->items));
}

__attribute__((format(printf, 4, 0))) static void format_note(struct notes *notes, size_t at,
							      enum note_id id, const char *format,
							      va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	insert_note(notes, at, id, text);
}

void notes_add(struct notes *notes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_note(notes, notes->n, NOTE_NONE, format, args);
	va_end(args);
}

void notes_add_all(struct notes *notes, const struct notes *others)
{
	for (size_t i = 0; i < others->n; i++)
		insert_note(notes, notes->n, NOTE_NONE, others->items[i].text);
}

void notes_add_urgent(struct notes *notes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_note(notes, 0, NOTE_NONE, format, args);
	va_end(args);
}

void notes_add_as(struct notes *notes, enum note_id id, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_note(notes, notes->n, id, format, args);
	va_end(args);
}

void notes_add_urgent_as(struct notes *notes, enum note_id id, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_note(notes, 0, id, format, args);
	va_end(args);
}

bool notes_insert(struct notes *notes, size_t at, const char *text)
{
	return insert_note(notes, at, NOTE_NONE, text);
}

/* Removes the transient note of that text, else the oldest if there is no room for another one. */
static void make_room_for_transient(struct notes *notes, const char *text)
{
	size_t n = 0, oldest = 0;

	for (size_t i = 0; i < notes->n; i++) {
		const struct note *note = &notes->items[i];
		if (note->id != NOTE_TRANSIENT)
			continue;
		if (strcmp(note->text, text) == 0) {
			remove_note(notes, i);
			return;
		}
		if (n++ == 0 || note->intervals_left <= notes->items[oldest].intervals_left)
			oldest = i;
	}
	if (n >= NOTES_TRANSIENT)
		remove_note(notes, oldest);
}

void notes_add_transient(struct notes *notes, const char *text)
{
	make_room_for_transient(notes, text);
	if (insert_note(notes, 0, NOTE_TRANSIENT, text))
		notes->items[0].intervals_left = NOTES_TRANSIENT_INTERVALS;
}

void notes_expire(struct notes *notes)
{
	for (size_t i = notes->n; i-- > 0;)
		if (notes->items[i].id == NOTE_TRANSIENT && --notes->items[i].intervals_left == 0)
			remove_note(notes, i);
}

void notes_remove(struct notes *notes, enum note_id id)
{
	for (size_t i = notes->n; i-- > 0;)
		if (notes->items[i].id == id)
			remove_note(notes, i);
}

void notes_fini(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->items[i].text);
	free(notes->items);
	*notes = (struct notes){0};
}
