// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FUNCTION_TABLE_H
#define PMCTOP_FUNCTION_TABLE_H

#include "core/base/hash_table.h"
#include "core/code/code_function.h"

#include <stddef.h>
#include <stdint.h>

/* Functions with ids from 1 on, each once. Texts are owned. */
struct named_function {
	struct code_function function; /* its why is static */
	const char *why;               /* static; "" if it has a name */
};

struct function_table {
	struct named_function *functions;
	size_t n, capacity;
	struct hash_table by_text; /* ids */
	uint64_t random;           /* in its keys: other users choose the names */
};

void function_table_init(struct function_table *table);
void function_table_fini(struct function_table *table);
/* Removes all functions. Their ids are used again. */
void function_table_clear(struct function_table *table);
/* Returns the id of the function, whose texts are copied if it is new. `why` of the first stays. */
uint32_t function_table_add(struct function_table *table, const struct code_function *function,
			    const char *why);
/* Returns the function of an id, or NULL. */
const struct named_function *function_table_find(const struct function_table *table, uint32_t id);

#endif
