// SPDX-License-Identifier: MIT
#include "pfm_start.h"

#include "util.h"

#include <fcntl.h>
#include <perfmon/pfmlib.h>
#include <stddef.h>
#include <unistd.h>

/* One that is not there does no harm. */
static bool is_silent(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t length = read(fd, &byte, 1);
	close(fd);
	return length <= 0;
}

bool pfm_start(void)
{
	static const char *const paths[] = {"/proc/cpuinfo", "/proc/mounts"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (is_silent(paths[i]))
			return false;
	return pfm_initialize() == PFM_SUCCESS;
}
