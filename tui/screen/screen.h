// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_H
#define PMCTOP_SCREEN_H

#include "tui/term/canvas.h"
#include "tui/term/keymap.h"

#include <stdbool.h>
#include <stddef.h>

struct app;

/* A column that is no metric. */
struct screen_help_column {
	const char *title;
	const char *ascii; /* the title on a terminal without UTF-8; NULL: the same */
	const char *help;
};

/* What the help writes about a screen with keys and columns of its own. */
struct screen_help {
	/* About an action. "" leaves it out, NULL is the text of key_table.c. */
	const char *(*of_action)(const struct app *app, enum action action);
	const struct screen_help_column *columns; /* up to a title NULL */
	/* Whether a shown metric of the snapshot, which is not NULL, is a column too. */
	bool (*has_metric)(const struct app *app, size_t metric);
};

/* A full-window page: one const descriptor in a file of its own. */
struct screen {
	const char *name; /* of a screen in Tab's round */
	void (*draw)(struct app *app, struct canvas *canvas);
	/* Returns false for actions that the screen does not handle. */
	bool (*act)(struct app *app, enum action action);
	/*
	 * A click on the body. Returns true if it was on a line; a double click then shows the
	 * details. NULL: clicks have no effect.
	 */
	bool (*click)(struct app *app, unsigned x, unsigned y);
	/* The actions of the key bar, in this order, up to ACTION_NONE. */
	const enum action *bar;
	/* Where the actions depend on what the screen shows; NULL: `bar`. */
	const enum action *(*choose_bar)(const struct app *app);
	/*
	 * The label of an action in the key bar. "" leaves it out, NULL is key_table.c's label.
	 * NULL: all labels are key_table.c's.
	 */
	const char *(*bar_label)(const struct app *app, enum action action);
	/* NULL: keys as in key_table.c, and the columns of lists. */
	const struct screen_help *help;
};

extern const struct screen screen_tasks;
extern const struct screen screen_cpus;
extern const struct screen screen_events;
extern const struct screen screen_findings;
extern const struct screen screen_help;
extern const struct screen screen_log;
extern const struct screen screen_setup;
extern const struct screen screen_detail;
extern const struct screen screen_code;

void app_go_to(struct app *app, const struct screen *screen);
/* Shows the next or previous screen of Tab's round. */
void app_go_round(struct app *app, bool forward);
/*
 * The names of Tab's round for the key bar, the shown one in brackets: "[Tasks] CPUs Events". ""
 * outside of the round.
 */
void app_round_names(const struct app *app, char *text, size_t size);
/* Shows the screen of the name at a column of these names, the next one if there is no name. */
void app_go_round_at(struct app *app, int column);
/* The shown screen if it is one of Tab's round, else round_screen. */
const struct screen *app_round_screen(const struct app *app);
/* Returns to round_screen. */
void app_leave(struct app *app);
/* Shows the help, the log or the setup. One of them is never below another. */
void app_go_above(struct app *app, const struct screen *screen);
/* The shown screen, or the one below the help, the log or the setup. */
const struct screen *app_screen_below(const struct app *app);
/* Returns from the help, the log or the setup to the screen below. */
void app_leave_to_below(struct app *app);

#endif
