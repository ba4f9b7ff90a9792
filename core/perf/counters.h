// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTERS_H
#define PMCTOP_COUNTERS_H

#include "core/event/event.h"
#include "core/perf/perf_access.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The counters of a core PMU that are really there, found by opening groups and seeing them run:
 * a group opens as if the PMU were empty, and runs only where nobody else has its counters.
 */
struct counters {
	int answer;        /* to cycles, or to instructions where that is better: 0 or -errno */
	bool cycles;       /* is counted ... */
	bool instructions; /* ... and so is that, one at a time */
	const char *event; /* what was counted many times over, for `fit`; NULL: nothing was */
	unsigned fit;      /* so many of it make a group */
	unsigned free;     /* so many of it run at once; the others' counters are taken */
	bool pretends;     /* cycles runs and stays 0, though this process did something */
};

/* level is what is granted (perf_access.h): at least PERF_ACCESS_USER. Opens and closes some dozen
 * groups. */
void counters_probe(const struct event_context *context, size_t pmu, enum perf_access_level level,
		    struct counters *counters);

#endif
