// SPDX-License-Identifier: MIT
/*
 * Any names of keys, and any section [keys]. Each key has at most one action, and help and quit
 * have keys.
 */
#include "tests/fuzz/fuzz.h"

#include "tui/options/config.h"
#include "tui/options/keymap_config.h"
#include "tui/term/keymap.h"

static void check_name(const char *name)
{
	char text[24];
	int key, again;

	if (keymap_key_parse(name, &key))
		return;
	fuzz_check(key != 0, "0 is no key");
	keymap_key_name(key, text, sizeof(text));
	fuzz_check(keymap_key_parse(text, &again) == 0 && again == key,
		   "a key is found by its name");
}

static void check_keymap(const struct keymap *keymap)
{
	for (enum action action = ACTION_NONE + 1; action < ACTIONS; action++) {
		const int *keys = keymap->keys[action];
		char text[80];
		unsigned nth;

		for (unsigned k = 0; k < KEYMAP_KEYS && keys[k]; k++)
			fuzz_check(keymap_find(keymap, keys[k], &nth) == action && nth == k,
				   "a key is bound once");
		keymap_keys(keymap, action, text, sizeof(text));
		fuzz_check(!text[0] == !keys[0], "keys have names");
		keymap_keys(keymap, action, text, 2);
		fuzz_check(strlen(text) < 2, "names of keys fit");
	}
	fuzz_check(keymap->keys[ACTION_HELP][0] && keymap->keys[ACTION_QUIT][0],
		   "help and quit have keys");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *name = fuzz_text(&bytes), *lines = fuzz_text(&bytes), *text = NULL;
	struct config config = {0};
	struct keymap keymap;

	check_name(name);
	if (asprintf(&text, "[keys]\n%s\n", lines) < 0)
		abort();
	config_parse("f", text, &config);
	keymap_init(&keymap);
	keymap_configure(&keymap, &config);
	check_keymap(&keymap);
	config_fini(&config);
	free(text);
	free(lines);
	free(name);
	return 0;
}
