// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_PROFILE_INTERNAL_H
#define PMCTOP_CODE_PROFILE_INTERNAL_H

#include "core/base/hash_table.h"
#include "core/code/code_profile.h"

/* What code_profile.c and its test share. */

struct code_profile_builder {
	struct code_profile *profile; /* its arrays, of these capacities */
	size_t events_capacity, functions_capacity, tasks_capacity, frames_capacity,
		entries_capacity;
	/* Index + 1 of a function, a task, an entry, and of the first entry of a stack. */
	struct hash_table functions, tasks, entries, stacks;
	uint64_t random; /* in their keys */
};

#endif
