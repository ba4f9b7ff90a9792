// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TALLY_H
#define PMCTOP_TALLY_H

#include <stddef.h>
#include <stdint.h>

/*
 * A tally is what one task, CPU or machine did in one interval: a vector of u64, so that adding
 * tasks up to a process, a CPU or the machine is adding vectors, and conservation is an equality
 * of vectors.
 *
 *   [0 .. n_events)                     counts (or ns) of each event, in the order of the event set
 *   [n_events .. n_events + n_groups)   ns that each counter group was counting meanwhile
 *
 * The first two events are always these, measured by the slices themselves:
 */
enum {
	TALLY_TASK_CLOCK, /* ns on a CPU */
	TALLY_SWITCHES,   /* context switches away from the task */
	TALLY_FIRST_COUNTED,
};

struct tally_shape {
	unsigned n_events; /* >= TALLY_FIRST_COUNTED */
	unsigned n_groups;
};

static inline size_t tally_width(const struct tally_shape *shape)
{
	return (size_t)shape->n_events + shape->n_groups;
}

static inline uint64_t tally_group_ns(const struct tally_shape *shape, const uint64_t *tally,
				      unsigned group)
{
	return tally[shape->n_events + group];
}

static inline void tally_add(const struct tally_shape *shape, uint64_t *sum, const uint64_t *tally)
{
	for (size_t i = 0; i < tally_width(shape); i++)
		sum[i] += tally[i];
}

#endif
