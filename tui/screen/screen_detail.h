// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_DETAIL_H
#define PMCTOP_SCREEN_DETAIL_H

#include "core/snapshot/event_totals.h"
#include "core/snapshot/snapshot.h"
#include "tui/panel/detail_page.h"
#include "tui/term/canvas.h"
#include "tui/widget/layout.h"

#include <stdbool.h>

struct app;
struct display;
struct list;

/* The row of the detail screen, from its choice until the screen is left. Zeroed: none. */
struct watch {
	bool on;
	struct detail_subject subject;
	unsigned step;              /* graph_range_read() */
	struct event_totals totals; /* since the choice or the zero key; event_totals_fini() */
	struct detail_waits waits;  /* the same */
	struct detail_looks looks;
};

/* Watches the selected row of a list. Returns false if there is none. */
bool watch_choose(struct watch *watch, struct list *list, const struct display *display);
/* The waits that the engine is to count one by one: number of REQUEST_WATCH. */
int64_t watch_number(const struct watch *watch);
/* Sets the totals and waits to zero. */
void watch_zero(struct watch *watch);
/* Adds a snapshot to the watched row, during a pause too. */
void watch_update(struct watch *watch, const struct snapshot *snapshot);

/*
 * Draws the title of a screen about one row: the host, the row's name, `rest`, and the pause, the
 * recording or the replay. If there is no room, the host goes first, then the end of the name.
 */
void screen_detail_draw_title(const struct app *app, struct canvas *canvas, struct rect rect,
			      const char *subject, const char *rest);

/* Draws the details of the selected line, beside and below its list, as far as there is room. */
void screen_detail_draw_selected(const struct display *display, struct list *list,
				 struct canvas *canvas, const struct layout *layout);

#endif
