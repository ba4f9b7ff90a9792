// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RUN_SUMMARY_PART_H
#define PMCTOP_RUN_SUMMARY_PART_H

#include "core/base/hash_table.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a run came to while one plan was in force: one tally a process, and of the CPUs and totals,
 * added up from snapshots (core/snapshot/run_summary.h).
 */
struct run_summary_part {
	struct columns *columns;           /* a reference: the latest of this plan */
	struct summary_process *processes; /* owned, as is all that follows */
	uint64_t *tallies;                 /* n x width */
	size_t n, capacity, tallies_capacity;
	struct hash_table table; /* by pid: index + 1 of the latest process with it */
	uint64_t *folded;        /* a tally; NULL: nothing was */
	size_t n_folded;
	unsigned folded_flags;
	char **cgroups; /* paths that rows name, each once */
	size_t n_cgroups, cgroups_capacity;
	struct snapshot_cpu *cpus; /* without figures */
	size_t n_cpus;
	uint64_t *totals, *idle, *unattributed, *others;
	struct snapshot last; /* what is no array, as of the last snapshot, with sums */
};

/* Of the plan that the snapshot has; nothing is added yet. */
void run_summary_part_init(struct run_summary_part *part, const struct snapshot *snapshot);
void run_summary_part_fini(struct run_summary_part *part);

/* Whether snapshots with these columns can be added: their tallies mean the same. */
bool run_summary_part_fits(const struct run_summary_part *part, const struct columns *columns);

/*
 * Adds a snapshot that fits, whose columns are the part's from now on. `sequence` grows with each;
 * beyond `most` processes half of these are left (core/snapshot/run_summary.h).
 */
void run_summary_part_add(struct run_summary_part *part, const struct snapshot *snapshot,
			  uint64_t sequence, size_t most);

/* A snapshot of all that was added, which the caller frees: without sequence and notes. */
struct snapshot *run_summary_part_snapshot(const struct run_summary_part *part,
					   const struct snapshot_run *run);

#endif
