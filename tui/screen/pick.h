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

/* The pickers, a file each: each opens a list over the screen. */
void pick_preset(struct app *app);
void pick_preset_number(struct app *app, size_t index); /* without opening a list */
void pick_theme(struct app *app);                       /* shows each theme while it is selected */
void pick_event(struct app *app);                       /* adds an event or metric */
/* A reply has come. */
void pick_event_update(struct app *app);
void pick_process(struct app *app); /* attaches to a process */
/* Reads processes for a few milliseconds, while app->requests.queries.processes is set. */
void pick_process_more(struct app *app);
/* A snapshot has come. */
void pick_process_update(struct app *app);
void pick_user(struct app *app);   /* shows the tasks of all users or of one */
void pick_column(struct app *app); /* removes a column of figures */
void pick_signal(
	struct app *app); /* signals the tagged lines or the selected one, after a question */

#endif
