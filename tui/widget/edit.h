// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EDIT_H
#define PMCTOP_EDIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Edits a line of UTF-8 at its end: characters, Backspace or ^H, ^W removes a word, ^U all. key is
 * one of key_table.h. Returns true if the key edits.
 */
bool edit_key(char *text, size_t size, int key);

#endif
