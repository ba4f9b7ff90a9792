// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_MEMBERS_H
#define PMCTOP_CODE_MEMBERS_H

#include "core/event/event.h"
#include "core/event/plan.h"

#include <stddef.h>

/* Each further event costs a sample as often as the first. */
enum { CODE_MEMBERS_MAX = 4 };

/*
 * Chooses the hardware events of a plan of whole CPUs that can sample code beside counting. Cycles
 * and instructions come first, then misses, then others, each in the order of the set. Writes their
 * indices in the set, and returns how many.
 *
 * Left out are what leads its group (Intel's slots) and metrics of the PMU beside it: from
 * PERF_METRICS neither samples.
 */
size_t code_members_choose(const struct event_set *events, const struct plan *plan,
			   unsigned chosen[CODE_MEMBERS_MAX]);

#endif
