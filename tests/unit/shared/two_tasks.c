// SPDX-License-Identifier: MIT
#include "tests/unit/shared/two_tasks.h"

#include <stdio.h>
#include <string.h>

struct fk *two_tasks_new(const struct fk_config *config)
{
	struct fk *fk = fk_new(config);

	fk_task(fk, &(struct fk_spec){.tid = 7,
				      .comm = "seven",
				      .uid = 1000,
				      .rates = {[FK_CYCLES] = {2, 1}, [FK_INSTRUCTIONS] = {3, 2}}});
	fk_task(fk, &(struct fk_spec){.tid = 8,
				      .comm = "eight",
				      .rates = {[FK_CYCLES] = {1, 1}, [FK_INSTRUCTIONS] = {1, 3}}});
	return fk;
}

void finish(struct fk *fk)
{
	assert_int_equal(fk_open_fds(fk), 0);
	assert_int_equal(fk_mapped(fk), 0);
	fk_free(fk);
}

int open_on(const struct sys *sys, uint32_t type, uint64_t config, int cpu, int group)
{
	struct perf_event_attr attr = attr_counting(type, config);

	return sys_perf_open(sys, &attr, -1, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

void expect_open(const struct sys *sys, const char *name, int fd, int error)
{
	if ((fd < 0 ? fd : 0) != error)
		fail_msg("%s: %d", name, fd);
	if (fd >= 0)
		sys_close(sys, fd);
}

static int append_name(void *arg, const char *name)
{
	char *names = arg;

	snprintf(names + strlen(names), 256 - strlen(names), "%s ", name);
	return strcmp(name, "stop") == 0;
}

int read_names(const struct sys *sys, const char *path, char names[256])
{
	return sys_dir_each(sys, path, append_name, names);
}

void two_tasks_group(const struct sys *sys, int cpu, struct perf_group *group)
{
	const struct perf_event_attr counters[] = {
		attr_counting(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
		attr_counting(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
	};

	perf_group_open(group, sys, cpu, 1, counters, ARRAY_SIZE(counters));
	perf_group_enable(group);
}

struct reader_record expect_record(struct perf_group *group)
{
	struct reader_record record = {0};

	assert_true(reader_next(group->page, &record));
	return record;
}

void expect_none(struct perf_group *group)
{
	struct reader_record record;

	assert_false(reader_next(group->page, &record));
}

void expect_sample(struct perf_group *group, pid_t pid, pid_t tid, uint64_t time_ns,
		   const uint64_t *values)
{
	struct reader_record record = expect_record(group);

	assert_int_equal(record.type, PERF_RECORD_SAMPLE);
	assert_int_equal(record.pid, pid);
	assert_int_equal(record.tid, tid);
	assert_int_equal(record.time_ns, START_NS + time_ns);
	assert_int_equal(record.nr, MEMBERS);
	for (int i = 0; i < MEMBERS; i++)
		if (record.values[i] != values[i])
			fail_msg("at %llu ns value %d is %llu, not %llu",
				 (unsigned long long)time_ns, i,
				 (unsigned long long)record.values[i],
				 (unsigned long long)values[i]);
}
