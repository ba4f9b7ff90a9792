// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENGINE_INTERNAL_H
#define PMCTOP_ENGINE_INTERNAL_H

#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/code/user_client.h"
#include "core/collect/collect.h"
#include "core/engine/engine.h"
#include "core/engine/engine_choice.h"
#include "core/engine/engine_code.h"
#include "core/engine/engine_notes.h"
#include "core/engine/engine_recording.h"
#include "core/engine/machine_reader.h"
#include "core/engine/query.h"
#include "core/engine/self_cost.h"
#include "core/perf/perf_access.h"
#include "core/snapshot/cgroup_reader.h"
#include "core/snapshot/fact_reader.h"
#include "core/sys/cpu_facts.h"
#include "core/sys/topology.h"
#include "core/sys/users.h"

#include <poll.h>

/*
 * Shared by engine_open.c, which does all before the first interval, engine.c, which does the
 * intervals, and engine_request.c, which has what a user changes.
 */
struct engine {
	const struct sys *sys;
	struct engine_config config;
	struct perf_access access;
	struct target *target;
	enum event_levels levels; /* requested; the kernel may grant less */
	struct pmu_set pmus;
	struct cpu_facts cpu;       /* of names */
	struct event_context names; /* how names of events are read */
	struct engine_choice choice;
	struct columns *columns;
	struct collect *collect;
	struct collect_next next;     /* for the collector's next interval */
	struct collect_result result; /* of the last cut */
	struct tasks *tasks;
	struct users *users;
	struct user_client user_names; /* of users that are not in /etc/passwd */
	struct topology topology;
	struct notes notes;
	struct fact_reader facts;
	struct cgroup_reader cgroups;
	struct engine_notes causes;
	struct pollfd *pollfds;
	size_t pollfds_capacity;
	struct request_list requests; /* done at the end of the interval */
	struct query_worker queries;
	struct engine_recording record;
	struct self_cost self_cost;
	struct machine_reader machine;
	struct engine_code code;
	bool has_idle; /* the rows of the last snapshot, as the next one too */
	enum command_lines has_command_lines;
	bool settled;          /* the intervals before the first are over */
	bool in_pid_namespace; /* /proc lists only its processes */
	uint64_t cut_ns;       /* end of the last interval */
	uint64_t sequence;
	uint64_t read_due_ns; /* if patient: time to read more idle tasks */
	char host[64];
	char pmu[32];
};

/* Does what waits for the end of the interval (engine_request.c). */
void engine_do_requests(struct engine *engine);
/* Makes the columns of the snapshots from the selection and the collector's plan. */
void engine_renew_columns(struct engine *engine);
/* Sets the privilege levels of names without one. per_task: no whole CPU is counted. */
void engine_choose_levels(struct engine *engine, bool per_task);
/* Starts, continues or ends the recording before an interval. */
void engine_continue_recording(struct engine *engine);
/* With idle rows, lists the threads of all processes. Without whole CPUs /proc gives processes. */
void engine_list_idle_threads(struct engine *engine);

#endif
