// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_PERF_H
#define PMCTOP_REPLAY_PERF_H

#include "core/perfdata/perfdata_build_ids.h"
#include "core/perfdata/perfdata_sample.h"
#include "core/replay/replay_cgroups.h"
#include "core/replay/replay_facts.h"
#include "core/replay/replay_kind.h"
#include "core/replay/replay_lead.h"
#include "core/replay/replay_plan.h"
#include "core/replay/replay_slices.h"
#include "core/wait/waits.h"

/* Shared by core/replay/replay_perf*.c: a perf recording that is being replayed. */

/* Of one CPU: its samples so far. */
struct perf_cpu {
	uint64_t id;       /* id of N in its samples; 0: not yet compared with the plan */
	uint64_t seen_ns;  /* time of the latest sample */
	uint64_t switches; /* switches, if samples do not have N */
	uint64_t missed;   /* switches that only other events have sampled */
	unsigned others;   /* samples of other events since the last one of the group */
};

struct replay_perf {
	struct replay_kind kind;
	struct perfdata_events events;
	struct replay_facts facts;
	struct replay_cgroups cgroups;
	struct replay_plan plan; /* valid from replay_perf_begin() on */
	struct replay_slices slices;
	struct waits waits;
	struct perf_cpu *cpus; /* by CPU number */
	size_t n_cpus;
	struct perfdata_build_ids build_ids; /* for a profile */
	struct replay_lead lead;             /* from which the plan was built */
	uint64_t samples;                    /* among these */
	const char *why_profile; /* why switches cannot be shown; NULL: they can, so far */
	size_t best; /* greatest number of values in a sample of a switch so far, + 1; 0: none */
	uint64_t first_ns;
	bool round;         /* a round has ended since the first such sample */
	bool other_numbers; /* RAW parts have the tids of another pid namespace than samples */

	bool over;            /* the interval was returned */
	struct error failure; /* why reading has ended; code 0: the end of the recording */
	bool later;           /* the records are from a later file of the recording */
	bool unordered;       /* no sample of that file was read */
	uint64_t lost;
	uint64_t *reading; /* scratch, of the group of the plan */
	struct perfdata_sample sample;
};

static inline struct replay_perf *replay_perf_of(struct replay_kind *kind)
{
	return (struct replay_perf *)kind;
}

static inline const struct attrib_layout *replay_perf_layout(const struct replay_perf *perf)
{
	return &perf->plan.plan->groups[0].layout;
}

/* The format of the RAW part of the sample if it is one of sched:sched_switch, or NULL. */
const struct switch_format *replay_perf_switch_format(const struct replay_perf *perf);
/*
 * Adds facts of the RAW part of a switch: the state of the outgoing task, its tid, if the sample
 * has lost it, and the next task. If perf ran in a pid namespace, the state alone: RAW has the
 * numbers of the initial one.
 */
void replay_perf_raw(struct replay_perf *perf, struct record *record);

/* core/replay/replay_perf_open.c: open() and begin() of replay_kind_ops. */
int replay_perf_open(struct replay_state *state, const struct perf_event_header *record,
		     struct replay_kind **kind, struct error *err);
int replay_perf_begin(struct replay_kind **kind, struct error *err);

#endif
