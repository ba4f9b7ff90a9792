// SPDX-License-Identifier: MIT
#include "input.h"

#include "core/util.h"
#include "keymap.h"

#include <curses.h>
#include <poll.h>
#include <sys/ioctl.h>

enum { SEQUENCE_MAX = 64 }; /* bytes; ECMA-48 sequences are shorter */

static int special_key(wint_t code)
{
	static const struct {
		wint_t curses;
		int key;
	} keys[] = {
		{KEY_UP, KEYMAP_UP},          {KEY_DOWN, KEYMAP_DOWN},
		{KEY_LEFT, KEYMAP_LEFT},      {KEY_RIGHT, KEYMAP_RIGHT},
		{KEY_PPAGE, KEYMAP_PAGE_UP},  {KEY_NPAGE, KEYMAP_PAGE_DOWN},
		{KEY_HOME, KEYMAP_HOME},      {KEY_FIND, KEYMAP_HOME},
		{KEY_END, KEYMAP_END},        {KEY_SELECT, KEYMAP_END},
		{KEY_BTAB, KEYMAP_SHIFT_TAB}, {KEY_BACKSPACE, KEYMAP_BACKSPACE},
		{KEY_DC, KEYMAP_DELETE},      {KEY_ENTER, KEYMAP_ENTER},
	};

	if (code == KEY_RESIZE)
		return INPUT_RESIZED;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return KEYMAP_F0 + (int)(code - KEY_F0);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].curses == code)
			return keys[i].key;
	return INPUT_NONE;
}

static int character_key(wint_t code)
{
	if (code == '\r' || code == '\n')
		return KEYMAP_ENTER;
	if (code == 0x7f)
		return KEYMAP_BACKSPACE;
	return (int)code;
}

/*
 * The rest of a control sequence (ESC [) that is no key we know: a terminal's answer to a question
 * that someone asked before us. None of its letters is a key.
 */
static int swallow_sequence(void)
{
	wint_t code;

	for (int i = 0; i < SEQUENCE_MAX && get_wch(&code) == OK; i++)
		if (code >= 0x40 && code <= 0x7e)
			return INPUT_NONE;
	return INPUT_NONE;
}

/* After an ESC: what follows at once was typed with Alt. */
static int escape_key(void)
{
	wint_t code;
	int kind = get_wch(&code);

	if (kind == OK && code == '[')
		return swallow_sequence();
	if (kind == OK)
		return character_key(code) | KEYMAP_ALT;
	if (kind == KEY_CODE_YES)
		ungetch((int)code);
	return KEYMAP_ESCAPE;
}

int input_next(struct input *input)
{
	wint_t code;

	for (;;) {
		int kind = get_wch(&code);

		if (kind == ERR)
			return INPUT_NONE;
		input->empty = 0;

		int key = kind == KEY_CODE_YES ? special_key(code) : character_key(code);

		if (kind == OK && key == KEYMAP_ESCAPE)
			key = escape_key();
		if (key != INPUT_NONE)
			return key;
	}
}

/*
 * A terminal that hung up reads as end of file: readable, no byte, again and again. Once can also
 * be the beginning of a character whose rest is under way.
 */
bool input_hung_up(struct input *input, short revents, unsigned keys_read)
{
	int bytes = 0;

	if (revents & (POLLERR | POLLNVAL))
		return true;
	if (keys_read > 0 || !(revents & (POLLIN | POLLHUP)))
		return false;
	if (revents & POLLHUP)
		return true;
	if (ioctl(input->fd, FIONREAD, &bytes) == 0 && bytes > 0)
		return false;
	return ++input->empty >= 3;
}
