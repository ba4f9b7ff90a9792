// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PICK_H
#define PMCTOP_PICK_H

#include "core/engine/query.h"
#include "tui/screen/signal_target.h"

#include <stddef.h>

struct app;

/* The newest replies to the queries of pick_event(); NULL: none yet; owned. */
struct event_replies {
	struct reply *events;
	struct reply *preview; /* of the selected event */
};

/* The signal that is being chosen or confirmed, and its targets. */
struct signal_choice {
	struct signal_targets targets;
	size_t index; /* in the list of signals */
};

/* What can be chosen from lists over the screen: each a picker of its own. */
void pick_preset(struct app *app);
void pick_preset_number(struct app *app, size_t index); /* the same without a list */
void pick_theme(struct app *app);                       /* each is seen while it is selected */
void pick_event(struct app *app);                       /* or metric, to be added */
/* There is more to choose from, or more is known of it. */
void pick_event_update(struct app *app);
void pick_process(struct app *app); /* to attach to */
/* Reads some more of them, for a few milliseconds, while app->requests.queries.processes. */
void pick_process_more(struct app *app);
/* There is another snapshot. */
void pick_process_update(struct app *app);
void pick_user(struct app *app);   /* whose tasks are shown: all, or one user's */
void pick_column(struct app *app); /* of columns of figures, one to be removed */
void pick_signal(struct app *app); /* for the tagged lines or the selected one; then it asks */

#endif
