// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_COUNTER_RECORDING_H
#define PMCTOP_CPU_COUNTER_RECORDING_H

#include "core/collect/cpu_counter_set.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perfdata/recorder.h"

#include <stddef.h>

/*
 * Between two intervals: starts to record every open CPU that is not recorded yet. Recorder NULL:
 * no CPU is recorded any more.
 */
void cpu_counter_set_record(struct cpu_counter_set *cpus, const struct event_set *events,
			    const struct plan *plan, size_t ring_bytes, struct recorder *recorder);
/* Records the events of SWITCH records that were requested within an interval. */
void cpu_counter_set_record_switches(struct cpu_counter_set *cpus);

#endif
