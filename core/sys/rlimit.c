// SPDX-License-Identifier: MIT
/* The contract is in rlimit.h. A line of the file is a name, the soft and the hard limit. */
#include "core/sys/rlimit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool read_value(const char **text, uint64_t *value)
{
	int length = 0;

	*text += strspn(*text, " ");
	if (strncmp(*text, "unlimited", 9) == 0) {
		*value = UINT64_MAX;
		length = 9;
	} else if (sscanf(*text, "%18" SCNu64 "%n", value, &length) != 1) {
		return false;
	}
	*text += length;
	return true;
}

struct resource_limit rlimit_read(const struct sys *sys, const char *name)
{
	char text[4096];
	struct resource_limit limit = {.known = false};

	if (sys_file_read(sys, "/proc/self/limits", text, sizeof(text)) < 0)
		return limit;
	const char *line = strstr(text, name);
	if (!line)
		return limit;
	line += strlen(name);
	limit.known = read_value(&line, &limit.soft) && read_value(&line, &limit.hard);
	return limit;
}
