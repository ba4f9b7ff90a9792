// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_DETAIL_H
#define PMCTOP_SCREEN_DETAIL_H

#include "core/snapshot/event_totals.h"
#include "core/snapshot/snapshot.h"
#include "tui/panel/detail_page.h"
#include "tui/term/canvas.h"

#include <stdbool.h>

struct app;
struct list;

/* The row that the detail is of, from when it was chosen until the screen is left. Zeroed: none. */
struct watch {
	bool on;
	struct detail_subject subject;
	unsigned step;              /* buckets of history to a value */
	struct event_totals totals; /* since it was chosen, or zero was said; event_totals_fini */
};

/* The detail is to be of the selected line of a list; false where there is none. */
bool screen_detail_choose(struct app *app, struct list *list);
/* It looks at every snapshot, for what is told only once. */
void screen_detail_update(struct app *app, const struct snapshot *snapshot);
/* The same of the line that is selected now, beside its list. */
void screen_detail_draw_selected(struct app *app, struct list *list, struct canvas *canvas,
				 struct rect rect);

#endif
