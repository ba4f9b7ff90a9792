// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_CGROUPS_H
#define PMCTOP_REPLAY_CGROUPS_H

#include "core/perfdata/perfdata_sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The cgroups of a perf recording with --all-cgroups: their paths by the id in samples. They are
 * not in replay_facts because they grow while the recording is read.
 */
struct replay_cgroups {
	struct replay_cgroup *items; /* by id, ascending */
	size_t n, capacity;
};

enum { REPLAY_CGROUPS_MAX = 1 << 16 }; /* more cgroups are ignored */

void replay_cgroups_fini(struct replay_cgroups *cgroups); /* zeroed is fine */

/* Adds a PERF_RECORD_CGROUP; false: it is another record. */
bool replay_cgroups_parse(struct replay_cgroups *cgroups, const struct perf_event_header *record);

/* Whether samples of any event have a cgroup. */
bool replay_cgroups_in_samples(const struct perfdata_events *events);

/* Path of the cgroup of a sample; NULL if unknown. */
const char *replay_cgroups_of_sample(const struct replay_cgroups *cgroups,
				     const struct perf_event_header *record,
				     const struct perfdata_sample *sample);

#endif
