// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_H
#define PMCTOP_SCREEN_H

#include "canvas.h"
#include "keymap.h"

#include <stdbool.h>
#include <stddef.h>

struct app;

/* A full-window page: one const descriptor, one file. */
struct screen {
	void (*draw)(struct app *app, struct canvas *canvas);
	/* False where the action is not the screen's: then the app looks at it. */
	bool (*act)(struct app *app, enum action action);
	/* What the key bar offers, in this order, up to ACTION_NONE. */
	const enum action *bar;
};

extern const struct screen screen_tasks;
extern const struct screen screen_cpus;
extern const struct screen screen_events;
extern const struct screen screen_help;
extern const struct screen screen_log;

/* Those that Tab goes round. */
extern const struct screen *const screens[];
extern const size_t screens_n;

#endif
