// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TEXT_WIDTH_H
#define PMCTOP_TEXT_WIDTH_H

#include <stdint.h>

/*
 * Columns of a character that is sent to a terminal: 0 (combining marks), 1 or 2 (East Asian wide,
 * emoji). -1: must not be sent, because it steers the terminal, turns or breaks the line, shows
 * nothing, is not assigned, or is of a width that terminals disagree on. No locale is read.
 */
int text_char_width(uint32_t code);

#endif
