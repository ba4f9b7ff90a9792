// SPDX-License-Identifier: MIT
#ifndef PMCTOP_UTIL_H
#define PMCTOP_UTIL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull
#define NS_PER_US 1000ull

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Of a function that is seldom called, from where much is done often: not mixed up with that. */
#define SELDOM __attribute__((cold, noinline))
/* For a function that runs for each record: inlined into its caller. */
#define OFTEN inline __attribute__((always_inline))

static inline size_t size_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How much a count that only grows grew; 0 where someone else's was read before. */
static inline uint64_t u64_growth(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/* The next number of a pseudo random sequence (xorshift64). The state is not 0. */
static inline uint64_t u64_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * Allocation that cannot fail: out of memory calls the hook (which restores the terminal), says so
 * and exits at once, without a core dump for which there is no memory either. Sizes that come from
 * outside must be bounded before they get here.
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
/* For what others could not allocate. */
_Noreturn void xalloc_failed(void);
void xalloc_set_hook(void (*before_exit)(void));

/*
 * Room for `want` items in an array of `*capacity` items of `size` bytes; grows by doubling.
 * Returns the array, which may have moved: items = array_reserve(items, &capacity, n + 1, ...).
 */
void *array_reserve(void *items, size_t *capacity, size_t want, size_t size);
/*
 * Halves an array of which less than an eighth is used: called now and then, what a storm has made
 * large comes back, and what is used again soon stays. Small ones stay as they are.
 */
void *array_give_back(void *items, size_t *capacity, size_t used, size_t size);
enum { ARRAY_SMALL = 1024 };
/* Whether that would be done. */
static inline bool array_is_sparse(size_t capacity, size_t used)
{
	return capacity > ARRAY_SMALL && used < capacity / 8;
}

/*
 * Writes all of it, however often a signal comes: 0 or -errno. With `stop` a signal that has set it
 * ends it, -EINTR, so that a reader who is stuck keeps nobody from stopping; NULL: nothing does.
 */
int write_all(int fd, const void *bytes, size_t n, const volatile sig_atomic_t *stop);

/* CLOCK_MONOTONIC, of those who have no struct sys, which tests set the clock of. */
uint64_t monotonic_ns(void);

/* Copies at most size - 1 bytes and always terminates; returns the length copied. */
size_t text_copy(char *to, size_t size, const char *from);

#endif
