// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KEYMAP_H
#define PMCTOP_KEYMAP_H

#include <stddef.h>

/*
 * From keys to actions. A key is a Unicode character, a control character ('A' & 0x1f is ^A), or
 * one of KEYMAP_* below; KEYMAP_ALT is added where Alt was held. One const table is all there is to
 * know about an action: its keys, its line of help, its place in the key bar.
 */
enum {
	KEYMAP_UP = 0x110000, /* beyond Unicode */
	KEYMAP_DOWN,
	KEYMAP_LEFT,
	KEYMAP_RIGHT,
	KEYMAP_PAGE_UP,
	KEYMAP_PAGE_DOWN,
	KEYMAP_HOME,
	KEYMAP_END,
	KEYMAP_SHIFT_TAB,
	KEYMAP_BACKSPACE,
	KEYMAP_DELETE,
	KEYMAP_ENTER,
	KEYMAP_F0, /* F1 is KEYMAP_F0 + 1 */
	KEYMAP_F12 = KEYMAP_F0 + 12,
	KEYMAP_TAB = '\t',
	KEYMAP_ESCAPE = 0x1b,
	KEYMAP_ALT = 1 << 24,
};

#define KEYMAP_CONTROL(letter) ((letter)&0x1f)

enum action {
	ACTION_NONE,
	ACTION_HELP,
	ACTION_UP,
	ACTION_DOWN,
	ACTION_LEFT,
	ACTION_RIGHT,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_HOME,
	ACTION_END,
	ACTION_NEXT_SCREEN,
	ACTION_PREVIOUS_SCREEN,
	ACTION_CPUS,
	ACTION_SORT_PREVIOUS,
	ACTION_SORT_NEXT,
	ACTION_REVERSE,
	ACTION_INTERVAL,
	ACTION_THREADS,
	ACTION_TREE,
	ACTION_ROLL_UP,
	ACTION_COUNT,
	ACTION_DETACH,
	ACTION_PAUSE,
	ACTION_REDRAW,
	ACTION_LEAVE,
	ACTION_QUIT,
};

enum { KEYMAP_KEYS = 4 };

struct keymap_row {
	enum action action;
	int keys[KEYMAP_KEYS]; /* 0-terminated where there are fewer */
	const char *help;
	const char *bar;     /* its label in the key bar; NULL: not there */
	const char *bar_key; /* how the bar spells its keys */
};

extern const struct keymap_row keymap[];
extern const size_t keymap_n;

/* ACTION_NONE where the key does nothing. */
enum action keymap_action(int key);

/* All keys of a row as one reads them, with blanks between: "q F10 ^C", "Left Alt-h". */
void keymap_row_keys(const struct keymap_row *row, char *text, size_t size);

#endif
