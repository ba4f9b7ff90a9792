// SPDX-License-Identifier: MIT
/*
 * The functions get other names, and the first of those with equal ones stands for all in the
 * frames. A profile may have some 100,000 stacks, so their sums are not made anew: equal stacks
 * stay apart, which no view shows.
 */
#include "core/view/code_together.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the "+0x12" at the end of a name, maybe with a "?" behind it, or its end. */
static const char *find_offset(const char *name, const char **behind)
{
	static const char prefix[] = "+0x";
	const char *end = name + strlen(name), *plus = strrchr(name, '+');

	*behind = end;
	if (!plus || strncmp(plus, prefix, strlen(prefix)) != 0)
		return end;
	const char *digits = plus + strlen(prefix);
	digits += strspn(digits, "0123456789abcdef");
	if (strcmp(digits, "") != 0 && strcmp(digits, "?") != 0)
		return end;
	*behind = digits;
	return plus;
}

/* "libfoo.so+0x..., no symbols"; NULL: the function stays as it is. The caller frees it. */
static char *name_together(const struct code_function *function)
{
	const char *behind;

	if (!function->why)
		return NULL;
	const char *offset = find_offset(function->name, &behind);
	size_t size = strlen(function->name) + strlen(function->why) + sizeof("+0x...?, ");
	char *name = xmalloc(size);
	snprintf(name, size, "%.*s%s%s, %s", (int)(offset - function->name), function->name,
		 *offset ? "+0x..." : "", behind, function->why);
	return name;
}

/* Returns the function that stands for those with that name. */
static uint32_t find_first(struct hash_table *table, uint64_t random,
			   const struct code_function *functions, uint32_t id)
{
	uint64_t key = code_function_key(&functions[id], random);
	struct hash_slot *slot = hash_table_slot(table, key);

	while (slot->number && !code_function_is_same(&functions[slot->number - 1], &functions[id]))
		slot = hash_table_next(table, slot);
	if (!slot->number)
		hash_table_add(table, key)->number = id + 1;
	else
		id = (uint32_t)slot->number - 1;
	return id;
}

/* Names the functions, and sets which stands for each. Those with another name own it as `why`. */
static void rename_functions(struct code_profile *together, uint32_t *firsts)
{
	uint64_t random = hash_random_odd();
	struct hash_table table;

	hash_table_init(&table, 0);
	for (uint32_t i = 0; i < together->n_functions; i++) {
		struct code_function *function = &together->functions[i];
		char *name = name_together(function);

		firsts[i] = i;
		function->why = name;
		if (!name)
			continue;
		function->name = name;
		firsts[i] = find_first(&table, random, together->functions, i);
	}
	hash_table_fini(&table);
}

static bool has_why(const struct code_profile *profile)
{
	for (size_t i = 0; i < profile->n_functions; i++)
		if (profile->functions[i].why)
			return true;
	return false;
}

struct code_profile *code_together_new(const struct code_profile *profile)
{
	if (!has_why(profile))
		return NULL;
	struct code_profile *together = xmalloc(sizeof(*together));
	uint32_t *firsts = xcalloc(profile->n_functions, sizeof(*firsts));

	*together = *profile;
	together->functions = xcalloc(profile->n_functions, sizeof(*together->functions));
	together->frames = xcalloc(profile->n_frames, sizeof(*together->frames));
	memcpy(together->functions, profile->functions,
	       profile->n_functions * sizeof(*together->functions));
	rename_functions(together, firsts);
	for (size_t i = 0; i < profile->n_frames; i++)
		together->frames[i] = firsts[profile->frames[i]];
	free(firsts);
	return together;
}

void code_together_free(struct code_profile *together)
{
	if (!together)
		return;
	for (size_t i = 0; i < together->n_functions; i++)
		xfree(together->functions[i].why);
	free(together->functions);
	free(together->frames);
	free(together);
}
