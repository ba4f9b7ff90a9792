// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TALLY_H
#define PMCTOP_TALLY_H

#include <stddef.h>
#include <stdint.h>

/*
 * A tally has the counts of one task, CPU or machine in one interval. It is a vector of u64, so the
 * sum of tasks is a sum of vectors, and conservation is an equality of vectors.
 *
 *   [0 .. n_counters)   counts (or ns) of each counter: an event in one group (core/event/plan.h)
 *   [.. + n_groups)     ns in which each group was counting
 *   [.. + n_domains)    ns in which the groups of each domain could count: time on CPUs of its PMU
 *   [.. + 1)            ns of TALLY_TASK_CLOCK outside of windows (core/collect/duty_cycle.h);
 *                       TALLY_TASK_CLOCK, TALLY_SWITCHES and domains have them already
 *   [.. + n_counters)   the estimated counts of each counter outside of windows: its count in each
 *                       window, times the time outside of windows that the window represents.
 *                       In a snapshot also those of a task while its other groups had their turns
 *                       (plan_estimate_turns())
 *   [.. + n_groups)     the same of the ns of each group
 *   [.. + 1)            losses of an unknown number of switches: if there are any, TALLY_SWITCHES
 *                       is a lower bound
 *
 * Sampled events use some of these otherwise (core/event/sampled_event.h).
 *
 * The first two counters, and the first two events of every event set, are measured by slices:
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
 * The part of a tally in a recording. It has no losses, because the samples of a recording count
 * every switch, and no estimates, which follow from the slices. Estimates of waits do not, so
 * a recording has them too if there are waits.
 */
static inline size_t tally_recorded_width(const struct tally_shape *shape)
{
	return (size_t)shape->n_counters + shape->n_groups + shape->n_domains + 1;
}

/* The index of the ns of a group, of a domain, or outside of windows. */
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

/* The index of the estimate for a counter, or the ns of a group, at index `at`. */
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

/* Divides a tally: *part gets that share of it, 0..1, and *rest what is left. Both have all losses.
 */
static inline void tally_divide(const struct tally_shape *shape, const uint64_t *tally,
				double share, uint64_t *part, uint64_t *rest)
{
	for (size_t i = 0; i < tally_width(shape); i++) {
		part[i] = (uint64_t)(share * (double)tally[i]);
		if (part[i] > tally[i])
			part[i] = tally[i];
		rest[i] = tally[i] - part[i];
	}
	part[tally_losses(shape)] = rest[tally_losses(shape)] = tally[tally_losses(shape)];
}

#endif
