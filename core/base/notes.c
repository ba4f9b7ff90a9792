// SPDX-License-Identifier: MIT
#include "core/base/notes.h"

#include "core/base/util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool notes_insert(struct notes *notes, size_t at, const char *sentence)
{
	for (size_t i = 0; i < notes->n; i++)
		if (!strcmp(notes->items[i], sentence))
			return false;
	if (notes->n == NOTES_MAX && at == NOTES_MAX)
		return false;
	if (notes->n == NOTES_MAX)
		free(notes->items[--notes->n]);
	notes->items =
		array_reserve(notes->items, &notes->capacity, notes->n + 1, sizeof(*notes->items));
	memmove(notes->items + at + 1, notes->items + at, (notes->n - at) * sizeof(char *));
	notes->items[at] = xstrdup(sentence);
	notes->n++;
	return true;
}

__attribute__((format(printf, 3, 0))) static void put(struct notes *notes, size_t at,
						      const char *format, va_list args)
{
	char sentence[512];

	vsnprintf(sentence, sizeof(sentence), format, args);
	notes_insert(notes, at, sentence);
}

void notes_add(struct notes *notes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(notes, notes->n, format, args);
	va_end(args);
}

void notes_add_urgent(struct notes *notes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(notes, 0, format, args);
	va_end(args);
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
