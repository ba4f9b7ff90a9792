// SPDX-License-Identifier: MIT
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

void keymap_init(struct keymap *keymap)
{
	*keymap = (struct keymap){0};
	for (size_t i = 0; i < key_table_n; i++)
		memcpy(keymap->keys[key_table[i].action], key_table[i].keys,
		       sizeof(key_table[i].keys));
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
