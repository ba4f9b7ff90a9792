// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERF_OPEN_ERROR_H
#define PMCTOP_PERF_OPEN_ERROR_H

#include "core/base/error.h"
#include "core/event/event.h"
#include "core/perf/perf_access.h"
#include "core/sys/sys.h"

/*
 * The one place that turns what perf_event_open refused into a sentence with its remedy. `code` is
 * its -errno; `event` the event's name, or NULL where the whole machine's counting was refused.
 */
void perf_open_error(const struct sys *sys, int code, const char *event, struct error *err);

/* Why not all of the machine can be counted, by what the kernel granted (below PERF_ACCESS_SYSTEM).
 */
void perf_open_error_access(const struct sys *sys, const struct perf_access *access,
			    struct error *err);

/* The same for an event that was probed: event->answer, which is not 0. */
void perf_open_error_event(const struct sys *sys, const struct event *event, struct error *err);

/* Where no CPU has a hardware counter. */
#define PERF_OPEN_NO_PMU \
	"No hardware counters (usual in VMs): enable the vPMU. Software metrics only."

#endif
