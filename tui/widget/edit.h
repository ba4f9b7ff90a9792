// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EDIT_H
#define PMCTOP_EDIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Typing a line of UTF-8, always at its end: characters, Backspace (^H), ^W for a word, ^U for all.
 * Whether the key (of keymap.h) was one of these.
 */
bool edit_key(char *text, size_t size, int key);

#endif
