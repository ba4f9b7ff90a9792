// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_EVENT_H
#define PMCTOP_METRIC_EVENT_H

#include "core/base/error.h"
#include "core/metric/metric_def.h"

/*
 * Makes the metric that shows the count of an event. Its name is the event's, its title that name
 * in at most METRIC_TITLE_MAX columns ("L1d-ldmis"). *def owns its strings (metric_def_fini).
 * Returns -EINVAL, with *def zeroed, for a name that a formula cannot quote: with a ', empty, or
 * longer than 255 bytes. It does not check that the event exists.
 */
int metric_def_of_event(const char *event, struct metric_def *def, struct error *err);

/*
 * Writes a name in at most `room` >= 4 columns, with a "~" for left-out characters. `size` is at
 * least 4 * room + 1.
 */
void metric_title_fit(const char *name, size_t room, char *title, size_t size);

/* Renames a metric of metric_def_of_event(). */
void metric_def_rename(struct metric_def *def, const char *name);

/* Sets the unit of a metric of metric_def_of_event(): "Joules". */
void metric_def_measure(struct metric_def *def, const char *unit, unsigned decimals);

#endif
