// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LOOK_CHANGE_H
#define PMCTOP_LOOK_CHANGE_H

#include "core/base/text_buffer.h"
#include "tui/term/look.h"
#include "tui/term/terminfo.h"

/*
 * Appends the shortest sequence after which the next characters have the look `to` and no longer
 * `from` (NULL: any). Appends nothing if the terminal cannot reset a look.
 */
void look_change(const struct terminfo *terminfo, const struct look *from, const struct look *to,
		 struct text_buffer *bytes);

#endif
