// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_VIEW_INTERNAL_H
#define PMCTOP_CODE_VIEW_INTERNAL_H

#include "core/base/hash_table.h"
#include "core/view/code_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared by code_view.c, code_index.c and code_edges.c, and for these alone. */

struct code_orders;

struct code_index {
	const struct snapshot *snapshot;
	const struct code_profile *profile;
	struct code_profile *together; /* the same, if it is of code_together.h */
	size_t *first_entry; /* of each task of the profile; behind the last one n_entries */
	/* Of each task of the profile: its row, and its process's. NULL: unknown. */
	const struct row **rows, **mains;
	struct hash_table threads;      /* by tid: row + 1, without rows that did not run */
	struct hash_table mains_by_pid; /* the row of a process: main thread, sleeping, any */
	struct code_orders *orders;
};

/* Some tasks of the profile. Zeroed: none. */
struct code_tasks {
	const uint32_t *order; /* indices; these are a range of it; NULL: 0, 1, 2 ... */
	size_t first, n;
};

static inline size_t code_tasks_at(const struct code_tasks *tasks, size_t i)
{
	return tasks->order ? tasks->order[tasks->first + i] : tasks->first + i;
}

/* The only tasks that may have samples of the subject, and whether one of them has. */
struct code_tasks code_index_tasks(const struct code_index *index,
				   const struct code_subject *subject);
bool code_index_has_task(const struct code_index *index, const struct code_subject *subject,
			 size_t i);

/* Sums of samples by function. UINT32_MAX stands for none. Begin with hash_table_init(). */
struct function_sums {
	struct hash_table table; /* by function: index + 1 */
	uint32_t *functions;
	uint64_t *samples, *weights; /* n_events each */
	size_t n, capacity, sums_capacity, weights_capacity;
};

void function_sums_fini(struct function_sums *sums);
/* Adds the samples of an entry to one of the events of a function. */
void function_sums_add(struct function_sums *sums, uint32_t function, size_t n_events, size_t event,
		       const struct code_entry *entry);

/* Adds an entry, except to `alone`. */
void code_total_add(struct code_total *total, const struct code_entry *entry);
/* Returns a share of a total, with its error. */
struct code_share code_share_of(uint64_t samples, uint64_t weight, const struct code_total *total);
/* By name, then by module. */
int code_compare_functions(const struct code_function *a, const struct code_function *b);

/*
 * Returns the function that called the frame k of an entry, or UINT32_MAX. An address outside of
 * all mappings is no caller: it is what code without frame pointers has at the place of one.
 */
uint32_t code_find_caller(const struct code_profile *profile, const struct code_entry *entry,
			  uint32_t k);

#endif
