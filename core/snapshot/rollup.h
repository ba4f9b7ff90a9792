// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ROLLUP_H
#define PMCTOP_ROLLUP_H

#include "core/snapshot/row_filter.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The one place that adds up: threads to processes, users and cgroups, CPUs to sockets and NUMA
 * nodes. Whatever it is by, what is counted stays the same:
 *
 *     sum of rows = sum of the snapshot's threads,    sum of units = sum of its CPUs
 *
 * but by tree, where a row has what all below it have too, and the roots add up.
 *
 * Rows borrow figures from the snapshot, which must outlive them.
 */
enum rollup {
	ROLLUP_PROCESS,
	ROLLUP_THREAD,
	ROLLUP_TREE,
	ROLLUP_USER,
	ROLLUP_CGROUP,
	ROLLUP_CPU,
	ROLLUP_SOCKET,
	ROLLUP_NODE,
};

/* "process", "thread" ...: what --by takes; NULL behind the last. */
const char *rollup_name(size_t i);
/* Of CPUs, not of tasks. */
static inline bool rollup_is_of_cpus(enum rollup by)
{
	return by >= ROLLUP_CPU;
}

/*
 * The rows of a snapshot by thread ... cgroup, evaluated, in the order in which they first appear.
 *
 * By process: pid == tid, everything else as of the main thread, also where that slept. Where
 * nothing is known of it: comm and user of any thread, start_ns 0, not exited.
 * By tree: the same, with the ancestors that slept, and everybody's descendants added:
 * rows->parents. By user and cgroup: pid, tid, ppid and start_ns are 0, comm is "", and of uid,
 * user and cgroup only what they have in common is known.
 *
 * A filter (NULL: none) keeps whole processes: those that pass, or any of whose threads does, and
 * users and cgroups are of these alone. In a tree their ancestors stay, without what these did
 * themselves (ROW_ABOVE).
 */
void rollup_rows(const struct snapshot *snapshot, enum rollup by, const struct row_filter *filter,
		 struct rows *rows);
/*
 * The same by process, user or cgroup for whoever wants few of them: not evaluated
 * (rows_evaluate_one), and of users and cgroups it is not known how many processes they have.
 */
void rollup_tallies(const struct snapshot *snapshot, enum rollup by, struct rows *rows);

/*
 * CPUs by CPU, socket or node, evaluated; `cpu` is then the number of that, or -1 for all whose
 * place is not known. Of those that were not counted nothing is added.
 */
struct cpu_units {
	size_t n;
	struct snapshot_cpu *items;
};

void rollup_cpus(const struct snapshot *snapshot, enum rollup by, struct cpu_units *units);
void cpu_units_fini(struct cpu_units *units);

#endif
