// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TASK_TABLE_H
#define PMCTOP_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Tids and the newest task of each: a hash with open addressing, 16 bytes a slot and at most half
 * of them taken, so that a task is found without looking at another. Owns no task.
 */
struct task;

struct task_slot {
	struct task *newest; /* NULL: free */
	pid_t tid;
};

struct task_table {
	struct task_slot *slots;
	size_t n_slots; /* a power of two */
	size_t n;       /* taken */
};

void task_table_init(struct task_table *table);
void task_table_fini(struct task_table *table);

/*
 * Where a search for tid begins. Neighbours are scattered: a process has a run of tids, and who is
 * removed from a run of slots costs as much as what follows him there.
 */
static inline size_t task_table_home(const struct task_table *table, pid_t tid)
{
	return ((uint32_t)tid * 0x9E3779B97F4A7C15u >> 32) & (table->n_slots - 1);
}

/* The slot that holds tid, or the free one where it would go. */
static inline struct task_slot *task_table_slot(const struct task_table *table, pid_t tid)
{
	size_t at = task_table_home(table, tid);

	while (table->slots[at].tid != tid && table->slots[at].newest)
		at = (at + 1) & (table->n_slots - 1);
	return &table->slots[at];
}

/* The newest task of that tid; NULL where there is none. */
static inline struct task *task_table_find(const struct task_table *table, pid_t tid)
{
	return task_table_slot(table, tid)->newest;
}

/*
 * The task is the newest of that tid from now on; NULL: there is none any more. True where the
 * table grew for it.
 */
bool task_table_set(struct task_table *table, pid_t tid, struct task *newest);

/* Gives back what a storm of tasks has made large: true where there was some. */
bool task_table_shrink(struct task_table *table);

#endif
