// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PAINT_CHANGE_H
#define PMCTOP_PAINT_CHANGE_H

#include "core/base/text_buffer.h"
#include "tui/term/paint.h"
#include "tui/term/terminfo.h"

/*
 * Appends the shortest sequence after which the next characters have the paint `to` and no longer
 * `from` (NULL: any). Appends nothing if the terminal cannot reset a paint.
 */
void paint_change(const struct terminfo *terminfo, const struct paint *from, const struct paint *to,
		  struct text_buffer *bytes);

#endif
