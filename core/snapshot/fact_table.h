// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FACT_TABLE_H
#define PMCTOP_FACT_TABLE_H

#include "core/metric/fact.h"
#include "core/snapshot/snapshot.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * The facts (core/metric/fact.h) of the rows of one snapshot in a recording. Facts that were not
 * recorded are NOT_COUNTED. Zeroed: none were recorded.
 */
struct fact_entry {
	pid_t pid, tid; /* tid 0: of the process */
	struct figure facts[FACTS];
};

struct fact_table {
	struct fact_entry *items; /* owned */
	size_t n, capacity;
};

void fact_table_fini(struct fact_table *table);
void fact_table_clear(struct fact_table *table);
/* Adds an entry without facts, and returns it. Processes are added by pid, ascending. */
struct fact_entry *fact_table_add(struct fact_table *table, pid_t pid, pid_t tid);

/*
 * Adds the facts of a snapshot: of its processes, then of the rows that differ from their process.
 * Rows of ended tasks have none.
 */
void fact_table_copy(struct fact_table *table, const struct snapshot *snapshot);
/*
 * Fills the facts of the rows, and the processes of the snapshot, as fact_reader_read() did. Does
 * nothing if no column needs facts.
 */
void fact_table_fill(const struct fact_table *table, struct snapshot *snapshot);

#endif
