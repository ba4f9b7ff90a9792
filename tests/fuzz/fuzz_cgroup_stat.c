// SPDX-License-Identifier: MIT
/* The files of a cgroup: each has the same bytes, and what is no number is unknown. */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "core/sys/cgroup_stat.h"

#include <math.h>

static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)path;
	return (ssize_t)text_copy(buffer, size, ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sys_ops ops = {.file_read = file_read};
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	const struct sys sys = {.ops = &ops, .ctx = text};
	struct cgroup_dir dir = {.path = "/cg"};
	struct cgroup_throttling throttling;
	struct cgroup_memory memory;
	struct cgroup_quota quota;

	for (dir.version = 1; dir.version <= 2; dir.version++) {
		if (cgroup_quota_read(&sys, &dir, &quota) == 0)
			fuzz_check(isfinite(quota.cpus) && quota.cpus >= 0 &&
					   (quota.limited || quota.cpus == 0),
				   "a quota is a number, or there is none");
		if (cgroup_throttling_read(&sys, &dir, &throttling) == 0)
			fuzz_check(strstr(text, "nr_throttled ") != NULL,
				   "a known number stands in the text");
		cgroup_memory_read(&sys, &dir, &memory);
		fuzz_check(memory.events_known >> CGROUP_MEMORY_EVENTS == 0,
			   "no more events than there are");
	}
	free(text);
	return 0;
}
