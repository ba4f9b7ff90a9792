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
	uint64_t read_ns;    /* end of the last interval whose states were read */
	/* Of the series of snapshots with columns of I/O: */
	bool in_series;
	unsigned series;   /* its number: 1, 2 ... */
	uint64_t begin_ns; /* a task that started later had no I/O before */
};

/*
 * Fills the facts of the threads, and the processes of the snapshot. The rows of ended tasks are
 * UNDEFINED. What cannot be read is NOT_COUNTED, also of a task that ends meanwhile. I/O of other
 * users is DENIED, and NOT_COUNTED at the first reading. Call it before the rows are evaluated.
 */
void fact_reader_read(struct fact_reader *reader, struct tasks *tasks, uint64_t now_ns,
		      struct snapshot *snapshot);

#endif
