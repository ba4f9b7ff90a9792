// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_PROMPT_H
#define PMCTOP_WIDGET_PROMPT_H

#include "canvas.h"
#include "core/error.h"

#include <stdbool.h>

/*
 * A question in one line. Enter hands the answer to `accept`; where that refuses, the reason is
 * shown in place and the answer can be mended. Esc leaves everything as it was, and so does Enter
 * on an empty line.
 */
typedef int prompt_accept_fn(void *owner, const char *text, struct error *err);

struct prompt {
	bool active;
	char question[64];
	char text[64];
	struct error error; /* why the last answer was refused */
	prompt_accept_fn *accept;
};

void prompt_open(struct prompt *prompt, const char *question, prompt_accept_fn *accept);
/* Takes every key while the prompt is active. */
void prompt_key(struct prompt *prompt, int key, void *owner);
void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct rect rect);

#endif
