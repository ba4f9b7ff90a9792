// SPDX-License-Identifier: MIT
#include "core/attrib/count_mode.h"

#include "core/base/util.h"

#include <string.h>

static const char *const names[] = {
	[COUNT_MODE_SYSTEM] = "system",
	[COUNT_MODE_TASK] = "task",
	[COUNT_MODE_PROC] = "proc",
};

const char *count_mode_name(enum count_mode mode)
{
	return names[mode];
}

enum count_mode count_mode_parse(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return (enum count_mode)i;
	return COUNT_MODE_SYSTEM;
}
