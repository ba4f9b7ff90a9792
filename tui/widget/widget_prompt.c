// SPDX-License-Identifier: MIT
/*
 * A prompt is typed and accepted by Enter, or watched: then each change of the text has an effect
 * at once, and Esc undoes it.
 */
#include "tui/widget/widget_prompt.h"

#include "core/base/util.h"
#include "tui/term/keymap.h"
#include "tui/widget/edit.h"

#include <string.h>

static const char hint[] = "Enter OK  Esc Cancel";

enum { HINT_GAP = 4 };

void prompt_open(struct prompt *prompt, const char *query, prompt_accept_fn *accept)
{
	*prompt = (struct prompt){.active = true, .accept = accept};
	text_copy(prompt->query, sizeof(prompt->query), query);
}

void prompt_open_watched(struct prompt *prompt, const char *query, const char *text,
			 const struct prompt_watch *watch)
{
	prompt_open(prompt, query, NULL);
	prompt->watch = watch;
	text_copy(prompt->text, sizeof(prompt->text), text);
}

void prompt_confirm(struct prompt *prompt, const char *query, prompt_accept_fn *accept)
{
	prompt_open(prompt, query, accept);
	prompt->confirms = true;
}

static void prompt_answer(struct prompt *prompt, void *owner)
{
	if (prompt->text[0] && prompt->accept &&
	    prompt->accept(owner, prompt->text, &prompt->error))
		return;
	prompt->active = false;
}

static void prompt_cancel(struct prompt *prompt, void *owner)
{
	prompt->active = false;
	if (prompt->watch)
		prompt->watch->cancel(owner);
}

void prompt_key(struct prompt *prompt, int key, void *owner)
{
	prompt->error.text[0] = '\0';
	if (prompt->confirms) {
		prompt->active = false;
		if (key == 'y' || key == 'Y')
			prompt->accept(owner, "y", &prompt->error);
	} else if (key == KEYMAP_ESCAPE) {
		prompt_cancel(prompt, owner);
	} else if (key == KEYMAP_ENTER) {
		prompt_answer(prompt, owner);
	} else if (edit_key(prompt->text, sizeof(prompt->text), key)) {
		if (prompt->watch)
			prompt->watch->change(owner, prompt->text, &prompt->error);
	} else if (prompt->watch && prompt->watch->key) {
		prompt->watch->key(owner, key, &prompt->error);
	}
}

void prompt_update(struct prompt *prompt, void *owner)
{
	if (!prompt->active || !prompt->watch || !prompt->error.text[0])
		return;
	prompt->error.text[0] = '\0';
	prompt->watch->change(owner, prompt->text, &prompt->error);
}

void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct rect rect)
{
	unsigned end = rect.x + rect.width, x = rect.x;

	if (rect.height == 0 || rect.width == 0)
		return;
	canvas_fill(canvas, rect, STYLE_PLAIN);
	x += canvas_text(canvas, x, rect.y, end - x, STYLE_KEY, prompt->query);
	if (x < end)
		x++;
	x += canvas_text(canvas, x, rect.y, end - x, STYLE_PLAIN, prompt->text);
	if (!prompt->confirms && x + HINT_GAP + strlen(hint) < end)
		canvas_text(canvas, end - (unsigned)strlen(hint), rect.y, (unsigned)strlen(hint),
			    STYLE_DIM, hint);
	canvas_cursor(canvas, x < end ? x : end - 1, rect.y);
	if (prompt->error.text[0] && x + 2 < end)
		canvas_text_ellipsis(canvas, x + 2, rect.y, end - x - 2, STYLE_BAD,
				     prompt->error.text);
}
