// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KEYMAP_H
#define PMCTOP_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Maps keys to actions. A key is a Unicode character, a control character ('A' & 0x1f is ^A), or
 * one of KEYMAP_* below. KEYMAP_ALT is added for Alt.
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
	ACTION_PRESET_NUMBER, /* the key's index is the preset: keymap_find() */
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

/* An action: see keymap.c. */
struct keymap_row {
	enum action action;
	const char *name;      /* in [keys] of the configuration: "sort-next" */
	int keys[KEYMAP_KEYS]; /* default keys; 0 ends fewer than KEYMAP_KEYS */
	const char *help;
	const char *bar; /* label in the key bar; NULL: not shown there */
};

/* In the order of the help screen. */
extern const struct keymap_row keymap_table[];
extern const size_t keymap_table_n;

/* The row of an action other than ACTION_NONE. */
const struct keymap_row *keymap_row(enum action action);

/* The keys that are bound. */
struct keymap {
	int keys[ACTIONS][KEYMAP_KEYS]; /* as in struct keymap_row */
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
