// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SORT_METRIC_H
#define PMCTOP_SORT_METRIC_H

#include "tui/term/keymap.h"

#include <stdbool.h>

struct app;

/*
 * Sorts the list on the screen by the metric of an action of ACTION_SORT_CPU to ACTION_SORT_TIME.
 * Returns false for other actions, and where no list is shown.
 */
bool sort_metric_act(struct app *app, enum action action);

#endif
