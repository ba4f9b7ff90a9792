// SPDX-License-Identifier: MIT
/* The functions get other names, and a sum of the profile makes equal ones one. */
#include "core/view/code_together.h"

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

struct code_profile *code_together(const struct code_profile *profile)
{
	struct code_profile renamed = *profile, *sum = NULL;
	char **names = xcalloc(profile->n_functions, sizeof(*names));
	bool changes = false;

	renamed.functions = xcalloc(profile->n_functions, sizeof(*renamed.functions));
	for (size_t i = 0; i < profile->n_functions; i++) {
		struct code_function *function = &renamed.functions[i];

		*function = profile->functions[i];
		names[i] = name_together(function);
		if (!names[i])
			continue;
		function->name = names[i];
		function->why = NULL;
		changes = true;
	}
	if (changes)
		sum = code_profile_sum(&renamed, NULL);
	for (size_t i = 0; i < profile->n_functions; i++)
		free(names[i]);
	free(names);
	free(renamed.functions);
	return sum;
}
