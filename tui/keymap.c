// SPDX-License-Identifier: MIT
#include "keymap.h"

#include "core/text.h"
#include "core/util.h"

#include <stdio.h>
#include <string.h>

#define ALT(key) ((key) | KEYMAP_ALT)
#define F(n)     (KEYMAP_F0 + (n))

/* In the order of the help screen; those with a `bar` in the order of the key bar. */
const struct keymap_row keymap[] = {
	{ACTION_HELP, {'?', 'h', F(1)}, "this help", "Help", "?"},
	{ACTION_UP, {KEYMAP_UP, ALT('k')}, "up", NULL, NULL},
	{ACTION_DOWN, {KEYMAP_DOWN, ALT('j')}, "down", NULL, NULL},
	{ACTION_LEFT, {KEYMAP_LEFT, ALT('h')}, "columns leftward", NULL, NULL},
	{ACTION_RIGHT, {KEYMAP_RIGHT, ALT('l')}, "columns rightward", NULL, NULL},
	{ACTION_PAGE_UP, {KEYMAP_PAGE_UP}, "a page up", NULL, NULL},
	{ACTION_PAGE_DOWN, {KEYMAP_PAGE_DOWN}, "a page down", "Scroll", "PgDn"},
	{ACTION_HOME, {KEYMAP_HOME}, "to the first line", NULL, NULL},
	{ACTION_END, {KEYMAP_END}, "to the last line", NULL, NULL},
	{ACTION_NEXT_SCREEN, {KEYMAP_TAB}, "next screen", "Screen", "Tab"},
	{ACTION_PREVIOUS_SCREEN, {KEYMAP_SHIFT_TAB}, "previous screen", NULL, NULL},
	{ACTION_CPUS, {'C'}, "CPUs, and back", NULL, NULL},
	{ACTION_SORT_PREVIOUS, {'<'}, "sort column leftward", "Sort", "<>"},
	{ACTION_SORT_NEXT, {'>', F(6)}, "sort column rightward", NULL, NULL},
	{ACTION_REVERSE, {'R', 'I'}, "reverse the order", "Reverse", "R"},
	{ACTION_INTERVAL, {'s', 'd'}, "refresh interval", "Interval", "s"},
	{ACTION_THREADS, {'H'}, "threads or processes", "Threads", "H"},
	{ACTION_TREE, {'t', F(5)}, "tree or processes", "Tree", "t"},
	{ACTION_ROLL_UP,
	 {'g'},
	 "by process, user, cgroup; CPUs by CPU, socket, node",
	 "Group",
	 "g"},
	{ACTION_DETACH, {'D'}, "dismiss what has ended, or detach", NULL, NULL},
	{ACTION_COUNT, {'K'}, "count user mode, the kernel, both", NULL, NULL},
	{ACTION_PAUSE, {'Z'}, "pause the screen", "Pause", "Z"},
	{ACTION_REDRAW, {KEYMAP_CONTROL('L')}, "draw the screen anew", NULL, NULL},
	{ACTION_LEAVE, {KEYMAP_ESCAPE, KEYMAP_ENTER}, "leave the help", "Back", "Esc"},
	{ACTION_QUIT, {'q', F(10), KEYMAP_CONTROL('C')}, "quit", "Quit", "q"},
};

const size_t keymap_n = ARRAY_SIZE(keymap);

enum action keymap_action(int key)
{
	for (size_t i = 0; i < keymap_n; i++)
		for (size_t k = 0; k < KEYMAP_KEYS && keymap[i].keys[k]; k++)
			if (keymap[i].keys[k] == key)
				return keymap[i].action;
	return ACTION_NONE;
}

static const char *name_of(int key)
{
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

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].key == key)
			return names[i].name;
	return NULL;
}

static void key_name(int key, char *text, size_t size)
{
	const char *alt = key & KEYMAP_ALT ? "Alt-" : "";
	int bare = key & ~KEYMAP_ALT;
	const char *name = name_of(bare);
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

void keymap_row_keys(const struct keymap_row *row, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t k = 0; k < KEYMAP_KEYS && row->keys[k]; k++) {
		char name[24];

		key_name(row->keys[k], name, sizeof(name));
		if (k > 0 && length + 1 < size)
			text[length++] = ' ';
		length += text_copy(text + length, size - length, name);
	}
}
