// SPDX-License-Identifier: MIT
#include "util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one mutable word of this file: it must be reachable when nothing can be allocated. */
static void (*alloc_hook)(void);

void xalloc_set_hook(void (*before_abort)(void))
{
	alloc_hook = before_abort;
}

static void out_of_memory(void)
{
	static const char message[] = "pmctop: out of memory\n";

	if (alloc_hook)
		alloc_hook();
	ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);
	(void)ignored;
	abort();
}

void *xmalloc(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	void *memory = reallocarray(old, count ? count : 1, size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

FILE *xopen_memstream(char **text, size_t *size)
{
	FILE *file = open_memstream(text, size);

	if (!file)
		out_of_memory();
	return file;
}

char *xstrndup(const char *text, size_t length)
{
	char *copy = xmalloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void xfree(const void *memory)
{
	free((void *)(uintptr_t)memory);
}

char *xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}

void *array_reserve(void *items, size_t *capacity, size_t want, size_t size)
{
	if (want <= *capacity)
		return items;
	size_t grown = *capacity ? *capacity : 16;
	while (grown < want)
		grown *= 2;
	items = xreallocarray(items, grown, size);
	*capacity = grown;
	return items;
}

size_t text_copy(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
	return length;
}
