// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_H
#define PMCTOP_SCREEN_H

#include "tui/term/canvas.h"
#include "tui/term/keymap.h"

#include <stdbool.h>

struct app;

/* A full-window page: one const descriptor, one file. */
struct screen {
	void (*draw)(struct app *app, struct canvas *canvas);
	/* False where the action is not the screen's: then the app looks at it. */
	bool (*act)(struct app *app, enum action action);
	/*
	 * A click on the body: whether it was on a line, of which a second one asks for the detail.
	 * NULL: there is nothing to click on.
	 */
	bool (*click)(struct app *app, unsigned x, unsigned y);
	/* What the key bar offers, in this order, up to ACTION_NONE. */
	const enum action *bar;
};

extern const struct screen screen_tasks;
extern const struct screen screen_cpus;
extern const struct screen screen_events;
extern const struct screen screen_help;
extern const struct screen screen_log;
extern const struct screen screen_setup;
extern const struct screen screen_detail;

#endif
