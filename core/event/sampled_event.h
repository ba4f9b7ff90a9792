// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SAMPLED_EVENT_H
#define PMCTOP_SAMPLED_EVENT_H

#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/event/tally.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Events of a recorded profile (EVENT_SAMPLED). They were sampled and not counted: the count of a
 * row is the sum of the weights of its samples. In a tally
 *
 *      the counter            has the weights of the samples
 *      the counter, beside    has the number of samples
 *      the group              has the squares of the weights, in units of SAMPLED_SQUARE
 *
 * so all three add up. Squares below SAMPLED_SQUARE are 0. A sum of such weights has the error of
 * equal ones.
 */
#define SAMPLED_SQUARE (UINT64_C(1) << 20)

/* Returns a plan in which each event has a counter and a group of its own. */
struct plan *sampled_event_plan(const struct event_set *events);
/* Adds a sample to a tally. */
void sampled_event_add(const struct plan *plan, uint64_t *tally, size_t event, uint64_t weight);

/* Of a counter, which is in that group of the tally: */
uint64_t sampled_event_samples(const struct tally_shape *shape, const uint64_t *tally,
			       size_t counter);
/* The standard error of the sum of weights as a part of it; 1 or less. 1 without samples. */
double sampled_event_error(const struct tally_shape *shape, const uint64_t *tally, size_t counter,
			   size_t group_ns);

#endif
