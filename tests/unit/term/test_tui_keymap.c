// SPDX-License-Identifier: MIT
/* Keys have names, names are keys, and a configuration binds them. */
#include "core/base/util.h"
#include "tui/options/keymap_config.h"
#include "tui/term/keymap.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Each action has one row and a name, each key one action and a name that leads back to it. */
static void test_table(void **state)
{
	struct keymap keymap;

	(void)state;
	keymap_init(&keymap);
	for (size_t i = 0; i < key_table_n; i++) {
		const struct key_row *row = &key_table[i];
		char name[24];
		unsigned nth;
		int key;

		assert_ptr_equal(key_row(row->action), row);
		for (size_t other = 0; other < i; other++)
			assert_string_not_equal(row->name, key_table[other].name);
		for (unsigned k = 0; k < KEYMAP_KEYS && row->keys[k]; k++) {
			assert_int_equal(keymap_find(&keymap, row->keys[k], &nth), row->action);
			assert_int_equal(nth, k);
			keymap_key_name(row->keys[k], name, sizeof(name));
			assert_int_equal(keymap_key_parse(name, &key), 0);
			assert_int_equal(key, row->keys[k]);
		}
	}
	assert_int_equal(key_table_n, ACTIONS - 1);
	assert_int_equal(keymap_find(&keymap, 'r', NULL), ACTION_NONE);
}

static void test_parse(void **state)
{
	static const struct {
		const char *name;
		int key; /* 0: none */
	} rows[] = {
		{"q", 'q'},
		{"Q", 'Q'},
		{"^c", KEYMAP_CONTROL('C')},
		{"^", '^'},
		{"^m", KEYMAP_ENTER},
		{"^J", KEYMAP_ENTER},
		{"Alt-^M", KEYMAP_ENTER | KEYMAP_ALT},
		{"^I", KEYMAP_TAB},
		{"^[", KEYMAP_ESCAPE},
		{"^?", KEYMAP_BACKSPACE},
		{"^@", 0},
		{"^1", 0},
		{"^\xE9", 0},
		{"f12", KEYMAP_F12},
		{"F", 'F'},
		{"F0", 0},
		{"F13", 0},
		{"F1x", 0},
		{"space", ' '},
		{"pgdn", KEYMAP_PAGE_DOWN},
		{"alt-Left", KEYMAP_LEFT | KEYMAP_ALT},
		{"Alt-", 0},
		{"\xC3\xA9", 0xE9},
		{"\xFF", 0},
		{"\x01", 0},
		{"qq", 0},
		{"", 0},
		{"Ctrl-C", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int key;

		assert_int_equal(keymap_key_parse(rows[i].name, &key), rows[i].key ? 0 : -EINVAL);
		if (rows[i].key)
			assert_int_equal(key, rows[i].key);
	}
}

static void test_configure(void **state)
{
	static const struct {
		const char *name, *text;
		const char *quit, *help, *kill; /* their keys then */
		const char *notes;
	} rows[] = {
		{"nothing", "", "q F10 ^C", "? h F1", "k F9", ""},
		{"others", "quit = Q ^X\nkill = Delete", "Q ^X", "? h F1", "Delete", ""},
		{"taken from another", "kill = q", "F10 ^C", "? h F1", "q", ""},
		{"none", "kill =", "q F10 ^C", "? h F1", "", ""},
		{"a key twice", "kill = x\nquit = Q x\n", "Q", "? h F1", "x",
		 "f:3: 'x' is already bound to kill in line 2. Choose another key.\n"},
		{"twice in a line", "kill = x x", "q F10 ^C", "? h F1", "x", ""},
		{"given up and taken", "quit = Q\nkill = q", "Q", "? h F1", "q", ""},
		{"an unknown action", "qiut = x", "q F10 ^C", "? h F1", "k F9",
		 "f:2: Unknown action 'qiut' (did you mean 'quit'?). See 'pmctop --list keys'.\n"},
		{"an unknown key", "kill = F9 Meta-x", "q F10 ^C", "? h F1", "F9",
		 "f:2: Unknown key 'Meta-x'. Keys are a character, ^C, F1 to F12, Up, Down, Left, "
		 "Right, PgUp, PgDn, Home, End, Tab, S-Tab, Esc, Enter, Delete, Backspace, Space, "
		 "or one of these after Alt-.\n"},
		{"quit without", "quit =\n", "q", "? h F1", "k F9",
		 "f:2: 'q' stays bound to quit, which has no other key.\n"},
		{"quit robbed", "kill = q F10 ^C x\n", "q", "? h F1", "F10 ^C x",
		 "f:2: 'q' stays bound to quit, which has no other key.\n"},
		{"help robbed", "kill = h\nquit = ?\nup = F1\n", "q", "?", "h",
		 "f:3: '?' stays bound to help, which has no other key.\n"
		 "f:3: 'q' stays bound to quit, which has no other key.\n"},
		{"help is quit", "help = q\nkill = ^C F10", "q", "?", "^C F10",
		 "f:2: 'q' stays bound to quit, which has no other key.\n"
		 "f:2: '?' stays bound to help, which has no other key.\n"},
		{"too many", "kill = 1 2 3 4 5 6 7 8 9 a b", "q F10 ^C", "? h F1", "1 .. 9 a",
		 "f:2: An action has at most 10 keys.\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct config config = {0};
		struct keymap keymap;
		char text[512], keys[64];

		snprintf(text, sizeof(text), "[keys]\n%s", rows[i].text);
		config_parse("f", text, &config);
		keymap_init(&keymap);
		keymap_configure(&keymap, &config);
		text[0] = '\0';
		for (size_t k = 0; k < config.notes.n; k++) {
			strcat(text, config.notes.items[k].text);
			strcat(text, "\n");
		}
		if (strcmp(text, rows[i].notes) != 0)
			fail_msg("%s: %s", rows[i].name, text);
		keymap_keys(&keymap, ACTION_QUIT, keys, sizeof(keys));
		assert_string_equal(keys, rows[i].quit);
		keymap_keys(&keymap, ACTION_HELP, keys, sizeof(keys));
		assert_string_equal(keys, rows[i].help);
		keymap_keys(&keymap, ACTION_KILL, keys, sizeof(keys));
		assert_string_equal(keys, rows[i].kill);
		config_fini(&config);
	}
}

static void test_phrase(void **state)
{
	struct keymap keymap;
	char text[32];

	(void)state;
	keymap_init(&keymap);
	keymap_phrase(&keymap, ACTION_KILL, " (", ": signal)", text, sizeof(text));
	assert_string_equal(text, " (k: signal)");
	keymap.keys[ACTION_KILL][0] = 0;
	keymap_phrase(&keymap, ACTION_KILL, " (", ": signal)", text, sizeof(text));
	assert_string_equal(text, "");
}

/* A hint names keys that are bound. No key with an action has one. */
static void test_hints(void **state)
{
	static const struct {
		int key;
		const char *text; /* NULL: none */
	} rows[] = {
		{'j', "j has no function. Down: Down."},
		{'r', "r has no function. Priority: F7 F8."},
		{'N', "N has no function. Another order: < >."},
		{'l', "l has no function. Open files: lsof -p PID."},
		{KEYMAP_CONTROL('D'), "^D has no function. A page down: PgDn."},
		{KEYMAP_BACKSPACE, "Backspace has no function. Back: Esc."},
		{'E', NULL},
		{KEYMAP_F0 + 11, NULL},
		{'q', NULL},
	};
	struct keymap keymap;
	unsigned hints = 0;
	char text[128];

	(void)state;
	keymap_init(&keymap);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool found = keymap_hint(&keymap, rows[i].key, text, sizeof(text));

		assert_int_equal(found, rows[i].text != NULL);
		if (found)
			assert_string_equal(text, rows[i].text);
	}
	for (int key = 1; key <= KEYMAP_F12; key++) {
		if (!keymap_hint(&keymap, key, text, sizeof(text)))
			continue;
		hints++;
		assert_true(strlen(text) < 60); /* a line of the narrowest screen */
		if (keymap_find(&keymap, key, NULL) != ACTION_NONE)
			fail_msg("bound: %s", text);
	}
	assert_true(hints > 20);
	keymap.keys[ACTION_DOWN][0] = 'e';
	assert_true(keymap_hint(&keymap, 'j', text, sizeof(text)));
	assert_string_equal(text, "j has no function. Down: e.");
	keymap.keys[ACTION_DOWN][0] = 0;
	assert_false(keymap_hint(&keymap, 'j', text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),     cmocka_unit_test(test_parse),
		cmocka_unit_test(test_configure), cmocka_unit_test(test_phrase),
		cmocka_unit_test(test_hints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
