// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_COUNTER_RECORDING_H
#define PMCTOP_CPU_COUNTER_RECORDING_H

#include "core/collect/cpu_counter_set.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perfdata/recorder.h"

#include <stddef.h>

/*
 * Has a recorder told of all that the CPUs count from now on, which are open and were not recorded
 * yet; NULL: none is recorded any more. Between two intervals.
 */
void cpu_counter_set_record(struct cpu_counter_set *cpus, const struct event_set *events,
			    const struct plan *plan, size_t ring_bytes, struct recorder *recorder);
/* Adds the events of SWITCH records that were requested in the middle of an interval. */
void cpu_counter_set_record_switches(struct cpu_counter_set *cpus);

#endif
