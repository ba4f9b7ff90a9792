// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ROLLUP_H
#define PMCTOP_ROLLUP_H

#include "core/snapshot/row_filter.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Sums of the rows of one snapshot: threads to processes, users, cgroups and commands, CPUs to
 * sockets and NUMA nodes. Each grouping keeps all counts:
 *
 *     sum of rows = sum of the snapshot's threads,    sum of units = sum of its CPUs
 *
 * By tree, a row includes its descendants, and the sum of the roots is the sum of the threads.
 *
 * By user, cgroup and command, a task that changed it in the interval is divided (row_before). Both
 * rows are SCALED if more than a hundredth of their time may be the other one's.
 *
 * Rows borrow figures from the snapshot, which must outlive them.
 */
enum rollup {
	ROLLUP_PROCESS,
	ROLLUP_THREAD,
	ROLLUP_TREE,
	ROLLUP_USER,
	ROLLUP_CGROUP,
	ROLLUP_COMMAND, /* the name of the main thread */
	ROLLUP_CPU,
	ROLLUP_SOCKET,
	ROLLUP_NODE,
};

/* Returns "process", "thread" ..., the words of --by; NULL after the last. */
const char *rollup_name(size_t i);
/* Returns whether lines are CPUs and not tasks. */
static inline bool rollup_is_of_cpus(enum rollup by)
{
	return by >= ROLLUP_CPU;
}
/* Returns whether lines are groups of processes: users, cgroups, commands. */
static inline bool rollup_is_of_groups(enum rollup by)
{
	return by >= ROLLUP_USER && by <= ROLLUP_COMMAND;
}
/*
 * Returns the text that identifies a row by cgroup (path) or command (name): hostile bytes, ""
 * if unknown or by another grouping. Borrowed from the row or the snapshot.
 */
const char *rollup_text(const struct snapshot *snapshot, enum rollup by, const struct row *row);

/*
 * Makes the rows of a snapshot by thread ... command, evaluated, in the order of their first
 * thread.
 *
 * By process: pid == tid, and all else is the main thread's, also if it did not run. If the
 * main thread is unknown: comm and user of any thread, start_ns 0, not exited.
 * By tree: the same, and rows of ancestors that did not run. Each row includes its descendants, and
 * rows->parents is set.
 * By user, cgroup and command: pid, tid, ppid and start_ns are 0. Of uid, user, cgroup and comm,
 * only the one grouped by is known. By command: ROW_KERNEL if all processes are kernel threads.
 *
 * A filter (NULL: none) keeps whole processes that pass, or have a thread that passes.
 * Groups are sums of these alone. In a tree their ancestors stay, without their own
 * counts (ROW_ABOVE).
 */
void rollup_rows(const struct snapshot *snapshot, enum rollup by, const struct row_filter *filter,
		 struct rows *rows);
/*
 * The same without a filter, and not by thread, for a caller that needs few of the rows: not
 * evaluated (rows_evaluate_one), and `processes` of users and cgroups is not set.
 */
void rollup_tallies(const struct snapshot *snapshot, enum rollup by, struct rows *rows);

/* Returns the indices of a tree's rows, each behind those of its descendants. The caller frees
 * them. */
size_t *rollup_leaves_first(const struct rows *tree);

/*
 * Describes the row of a process by its main thread, which need not have run, or by another one
 * while the main thread is unknown. Keeps what is summed: threads, ROW_LOST and doubt_ns.
 */
void rollup_describe_process(struct row *process, const struct row *thread);

/*
 * CPUs by CPU, socket or node, evaluated. `cpu` is the number of the unit, or -1 for all CPUs of
 * unknown place. CPUs that were not counted add nothing.
 */
struct cpu_units {
	size_t n;
	struct snapshot_cpu *items;
};

void rollup_cpus(const struct snapshot *snapshot, enum rollup by, struct cpu_units *units);
void cpu_units_fini(struct cpu_units *units);

#endif
