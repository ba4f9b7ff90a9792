// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_CGROUPS_H
#define PMCTOP_REPLAY_CGROUPS_H

#include "core/perfdata/perfdata_sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The cgroups of a recording that perf made with --all-cgroups: their paths by the number that
 * samples tell.
 */
struct replay_cgroups {
	struct replay_cgroup *items; /* by their numbers, ascending; owned */
	size_t n, capacity;
};

enum { REPLAY_CGROUPS_MAX = 1 << 16 }; /* more are not known */

void replay_cgroups_fini(struct replay_cgroups *cgroups); /* zeroed is fine */

/* Takes a PERF_RECORD_CGROUP; false: it is of another kind. */
bool replay_cgroups_parse(struct replay_cgroups *cgroups, const struct perf_event_header *record);

/* Whether samples tell of any event where they were made. */
bool replay_cgroups_in_samples(const struct perfdata_events *events);

/* Where whoever made a sample was; NULL where that is not told. */
const char *replay_cgroups_of_sample(const struct replay_cgroups *cgroups,
				     const struct perf_event_header *record,
				     const struct perfdata_sample *sample);

#endif
