// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_EVENT_H
#define PMCTOP_METRIC_EVENT_H

#include "core/base/error.h"
#include "core/metric/metric_def.h"

/*
 * The metric that shows an event's count and nothing else: its name is the event's, its title that
 * name in at most METRIC_TITLE_MAX columns ("L1d-ldmis"). Fills *def, which owns its strings
 * (metric_def_fini). -EINVAL for a name that formulas cannot quote: with a ', empty, or longer than
 * 255 bytes; *def is zeroed then. Whether there is such an event is not asked.
 */
int metric_def_of_event(const char *event, struct metric_def *def, struct error *err);

/*
 * A name in at most `room` columns (4 at least), with a "~" where characters are left out. `size`
 * is 4 * room + 1 at least.
 */
void metric_title_fit(const char *name, size_t room, char *title, size_t size);

/* Shows what metric_def_of_event made under another name. */
void metric_def_rename(struct metric_def *def, const char *name);

/* Says what it is shown in: "Joules". */
void metric_def_measure(struct metric_def *def, const char *unit, unsigned decimals);

#endif
