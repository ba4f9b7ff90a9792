// SPDX-License-Identifier: MIT
/*
 * A function is found by a hash of its texts: equal ones of two files or processes are one.
 * Separate from code_names.c, which finds the texts and does not own them.
 */
#include "core/code/function_table.h"

#include "core/base/util.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void function_table_init(struct function_table *table)
{
	*table = (struct function_table){.random = hash_random_odd()};
	hash_table_init(&table->by_text, 0);
}

void function_table_clear(struct function_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		xfree(table->functions[i].function.name);
		xfree(table->functions[i].function.module);
	}
	table->n = 0;
	hash_table_clear(&table->by_text);
}

void function_table_fini(struct function_table *table)
{
	function_table_clear(table);
	hash_table_fini(&table->by_text);
	free(table->functions);
}

uint32_t function_table_add(struct function_table *table, const struct code_function *function,
			    const char *why)
{
	uint64_t key = code_function_key(function, table->random);
	struct hash_slot *slot = hash_table_slot(&table->by_text, key);
	while (slot->number &&
	       !code_function_is_same(&table->functions[slot->number - 1].function, function))
		slot = hash_table_next(&table->by_text, slot);
	if (slot->number)
		return (uint32_t)slot->number;
	table->functions = array_reserve(table->functions, &table->capacity, table->n + 1,
					 sizeof(*table->functions));
	table->functions[table->n++] = (struct named_function){
		{xstrdup(function->name), xstrdup(function->module), function->kind, function->why},
		why};
	hash_table_add(&table->by_text, key)->number = table->n;
	return (uint32_t)table->n;
}

const struct named_function *function_table_find(const struct function_table *table, uint32_t id)
{
	return id > 0 && id <= table->n ? &table->functions[id - 1] : NULL;
}
