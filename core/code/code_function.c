// SPDX-License-Identifier: MIT
/* Names may be chosen by other users, so keys depend on a random number. */
#include "core/code/code_function.h"

#include "core/base/hash_table.h"

#include <string.h>

uint64_t code_function_key(const struct code_function *function, uint64_t random)
{
	/* With the NUL, so that the end of the name is a part of the key. */
	uint64_t key = hash_bytes(random, function->name, strlen(function->name) + 1);

	return hash_mix(random, hash_bytes(key, function->module, strlen(function->module)));
}

bool code_function_is_same(const struct code_function *a, const struct code_function *b)
{
	return a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->module, b->module) == 0;
}
