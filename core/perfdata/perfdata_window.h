// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_WINDOW_H
#define PMCTOP_PERFDATA_WINDOW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A piece of a stream of bytes that moves along it: what was asked for lies in one piece in it,
 * whatever pieces it came in.
 */
struct perfdata_window {
	/* As many as there are, at most n: 0 at the end, or -errno. */
	ssize_t (*fill)(void *arg, void *bytes, size_t n);
	void *arg;
	unsigned char *bytes; /* owned */
	size_t capacity, begin, end;
};

/* No more than half of the capacity is ever wanted. */
void perfdata_window_init(struct perfdata_window *window, size_t capacity,
			  ssize_t (*fill)(void *arg, void *bytes, size_t n), void *arg);
void perfdata_window_fini(struct perfdata_window *window); /* zeroed is fine */

/* Nothing of what it has is wanted: the next bytes are those that fill() gives next. */
static inline void perfdata_window_empty(struct perfdata_window *window)
{
	window->begin = window->end = 0;
}

static inline size_t perfdata_window_has(const struct perfdata_window *window)
{
	return window->end - window->begin;
}

static inline const unsigned char *perfdata_window_at(const struct perfdata_window *window)
{
	return window->bytes + window->begin;
}

/*
 * n bytes at perfdata_window_at(): 1; 0 where there are fewer before the end; or fill()'s -errno.
 */
int perfdata_window_more(struct perfdata_window *window, size_t n);
static inline int perfdata_window_want(struct perfdata_window *window, size_t n)
{
	return perfdata_window_has(window) >= n ? 1 : perfdata_window_more(window, n);
}

/* The next n bytes, which it has, are done with: they stay until more are wanted. */
static inline void perfdata_window_pass(struct perfdata_window *window, size_t n)
{
	window->begin += n;
}

#endif
