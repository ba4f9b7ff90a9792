// SPDX-License-Identifier: MIT
#include "widget_prompt.h"

#include "core/text.h"
#include "core/util.h"
#include "keymap.h"

#include <string.h>

void prompt_open(struct prompt *prompt, const char *question, prompt_accept_fn *accept)
{
	*prompt = (struct prompt){.active = true, .accept = accept};
	text_copy(prompt->question, sizeof(prompt->question), question);
}

static void prompt_insert(struct prompt *prompt, int key)
{
	size_t length = strlen(prompt->text);
	char bytes[4];
	size_t n = text_encode((uint32_t)key, bytes);

	if (length + n < sizeof(prompt->text)) {
		memcpy(prompt->text + length, bytes, n);
		prompt->text[length + n] = '\0';
	}
}

/* The last character: back over the continuation bytes of UTF-8. */
static void prompt_erase(struct prompt *prompt)
{
	size_t length = strlen(prompt->text);

	while (length > 0 && ((unsigned char)prompt->text[--length] & 0xc0) == 0x80)
		;
	prompt->text[length] = '\0';
}

static void prompt_answer(struct prompt *prompt, void *owner)
{
	if (prompt->text[0] && prompt->accept(owner, prompt->text, &prompt->error))
		return;
	prompt->active = false;
}

void prompt_key(struct prompt *prompt, int key, void *owner)
{
	prompt->error.text[0] = '\0';
	if (key == KEYMAP_ESCAPE)
		prompt->active = false;
	else if (key == KEYMAP_ENTER)
		prompt_answer(prompt, owner);
	else if (key == KEYMAP_BACKSPACE || key == KEYMAP_CONTROL('H'))
		prompt_erase(prompt);
	else if (key == KEYMAP_CONTROL('U'))
		prompt->text[0] = '\0';
	else if (key >= ' ' && key < KEYMAP_UP)
		prompt_insert(prompt, key);
}

void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct rect rect)
{
	unsigned end = rect.x + rect.width, x = rect.x;

	if (rect.height == 0 || rect.width == 0)
		return;
	canvas_fill(canvas, rect, STYLE_PLAIN);
	x += canvas_text(canvas, x, rect.y, end - x, STYLE_KEY, prompt->question);
	if (x < end)
		x++;
	x += canvas_text(canvas, x, rect.y, end - x, STYLE_PLAIN, prompt->text);
	canvas_cursor(canvas, x < end ? x : end - 1, rect.y);
	if (prompt->error.text[0] && x + 2 < end)
		canvas_text_ellipsis(canvas, x + 2, rect.y, end - x - 2, STYLE_BAD,
				     prompt->error.text);
}
