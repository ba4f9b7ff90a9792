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
 * What counts in a recording of perf's: the event of which every context switch made a sample, and
 * the counts that stand in these samples, as pmctop's own events, plan and readings.
 */
struct replay_plan {
	size_t leader;    /* whose samples are read: its index among the recording's */
	size_t *members;  /* such indices of what a sample counts, in its order; owned */
	size_t n_members; /* 0: nothing but that there was a switch */
	int *value_of;    /* of each of the layout's values the sample's, or -1; owned */
	int switches_at;  /* which of the sample's values is N; -1: none, samples are counted */
	int clock_at;     /* which is task-clock, in ns; -1: none */
	bool alone;       /* other hardware events were recorded beside the group */
	struct event_set events;
	struct plan *plan; /* a reference; its first group is that of the samples */
};

/*
 * The command to record with, where something is missing. It has hardware events if the recording
 * has one or lists a core PMU.
 */
const char *replay_plan_remedy(const struct perfdata_events *events,
			       const struct replay_facts *facts);

/* Whether every context switch makes a sample of such an event. */
bool replay_plan_is_switch(const struct perfdata_event *event);
/* Whether some of them do: it counts them. */
bool replay_plan_counts_switches(const struct perfdata_event *event);

/*
 * The event that made a sample of a switch, or NULL where it is of none. Kernels fill in the id of
 * a sample once for all who record the event, the recording's own groups too: so whose it is, the
 * values tell before the id does.
 */
const struct perfdata_event *replay_plan_leader(const struct perfdata_events *events,
						const struct perfdata_sample *sample);

/*
 * By a sample of the chosen event, which has a leader. 0, or -EOPNOTSUPP and a sentence. What
 * the plan is of (pmus) has one core PMU.
 */
int replay_plan_init(struct replay_plan *plan, const struct perfdata_events *events,
		     const struct perfdata_sample *sample, const struct replay_facts *facts,
		     const struct pmu_set *pmus, struct error *err);
void replay_plan_fini(struct replay_plan *plan); /* zeroed is fine */

/* Whether a sample of the leader counts the same events in the same order. */
bool replay_plan_fits(const struct replay_plan *plan, const struct perfdata_events *events,
		      const struct perfdata_sample *sample);

/*
 * The reading of the plan's first group that a sample makes, at its time. `switches` is N where
 * samples do not tell it.
 */
void replay_plan_read(const struct replay_plan *plan, const struct perfdata_sample *sample,
		      uint64_t time_ns, uint64_t switches, uint64_t *reading);

/* What hardware events are counted by: one core PMU, "" where its name is not told. */
void replay_plan_pmus(const struct perfdata_events *events, const struct replay_facts *facts,
		      struct pmu_set *pmus);

#endif
