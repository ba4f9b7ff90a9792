// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROBE_H
#define PMCTOP_PROBE_H

#include "core/event/event.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

/*
 * Asks the kernel whether it counts an event, by opening it: nothing else tells for certain (a
 * name that is known, in libpfm4's tables or in sysfs, may still be refused).
 *
 * Every code is opened, not counting, and closed again: on the first online CPU of its PMU, or
 * where that is denied on the caller itself. Sets the state of each code: VALID, UNSUPPORTED or
 * DENIED. The event's state is the best of them, and what is returned is that code's answer: 0, or
 * the kernel's -errno. Where the kernel refuses for want of descriptors, memory or the like, the
 * state is VALID: it may do so the next time. What is derived needs no kernel.
 *
 * [run] 40 us an event on 6.18, but 40 ms a tracepoint: its close waits for an RCU grace period.
 */
int event_probe(const struct sys *sys, const struct pmu_set *pmus, struct event *event);

/*
 * The same, but for tracepoints, of which it only asks whether the kernel counts software events of
 * such levels at all: what may not be waited for.
 */
int event_probe_soon(const struct sys *sys, const struct pmu_set *pmus, struct event *event);

/* As event_probe, for one code of an event of that kind. */
int event_probe_code(const struct sys *sys, const struct pmu_set *pmus, enum event_kind kind,
		     struct event_code *code);

/* The state that an answer of perf_event_open (0 or -errno) means. */
enum figure_state probe_state(int answer);

#endif
