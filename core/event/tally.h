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
 *   [0 .. n_counters)   counts (or ns) of each counter: an event in one group (core/event/plan.h)
 *   [.. + n_groups)     ns that each group was counting meanwhile
 *   [.. + n_domains)    ns that each domain's groups could have been: time on the CPUs of one PMU
 *   [.. + 1)            ns of TALLY_TASK_CLOCK beside windows (core/collect/duty_cycle.h):
 *                       TALLY_TASK_CLOCK, TALLY_SWITCHES and domains have them already
 *   [.. + n_counters)   the estimated counts of each counter beside windows: its count in each
 *                       window, times the time that the window stands for beside itself
 *   [.. + n_groups)     the same of the ns of each group
 *   [.. + 1)            losses of an unknown number of switches: if there are any, TALLY_SWITCHES
 *                       is a lower bound
 *
 * The first two counters are always these, measured by the slices themselves; so are the first two
 * events of every event set:
 */
enum {
	TALLY_TASK_CLOCK, /* ns on a CPU */
	TALLY_SWITCHES,   /* context switches away from the task */
	TALLY_FIRST_COUNTED,
};

struct tally_shape {
	unsigned n_counters; /* >= TALLY_FIRST_COUNTED */
	unsigned n_groups;
	unsigned n_domains;
};

static inline size_t tally_width(const struct tally_shape *shape)
{
	return 2 * ((size_t)shape->n_counters + shape->n_groups) + shape->n_domains + 2;
}

/*
 * What recordings by pmctop hold: without the estimates, which follow from the slices, and losses,
 * because their samples count every switch.
 */
static inline size_t tally_recorded_width(const struct tally_shape *shape)
{
	return (size_t)shape->n_counters + shape->n_groups + shape->n_domains + 1;
}

/* Where in a tally the ns of a group, or of a domain, stand. */
static inline size_t tally_group(const struct tally_shape *shape, unsigned group)
{
	return (size_t)shape->n_counters + group;
}

static inline size_t tally_domain(const struct tally_shape *shape, unsigned domain)
{
	return (size_t)shape->n_counters + shape->n_groups + domain;
}

static inline size_t tally_unseen(const struct tally_shape *shape)
{
	return tally_recorded_width(shape) - 1;
}

/* Where the estimate of a counter, or of the ns of a group, beside windows stands. */
static inline size_t tally_beside(const struct tally_shape *shape, size_t at)
{
	return tally_recorded_width(shape) + at;
}

static inline size_t tally_losses(const struct tally_shape *shape)
{
	return tally_width(shape) - 1;
}

static inline void tally_add(const struct tally_shape *shape, uint64_t *sum, const uint64_t *tally)
{
	for (size_t i = 0; i < tally_width(shape); i++)
		sum[i] += tally[i];
}

#endif
