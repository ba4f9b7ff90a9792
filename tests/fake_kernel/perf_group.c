// SPDX-License-Identifier: MIT
#include "tests/fake_kernel/perf_group.h"

#include "tests/fake_kernel/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct perf_event_attr attr_counting(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = READER_READ_FORMAT,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

struct perf_event_attr attr_sampling(uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = attr_counting(PERF_TYPE_SOFTWARE, config);

	attr.sample_type = READER_SAMPLE_TYPE;
	attr.sample_period = period;
	attr.sample_id_all = 1;
	attr.watermark = 1;
	return attr;
}

struct perf_event_attr attr_tracing(uint64_t id)
{
	struct perf_event_attr attr = attr_sampling(id, 1);

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.sample_type |= PERF_SAMPLE_RAW;
	return attr;
}

struct reading reading_take(const struct sys *sys, int fd)
{
	struct reading reading = {0};
	ssize_t size = sys_perf_read(sys, fd, &reading, sizeof(reading));

	assert_true(size > 0);
	assert_int_equal(size, 24 + 8 * reading.nr);
	return reading;
}

static void open_member(struct perf_group *group, int cpu, struct perf_event_attr attr)
{
	int leader = group->n ? group->fds[0] : -1;
	int fd = sys_perf_open(group->sys, &attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(group->n < PERF_GROUP_MAX);
	group->fds[group->n++] = fd;
}

static void add_all(struct perf_group *group, int cpu, bool tells_of_tasks,
		    struct perf_event_attr switches, const struct perf_event_attr *counters,
		    size_t n_counters)
{
	for (size_t i = 0; i < n_counters; i++) {
		struct perf_event_attr attr = counters[i];

		attr.disabled = i == 0;
		open_member(group, cpu, attr);
	}
	switches.comm = switches.comm_exec = switches.task = tells_of_tasks;
	group->switches = group->n;
	open_member(group, cpu, switches);
	group->tick = group->n;
	open_member(group, cpu, attr_sampling(PERF_COUNT_SW_CPU_CLOCK, TICK_OFF_NS));
	for (size_t i = 0; i < group->n; i++)
		assert_int_equal(sys_perf_ioctl(group->sys, group->fds[i], PERF_EVENT_IOC_ID,
						(uintptr_t)&group->ids[i]),
				 0);
}

static void redirect(const struct perf_group *group, size_t member, int ring)
{
	assert_int_equal(sys_perf_ioctl(group->sys, group->fds[member], PERF_EVENT_IOC_SET_OUTPUT,
					(uintptr_t)ring),
			 0);
}

void perf_group_open(struct perf_group *group, const struct sys *sys, int cpu, size_t pages,
		     const struct perf_event_attr *counters, size_t n_counters)
{
	const struct perf_event_attr switches = attr_sampling(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);

	perf_group_open_with(group, sys, cpu, pages, &switches, counters, n_counters);
}

void perf_group_open_with(struct perf_group *group, const struct sys *sys, int cpu, size_t pages,
			  const struct perf_event_attr *switches,
			  const struct perf_event_attr *counters, size_t n_counters)
{
	void *address;

	*group = (struct perf_group){
		.sys = sys,
		.size = (1 + pages) * (size_t)sysconf(_SC_PAGESIZE),
	};
	add_all(group, cpu, true, *switches, counters, n_counters);
	int ring = group->fds[group->switches];
	assert_int_equal(sys_perf_map(sys, ring, group->size, &address), 0);
	group->page = address;
	redirect(group, group->tick, ring);
}

void perf_group_join(struct perf_group *group, const struct perf_group *ring, int cpu,
		     const struct perf_event_attr *counters, size_t n_counters)
{
	*group = (struct perf_group){.sys = ring->sys};
	add_all(group, cpu, false, attr_sampling(PERF_COUNT_SW_CONTEXT_SWITCHES, 1), counters,
		n_counters);
	redirect(group, group->switches, ring->fds[ring->switches]);
	redirect(group, group->tick, ring->fds[ring->switches]);
}

void perf_group_enable(const struct perf_group *group)
{
	assert_int_equal(sys_perf_ioctl(group->sys, group->fds[0], PERF_EVENT_IOC_ENABLE, 0), 0);
}

void perf_group_disable(const struct perf_group *group)
{
	assert_int_equal(sys_perf_ioctl(group->sys, group->fds[0], PERF_EVENT_IOC_DISABLE, 0), 0);
}

void perf_group_period(const struct perf_group *group, uint64_t ns)
{
	assert_int_equal(sys_perf_ioctl(group->sys, group->fds[group->tick], PERF_EVENT_IOC_PERIOD,
					(uintptr_t)&ns),
			 0);
}

void perf_group_close(struct perf_group *group)
{
	if (group->page)
		assert_int_equal(sys_perf_unmap(group->sys, group->page, group->size), 0);
	for (size_t i = group->n; i-- > 0;)
		if (group->fds[i] >= 0)
			assert_int_equal(sys_close(group->sys, group->fds[i]), 0);
}
