// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_PERF_H
#define PMCTOP_REPLAY_PERF_H

#include "core/perfdata/perfdata_sample.h"
#include "core/replay/replay_cgroups.h"
#include "core/replay/replay_facts.h"
#include "core/replay/replay_kind.h"
#include "core/replay/replay_plan.h"
#include "core/replay/replay_slices.h"

/* What the files of core/replay/replay_perf*.c share: a recording of perf's on its way. */

/* One CPU: what its samples were like so far. */
struct perf_cpu {
	uint64_t id;       /* of N in its samples, once they are known to fit the plan; else 0 */
	uint64_t seen_ns;  /* the latest of its samples */
	uint64_t switches; /* counted here, where samples don't */
	uint64_t missed;   /* that other events' samples tell of, and the group's do not */
	unsigned others;   /* such samples since the group's last one */
};

struct replay_perf {
	struct replay_kind kind;
	struct perfdata_events events;
	struct replay_facts facts;
	struct replay_cgroups cgroups;
	struct replay_plan plan; /* once there is a sample that tells */
	struct replay_slices slices;
	struct perf_cpu *cpus; /* by number */
	size_t n_cpus;
	/* The first records, of which it was found out what is counted: they are read again. */
	unsigned char *first;
	size_t first_bytes, first_capacity, first_at;
	size_t best; /* most values of a sample of a switch so far, + 1; 0: none came */
	uint64_t first_ns;
	bool round;         /* a round was finished since the first such sample */
	bool other_numbers; /* RAW parts number tasks otherwise than samples: a pid namespace */

	bool over;            /* the interval under way was handed out */
	struct error failure; /* why nothing more can be read; code 0: the end */
	uint64_t lost;
	uint64_t *reading; /* scratch: of the plan's group */
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

/* Records are read where words are, also behind one that is broken and none of its size. */
static inline size_t replay_perf_room(const struct perf_event_header *header)
{
	return (header->size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

/* Whether a record is of any interest at all: most that are not are told by their type. */
bool replay_perf_uses(uint32_t type);

/*
 * What the RAW part of a switch tells: the thread that ran where the sample has lost its number,
 * and the next one. Of perf in a pid namespace of its own nothing: RAW has the numbers of the
 * initial one.
 */
void replay_perf_raw(struct replay_perf *perf, struct record *record);

/* core/replay/replay_perf_open.c: finds out what is counted, as replay_kind_ops has them. */
int replay_perf_open(struct replay_state *state, const struct perf_event_header *record,
		     struct replay_kind **kind, struct error *err);
int replay_perf_begin(struct replay_kind *kind, struct error *err);

#endif
