// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_PROMPT_H
#define PMCTOP_WIDGET_PROMPT_H

#include "core/base/error.h"
#include "tui/term/canvas.h"

#include <stdbool.h>

/*
 * A question in one line. Enter hands the answer to `accept`; where that refuses, the reason is
 * shown in place and the answer can be mended. Esc leaves everything as it was, and so does Enter
 * on an empty line.
 */
typedef int prompt_accept_fn(void *owner, const char *text, struct error *err);

/* For whoever does something while the answer is being typed. */
struct prompt_watch {
	/* The text is another one; what err says of it is shown. */
	void (*change)(void *owner, const char *text, struct error *err);
	/* Esc: all is to be as it was. */
	void (*cancel)(void *owner);
	/* A key that types nothing, such as an arrow. May be NULL. */
	void (*key)(void *owner, int key, struct error *err);
};

struct prompt {
	bool active;
	bool confirms; /* one key answers it */
	char query[128];
	char text[256];     /* the name of a file, at most */
	struct error error; /* why the last answer was refused */
	prompt_accept_fn *accept;
	const struct prompt_watch *watch; /* NULL: nobody */
};

void prompt_open(struct prompt *prompt, const char *query, prompt_accept_fn *accept);
/* The same, watched, with a text to begin with. Enter only ends it. */
void prompt_open_watched(struct prompt *prompt, const char *query, const char *text,
			 const struct prompt_watch *watch);
/* A question that y answers, which is what `accept` gets; any other key means no. */
void prompt_confirm(struct prompt *prompt, const char *query, prompt_accept_fn *accept);
/* Takes every key while the prompt is active. */
void prompt_key(struct prompt *prompt, int key, void *owner);
/* What it is about has changed: who watches looks again where nothing was found. */
void prompt_update(struct prompt *prompt, void *owner);
void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct rect rect);

#endif
