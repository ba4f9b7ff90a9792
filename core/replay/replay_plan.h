// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_PLAN_H
#define PMCTOP_REPLAY_PLAN_H

#include "core/base/error.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perf/record.h"
#include "core/perfdata/perfdata_sample.h"
#include "core/replay/replay_facts.h"
#include "core/sys/pmu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The counted events of a perf recording, as events, plan and readings of pmctop. They are the
 * event that samples every context switch, and the events with counts in its samples.
 */
struct replay_plan {
	size_t leader;    /* index in the recording of the event that samples switches */
	size_t *members;  /* indices in the recording of the values of a sample; owned */
	size_t n_members; /* 0: a sample has no values */
	int *value_of;    /* for each value of the layout: index in the sample, or -1; owned */
	int switches_at;  /* index in the sample of N; -1: none, samples are counted */
	int clock_at;     /* index in the sample of task-clock, in ns; -1: none */
	bool alone;       /* no hardware events outside of the group were recorded */
	struct event_set events;
	struct plan *plan; /* a reference; its first group has the values of the samples */
};

/*
 * A perf command that records what is missing. It has hardware events if the recording has one or
 * lists a core PMU.
 */
const char *replay_plan_remedy(const struct perfdata_events *events,
			       const struct replay_facts *facts);

/* Makes an event of pmctop of a recorded one, of that kind. */
void replay_plan_event(const struct perfdata_event *recorded, enum event_kind kind,
		       struct event *event);
/* Takes the event over: its index in the set, or -1 if it is there already, or the set is full. */
int replay_plan_append(struct event_set *set, struct event *event);

/* Whether it is that tracepoint, with or without modifiers. */
bool replay_plan_is_tracepoint(const struct perfdata_event *event, const char *name);
/* Whether each occurrence makes a sample. */
bool replay_plan_samples_all(const struct perfdata_event *event);
/* Whether every context switch makes a sample of the event. */
bool replay_plan_is_switch(const struct perfdata_event *event);
/* Whether the event counts context switches, so that some make a sample. */
bool replay_plan_counts_switches(const struct perfdata_event *event);

/*
 * The event that made a sample of a switch, or NULL if it is none. The kernel fills in the id of a
 * sample once for all listeners, so the ids of the values decide before the id of the sample.
 */
const struct perfdata_event *replay_plan_leader(const struct perfdata_events *events,
						const struct perfdata_sample *sample);

/* All borrowed. */
struct replay_plan_source {
	const struct perfdata_events *events;
	const struct perfdata_sample *sample; /* of an event that replay_plan_leader() returned */
	const struct replay_facts *facts;
	const struct pmu_set *pmus; /* one core PMU */
	bool states; /* samples have the state of the outgoing task: events of waiting are added */
};

/* Builds the plan. 0, or -EOPNOTSUPP with *err filled. */
int replay_plan_init(struct replay_plan *plan, const struct replay_plan_source *source,
		     struct error *err);
void replay_plan_fini(struct replay_plan *plan); /* zeroed is fine */

/* Whether a sample of the leader has the same events in the same order. */
bool replay_plan_fits(const struct replay_plan *plan, const struct perfdata_events *events,
		      const struct perfdata_sample *sample);

/*
 * Builds the reading of the first group of the plan from a sample, at time_ns. `switches` is N if
 * samples do not have it.
 */
void replay_plan_read(const struct replay_plan *plan, const struct perfdata_sample *sample,
		      uint64_t time_ns, uint64_t switches, uint64_t *reading);

/* The core PMU of the hardware events; "" if its name is unknown. */
void replay_plan_pmus(const struct perfdata_events *events, const struct replay_facts *facts,
		      struct pmu_set *pmus);

#endif
