// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_SAMPLER_H
#define PMCTOP_CODE_SAMPLER_H

#include "core/attrib/attrib.h"
#include "core/attrib/interval.h"
#include "core/base/notes.h"
#include "core/code/code_profile.h"
#include "core/code/code_sample.h"
#include "core/collect/cpu_code.h"
#include "core/collect/cpu_counter_set.h"
#include "core/event/code_members.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perf/code_record.h"
#include "core/sys/sys.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where samples of code go. */
struct code_sink {
	code_sample_function *sample; /* `event` is an index in code_sampler_events() */
	/* MMAP, KSYMBOL, EXEC, FORK and EXIT, of all CPUs in the order of time. */
	void (*record)(void *user, const struct code_record *record);
	void (*lost)(void *user, uint64_t samples); /* or other records */
	void *user;
};

struct code_request {
	unsigned hz; /* samples of each event a second, on a busy CPU */
	struct code_sink sink;
};

/*
 * Samples the code of the tasks of all counted CPUs, while that is requested. The sampled events
 * are up to CODE_MEMBERS_MAX hardware events that are counted anyway; cpu-clock where no member
 * samples cycles; page-faults. Sampling takes no counter, and counts stay what they are. If groups
 * take turns or a CPU is counted in windows, members sample while they count.
 *
 * While nothing is requested it has no descriptor, ring or memory.
 *
 * Cost: pmctop's own is measured as CPU time. The kernel's is taken as CODE_SAMPLE_NS for each
 * sample; it cannot be measured from outside. Where both exceed CODE_COST_MOST of a CPU in
 * CODE_COSTLY_INTERVALS successive intervals, the rate is halved, and a note states it.
 */
#define CODE_SAMPLE_NS (10 * NS_PER_US) /* 12 to 18 us in a virtual machine, 2 to 5 us outside */
#define CODE_COST_MOST 0.01
enum { CODE_COSTLY_INTERVALS = 3, CODE_HZ_LEAST = 10, CODE_SAMPLED_MAX = CODE_MEMBERS_MAX + 2 };

struct code_sampled {
	unsigned counted; /* index in the event set; UINT_MAX: not counted */
	enum code_event_source source;
	bool member; /* samples are of members of groups; else of `source` */
	unsigned per_cycle;
	uint64_t period;
	uint64_t samples; /* since the last renew */
};

struct code_side_record;

struct code_sampler {
	const struct sys *sys;          /* borrowed, as are the next four */
	struct cpu_counter_set *cpus;   /* whose members sample */
	struct attrib *attrib;          /* gets THROTTLE records */
	const struct event_set *events; /* of the plan */
	struct notes *notes;
	const struct code_request *request; /* NULL: nothing is sampled */
	struct plan *plan;                  /* a reference: that of the list; NULL: no list */
	struct cpu_code *items;             /* by index in the interval; NULL: none is open */
	size_t ring_bytes;
	struct code_sampled sampled[CODE_SAMPLED_MAX];
	struct code_event names[CODE_SAMPLED_MAX];
	size_t n_sampled;
	unsigned requested_hz;
	unsigned hz;                      /* the same, halved where it costs too much */
	unsigned costly;                  /* successive intervals in which it cost too much */
	uint64_t own_ns, cut_ns;          /* CPU time since the last renew, and when that was */
	struct code_side_record *records; /* scratch */
	size_t n_records, records_capacity;
	bool noted; /* that some CPUs cannot be sampled */
};

/* Samples nothing yet. */
void code_sampler_init(struct code_sampler *sampler, const struct sys *sys,
		       struct cpu_counter_set *cpus, struct attrib *attrib,
		       const struct event_set *events, struct notes *notes);
/* Closes all. The CPUs must not be closed yet, or be closed all. */
void code_sampler_fini(struct code_sampler *sampler);

/* Adds descriptors to the n of an array for `max`. Returns how many there would be with all. */
size_t code_sampler_pollfds(const struct code_sampler *sampler, struct pollfd *fds, size_t max,
			    size_t n);
/* Passes the samples so far to the request's sink. */
void code_sampler_drain(struct code_sampler *sampler);

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
