// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_BUILD_H
#define PMCTOP_SNAPSHOT_BUILD_H

#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/notes.h"
#include "core/snapshot/cgroup_reader.h"
#include "core/snapshot/fact_reader.h"
#include "core/snapshot/fact_table.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/pmu.h"
#include "core/sys/topology.h"
#include "core/sys/users.h"

#include <stdint.h>

/* The inputs of a snapshot, borrowed for the call. */
struct snapshot_source {
	struct columns *columns;         /* bound to the plan that shaped the interval */
	const struct interval *interval; /* after its cut */
	const struct target *target;
	struct tasks *tasks;
	struct users *users;
	struct topology *topology;
	const struct pmu_set *pmus;
	struct fact_reader *facts;               /* NULL: nothing is read */
	const struct fact_table *recorded_facts; /* of a replay, in place of them; NULL: none */
	bool recorded_marks;                     /* of a replay: its tasks have ROW_LOST ... */
	bool chosen;                             /* ... except that not all rows are recorded */
	const struct wait_watch *watch;          /* waits of the watched task; NULL: unknown */
	struct cgroup_reader *cgroups;           /* NULL: their memory is not read */
	enum command_lines command_lines;        /* as engine_config has them ... */
	bool idle;                               /* ... and these */
	/* Tasks that did not run, from a scan of /proc; NULL: those in `tasks`. */
	struct task *const *still;
	size_t n_still;
	uint64_t now_ns; /* time of the cut */
	float uneven;    /* as struct snapshot has it */
};

/*
 * Returns a snapshot of the interval: rows, CPUs, totals and all figures. The caller owns it.
 * Before another reads it, the caller sets what the interval does not have: sequence, time_ns,
 * realtime_ns, whole, host, replay, offset_ns, mode, pmu, machine, cost, windowed_cpus,
 * recorded_bytes, tasks, threads_ran, threads_counted, code, notes, and lost_records of a
 * recording.
 */
struct snapshot *snapshot_build(const struct snapshot_source *source, uint64_t interval_ns);
/* Sets the notes of a snapshot without notes to copies of these. */
void snapshot_set_notes(struct snapshot *snapshot, const struct notes *notes);

#endif
