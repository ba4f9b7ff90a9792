// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CURSOR_H
#define PMCTOP_CURSOR_H

#include "core/base/util.h"

#include <stdbool.h>
#include <stddef.h>

/* Moves the selected one of n lines by so many, as far as there are any. */
static inline void cursor_move(size_t *selected, size_t n, size_t lines, bool down)
{
	if (!down)
		*selected -= size_min(lines, *selected);
	else if (n > 0)
		*selected = size_min(*selected + lines, n - 1);
}

#endif
