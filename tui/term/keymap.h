// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KEYMAP_H
#define PMCTOP_KEYMAP_H

#include "tui/term/key_table.h"

#include <stdbool.h>
#include <stddef.h>

/* Maps keys to actions: the keys that are bound, by default the keys of key_table.c. */
struct keymap {
	int keys[ACTIONS][KEYMAP_KEYS]; /* as in struct key_row */
};

void keymap_init(struct keymap *keymap); /* the default keys */

/*
 * The action of a key; ACTION_NONE if it is not bound. *nth (may be NULL) is the key's index among
 * the keys of the action, from 0.
 */
enum action keymap_find(const struct keymap *keymap, int key, unsigned *nth);

/*
 * A sentence for a key without an action, if it has a function in htop, top, less or vi: which key
 * has that function here. Returns false for other keys.
 */
bool keymap_hint(const struct keymap *keymap, int key, char *text, size_t size);
/* The first action that the sentence names; ACTION_NONE: none. */
enum action keymap_hint_action(int key);

/* The key of a character: Enter for CR and LF, Backspace for DEL, else the character itself. */
int keymap_key_of(int character);

/* The printed name of a key: "q", "F10", "^C", "Alt-h", "Left". */
void keymap_key_name(int key, char *text, size_t size);
/* Parses a key's name, in any case of letters. Returns 0 or -EINVAL. */
int keymap_key_parse(const char *name, int *key);
/* The names of keys that are not characters ("Up, Down, Left ..."), without F1 to F12. */
void keymap_key_names(char *text, size_t size);
/* The name of the first key of an action; "" if it has none. */
void keymap_first_key(const struct keymap *keymap, enum action action, char *text, size_t size);
/* `before`, the name of the first key of an action, `after`; "" if the action has no key. */
void keymap_phrase(const struct keymap *keymap, enum action action, const char *before,
		   const char *after, char *text, size_t size);
/* All keys of an action, with blanks between: "q F10 ^C", "1 .. 9". */
void keymap_keys(const struct keymap *keymap, enum action action, char *text, size_t size);

#endif
