// SPDX-License-Identifier: MIT
#include "notes.h"

#include "util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MAX = 32 };

static void put(struct notes *notes, size_t at, const char *sentence)
{
	for (size_t i = 0; i < notes->n; i++)
		if (!strcmp(notes->items[i], sentence))
			return;
	if (notes->n == NOTES_MAX && at == NOTES_MAX)
		return;
	if (notes->n == NOTES_MAX)
		free(notes->items[--notes->n]);
	notes->items =
		array_reserve(notes->items, &notes->capacity, notes->n + 1, sizeof(*notes->items));
	memmove(notes->items + at + 1, notes->items + at, (notes->n - at) * sizeof(char *));
	notes->items[at] = xstrdup(sentence);
	notes->n++;
}

void notes_add(struct notes *notes, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put(notes, notes->n, text);
}

void notes_add_urgent(struct notes *notes, const char *sentence)
{
	put(notes, 0, sentence);
}

void notes_remove(struct notes *notes, const char *words)
{
	size_t kept = 0;

	for (size_t i = 0; i < notes->n; i++)
		if (strncmp(notes->items[i], words, strlen(words)) == 0)
			free(notes->items[i]);
		else
			notes->items[kept++] = notes->items[i];
	notes->n = kept;
}

void notes_fini(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->items[i]);
	free(notes->items);
	*notes = (struct notes){0};
}
