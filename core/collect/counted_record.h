// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTED_RECORD_H
#define PMCTOP_COUNTED_RECORD_H

#include "core/collect/counted_cpus.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perfdata/recorder.h"

#include <stddef.h>

/*
 * Has a recorder told of all that the CPUs count from now on, which are open and were not recorded
 * yet; NULL: none is recorded any more. Between two intervals.
 */
void counted_cpus_record(struct counted_cpus *cpus, const struct event_set *events,
			 const struct plan *plan, size_t ring_bytes, struct recorder *recorder);
/* Adds the events of SWITCH records that were requested in the middle of an interval. */
void counted_cpus_record_switches(struct counted_cpus *cpus);

#endif
