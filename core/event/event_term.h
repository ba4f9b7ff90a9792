// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_TERM_H
#define PMCTOP_EVENT_TERM_H

#include "core/event/event_resolver.h"

/*
 * The terms of one PMU, as /sys/bus/event_source/devices/PMU/{format,events} define them:
 * "event=0x3c,umask=1", "edge", "config1=7", "r3c", "slots", "name=mine".
 */

/*
 * Appends the code of PMU number `pmu` (an index) that `length` bytes of terms say; a term `name`
 * becomes the event's label; a scale and a unit that sysfs has for one of them the event's. A term
 * without a value is 1; the bits of a term that is given twice are joined, as perf does. -EINVAL,
 * -ENOENT, -ERANGE and a sentence that names the term.
 */
int event_term_encode(const struct event_context *context, size_t pmu, const char *terms,
		      size_t length, struct event *event, struct error *err);

/* Whether a PMU has an event of that name in sysfs. */
bool event_term_has_alias(const struct event_context *context, const struct pmu *pmu,
			  const char *name, size_t length);

/* Whether a file in a PMU's events/ is an event, and not its scale, unit or the like. */
bool event_is_alias_file(const char *name);

#endif
