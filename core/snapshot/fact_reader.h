// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FACT_READER_H
#define PMCTOP_FACT_READER_H

#include "core/attrib/tasks.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads the facts (core/metric/fact.h) of the rows of a snapshot, if a column needs them. One file
 * of /proc is read for each process, and one for each further thread with a row. Columns of bytes
 * read or written need a second file. On a virtual machine 1,000 rows take 15 ms of CPU time a
 * refresh, and 19 ms with these columns. If only the state is needed, a task that did not run keeps
 * it: with 3,000 such tasks each is read every ten seconds. A state that is older than the interval
 * is SCALED.
 */
struct fact_reader {
	const struct sys *sys;
	bool each_run_known; /* in the interval, each task that ran has a slot */
	uint64_t read_ns;    /* end of the last interval that was read */
	/* Of the series of snapshots with columns of I/O: */
	bool in_series;
	uint64_t begin_ns; /* its begin: earlier readings are not used */
	uint64_t sure_ns;  /* since then a task without a row did not run */
};

/*
 * Fills the facts of the threads, and the processes of the snapshot. The rows of tasks that have
 * just ended are UNDEFINED. What cannot be read is NOT_COUNTED, also of a task that ends meanwhile.
 * Call it before the rows are evaluated.
 *
 * I/O is the growth between two readings. It is NOT_COUNTED at the first reading, and at the next
 * one after an interval in which the task ran and was not read. It is SCALED to the interval if
 * the task may have run in an interval that had no row for it. I/O of other users is DENIED.
 */
void fact_reader_read(struct fact_reader *reader, struct tasks *tasks, uint64_t now_ns,
		      struct snapshot *snapshot);
/* A task ran in the interval that ends at now_ns, and has no row. */
void fact_reader_miss(const struct fact_reader *reader, struct tasks *tasks, uint64_t now_ns,
		      struct task *task);

#endif
