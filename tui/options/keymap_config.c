// SPDX-License-Identifier: MIT
#include "tui/options/keymap_config.h"

#include "core/base/suggest.h"
#include "core/base/util.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which line bound an action's keys; NULL: none did. */
struct binder {
	struct keymap *keymap;
	struct config *config;
	const struct config_entry *lines[ACTIONS];
};

__attribute__((format(printf, 3, 4))) static void complain(struct binder *binder,
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

	for (size_t i = 0; i < keymap_table_n; i++) {
		if (strcmp(keymap_table[i].name, entry->name) == 0)
			return keymap_table[i].action;
		suggest_offer(&near, keymap_table[i].name);
	}
	suggest_text(&near, hint, sizeof(hint));
	complain(binder, entry, "Unknown action '%.40s'%s. See 'pmctop --list keys'.", entry->name,
		 hint);
	return ACTION_NONE;
}

static void unbind(struct keymap *keymap, enum action action, unsigned nth)
{
	int *keys = keymap->keys[action];

	memmove(keys + nth, keys + nth + 1, (KEYMAP_KEYS - nth - 1) * sizeof(*keys));
	keys[KEYMAP_KEYS - 1] = 0;
}

/* Whether the line gets the key: takes it from whoever has it as usual. */
static bool take(struct binder *binder, const struct config_entry *entry, const char *name, int key)
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
		complain(binder, entry,
			 "'%.20s' is already bound to %s in line %u. Choose another key.", name,
			 keymap_row(owner)->name, binder->lines[owner]->line);
	return false;
}

static void refuse_key(struct binder *binder, const struct config_entry *entry, const char *name)
{
	char names[128];

	keymap_key_names(names, sizeof(names));
	complain(binder, entry,
		 "Unknown key '%.20s'. Keys are a character, ^C, F1 to F12, %s, or one of these "
		 "after Alt-.",
		 name, names);
}

static void bind(struct binder *binder, const struct config_entry *entry, enum action action)
{
	int *keys = binder->keymap->keys[action];
	char *list = xstrdup(entry->value), *rest = NULL;
	unsigned n = 0;

	memset(keys, 0, KEYMAP_KEYS * sizeof(*keys));
	binder->lines[action] = entry;
	for (char *name = strtok_r(list, " \t", &rest); name; name = strtok_r(NULL, " \t", &rest)) {
		int key;

		if (keymap_key_parse(name, &key))
			refuse_key(binder, entry, name);
		else if (n == KEYMAP_KEYS)
			complain(binder, entry, "An action has at most %d keys.", KEYMAP_KEYS);
		else if (take(binder, entry, name, key))
			keys[n++] = key;
	}
	free(list);
}

/* Gives an action that must not be without its first usual key back. */
static void keep(struct binder *binder, enum action action)
{
	const struct keymap_row *row = keymap_row(action);
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
		complain(binder, entry, "'%s' stays bound to %s, which has no other key.", name,
			 row->name);
}

void keymap_configure(struct keymap *keymap, struct config *config)
{
	struct binder binder = {.keymap = keymap, .config = config};

	for (size_t i = 0; i < config->keys.n; i++) {
		enum action action = find_action(&binder, &config->keys.items[i]);

		if (action != ACTION_NONE)
			bind(&binder, &config->keys.items[i], action);
	}
	keep(&binder, ACTION_HELP);
	keep(&binder, ACTION_QUIT);
	keep(&binder, ACTION_HELP); /* quit may have taken its last one back */
}
