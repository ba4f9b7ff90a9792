// SPDX-License-Identifier: MIT
#include "group.h"

#include "record.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>

#define TICK_REST_NS  (1000 * NS_PER_S)
#define TICK_ARMED_NS (100 * NS_PER_US)

static struct perf_event_attr counting_attr(const struct event *event)
{
	struct perf_event_attr attr = event->codes[0].attr;

	attr.size = sizeof(attr);
	attr.read_format = RECORD_READ_FORMAT;
	/* One clock for a whole group, or the kernel refuses it: that of the records. */
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return attr;
}

static struct perf_event_attr sampling_attr(uint64_t config, uint64_t period, size_t ring_bytes)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = period,
		.sample_type = RECORD_SAMPLE_TYPE,
		.read_format = RECORD_READ_FORMAT,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		/* Waking a reader per record costs 20 times what a switch does. */
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(ring_bytes / 2),
	};
}

static struct perf_event_attr member_attr(const struct event_set *events,
					  const struct plan_group *plan, int member,
					  size_t ring_bytes)
{
	struct perf_event_attr attr;

	switch (member) {
	case PLAN_SWITCH:
		attr = sampling_attr(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, ring_bytes);
		attr.comm = 1;
		attr.comm_exec = 1;
		attr.task = 1;
		attr.context_switch = plan->switch_records;
		return attr;
	case PLAN_TICK:
		return sampling_attr(PERF_COUNT_SW_CPU_CLOCK, TICK_REST_NS, ring_bytes);
	}
	return counting_attr(&events->items[member]);
}

int group_open(struct group *group, const struct sys *sys, const struct event_set *events,
	       const struct plan_group *plan, int cpu, size_t ring_bytes, size_t *failed)
{
	size_t n = plan->layout.n_values;
	int result;

	*group = (struct group){.sys = sys, .fds = xcalloc(n, sizeof(int))};
	while (group->n < n) {
		int member = plan->members[group->n];
		int leader_fd = group->n > 0 ? group->fds[0] : -1;
		struct perf_event_attr attr = member_attr(events, plan, member, ring_bytes);
		attr.disabled = leader_fd < 0;
		int fd = sys_perf_open(sys, &attr, -1, cpu, leader_fd, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0) {
			*failed = group->n;
			result = fd;
			goto fail;
		}
		group->fds[group->n++] = fd;
		if (member == PLAN_SWITCH)
			group->switch_fd = fd;
		if (member == PLAN_TICK)
			group->tick_fd = fd;
	}
	result = sys_perf_ioctl(sys, group->switch_fd, PERF_EVENT_IOC_ID,
				(uintptr_t)&group->switch_id);
	if (result == 0)
		result = sys_perf_ioctl(sys, group->tick_fd, PERF_EVENT_IOC_ID,
					(uintptr_t)&group->tick_id);
	if (result == 0)
		return 0;
	*failed = plan->layout.switch_value;
fail:
	group_close(group);
	return result;
}

void group_close(struct group *group)
{
	/* Siblings first: a leader that goes turns each of them into a group of its own. */
	while (group->n > 0)
		sys_close(group->sys, group->fds[--group->n]);
	free(group->fds);
	*group = (struct group){0};
}

int group_start(struct group *group)
{
	int result = sys_perf_ioctl(group->sys, group->tick_fd, PERF_EVENT_IOC_SET_OUTPUT,
				    (uintptr_t)group->switch_fd);

	return result < 0 ? result
			  : sys_perf_ioctl(group->sys, group->fds[0], PERF_EVENT_IOC_ENABLE, 0);
}

static int set_tick_period(const struct group *group, uint64_t period_ns)
{
	return sys_perf_ioctl(group->sys, group->tick_fd, PERF_EVENT_IOC_PERIOD,
			      (uintptr_t)&period_ns);
}

int group_arm_tick(const struct group *group)
{
	return set_tick_period(group, TICK_ARMED_NS);
}

int group_disarm_tick(const struct group *group)
{
	return set_tick_period(group, TICK_REST_NS);
}

int group_read_times(const struct group *group, uint64_t *enabled_ns, uint64_t *running_ns)
{
	size_t size = (1 + READING_VALUES + group->n) * sizeof(uint64_t);
	uint64_t *values = xmalloc(size);
	ssize_t length = sys_perf_read(group->sys, group->fds[0], values, size);
	int result = length < 0 ? (int)length : length < (ssize_t)size ? -EBADMSG : 0;

	if (result == 0) {
		*enabled_ns = values[1 + READING_ENABLED_NS];
		*running_ns = values[1 + READING_RUNNING_NS];
	}
	free(values);
	return result;
}

int group_probe(const struct sys *sys, const struct event *event, int cpu)
{
	struct perf_event_attr attr = counting_attr(event);

	attr.disabled = 1;
	int fd = sys_perf_open(sys, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	sys_close(sys, fd);
	return 0;
}
