// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_SAMPLER_H
#define PMCTOP_CODE_SAMPLER_H

#include "core/attrib/attrib.h"
#include "core/attrib/interval.h"
#include "core/base/notes.h"
#include "core/code/code_profile.h"
#include "core/collect/code_rings.h"
#include "core/collect/cpu_counter_set.h"
#include "core/event/code_members.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Samples the code of the tasks of all counted CPUs, while that is requested. The sampled events
 * are up to CODE_MEMBERS_MAX hardware events that are counted anyway; cpu-clock where no member
 * samples cycles; page-faults. Sampling takes no counter, and counts stay what they are. If groups
 * take turns or a CPU is counted in windows, members sample while they count.
 *
 * While nothing is requested it has no descriptor, ring or memory.
 */
enum { CODE_SAMPLED_MAX = CODE_MEMBERS_MAX + 2 };

struct code_sampled {
	unsigned counted; /* index in the event set; UINT_MAX: not counted */
	enum code_event_source source;
	bool member; /* samples are of members of groups; else of `source` */
	unsigned per_cycle;
	uint64_t period;
};

struct code_sampler {
	struct cpu_counter_set *cpus;   /* their members sample; borrowed, as are the next two */
	struct attrib *attrib;          /* gets THROTTLE records */
	const struct event_set *events; /* of the plan */
	struct code_rings rings;        /* by index in the interval */
	struct plan *plan;              /* a reference: that of the list; NULL: no list */
	struct code_sampled sampled[CODE_SAMPLED_MAX];
	struct code_event names[CODE_SAMPLED_MAX];
	size_t n_sampled;
};

/* Samples nothing yet. */
void code_sampler_init(struct code_sampler *sampler, const struct sys *sys,
		       struct cpu_counter_set *cpus, struct attrib *attrib,
		       const struct event_set *events, struct notes *notes);
/* Closes all. The CPUs must not be closed yet, or be closed all. */
void code_sampler_fini(struct code_sampler *sampler);

/*
 * Between two intervals. code_sampler_measure() chooses periods by the counts of the interval that
 * has ended. Then the CPUs may be opened again by another plan. code_sampler_renew() opens, adapts
 * or closes events. other_ns: CPU time that the samples of the interval cost the sink elsewhere.
 */
void code_sampler_measure(struct code_sampler *sampler, const struct code_request *request,
			  struct plan *plan, const struct interval *interval, uint64_t other_ns);
void code_sampler_renew(struct code_sampler *sampler, struct plan *plan);

/* The sampled events, borrowed until the next renew. */
static inline const struct code_event *code_sampler_events(const struct code_sampler *sampler,
							   size_t *n)
{
	*n = sampler->n_sampled;
	return sampler->names;
}

#endif
