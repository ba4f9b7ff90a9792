// SPDX-License-Identifier: MIT
/*
 * Memory that is never NULL, arrays that grow, and writes that are complete. Out of memory there is
 * no way to unwind: a hook restores the terminal, and the process ends.
 */
#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Mutable, because it must be reachable when no memory can be allocated. */
static void (*alloc_hook)(void);

void xalloc_set_hook(void (*before_exit)(void))
{
	alloc_hook = before_exit;
}

void xalloc_failed(void)
{
	static const char message[] =
		"pmctop: out of memory: see ulimit -v and the memory limit of its cgroup.\n";

	if (alloc_hook)
		alloc_hook();
	ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);
	(void)ignored;
	_exit(EXIT_FAILURE);
}

void *xmalloc(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		xalloc_failed();
	return memory;
}

void *xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		xalloc_failed();
	return memory;
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	void *memory = reallocarray(old, count ? count : 1, size ? size : 1);

	if (!memory)
		xalloc_failed();
	return memory;
}

FILE *xopen_memstream(char **text, size_t *size)
{
	FILE *file = open_memstream(text, size);

	if (!file)
		xalloc_failed();
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

void *array_give_back(void *items, size_t *capacity, size_t used, size_t size)
{
	if (!array_is_sparse(*capacity, used))
		return items;
	*capacity /= 2;
	return xreallocarray(items, *capacity, size);
}

int write_all(int fd, const void *bytes, size_t n, const atomic_int *stop)
{
	for (const char *from = bytes; n > 0;) {
		ssize_t written = write(fd, from, n);
		if (written < 0 && errno == EINTR && !(stop && *stop))
			continue;
		if (written < 0)
			return -errno;
		from += written;
		n -= (size_t)written;
	}
	return 0;
}

uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

size_t text_copy(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
	return length;
}
