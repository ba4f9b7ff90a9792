// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTED_RECORD_H
#define PMCTOP_COUNTED_RECORD_H

#include "counted_cpus.h"
#include "event.h"
#include "plan.h"
#include "recorder.h"

#include <stddef.h>

/*
 * Has a recorder told of all that the CPUs count from now on, which are open and were not recorded
 * yet; NULL: none is recorded any more. Between two intervals.
 */
void counted_cpus_record(struct counted_cpus *cpus, const struct event_set *events,
			 const struct plan *plan, size_t ring_bytes, struct recorder *recorder);

#endif
