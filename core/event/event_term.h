// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_TERM_H
#define PMCTOP_EVENT_TERM_H

#include "core/event/event_resolver.h"

/*
 * The terms of one PMU, as /sys/bus/event_source/devices/PMU/{format,events} define them:
 * "event=0x3c,umask=1", "edge", "config1=7", "r3c", "slots", "name=mine",
 * and events that the vendor's table has for the PMU: "UOPS_RETIRED.MS:c1:e1".
 */

/*
 * Appends the code for `length` bytes of terms to an event; `pmu` is the index of the PMU. A term
 * `name` becomes the label of the event. The event gets its scale and unit in sysfs. A
 * term without a value is 1. As in perf, the bits of a repeated term are joined. 0, or -EINVAL,
 * -ENOENT, -ERANGE and a sentence that names the term.
 */
int event_term_encode(const struct event_context *context, size_t pmu, const char *terms,
		      size_t length, struct event *event, struct error *err);

/* Whether sysfs has an event of that name for the PMU. */
bool event_term_has_alias(const struct event_context *context, const struct pmu *pmu,
			  const char *name, size_t length);

/* Whether a file in events/ of a PMU is an event, not a scale, unit or the like. */
bool event_is_alias_file(const char *name);

#endif
