// SPDX-License-Identifier: MIT
/*
 * A prompt is typed and accepted by Enter, or watched: then each change of the text has an effect
 * at once, and Esc undoes it.
 */
#include "tui/widget/widget_prompt.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/term/keymap.h"
#include "tui/widget/edit.h"
#include "tui/widget/page.h"

#include <stdlib.h>
#include <string.h>

static const char hint[] = "Enter OK  Esc Cancel";

enum {
	HINT_GAP = 4,
	ERROR_GAP = 2,
	BOX_WIDTH = 100,
	BOX_MARGIN = 4,
	BOX_FROM_WIDTH = 40,
	BOX_FROM_HEIGHT = 8,
};

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

bool prompt_paste(struct prompt *prompt, int character)
{
	return !prompt->confirms && edit_key(prompt->text, sizeof(prompt->text), character);
}

void prompt_pasted(struct prompt *prompt, void *owner)
{
	prompt->error.text[0] = '\0';
	if (prompt->active && prompt->watch)
		prompt->watch->change(owner, prompt->text, &prompt->error);
}

void prompt_update(struct prompt *prompt, void *owner)
{
	if (!prompt->active || !prompt->watch || !prompt->error.text[0])
		return;
	prompt->error.text[0] = '\0';
	prompt->watch->change(owner, prompt->text, &prompt->error);
}

/* Where the error begins, behind the text. */
static unsigned error_column(const struct prompt *prompt)
{
	return text_width(prompt->query) + 1 + text_width(prompt->text) + ERROR_GAP;
}

static bool has_error_beside(const struct prompt *prompt, unsigned width)
{
	return error_column(prompt) + text_width(prompt->error.text) <= width;
}

/* The text, or its end if it is too wide: there the typing goes on. */
static const char *shown_text(const struct prompt *prompt, unsigned width)
{
	const char *text = prompt->text;
	uint32_t character;

	while (text[0] && text_width(text) >= width)
		text += text_decode(text, &character);
	return text;
}

static void draw_question(const struct prompt *prompt, struct canvas *canvas, struct rect rect,
			  enum style style)
{
	unsigned end = rect.x + rect.width, x = rect.x;

	x += canvas_text(canvas, x, rect.y, end - x, STYLE_KEY, prompt->query);
	if (x < end)
		x++;
	x += canvas_text(canvas, x, rect.y, end - x, style, shown_text(prompt, end - x));
	bool beside = prompt->error.text[0] && has_error_beside(prompt, rect.width);
	if (!prompt->confirms && !beside && x + HINT_GAP + strlen(hint) < end)
		canvas_text(canvas, end - (unsigned)strlen(hint), rect.y, (unsigned)strlen(hint),
			    style == STYLE_PLAIN ? STYLE_DIM : style, hint);
	canvas_cursor(canvas, x < end ? x : end - 1, rect.y);
	if (beside)
		canvas_text(canvas, x + ERROR_GAP, rect.y, end - x - ERROR_GAP, STYLE_BAD,
			    prompt->error.text);
}

static bool has_box(const struct prompt *prompt, const struct canvas *canvas)
{
	return !prompt->watch && canvas->width >= BOX_FROM_WIDTH &&
	       canvas->height >= BOX_FROM_HEIGHT;
}

void prompt_draw_line(const struct prompt *prompt, struct canvas *canvas, struct rect rect)
{
	bool empty = rect.height == 0 || rect.width == 0;

	if (empty || has_box(prompt, canvas))
		return;
	canvas_fill(canvas, rect, STYLE_HEADER);
	draw_question(prompt, canvas, rect, STYLE_HEADER);
}

/* The bytes of the next line of a text, with the blanks behind it. */
static size_t line_bytes(const char *text, unsigned width)
{
	size_t length = text_first_line(text, width);

	return length + strspn(text + length, " ");
}

/* Draws an error on the lines above the last one, over what is there. */
static void draw_error_above(const struct prompt *prompt, struct canvas *canvas)
{
	unsigned width = canvas->width, bottom = canvas->height - 1, lines = 0;
	const char *rest = prompt->error.text;

	if (has_error_beside(prompt, width))
		return;
	for (const char *at = rest; *at && lines < bottom; lines++)
		at += line_bytes(at, width);
	for (unsigned y = bottom - lines; y < bottom; y++, rest += line_bytes(rest, width)) {
		char *line = xstrndup(rest,
				      y + 1 < bottom ? text_first_line(rest, width) : strlen(rest));

		canvas_fill(canvas, (struct rect){0, y, width, 1}, STYLE_PLAIN);
		canvas_text_ellipsis(canvas, 0, y, width, STYLE_BAD, line);
		free(line);
	}
}

/* The box is as wide as it can be, so that it does not change while a text is typed. */
static void draw_box(const struct prompt *prompt, struct canvas *canvas)
{
	unsigned width = (unsigned)size_min(canvas->width - BOX_MARGIN, BOX_WIDTH);
	struct canvas none = {0};
	struct rect inner = {.width = width - 4, .height = BOX_FROM_HEIGHT - 3};
	struct pen pen = {&none, {.width = inner.width}, 0, 0};

	if (!has_error_beside(prompt, inner.width))
		pen_wrap(&pen, 0, STYLE_BAD, prompt->error.text);
	unsigned errors = (unsigned)size_min(pen.line, inner.height - 1);
	struct rect box = {.width = width, .height = 3 + errors};
	box.x = (canvas->width - box.width) / 2;
	box.y = (canvas->height - box.height) / 2;
	canvas_fill(canvas, box, STYLE_PLAIN);
	page_draw_border(canvas, box, STYLE_TITLE, "");
	inner = (struct rect){box.x + 2, box.y + 1, inner.width, 1};
	draw_question(prompt, canvas, inner, STYLE_PLAIN);
	inner.y++;
	inner.height = errors;
	pen = (struct pen){canvas, inner, 0, 0};
	if (errors > 0)
		pen_wrap(&pen, 0, STYLE_BAD, prompt->error.text);
}

void prompt_draw_over(const struct prompt *prompt, struct canvas *canvas)
{
	if (!prompt->active || canvas->height == 0)
		return;
	if (has_box(prompt, canvas))
		draw_box(prompt, canvas);
	else
		draw_error_above(prompt, canvas);
}
