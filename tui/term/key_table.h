// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KEY_TABLE_H
#define PMCTOP_KEY_TABLE_H

#include <stddef.h>

/*
 * A key is a Unicode character, a control character ('A' & 0x1f is ^A), or one of KEYMAP_* below.
 * KEYMAP_ALT is added for Alt.
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
	ACTION_DETAIL,
	ACTION_CODE,
	ACTION_CPUS,
	ACTION_SETUP,
	ACTION_LOG,
	ACTION_FINDINGS,
	ACTION_LEAVE,
	ACTION_SORT_PREVIOUS,
	ACTION_SORT_NEXT,
	ACTION_SORT_CHOOSE,
	ACTION_SORT_CPU,
	ACTION_SORT_MEMORY,
	ACTION_SORT_TIME,
	ACTION_REVERSE,
	ACTION_COLUMNS,
	ACTION_PRESET,
	ACTION_PRESET_NUMBER, /* the key's index is the preset: keymap_find(), keymap.h */
	ACTION_UNIT,
	ACTION_COUNT,
	ACTION_ADD,
	ACTION_REMOVE,
	ACTION_FILTER,
	ACTION_SEARCH,
	ACTION_SEARCH_NEXT,
	ACTION_USER,
	ACTION_THREADS,
	ACTION_TREE,
	ACTION_ROLL_UP,
	ACTION_IDLE,
	ACTION_COMMAND_LINE,
	ACTION_FOLLOW,
	ACTION_TAG,
	ACTION_UNTAG,
	ACTION_RAISE_PRIORITY,
	ACTION_LOWER_PRIORITY,
	ACTION_KILL,
	ACTION_ATTACH,
	ACTION_DETACH,
	ACTION_BASELINE,
	ACTION_ZERO,
	ACTION_PAUSE,
	ACTION_STEP_BACK, /* replay only, up to ACTION_FASTER */
	ACTION_STEP,
	ACTION_MINUTE_BACK,
	ACTION_MINUTE,
	ACTION_GO,
	ACTION_SLOWER,
	ACTION_FASTER,
	ACTION_INTERVAL,
	ACTION_RECORD,
	ACTION_SAVE_SCREEN,
	ACTION_THEME,
	ACTION_SAVE,
	ACTION_REDRAW,
	ACTION_QUIT,
	ACTIONS,
};

enum { KEYMAP_KEYS = 10 };

struct key_row {
	enum action action;
	const char *name;      /* in [keys] of the configuration: "sort-next" */
	int keys[KEYMAP_KEYS]; /* default keys; 0 ends fewer than KEYMAP_KEYS */
	const char *help;
	const char *bar; /* label in the key bar; NULL: not shown there */
};

/* In the order of the help screen. */
extern const struct key_row key_table[];
extern const size_t key_table_n;

/* The row of an action other than ACTION_NONE. */
const struct key_row *key_row(enum action action);

#endif
