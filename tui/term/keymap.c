// SPDX-License-Identifier: MIT
/*
 * One table has each action: its name in the configuration, its default keys, its help text and its
 * label in the key bar. The help screen, the key bar, --list keys and the manual follow it.
 */
#include "tui/term/keymap.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ALT(key) ((key) | KEYMAP_ALT)
#define F(n)     (KEYMAP_F0 + (n))

const struct keymap_row keymap_table[] = {
	{ACTION_HELP, "help", {'?', 'h', F(1)}, "this help", "Help"},
	{ACTION_UP, "up", {KEYMAP_UP, ALT('k')}, "up", NULL},
	{ACTION_DOWN, "down", {KEYMAP_DOWN, ALT('j')}, "down", NULL},
	{ACTION_LEFT, "left", {KEYMAP_LEFT, ALT('h')}, "scroll the columns left", NULL},
	{ACTION_RIGHT, "right", {KEYMAP_RIGHT, ALT('l')}, "scroll the columns right", NULL},
	{ACTION_PAGE_UP, "page-up", {KEYMAP_PAGE_UP}, "a page up", NULL},
	{ACTION_PAGE_DOWN, "page-down", {KEYMAP_PAGE_DOWN}, "a page down", "Scroll"},
	{ACTION_HOME, "home", {KEYMAP_HOME}, "to the first line", NULL},
	{ACTION_END, "end", {KEYMAP_END}, "to the last line", NULL},
	{ACTION_NEXT_SCREEN, "next-screen", {KEYMAP_TAB}, "next screen", "Page"},
	{ACTION_PREVIOUS_SCREEN, "previous-screen", {KEYMAP_SHIFT_TAB}, "previous screen", NULL},
	{ACTION_DETAIL, "detail", {KEYMAP_ENTER}, "details of the row", "Open"},
	{ACTION_CODE, "code", {'w'}, "where in the code the row runs", "Code"},
	{ACTION_CPUS, "cpus", {'C'}, "list of CPUs, and back", NULL},
	{ACTION_SETUP, "setup", {F(2)}, "setup: columns, presets, options, theme", "Setup"},
	{ACTION_LOG, "log", {'L'}, "message log", NULL},
	{ACTION_FINDINGS, "findings", {'!'}, "all findings, and back", NULL},
	{ACTION_LEAVE, "leave", {KEYMAP_ESCAPE}, "leave the page, or drop filter and tags", "Back"},
	{ACTION_SORT_PREVIOUS, "sort-previous", {'<'}, "sort by the column to the left", NULL},
	{ACTION_SORT_NEXT, "sort-next", {'>'}, "sort by the column to the right", "Sort"},
	{ACTION_SORT_CHOOSE, "sort-choose", {F(6)}, "choose the column to sort by", NULL},
	{ACTION_SORT_CPU, "sort-cpu", {'P'}, "sort by %CPU", NULL},
	{ACTION_SORT_MEMORY, "sort-memory", {'M'}, "sort by memory (RES)", NULL},
	{ACTION_SORT_TIME, "sort-time", {'T'}, "sort by time (TIME+)", NULL},
	{ACTION_REVERSE, "reverse", {'R', 'I'}, "reverse the order", "Reverse"},
	{ACTION_COLUMNS, "columns", {'f'}, "choose the columns", "Columns"},
	{ACTION_PRESET, "preset", {'p'}, "choose a preset", "Preset"},
	{ACTION_PRESET_NUMBER,
	 "preset-number",
	 {'1', '2', '3', '4', '5', '6', '7', '8', '9'},
	 "preset 1, preset 2 ...",
	 NULL},
	{ACTION_UNIT, "unit", {'m'}, "events as counts, per second, per 1000 instructions", NULL},
	{ACTION_COUNT, "count", {'K'}, "count user mode, the kernel or both", NULL},
	{ACTION_ADD, "add", {'e'}, "add an event or a metric", "Add"},
	{ACTION_REMOVE, "remove", {'x'}, "remove an event or a metric", "Remove"},
	{ACTION_FILTER, "filter", {'\\', F(4)}, "show only rows that contain a text", "Filter"},
	{ACTION_SEARCH, "search", {'/', F(3)}, "search", "Search"},
	{ACTION_SEARCH_NEXT, "search-next", {'n'}, "next match", NULL},
	{ACTION_USER, "user", {'u'}, "show tasks of one user", NULL},
	{ACTION_THREADS, "threads", {'H'}, "show threads or processes", "Threads"},
	{ACTION_TREE, "tree", {'t', F(5)}, "show a tree or a list of processes", "Tree"},
	{ACTION_ROLL_UP,
	 "roll-up",
	 {'g'},
	 "group by process, user, cgroup, command; CPUs: socket, node",
	 "Group"},
	{ACTION_IDLE, "idle", {'i'}, "show or hide tasks that did not run", NULL},
	{ACTION_COMMAND_LINE, "command-line", {'c'}, "whole command lines, or short ones", NULL},
	{ACTION_FOLLOW, "follow", {'F'}, "follow the row when it moves", NULL},
	{ACTION_TAG, "tag", {' '}, "tag the row", NULL},
	{ACTION_UNTAG, "untag", {'U'}, "untag all rows", NULL},
	{ACTION_RAISE_PRIORITY, "raise-priority", {F(7)}, "raise the priority (nice -1)", NULL},
	{ACTION_LOWER_PRIORITY, "lower-priority", {F(8)}, "lower the priority (nice +1)", NULL},
	{ACTION_KILL, "kill", {'k', F(9)}, "send a signal (asks first)", "Kill"},
	{ACTION_ATTACH, "attach", {'a'}, "attach to a process", "Attach"},
	{ACTION_DETACH, "detach", {'D'}, "dismiss ended tasks, or detach", NULL},
	{ACTION_BASELINE, "baseline", {'B'}, "set a baseline: show the change since now", NULL},
	{ACTION_ZERO, "zero", {'z'}, "set the totals to zero", NULL},
	{ACTION_PAUSE, "pause", {'Z'}, "pause the screen, or the replay", "Pause"},
	{ACTION_STEP_BACK, "step-back", {','}, "replay: an interval back", "Back"},
	{ACTION_STEP, "step", {'.'}, "replay: an interval forward", "Step"},
	{ACTION_MINUTE_BACK, "minute-back", {'{'}, "replay: a minute back", NULL},
	{ACTION_MINUTE, "minute", {'}'}, "replay: a minute forward", "Minute"},
	{ACTION_GO, "go", {'G'}, "replay: go to a time: +90, -1:30, 90, 14:05:10, 50%", "Go to"},
	{ACTION_SLOWER, "slower", {'['}, "replay: slower", "Slower"},
	{ACTION_FASTER, "faster", {']'}, "replay: faster", "Faster"},
	{ACTION_INTERVAL, "interval", {'s', 'd'}, "refresh interval", "Interval"},
	{ACTION_RECORD, "record", {'o'}, "start or stop recording to a file", NULL},
	{ACTION_SAVE_SCREEN, "save-screen", {'S'}, "save the screen as text and picture", NULL},
	{ACTION_THEME, "theme", {0}, "choose a theme (also in the setup)", NULL},
	{ACTION_SAVE, "save", {'W'}, "save the configuration", "Save"},
	{ACTION_REDRAW, "redraw", {KEYMAP_CONTROL('L')}, "redraw the screen", NULL},
	{ACTION_QUIT, "quit", {'q', F(10), KEYMAP_CONTROL('C')}, "quit, or leave the page", "Quit"},
};

const size_t keymap_table_n = ARRAY_SIZE(keymap_table);

const struct keymap_row *keymap_row(enum action action)
{
	size_t i = 0;

	while (keymap_table[i].action != action)
		i++;
	return &keymap_table[i];
}

void keymap_init(struct keymap *keymap)
{
	*keymap = (struct keymap){0};
	for (size_t i = 0; i < keymap_table_n; i++)
		memcpy(keymap->keys[keymap_table[i].action], keymap_table[i].keys,
		       sizeof(keymap_table[i].keys));
}

enum action keymap_find(const struct keymap *keymap, int key, unsigned *nth)
{
	for (enum action action = ACTION_NONE + 1; action < ACTIONS; action++)
		for (unsigned k = 0; k < KEYMAP_KEYS && keymap->keys[action][k]; k++)
			if (keymap->keys[action][k] == key) {
				if (nth)
					*nth = k;
				return action;
			}
	return ACTION_NONE;
}

int keymap_key_of(int character)
{
	enum { DEL = 0x7f };

	if (character == '\r' || character == '\n')
		return KEYMAP_ENTER;
	return character == DEL ? KEYMAP_BACKSPACE : character;
}

static const struct {
	int key;
	const char *name;
} names[] = {
	{KEYMAP_UP, "Up"},
	{KEYMAP_DOWN, "Down"},
	{KEYMAP_LEFT, "Left"},
	{KEYMAP_RIGHT, "Right"},
	{KEYMAP_PAGE_UP, "PgUp"},
	{KEYMAP_PAGE_DOWN, "PgDn"},
	{KEYMAP_HOME, "Home"},
	{KEYMAP_END, "End"},
	{KEYMAP_TAB, "Tab"},
	{KEYMAP_SHIFT_TAB, "S-Tab"},
	{KEYMAP_ESCAPE, "Esc"},
	{KEYMAP_ENTER, "Enter"},
	{KEYMAP_DELETE, "Delete"},
	{KEYMAP_BACKSPACE, "Backspace"},
	{' ', "Space"},
};

void keymap_key_names(char *text, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "",
					   names[i].name);
}

static const char *special_name(int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].key == key)
			return names[i].name;
	return NULL;
}

void keymap_key_name(int key, char *text, size_t size)
{
	const char *alt = key & KEYMAP_ALT ? "Alt-" : "";
	int bare = key & ~KEYMAP_ALT;
	const char *name = special_name(bare);
	char character[5] = "";

	if (name) {
		snprintf(text, size, "%s%s", alt, name);
	} else if (bare > KEYMAP_F0 && bare <= KEYMAP_F12) {
		snprintf(text, size, "%sF%d", alt, bare - KEYMAP_F0);
	} else if (bare < ' ') {
		snprintf(text, size, "%s^%c", alt, bare + '@');
	} else {
		text_encode((uint32_t)bare, character);
		snprintf(text, size, "%s%s", alt, character);
	}
}

/* The key of "^X"; 0 if there is none. "^M" is Enter. */
static int parse_control(const char *name)
{
	char letter = name[1];

	if (name[0] != '^' || !letter || name[2])
		return 0;
	if (letter == '?')
		return keymap_key_of(0x7f);
	if ((letter >= '@' && letter <= '_') || (letter >= 'a' && letter <= 'z'))
		return keymap_key_of(KEYMAP_CONTROL(letter));
	return 0;
}

int keymap_key_parse(const char *name, int *key)
{
	bool alt = strncasecmp(name, "Alt-", 4) == 0 && name[4];
	const char *bare = alt ? name + 4 : name;
	uint32_t character;
	size_t length = text_decode(bare, &character);
	char *end;

	*key = 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcasecmp(names[i].name, bare) == 0)
			*key = names[i].key;
	if (*key == 0 && length > 0 && !bare[length] && character > ' ' &&
	    character != TEXT_REPLACEMENT)
		*key = (int)character;
	else if (*key == 0 && bare[0] == '^')
		*key = parse_control(bare);
	else if (*key == 0 && (bare[0] == 'F' || bare[0] == 'f') && bare[1] >= '1' &&
		 bare[1] <= '9') {
		long number = strtol(bare + 1, &end, 10);

		if (!*end && number <= KEYMAP_F12 - KEYMAP_F0)
			*key = KEYMAP_F0 + (int)number;
	}
	if (*key == 0)
		return -EINVAL;
	*key |= alt ? KEYMAP_ALT : 0;
	return 0;
}

void keymap_first_key(const struct keymap *keymap, enum action action, char *text, size_t size)
{
	text[0] = '\0';
	if (keymap->keys[action][0])
		keymap_key_name(keymap->keys[action][0], text, size);
}

void keymap_phrase(const struct keymap *keymap, enum action action, const char *before,
		   const char *after, char *text, size_t size)
{
	char key[24];

	keymap_first_key(keymap, action, key, sizeof(key));
	text[0] = '\0';
	if (key[0])
		snprintf(text, size, "%s%s%s", before, key, after);
}

/* The number of keys from this one on that are consecutive characters. */
static size_t run_length(const int *keys, size_t n)
{
	size_t run = 1;

	while (run < n && keys[run] && keys[run] == keys[run - 1] + 1)
		run++;
	return run;
}

void keymap_keys(const struct keymap *keymap, enum action action, char *text, size_t size)
{
	const int *keys = keymap->keys[action];
	size_t length = 0;

	text[0] = '\0';
	for (size_t k = 0; k < KEYMAP_KEYS && keys[k]; k++) {
		size_t run = run_length(keys + k, KEYMAP_KEYS - k);
		char name[24];

		keymap_key_name(keys[k], name, sizeof(name));
		if (k > 0 && length + 1 < size)
			text[length++] = ' ';
		length += text_copy(text + length, size - length, name);
		if (run > 3) {
			length += text_copy(text + length, size - length, " ..");
			k += run - 2;
		}
	}
}
