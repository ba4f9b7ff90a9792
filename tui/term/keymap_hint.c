// SPDX-License-Identifier: MIT
/*
 * Keys of htop, top, less and vi that have another key here, or none. A key that a configuration
 * binds to an action is no longer one of them.
 */
#include "tui/term/keymap.h"

#include "core/base/util.h"

#include <stdio.h>

#define CONTROL(letter) KEYMAP_CONTROL(letter)

static const struct {
	int key;
	const char *purpose;
	enum action actions[2]; /* that do it here; ACTION_NONE: none */
	const char *program;    /* that does it, if no action does */
} hints[] = {
	{'N', "Another order", {ACTION_SORT_PREVIOUS, ACTION_SORT_NEXT}, NULL},
	{'r', "Priority", {ACTION_RAISE_PRIORITY, ACTION_LOWER_PRIORITY}, NULL},
	{'l', "Open files", {ACTION_NONE}, "lsof -p PID"},
	{'v', "Tree", {ACTION_TREE}, NULL},
	{'V', "Tree", {ACTION_TREE}, NULL},
	{'+', "Fewer rows", {ACTION_FILTER}, NULL},
	{'-', "Fewer rows", {ACTION_FILTER}, NULL},
	{'O', "Filter", {ACTION_FILTER}, NULL},
	{'=', "All rows", {ACTION_LEAVE}, NULL},
	{'&', "Next match", {ACTION_SEARCH_NEXT}, NULL},
	{'Y', "Details", {ACTION_DETAIL}, NULL},
	{'j', "Down", {ACTION_DOWN}, NULL},
	{CONTROL('N'), "Down", {ACTION_DOWN}, NULL},
	{CONTROL('P'), "Up", {ACTION_UP}, NULL},
	{'b', "A page up", {ACTION_PAGE_UP}, NULL},
	{CONTROL('B'), "A page up", {ACTION_PAGE_UP}, NULL},
	{CONTROL('U'), "A page up", {ACTION_PAGE_UP}, NULL},
	{CONTROL('F'), "A page down", {ACTION_PAGE_DOWN}, NULL},
	{CONTROL('D'), "A page down", {ACTION_PAGE_DOWN}, NULL},
	{'^', "Columns to the left", {ACTION_LEFT}, NULL},
	{CONTROL('A'), "Columns to the left", {ACTION_LEFT}, NULL},
	{'$', "Columns to the right", {ACTION_RIGHT}, NULL},
	{CONTROL('E'), "Columns to the right", {ACTION_RIGHT}, NULL},
	{CONTROL('R'), "Redraw", {ACTION_REDRAW}, NULL},
	{':', "All keys", {ACTION_HELP}, NULL},
	{'Q', "Quit", {ACTION_QUIT}, NULL},
	{KEYMAP_BACKSPACE, "Back", {ACTION_LEAVE}, NULL},
	{KEYMAP_DELETE, "Signal", {ACTION_KILL}, NULL},
};

/* The index of a key's hint, or the number of hints. */
static size_t find_hint(int key)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(hints) && hints[i].key != key)
		i++;
	return i;
}

enum action keymap_hint_action(int key)
{
	size_t i = find_hint(key);

	return i < ARRAY_SIZE(hints) ? hints[i].actions[0] : ACTION_NONE;
}

bool keymap_hint(const struct keymap *keymap, int key, char *text, size_t size)
{
	size_t i = find_hint(key);
	char name[24], first[24], second[24] = "";

	if (i == ARRAY_SIZE(hints))
		return false;
	keymap_key_name(key, name, sizeof(name));
	if (hints[i].program) {
		snprintf(text, size, "%s has no function. %s: %s.", name, hints[i].purpose,
			 hints[i].program);
		return true;
	}
	keymap_first_key(keymap, hints[i].actions[0], first, sizeof(first));
	if (hints[i].actions[1])
		keymap_first_key(keymap, hints[i].actions[1], second, sizeof(second));
	if (!first[0])
		return false;
	snprintf(text, size, "%s has no function. %s: %s%s%s.", name, hints[i].purpose, first,
		 second[0] ? " " : "", second);
	return true;
}
