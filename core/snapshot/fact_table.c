// SPDX-License-Identifier: MIT
/* Rows are found by tid, processes by pid. Exited tasks have no facts. */
#include "core/snapshot/fact_table.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

void fact_table_fini(struct fact_table *table)
{
	free(table->items);
	*table = (struct fact_table){0};
}

void fact_table_clear(struct fact_table *table)
{
	table->n = 0;
}

struct fact_entry *fact_table_add(struct fact_table *table, pid_t pid, pid_t tid)
{
	table->items =
		array_reserve(table->items, &table->capacity, table->n + 1, sizeof(*table->items));
	struct fact_entry *entry = &table->items[table->n++];
	*entry = (struct fact_entry){.pid = pid, .tid = tid};
	facts_clear(entry->facts, FIGURE_NOT_COUNTED);
	return entry;
}

static bool same_facts(const struct figure *a, const struct figure *b)
{
	bool same = true;

	for (size_t i = 0; i < FACTS; i++)
		same &= a[i].state == b[i].state &&
			(!figure_known(a[i]) || a[i].value == b[i].value);
	return same;
}

/* Whether a row has other facts than its process. */
static bool has_own(const struct snapshot *snapshot, size_t index, const struct figure *facts)
{
	const struct row *row = &snapshot->threads.items[index];
	const struct snapshot_process *process = snapshot_process(snapshot, row->pid);

	if (row_has_just_ended(row))
		return false;
	return !process || !same_facts(facts, process->facts);
}

void fact_table_copy(struct fact_table *table, const struct snapshot *snapshot)
{
	const struct rows *rows = &snapshot->threads;
	const size_t bytes = FACTS * sizeof(struct figure);

	for (size_t i = 0; i < snapshot->n_processes; i++)
		memcpy(fact_table_add(table, snapshot->processes[i].pid, 0)->facts,
		       snapshot->processes[i].facts, bytes);
	for (size_t i = 0; i < rows->n; i++) {
		const struct figure *facts = rows_facts(rows, i);
		if (facts && has_own(snapshot, i, facts))
			memcpy(fact_table_add(table, rows->items[i].pid, rows->items[i].tid)->facts,
			       facts, bytes);
	}
}

static void fill_processes(const struct fact_table *table, struct snapshot *snapshot)
{
	snapshot->processes = xcalloc(table->n, sizeof(*snapshot->processes));
	for (size_t i = 0; i < table->n; i++) {
		const struct fact_entry *entry = &table->items[i];
		if (entry->tid != 0)
			continue;
		struct snapshot_process *process = &snapshot->processes[snapshot->n_processes++];
		*process = (struct snapshot_process){.pid = entry->pid, .first_row = SIZE_MAX};
		memcpy(process->facts, entry->facts, sizeof(process->facts));
	}
}

static void fill_row(const struct fact_entry *own, struct snapshot *snapshot, size_t index)
{
	const struct row *row = &snapshot->threads.items[index];
	struct figure *facts = rows_facts(&snapshot->threads, index);
	const struct snapshot_process *process = snapshot_process(snapshot, row->pid);

	if (!facts || row_has_just_ended(row))
		return;
	if (process && process->first_row == SIZE_MAX)
		snapshot->processes[process - snapshot->processes].first_row = index;
	if (own || process)
		memcpy(facts, own ? own->facts : process->facts, FACTS * sizeof(*facts));
	else
		facts_clear(facts, FIGURE_NOT_COUNTED);
}

void fact_table_fill(const struct fact_table *table, struct snapshot *snapshot)
{
	struct hash_table by_tid;

	if (!snapshot->threads.facts)
		return;
	fill_processes(table, snapshot);
	hash_table_init(&by_tid, table->n);
	for (size_t i = 0; i < table->n; i++)
		if (table->items[i].tid != 0)
			hash_table_add(&by_tid, (uint64_t)table->items[i].tid)->number = i + 1;
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		uint64_t tid = (uint64_t)snapshot->threads.items[i].tid;
		size_t number = hash_table_slot(&by_tid, tid)->number;
		fill_row(number ? &table->items[number - 1] : NULL, snapshot, i);
	}
	hash_table_fini(&by_tid);
}
