// SPDX-License-Identifier: MIT
#include "run.h"

#include <sys/resource.h>

void run_raise_limits(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= files.rlim_max)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files); /* where it is refused there are fewer */
}
