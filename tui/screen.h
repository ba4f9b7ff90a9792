// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_H
#define PMCTOP_SCREEN_H

#include "canvas.h"
#include "keymap.h"

#include <stdbool.h>
#include <stddef.h>

struct app;
struct list;
struct snapshot;

/* A full-window page: one const descriptor, one file. */
struct screen {
	void (*draw)(struct app *app, struct canvas *canvas);
	/* False where the action is not the screen's: then the app looks at it. */
	bool (*act)(struct app *app, enum action action);
	/* A click on the body: whether it was on a line, of which a second one asks for the detail.
	 * NULL: there is nothing to click on. */
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
/* The setup begins with its columns, as f wants it. */
void setup_select_columns(struct app *app);

extern const struct screen screen_detail;

/* The detail is to be of the selected line of a list; false where there is none. */
bool screen_detail_choose(struct app *app, struct list *list);
/* It looks at every snapshot, for what is told only once. */
void screen_detail_see(struct app *app, const struct snapshot *snapshot);
/* The same of the line that is selected now, beside its list. */
void screen_detail_draw_selected(struct app *app, struct list *list, struct canvas *canvas,
				 struct rect rect);

/* Those that Tab goes round. */
extern const struct screen *const screens[];
extern const size_t screens_n;

#endif
