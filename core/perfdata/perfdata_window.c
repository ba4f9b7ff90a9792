// SPDX-License-Identifier: MIT
#include "core/perfdata/perfdata_window.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

void perfdata_window_init(struct perfdata_window *window, size_t capacity,
			  ssize_t (*fill)(void *arg, void *bytes, size_t n), void *arg)
{
	*window = (struct perfdata_window){
		.fill = fill,
		.arg = arg,
		.bytes = xmalloc(capacity),
		.capacity = capacity,
	};
}

void perfdata_window_fini(struct perfdata_window *window)
{
	free(window->bytes);
	*window = (struct perfdata_window){0};
}

/* What is left moves to the front, where it is aligned as memory from malloc() is. */
static void move(struct perfdata_window *window)
{
	size_t left = perfdata_window_has(window);

	if (left > 0)
		memmove(window->bytes, window->bytes + window->begin, left);
	window->begin = 0;
	window->end = left;
}

int perfdata_window_more(struct perfdata_window *window, size_t n)
{
	move(window);
	while (window->end < n) {
		ssize_t got = window->fill(window->arg, window->bytes + window->end,
					   window->capacity - window->end);
		if (got <= 0)
			return (int)got;
		window->end += (size_t)got;
	}
	return 1;
}
