// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PICK_H
#define PMCTOP_PICK_H

#include "core/attrib/count_mode.h"
#include "core/engine/query.h"
#include "core/metric/metric.h"
#include "tui/screen/signal_target.h"

#include <stdbool.h>
#include <stddef.h>

struct app;

/* The newest replies about events and metrics; NULL: none yet; owned. */
struct event_replies {
	struct reply *events;
	struct reply *preview; /* of the selected event */
	struct reply *metrics;
	struct reply *vendor; /* the vendor's metrics, requested once a picker needs them */
	/* Of the latest query for metrics. Their answers depend on these. */
	bool requested_metrics, requested_vendor;
	enum event_levels levels;
	enum count_mode mode;
};

/* The signal that is being chosen or confirmed, and its targets. */
struct signal_choice {
	struct signal_targets targets;
	size_t index; /* in the list of signals */
};

/* A snapshot is shown: requests the answers about metrics, if these are not of its kind. */
void pick_metrics_request(struct app *app);
/* Whether a metric can be counted; NULL: not known yet, or no metric of that name. */
const struct catalog_answer *pick_metric_answer(const struct app *app, const char *name);
/*
 * The help of a metric whose item is named by its title, as on the screen: its id in front, if that
 * differs.
 */
void pick_metric_help(const struct metric_def *def, char *text, size_t size);

/* The pickers, a file each: each opens a list over the screen. */
void pick_preset(struct app *app);
/* A reply about metrics has come. */
void pick_preset_update(struct app *app);
void pick_preset_number(struct app *app, size_t index); /* without opening a list */
void pick_theme(struct app *app);                       /* shows each theme while it is selected */
void pick_event(struct app *app);                       /* adds an event or metric */
/* A reply has come. */
void pick_event_update(struct app *app);
void pick_process(struct app *app); /* attaches to a process; shows command lines */
bool pick_process_is_open(const struct app *app);
/* Reads processes for a few milliseconds, while app->out.processes is set. */
void pick_process_more(struct app *app);
/* A snapshot has come. */
void pick_process_update(struct app *app);
void pick_user(struct app *app);   /* shows the tasks of all users or of one */
void pick_column(struct app *app); /* removes a column of figures */
void pick_sort(struct app *app);   /* sorts the list by a column, also by one that does not fit */
void pick_signal(
	struct app *app); /* signals the tagged lines or the selected one, after a question */

#endif
