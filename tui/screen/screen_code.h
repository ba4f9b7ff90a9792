// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_CODE_H
#define PMCTOP_SCREEN_CODE_H

#include "core/snapshot/snapshot.h"
#include "tui/panel/code_callers.h"
#include "tui/panel/code_page.h"
#include "tui/panel/code_window.h"
#include "tui/panel/detail_subject.h"

#include <stdbool.h>
#include <stddef.h>

struct app;
struct screen;
struct screen_help;

enum { CODE_PATH_MAX = 32 };

/* State of the screen of code, and whether samples are requested. Zeroed: the screen is left. */
struct code_screen {
	bool on;
	const struct screen *from; /* to which Esc returns */
	bool has_row;              /* subject is a row */
	bool all;                  /* the machine or the target is shown, not the row */
	struct detail_subject subject;
	bool tree; /* the row has its descendants */
	struct code_window window;
	struct code_page page;
	struct code_callers callers; /* open: keys go there */
	/*
	 * The callers that Enter left, the oldest first; Esc returns to them. The oldest are
	 * dropped.
	 * Their edges are of an older sum: update before use.
	 */
	struct code_callers path[CODE_PATH_MAX];
	size_t n_path;
	/* Of the last drawing: */
	struct code_callers beside; /* of the selected function, beside the list */
	bool is_wide;               /* callers are beside the list, not in its place */
	struct rect tabs;           /* the line of the tabs */
	size_t search_from;         /* selected line when the search began */
	unsigned requested_hz;      /* of the last REQUEST_CODE */
};

/* Shows the code of the selected row, of the row of the details, or of the whole machine. */
void code_screen_open(struct app *app);
void code_screen_fini(struct code_screen *code);
/* Adds a snapshot to the samples, during a pause too. */
void code_screen_add(struct code_screen *code, const struct snapshot *snapshot);
/* Shows what was added. */
void code_screen_update(struct app *app);
/* The baseline was set or removed: the shown samples become the baseline, and are collected anew.
 */
void code_screen_compare(struct app *app);
/* Collects the samples anew. */
void code_screen_zero(struct app *app);
/*
 * Requests samples from the engine while the screen or the column of the hottest function is shown,
 * and ends them. To be called after each action and snapshot.
 */
void code_screen_request(struct app *app);

void code_screen_draw(struct app *app, struct canvas *canvas);
/* The event that a click at a place of the last drawing shows; SIZE_MAX: none. */
size_t code_screen_tab_at(const struct code_screen *code, unsigned x, unsigned y);

extern const struct screen_help code_screen_help;

#endif
