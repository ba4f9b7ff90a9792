// SPDX-License-Identifier: MIT
#include "core/sys/cgroup_stat.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FILE_BYTES = 4096 };

/* Version 1 has LONG_MAX rounded down to pages as "no limit". */
#define NO_LIMIT_V1 (1ull << 62)

static int read_file(const struct sys *sys, const struct cgroup_dir *dir, const char *name,
		     char text[FILE_BYTES])
{
	char path[sizeof(dir->path) + 64];

	snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	ssize_t length = sys_file_read(sys, path, text, FILE_BYTES);
	return length < 0 ? (int)length : 0;
}

/* Parses cpu.stat. 0, or -ENODATA if a number is missing. */
static int parse_throttling(const char *text, struct cgroup_throttling *throttling)
{
	*throttling = (struct cgroup_throttling){0};
	if (!proc_count_parse(text, "nr_periods", &throttling->periods) ||
	    !proc_count_parse(text, "nr_throttled", &throttling->throttled))
		return -ENODATA;
	if (proc_count_parse(text, "throttled_time", &throttling->throttled_ns))
		return 0;
	if (!proc_count_parse(text, "throttled_usec", &throttling->throttled_ns) ||
	    __builtin_mul_overflow(throttling->throttled_ns, NS_PER_US, &throttling->throttled_ns))
		return -ENODATA;
	return 0;
}

int cgroup_throttling_read(const struct sys *sys, const struct cgroup_dir *dir,
			   struct cgroup_throttling *throttling)
{
	char text[FILE_BYTES];
	int result = read_file(sys, dir, "cpu.stat", text);

	return result < 0 ? result : parse_throttling(text, throttling);
}

/* Parses a number and the end of its line. */
static bool parse_line(const char *text, uint64_t *number)
{
	size_t length = text_u64(text, number);

	return length && text[length] == '\n';
}

static int set_quota(uint64_t quota_us, uint64_t period_us, struct cgroup_quota *quota)
{
	if (period_us == 0)
		return -EBADMSG;
	*quota = (struct cgroup_quota){true, (double)quota_us / (double)period_us};
	return 0;
}

/* Parses "max 100000" or "50000 100000". 0 or -EBADMSG. */
static int parse_quota(const char *text, struct cgroup_quota *quota)
{
	uint64_t quota_us, period_us;

	*quota = (struct cgroup_quota){false, 0};
	if (strncmp(text, "max ", 4) == 0)
		return 0;
	size_t length = text_u64(text, &quota_us);
	if (length == 0 || text[length] != ' ' || !parse_line(text + length, &period_us))
		return -EBADMSG;
	return set_quota(quota_us, period_us, quota);
}

static int read_quota_v1(const struct sys *sys, const struct cgroup_dir *dir,
			 struct cgroup_quota *quota)
{
	uint64_t quota_us, period_us;
	char text[FILE_BYTES];
	int result = read_file(sys, dir, "cpu.cfs_quota_us", text);

	*quota = (struct cgroup_quota){false, 0};
	if (result < 0 || strcmp(text, "-1\n") == 0)
		return result;
	if (!parse_line(text, &quota_us))
		return -EBADMSG;
	result = read_file(sys, dir, "cpu.cfs_period_us", text);
	if (result < 0)
		return result;
	return parse_line(text, &period_us) ? set_quota(quota_us, period_us, quota) : -EBADMSG;
}

int cgroup_quota_read(const struct sys *sys, const struct cgroup_dir *dir,
		      struct cgroup_quota *quota)
{
	char text[FILE_BYTES];

	if (dir->version == 1)
		return read_quota_v1(sys, dir, quota);
	int result = read_file(sys, dir, "cpu.max", text);
	return result < 0 ? result : parse_quota(text, quota);
}

static void set_event(struct cgroup_memory *memory, enum cgroup_memory_event event, uint64_t count)
{
	memory->events[event] = count;
	memory->events_known |= 1u << event;
}

/* Parses memory.events. */
static void parse_memory_events(const char *text, struct cgroup_memory *memory)
{
	static const char *const names[CGROUP_MEMORY_EVENTS] = {
		[CGROUP_MEMORY_LOW] = "low",           [CGROUP_MEMORY_HIGH] = "high",
		[CGROUP_MEMORY_MAX] = "max",           [CGROUP_MEMORY_OOM] = "oom",
		[CGROUP_MEMORY_OOM_KILL] = "oom_kill",
	};
	uint64_t count;

	for (enum cgroup_memory_event i = 0; i < CGROUP_MEMORY_EVENTS; i++)
		if (proc_count_parse(text, names[i], &count))
			set_event(memory, i, count);
}

/* Reads a file with a number or "max". */
static int read_bytes(const struct sys *sys, const struct cgroup_dir *dir, const char *name,
		      uint64_t *bytes)
{
	char text[FILE_BYTES];
	int result = read_file(sys, dir, name, text);

	if (result < 0)
		return result;
	if (strcmp(text, "max\n") == 0)
		*bytes = CGROUP_NO_LIMIT;
	else if (!parse_line(text, bytes))
		return -EBADMSG;
	return 0;
}

static int read_memory_v1(const struct sys *sys, const struct cgroup_dir *dir,
			  struct cgroup_memory *memory)
{
	int result = read_bytes(sys, dir, "memory.usage_in_bytes", &memory->current_bytes);
	char text[FILE_BYTES];
	uint64_t count;

	memory->limits_known =
		read_bytes(sys, dir, "memory.limit_in_bytes", &memory->max_bytes) == 0;
	if (memory->max_bytes >= NO_LIMIT_V1)
		memory->max_bytes = CGROUP_NO_LIMIT;
	if (read_bytes(sys, dir, "memory.failcnt", &count) == 0)
		set_event(memory, CGROUP_MEMORY_MAX, count);
	if (read_file(sys, dir, "memory.oom_control", text) == 0 &&
	    proc_count_parse(text, "oom_kill", &count))
		set_event(memory, CGROUP_MEMORY_OOM_KILL, count);
	return result;
}

int cgroup_memory_read(const struct sys *sys, const struct cgroup_dir *dir,
		       struct cgroup_memory *memory)
{
	char text[FILE_BYTES];

	*memory =
		(struct cgroup_memory){.max_bytes = CGROUP_NO_LIMIT, .high_bytes = CGROUP_NO_LIMIT};
	if (dir->version == 1)
		return read_memory_v1(sys, dir, memory);
	int result = read_bytes(sys, dir, "memory.current", &memory->current_bytes);
	memory->limits_known = read_bytes(sys, dir, "memory.max", &memory->max_bytes) == 0 &&
			       read_bytes(sys, dir, "memory.high", &memory->high_bytes) == 0;
	if (read_file(sys, dir, "memory.events", text) == 0)
		parse_memory_events(text, memory);
	return result;
}
