// SPDX-License-Identifier: MIT
/*
 * A group of a CPU has two sampling members in addition to its counters: the switch event and the
 * tick. Each of their samples has the reading of the whole group. A group of a task only counts.
 */
#include "core/perf/group.h"

#include "core/base/util.h"
#include "core/perf/code_event.h"
#include "core/perf/record.h"
#include "core/perf/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#define TICK_REST_NS  (1000 * NS_PER_S)
#define TICK_ARMED_NS (100 * NS_PER_US)

struct perf_event_attr group_counting_attr(const struct event_code *code)
{
	struct perf_event_attr attr = code->attr;

	attr.size = sizeof(attr);
	attr.read_format = RECORD_READ_FORMAT;
	attr.precise_ip = 0; /* the kernel refuses it for an event that only counts */
	/* The clock of the records. The kernel refuses a group with two clocks. */
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
		/* Waking the reader at each record costs 20 times as much as a switch. */
		.watermark = 1,
		.wakeup_watermark = (uint32_t)ring_wake_bytes(ring_bytes),
	};
}

struct perf_event_attr group_switch_attr(const struct switch_event *switches, size_t ring_bytes)
{
	struct perf_event_attr attr = sampling_attr(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, ring_bytes);
	const struct switch_format *format = switch_event_format(switches);

	if (!format)
		return attr;
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = format->id;
	attr.sample_type |= PERF_SAMPLE_RAW;
	return attr;
}

struct perf_event_attr group_waking_attr(const struct switch_event *switches, size_t ring_bytes)
{
	struct perf_event_attr attr = group_switch_attr(switches, ring_bytes);

	attr.config = switches->waking_format.id;
	return attr;
}

/* An event that makes records but no samples. Its few records do not wake the reader. */
static struct perf_event_attr record_attr(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_COUNT_SW_DUMMY, 0, 0);

	attr.watermark = 0;
	return attr;
}

struct perf_event_attr group_switch_record_attr(void)
{
	struct perf_event_attr attr = record_attr();

	attr.context_switch = 1;
	return attr;
}

struct perf_event_attr group_life_record_attr(void)
{
	struct perf_event_attr attr = record_attr();

	attr.comm = 1;
	attr.comm_exec = 1;
	attr.task = 1;
	return attr;
}

struct perf_event_attr group_member_attr(const struct event_set *events, const struct plan *plan,
					 unsigned index, int member,
					 const struct group_place *place)
{
	const struct plan_group *group = &plan->groups[index];
	struct perf_event_attr attr;

	switch (member) {
	case PLAN_SWITCH:
		attr = group_switch_attr(place->switches, place->ring_bytes);
		/* One event a ring makes the COMM, FORK and EXIT records. */
		attr.comm = group->layout.clock;
		attr.comm_exec = group->layout.clock;
		attr.task = group->layout.clock;
		return attr;
	case PLAN_TICK:
		return sampling_attr(PERF_COUNT_SW_CPU_CLOCK, TICK_REST_NS, place->ring_bytes);
	case PLAN_PAD:
		/* It counts nothing, so it needs no permission for kernel mode. */
		return group_counting_attr(
			&(struct event_code){.attr = {.type = PERF_TYPE_SOFTWARE,
						      .config = PERF_COUNT_SW_DUMMY,
						      .exclude_kernel = plan->per_task,
						      .exclude_hv = plan->per_task}});
	}
	const struct plan_counter *counter = &plan->counters[member];
	return group_counting_attr(&events->items[counter->event].codes[counter->code]);
}

static int fd_id(const struct group *group, int fd, uint64_t *id)
{
	return sys_perf_ioctl(group->sys, fd, PERF_EVENT_IOC_ID, (uintptr_t)id);
}

int group_id(const struct group *group, size_t member, uint64_t *id)
{
	return fd_id(group, group->fds[member], id);
}

/*
 * From Linux 6.16 on a throttled member stops its whole group, and only the leader makes a THROTTLE
 * record (seen on 7.2). The record ends with the same trailer as others.
 */
static void request_throttle_records(struct perf_event_attr *leader)
{
	leader->sample_type |= RECORD_SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_READ;
	leader->sample_id_all = 1;
}

/* Whether a member is to sample code when it is requested. */
static bool is_code_member(const struct plan *plan, int member, size_t nth,
			   const struct group_place *place)
{
	if (member < 0 || nth >= 64)
		return false;
	for (size_t i = 0; i < place->n_code_events; i++)
		if (place->code_events[i] == plan->counters[member].event)
			return true;
	return false;
}

/* Some PMUs have no interrupts, some events are refused if they sample. */
static bool is_refused_sampling(int answer)
{
	return answer < 0 && answer != -EMFILE && answer != -ENFILE && answer != -ENODEV;
}

/* Opens the next member. Returns its descriptor or -errno. */
static int open_member(struct group *group, const struct plan *plan, int member,
		       const struct group_place *place, const struct perf_event_attr *counting)
{
	int leader_fd = group->n > 0 ? group->fds[0] : -1;
	struct perf_event_attr attr = *counting;

	if (is_code_member(plan, member, group->n, place)) {
		code_event_add_sampling(&attr);
		int fd = sys_perf_open(group->sys, &attr, place->tid, place->cpu, leader_fd,
				       PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			group->code_members |= UINT64_C(1) << group->n;
		if (!is_refused_sampling(fd))
			return fd;
		attr = *counting;
	}
	return sys_perf_open(group->sys, &attr, place->tid, place->cpu, leader_fd,
			     PERF_FLAG_FD_CLOEXEC);
}

int group_open(struct group *group, const struct sys *sys, const struct event_set *events,
	       const struct plan *plan, unsigned index, const struct group_place *place,
	       size_t *failed)
{
	const struct plan_group *planned = &plan->groups[index];
	size_t n = planned->n_members;
	int result;

	*group = (struct group){.sys = sys, .fds = xcalloc(n, sizeof(int))};
	while (group->n < n) {
		int member = planned->members[group->n];
		struct perf_event_attr attr = group_member_attr(events, plan, index, member, place);
		attr.disabled = group->n == 0;
		attr.inherit = place->inherit;
		attr.enable_on_exec = attr.disabled && place->on_exec;
		if (attr.disabled && !plan->per_task)
			request_throttle_records(&attr);
		int fd = open_member(group, plan, member, place, &attr);
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
		group->samples |= member == PLAN_TICK;
	}
	if (!group->samples)
		return 0;
	result = fd_id(group, group->tick_fd, &group->tick_id);
	if (result == 0)
		result = fd_id(group, group->switch_fd, &group->switch_id);
	if (result == 0)
		return 0;
	*failed = planned->layout.switch_value;
fail:
	group_close(group);
	return result;
}

void group_close(struct group *group)
{
	/* Siblings first: closing a leader makes each sibling a group of its own. */
	while (group->n > 0)
		sys_close(group->sys, group->fds[--group->n]);
	free(group->fds);
	*group = (struct group){0};
}

static int redirect_event(const struct group *group, int fd, int ring_fd)
{
	return fd == ring_fd ? 0
			     : sys_perf_ioctl(group->sys, fd, PERF_EVENT_IOC_SET_OUTPUT,
					      (uintptr_t)ring_fd);
}

int group_redirect(const struct group *group, int ring_fd)
{
	const int fds[] = {group->switch_fd, group->tick_fd, group->fds[0]};
	int result = 0;

	for (size_t i = 0; result == 0 && i < ARRAY_SIZE(fds); i++)
		result = redirect_event(group, fds[i], ring_fd);
	return result;
}

int group_enable(const struct group *group)
{
	return sys_perf_ioctl(group->sys, group->fds[0], PERF_EVENT_IOC_ENABLE, 0);
}

int group_disable(const struct group *group)
{
	return sys_perf_ioctl(group->sys, group->fds[0], PERF_EVENT_IOC_DISABLE, 0);
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

int group_read(const struct group *group, uint64_t *reading)
{
	size_t n = READING_VALUES + group->n, size = (1 + n) * sizeof(uint64_t);
	uint64_t *values = xmalloc(size);
	ssize_t length = sys_perf_read(group->sys, group->fds[0], values, size);
	int result = length < 0 ? (int)length : length < (ssize_t)size ? -EBADMSG : 0;

	if (result == 0)
		memcpy(reading, values + 1, n * sizeof(uint64_t));
	free(values);
	return result;
}
