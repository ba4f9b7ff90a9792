// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_PROMPT_H
#define PMCTOP_WIDGET_PROMPT_H

#include "core/base/error.h"
#include "tui/term/canvas.h"

#include <stdbool.h>

/*
 * A question in one line. Enter passes the text to `accept`. If `accept` fails, the prompt stays
 * open and shows the error. Esc, and Enter on an empty text, close it without effect.
 */
typedef int prompt_accept_fn(void *owner, const char *text, struct error *err);

/* Callbacks for an effect while the text is typed. */
struct prompt_watch {
	/* The text has changed. An error text in *err is shown. */
	void (*change)(void *owner, const char *text, struct error *err);
	/* Esc: undo the effect. */
	void (*cancel)(void *owner);
	/* A key that does not edit the text, such as an arrow. May be NULL. */
	void (*key)(void *owner, int key, struct error *err);
};

struct prompt {
	bool active;
	bool confirms; /* a single key answers */
	char query[128];
	char text[256];     /* long enough for a file name */
	struct error error; /* of the last answer or change */
	prompt_accept_fn *accept;
	const struct prompt_watch *watch; /* NULL: not watched */
};

void prompt_open(struct prompt *prompt, const char *query, prompt_accept_fn *accept);
/* Opens a watched prompt with an initial text. Enter only closes it. */
void prompt_open_watched(struct prompt *prompt, const char *query, const char *text,
			 const struct prompt_watch *watch);
/* Opens a question: y calls `accept` with "y", any other key closes it. */
void prompt_confirm(struct prompt *prompt, const char *query, prompt_accept_fn *accept);
/* Handles a key. Call it with every key while the prompt is active. */
void prompt_key(struct prompt *prompt, int key, void *owner);
/*
 * Adds a character of pasted text. Returns false if the prompt takes none: it confirms. A watched
 * prompt has the effect at prompt_pasted(), when there are no more for now.
 */
bool prompt_paste(struct prompt *prompt, int character);
void prompt_pasted(struct prompt *prompt, void *owner);
/* The snapshot has changed: a watched text that had an error is tried again. */
void prompt_update(struct prompt *prompt, void *owner);
/*
 * Draws the question and the text on the rect's first line, and the error if it fits beside: of a
 * watched prompt, whose effect is above it, and of any on a small screen. Others leave it blank.
 */
void prompt_draw_line(const struct prompt *prompt, struct canvas *canvas, struct rect rect);
/*
 * Draws over the screen what is not in that line, the last one of the canvas: other prompts in a
 * box in the middle, and an error that does not fit beside the text above it.
 */
void prompt_draw_over(const struct prompt *prompt, struct canvas *canvas);

#endif
