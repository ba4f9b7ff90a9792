// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROBE_H
#define PMCTOP_PROBE_H

#include "core/event/event.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

/*
 * Finds out whether the kernel counts an event, by opening it. Only that is certain: the kernel may
 * refuse an event that libpfm4's tables or sysfs have.
 *
 * Each code is opened, disabled, and closed: on the first online CPU of its PMU, or if that is
 * denied on the caller itself. Sets the state of each code: VALID, UNSUPPORTED or DENIED. The
 * event's state is the best of them. Returns the answer to that code: 0, or the kernel's -errno. If
 * the kernel lacks descriptors or memory the state is VALID, as the next opening may succeed. A
 * derived event has no codes: VALID.
 *
 * An event takes 40 us (measured on Linux 6.18), a tracepoint 40 ms, because its close waits for an
 * RCU grace period.
 */
int event_probe(const struct sys *sys, const struct pmu_set *pmus, struct event *event);

/*
 * The same without the wait. A tracepoint is not opened: a software event with its levels is opened
 * instead.
 */
int event_probe_soon(const struct sys *sys, const struct pmu_set *pmus, struct event *event);

/* event_probe() for one code of an event of that kind. */
int event_probe_code(const struct sys *sys, const struct pmu_set *pmus, enum event_kind kind,
		     struct event_code *code);

/* The state for an answer of perf_event_open (0 or -errno). */
enum figure_state probe_state(int answer);

#endif
