// SPDX-License-Identifier: MIT
#ifndef PMCTOP_UTIL_H
#define PMCTOP_UTIL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull
#define NS_PER_US 1000ull

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* For a function that is seldom called from a hot one: kept out of its code. */
#define SELDOM __attribute__((cold, noinline))
/* For a function that runs for each record: inlined into its caller. */
#define OFTEN inline __attribute__((always_inline))

/* Whether this is a build with a sanitizer: those reserve terabytes of address space. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static inline size_t size_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline uint64_t u64_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The growth of a counter; 0 if it fell, because the readings are of different counters. */
static inline uint64_t u64_growth(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/* The sum; UINT64_MAX if that is more. */
static inline uint64_t u64_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
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
 * Allocation that never returns NULL. Out of memory it calls the hook (which restores the
 * terminal), prints one line and exits without a core dump. The caller bounds sizes from outside.
 */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
/* open_memstream(). The caller frees *text after it closes the stream. */
FILE *xopen_memstream(char **text, size_t *size);
/* free() of owned memory through a pointer to const. */
void xfree(const void *memory);
/* For a failed allocation elsewhere: as xmalloc() out of memory. */
_Noreturn void xalloc_failed(void);
void xalloc_set_hook(void (*before_exit)(void));

/*
 * Makes room for `want` items of `size` bytes in an array of `*capacity`, by doubling. Returns the
 * array, which may have moved: items = array_reserve(items, &capacity, n + 1, ...).
 */
void *array_reserve(void *items, size_t *capacity, size_t want, size_t size);
/*
 * Halves an array that is sparse, and returns it. Called at intervals, it frees the memory of a
 * burst step by step.
 */
void *array_give_back(void *items, size_t *capacity, size_t used, size_t size);
enum { ARRAY_SMALL = 1024 };
/* Less than an eighth used, and not small. */
static inline bool array_is_sparse(size_t capacity, size_t used)
{
	return capacity > ARRAY_SMALL && used < capacity / 8;
}

/*
 * Writes all bytes, also if signals interrupt it. 0 or -errno. It returns -EINTR if `stop` is not
 * NULL and a signal has set *stop, so that a blocked reader does not keep pmctop from ending.
 */
int write_all(int fd, const void *bytes, size_t n, const atomic_int *stop);

/*
 * CLOCK_MONOTONIC of the time namespace, for callers without a struct sys: it may differ from
 * sys_now_ns(). Tests cannot set it.
 */
uint64_t monotonic_ns(void);

/* Copies at most size - 1 bytes, always NUL-terminated. Returns the bytes copied. */
size_t text_copy(char *to, size_t size, const char *from);

#endif
