// SPDX-License-Identifier: MIT
/*
 * Lines are applied in their order. A key belongs to the first line that names it; a default key of
 * another action is taken away. At the end quit and help get their first default key back if they
 * have none.
 */
#include "tui/options/keymap_config.h"

#include "core/base/suggest.h"
#include "core/base/util.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line that bound each action's keys; NULL: none, defaults. */
struct binder {
	struct keymap *keymap;
	struct config *config;
	const struct config_entry *lines[ACTIONS];
};

__attribute__((format(printf, 3, 4))) static void note_entry(struct binder *binder,
							     const struct config_entry *entry,
							     const char *format, ...)
{
	char sentence[240];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	config_note(binder->config, entry, sentence);
}

static enum action find_action(struct binder *binder, const struct config_entry *entry)
{
	struct suggest near = {.word = entry->name};
	char hint[80];

	for (size_t i = 0; i < key_table_n; i++) {
		if (strcmp(key_table[i].name, entry->name) == 0)
			return key_table[i].action;
		suggest_offer(&near, key_table[i].name);
	}
	suggest_text(&near, hint, sizeof(hint));
	note_entry(binder, entry, "Unknown action '%.40s'%s. See 'pmctop --list keys'.",
		   entry->name, hint);
	return ACTION_NONE;
}

static void unbind(struct keymap *keymap, enum action action, unsigned nth)
{
	int *keys = keymap->keys[action];

	memmove(keys + nth, keys + nth + 1, (KEYMAP_KEYS - nth - 1) * sizeof(*keys));
	keys[KEYMAP_KEYS - 1] = 0;
}

/* Whether the line gets the key. A default binding of the key is removed. */
static bool claim_key(struct binder *binder, const struct config_entry *entry, const char *name,
		      int key)
{
	unsigned nth;
	enum action owner = keymap_find(binder->keymap, key, &nth);

	if (owner == ACTION_NONE)
		return true;
	if (!binder->lines[owner]) {
		unbind(binder->keymap, owner, nth);
		return true;
	}
	if (binder->lines[owner] != entry)
		note_entry(binder, entry,
			   "'%.20s' is already bound to %s in line %u. Choose another key.", name,
			   key_row(owner)->name, binder->lines[owner]->line);
	return false;
}

static void note_unknown_key(struct binder *binder, const struct config_entry *entry,
			     const char *name)
{
	char names[128];

	keymap_key_names(names, sizeof(names));
	note_entry(binder, entry,
		   "Unknown key '%.20s'. Keys are a character, ^C, F1 to F12, %s, or one of these "
		   "after Alt-.",
		   name, names);
}

static void bind_keys(struct binder *binder, const struct config_entry *entry, enum action action)
{
	int *keys = binder->keymap->keys[action];
	char *list = xstrdup(entry->value), *rest = NULL;
	unsigned n = 0;

	memset(keys, 0, KEYMAP_KEYS * sizeof(*keys));
	binder->lines[action] = entry;
	for (char *name = strtok_r(list, " \t", &rest); name; name = strtok_r(NULL, " \t", &rest)) {
		int key;

		if (keymap_key_parse(name, &key))
			note_unknown_key(binder, entry, name);
		else if (n == KEYMAP_KEYS)
			note_entry(binder, entry, "An action has at most %d keys.", KEYMAP_KEYS);
		else if (claim_key(binder, entry, name, key))
			keys[n++] = key;
	}
	free(list);
}

/* Gives an action without keys its first default key back. */
static void ensure_key(struct binder *binder, enum action action)
{
	const struct key_row *row = key_row(action);
	unsigned nth;

	if (binder->keymap->keys[action][0])
		return;

	enum action owner = keymap_find(binder->keymap, row->keys[0], &nth);
	const struct config_entry *entry = binder->lines[action];
	char name[24];

	if (owner != ACTION_NONE) {
		unbind(binder->keymap, owner, nth);
		entry = binder->lines[owner];
	}
	binder->keymap->keys[action][0] = row->keys[0];
	keymap_key_name(row->keys[0], name, sizeof(name));
	if (entry)
		note_entry(binder, entry, "'%s' stays bound to %s, which has no other key.", name,
			   row->name);
}

void keymap_configure(struct keymap *keymap, struct config *config)
{
	struct binder binder = {.keymap = keymap, .config = config};

	for (size_t i = 0; i < config->keys.n; i++) {
		enum action action = find_action(&binder, &config->keys.items[i]);

		if (action != ACTION_NONE)
			bind_keys(&binder, &config->keys.items[i], action);
	}
	ensure_key(&binder, ACTION_HELP);
	ensure_key(&binder, ACTION_QUIT);
	ensure_key(&binder, ACTION_HELP); /* quit may have taken help's last key */
}
