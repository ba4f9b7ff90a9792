// SPDX-License-Identifier: MIT
#ifndef PMCTOP_UTIL_H
#define PMCTOP_UTIL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull
#define NS_PER_US 1000ull

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static inline size_t size_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How much a count that only grows grew; 0 where someone else's was read before. */
static inline uint64_t u64_growth(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/*
 * Allocation that cannot fail: out of memory calls the hook (which restores the terminal), says so
 * and aborts. Sizes that come from outside must be bounded before they get here.
 */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
/* A stream whose text is the caller's once it is closed. */
FILE *xopen_memstream(char **text, size_t *size);
/* free() of what is owned, but read through a pointer to const. */
void xfree(const void *memory);
void xalloc_set_hook(void (*before_abort)(void));

/*
 * Room for `want` items in an array of `*capacity` items of `size` bytes; grows by doubling.
 * Returns the array, which may have moved: items = array_reserve(items, &capacity, n + 1, ...).
 */
void *array_reserve(void *items, size_t *capacity, size_t want, size_t size);

/* Copies at most size - 1 bytes and always terminates; returns the length copied. */
size_t text_copy(char *to, size_t size, const char *from);

#endif
