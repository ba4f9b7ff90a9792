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

/* What an interval does not have: the members of struct snapshot with the same names. Borrowed. */
struct snapshot_facts {
	uint64_t sequence, time_ns, realtime_ns;
	bool whole;
	const char *host, *pmu;
	enum count_mode mode;
	const struct snapshot_machine *machine;
	struct snapshot_cost cost;
	uint64_t lost_records;
	unsigned windowed_cpus, tasks;
	size_t threads_ran, threads_counted;
	struct code_profile *code;          /* the snapshot takes this reference over */
	struct notes *notes;                /* of this run */
	const struct notes *recorded_notes; /* of a replay, shown after them; NULL: none */
};

/*
 * Returns a snapshot of the interval: rows, CPUs, totals and all figures. The caller owns it, and
 * calls snapshot_set_facts() before another reads it.
 */
struct snapshot *snapshot_build(const struct snapshot_source *source, uint64_t interval_ns);
/*
 * Sets the facts of a built snapshot. Its notes are copies. Then an interval of the transient notes
 * of this run ends, so they are in NOTES_TRANSIENT_INTERVALS snapshots. A feed sets `replay` and
 * `offset_ns`, the engine sets `recorded_bytes`.
 */
void snapshot_set_facts(struct snapshot *snapshot, const struct snapshot_facts *facts);

#endif
