// SPDX-License-Identifier: MIT
/* Text is edited at its end only, which is enough for a line of a prompt or picker. */
#include "tui/widget/edit.h"

#include "core/base/text.h"
#include "tui/term/keymap.h"

#include <stdint.h>
#include <string.h>

static void insert_character(char *text, size_t size, int key)
{
	size_t length = strlen(text);
	char bytes[4];
	size_t n = text_encode((uint32_t)key, bytes);

	if (length + n < size) {
		memcpy(text + length, bytes, n);
		text[length + n] = '\0';
	}
}

/* Removes the last character: back over the continuation bytes of UTF-8. */
static void erase_character(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
		;
	text[length] = '\0';
}

static void erase_word(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && text[length - 1] == ' ')
		length--;
	while (length > 0 && text[length - 1] != ' ')
		length--;
	text[length] = '\0';
}

bool edit_key(char *text, size_t size, int key)
{
	if (key == KEYMAP_BACKSPACE || key == KEYMAP_CONTROL('H'))
		erase_character(text);
	else if (key == KEYMAP_CONTROL('W'))
		erase_word(text);
	else if (key == KEYMAP_CONTROL('U'))
		text[0] = '\0';
	else if (key >= ' ' && key < KEYMAP_UP)
		insert_character(text, size, key);
	else
		return false;
	return true;
}
