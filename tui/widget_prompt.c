// SPDX-License-Identifier: MIT
#include "widget_prompt.h"

#include "core/text.h"
#include "core/util.h"
#include "edit.h"
#include "keymap.h"

void prompt_open(struct prompt *prompt, const char *question, prompt_accept_fn *accept)
{
	*prompt = (struct prompt){.active = true, .accept = accept};
	text_copy(prompt->question, sizeof(prompt->question), question);
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
	else
		edit_key(prompt->text, sizeof(prompt->text), key);
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
