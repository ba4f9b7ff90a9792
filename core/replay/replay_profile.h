// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_PROFILE_H
#define PMCTOP_REPLAY_PROFILE_H

#include "core/base/hash_table.h"
#include "core/code/code_resolver.h"
#include "core/perf/code_record.h"
#include "core/perfdata/perfdata_build_ids.h"
#include "core/perfdata/perfdata_code.h"
#include "core/perfdata/perfdata_sample.h"
#include "core/replay/replay_cgroups.h"
#include "core/replay/replay_facts.h"
#include "core/replay/replay_kind.h"
#include "core/replay/replay_lead.h"
#include "core/replay/replay_sort.h"

/*
 * Shared by core/replay/replay_profile*.c: a perf recording without context switches. Its samples
 * are weighed by PERIOD, or by the fixed period of the event. So each task has estimated counts
 * (core/event/sampled_event.h), and functions. Run times are unknown.
 */

/* An event of the recording. */
struct profile_event {
	size_t event;    /* index in the event set; SIZE_MAX: not shown */
	uint32_t code;   /* index in the sampled events */
	bool unweighted; /* by frequency, and samples have no PERIOD: samples are counted */
};

struct replay_profile {
	struct replay_kind kind;
	struct perfdata_events events;
	struct replay_facts facts;
	struct replay_cgroups cgroups;
	struct perfdata_build_ids build_ids;
	struct replay_lead lead;
	struct replay_sort *sort;
	const char *why; /* why run times are unknown */

	struct event_set shown;
	struct plan *plan;         /* of these; a reference */
	struct profile_event *map; /* by index of the recording's events */
	size_t n_map;
	struct code_event *sampled; /* by profile_event.code */
	size_t n_sampled;
	/* Latest value by id of samples with values (PERF_SAMPLE_READ): weights are differences. */
	struct hash_table numbers; /* index + 1 in `values`, by mixed id */
	uint64_t random;
	uint64_t *values;
	size_t n_values, values_capacity;

	struct code_resolver *resolver; /* NULL: no functions are wanted */

	bool found;                  /* a sample was read */
	bool begun;                  /* a sample with a time was used */
	uint64_t first_ns;           /* of the first sample */
	uint64_t last_ns;            /* of the latest record that was used */
	uint64_t begin_ns, until_ns; /* the interval under way; until: UINT64_MAX: the end */
	bool open;                   /* it has begun, and has not ended */
	uint64_t in_interval;        /* samples of the interval ... */
	bool cpu_unknown;            /* ... and one does not name its CPU */
	uint64_t samples, grow_at; /* of the whole recording; number at which a snapshot is made */
	size_t free_at;            /* number of tasks at which those without samples are freed */
	uint64_t lost;             /* records */
	uint64_t foreign;          /* samples of unknown events */
	uint64_t outside;          /* samples of events beyond the limit of the event set */
	bool passed_over_aux;

	bool draining;        /* another file follows the records that are sorted */
	bool over;            /* the last interval was returned */
	bool ended;           /* no more records come ... */
	struct error failure; /* ... for that reason; code 0: the end */
	struct perfdata_sample sample;
};

static inline struct replay_profile *replay_profile_of(struct replay_kind *kind)
{
	return (struct replay_profile *)kind;
}

/*
 * Replaces *kind, a struct replay_perf, by a profile, which takes over what was read so far. As
 * begin() of replay_kind_ops.
 */
int replay_profile_begin(struct replay_kind **kind, struct error *err);

/* Queues or applies the next record. 1; 0: the end; -EAGAIN; -errno with *err filled. */
int replay_profile_read(struct replay_profile *profile, struct error *err);

/* core/replay/replay_profile_events.c */
/* Makes the events and the columns. */
int replay_profile_columns(struct replay_profile *profile, struct error *err);
void replay_profile_map_events(struct replay_profile *profile);

/* core/replay/replay_profile_code.c: functions */
void replay_profile_open_code(struct replay_profile *profile);
void replay_profile_code_record(struct replay_profile *profile, const struct code_record *record);
/* The callers that samples before have left out: a CALLCHAIN_DEFERRED. */
void replay_profile_code_callers(struct replay_profile *profile);
void replay_profile_code_sample(struct replay_profile *profile, uint32_t event, uint64_t weight);
/* Drops the samples of an interval that has ended. */
void replay_profile_drop_code(struct replay_profile *profile);
void replay_profile_find_functions(struct replay_kind *kind);

#endif
