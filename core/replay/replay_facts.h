// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_FACTS_H
#define PMCTOP_REPLAY_FACTS_H

#include "core/perfdata/perfdata.h"
#include "core/sys/cpu_facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Facts of a perf recording about the machine and the options of perf: its features, and the
 * records about its targets. Unknown members are zero.
 */
enum { REPLAY_CPUS_MAX = 4096, REPLAY_PMUS_MAX = 1024, REPLAY_COMMAND_MAX = 4096 };

struct replay_pmu {
	uint32_t type; /* of perf_event_attr */
	char name[60];
};

struct replay_facts {
	char host[64];    /* of simpleperf: maker and model of the phone */
	char version[64]; /* of perf, or of simpleperf */
	char release[64]; /* of the kernel */
	char arch[32];
	char *command; /* its words, with blanks between; cut at REPLAY_COMMAND_MAX; owned */
	bool simpleperf;
	size_t n_cpus; /* possible CPUs, numbers are lower; 0: unknown */
	struct cpu_facts cpu;
	struct replay_pmu *pmus; /* owned */
	size_t n_pmus;
	bool of_tasks;         /* perf lists the recorded threads */
	bool of_all;           /* perf recorded all threads (-a) */
	bool command_of_tasks; /* the command line has -p, -t or -u, and no -a before */
	bool of_cgroup;        /* only some cgroups were recorded (-G) */
	/* One instant in two clocks: the records' clock, and CLOCK_REALTIME; 0: unknown. */
	uint64_t clock_ns, realtime_ns;
};

void replay_facts_fini(struct replay_facts *facts);

/* Adds the facts of a record; ignores invalid ones. False: it is another record. */
bool replay_facts_parse(struct replay_facts *facts, const struct perf_event_header *record);

/* Name of a PMU, or NULL. */
const char *replay_facts_pmu(const struct replay_facts *facts, uint32_t type);

#endif
