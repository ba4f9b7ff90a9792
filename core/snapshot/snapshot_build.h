// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_BUILD_H
#define PMCTOP_SNAPSHOT_BUILD_H

#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/notes.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/pmu.h"
#include "core/sys/topology.h"
#include "core/sys/users.h"

#include <stdint.h>

/* What a picture is taken of; all borrowed for as long as that takes. */
struct snapshot_source {
	struct columns *columns;         /* bound to the plan that shaped the interval */
	const struct interval *interval; /* its accounts closed */
	const struct target *target;
	struct tasks *tasks;
	struct users *users;
	struct topology *topology;
	const struct pmu_set *pmus;
	const struct notes *notes;
	bool command_lines, idle; /* as engine_config has them */
	/* Those that did not run, where someone knows better than `tasks`; NULL: nobody. */
	struct task *const *still;
	size_t n_still;
	uint64_t now_ns; /* when the interval was cut */
	float uneven;    /* as struct snapshot has it */
};

/*
 * A snapshot of an interval that ended now and took so long: rows, CPUs, totals, notes and all
 * figures. When and where that was (sequence, times, host, pmu, mode, tasks) is left to be filled
 * in.
 */
struct snapshot *snapshot_build(const struct snapshot_source *source, uint64_t interval_ns);

#endif
