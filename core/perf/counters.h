// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTERS_H
#define PMCTOP_COUNTERS_H

#include "core/event/event.h"
#include "core/perf/perf_access.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The counters of a core PMU that can be used, found by opening groups that must run. A group opens
 * as if the PMU were empty, but runs only if no other program has its counters.
 */
struct counters {
	int answer; /* the kernel's answer to cycles or instructions, the better one: 0 or -errno */
	bool cycles;       /* cycles can be counted */
	bool instructions; /* instructions can be counted */
	const char *event; /* the event that was opened `fit` times; NULL: none */
	unsigned fit;      /* events of it that fit into a group */
	unsigned free;     /* events of it that run at once */
	bool pretends;     /* cycles runs and stays 0 while this process runs */
};

/* Opens and closes some dozen groups. `level`: what is permitted, at least PERF_ACCESS_USER. */
void counters_probe(const struct event_context *context, size_t pmu, enum perf_access_level level,
		    struct counters *counters);

#endif
