// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TEXT_WIDTH_H
#define PMCTOP_TEXT_WIDTH_H

#include <stdint.h>

/*
 * Columns of a character on a terminal: 0 (combining marks), 1 or 2 (East Asian wide, emoji). -1 if
 * it must not be sent: it controls the terminal, reverses or breaks the line, is invisible or
 * unassigned, or its width differs between terminals. The locale has no effect.
 */
int text_char_width(uint32_t code);

#endif
