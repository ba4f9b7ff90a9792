// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERF_OPEN_ERROR_H
#define PMCTOP_PERF_OPEN_ERROR_H

#include "core/base/error.h"
#include "core/event/event.h"
#include "core/perf/perf_access.h"
#include "core/sys/sys.h"

/*
 * Fills in a sentence with the remedy for a refusal of perf_event_open. `code`: its -errno.
 * `event`: the name of the event; NULL: counting the whole machine was refused.
 */
void perf_open_error(const struct sys *sys, int code, const char *event, struct error *err);

/* The same for a level below PERF_ACCESS_SYSTEM: the reason why the system is not counted. */
void perf_open_error_access(const struct sys *sys, const struct perf_access *access,
			    struct error *err);

/* The same for a probed event, by event->answer, which is not 0. */
void perf_open_error_event(const struct sys *sys, const struct event *event, struct error *err);

/* The sentence for a machine in which no CPU has a hardware counter. */
#define PERF_OPEN_NO_PMU "No hardware counters (in a VM: enable vPMU)."

#endif
