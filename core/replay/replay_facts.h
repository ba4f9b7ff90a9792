// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_FACTS_H
#define PMCTOP_REPLAY_FACTS_H

#include "core/perfdata/perfdata.h"
#include "core/sys/cpu_model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a recording of perf's tells of the machine and of how it was recorded: its features, and
 * the records that perf writes of its targets. Whatever is not told stays zero.
 */
enum { REPLAY_CPUS_MAX = 4096, REPLAY_PMUS_MAX = 1024 };

struct replay_pmu {
	uint32_t type; /* of perf_event_attr */
	char name[60];
};

struct replay_facts {
	char host[64];
	size_t n_cpus; /* that there may be: their numbers are below it; 0: unknown */
	struct cpu_facts cpu;
	struct replay_pmu *pmus; /* owned */
	size_t n_pmus;
	bool of_tasks;       /* perf lists the threads that were recorded */
	bool of_all;         /* perf says that all were (-a) */
	bool asked_of_tasks; /* the command line has -p, -t or -u, and no -a before */
	bool of_cgroup;      /* only some cgroups were recorded (-G) */
	/* At one instant: by the clock of the records, and CLOCK_REALTIME; 0: unknown. */
	uint64_t clock_ns, realtime_ns;
};

void replay_facts_fini(struct replay_facts *facts);

/* Takes what a record tells; what makes no sense tells nothing. False: it is of another kind. */
bool replay_facts_parse(struct replay_facts *facts, const struct perf_event_header *record);

/* The name of a PMU, or NULL. */
const char *replay_facts_pmu(const struct replay_facts *facts, uint32_t type);

#endif
