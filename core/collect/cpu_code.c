// SPDX-License-Identifier: MIT
/*
 * A member of a group that counts gets the ring as its output before its period, and loses its
 * period before the ring. The leader of a group otherwise writes its THROTTLE records to the ring
 * of the switches; meanwhile they are in this one.
 */
#include "core/collect/cpu_code.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Older kernels do not report code of the kernel; some do not grant the kernel's chain. */
static int open_event(const struct sys *sys, struct perf_event_attr attr, pid_t tid, int cpu)
{
	int fd = sys_perf_open(sys, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd == -EINVAL && attr.ksymbol) {
		attr.ksymbol = 0;
		fd = sys_perf_open(sys, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd == -EACCES && attr.sample_period && !attr.exclude_callchain_kernel) {
		attr.exclude_callchain_kernel = 1;
		fd = sys_perf_open(sys, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd;
}

static int open_ring(struct cpu_code *code, enum code_event_source source, pid_t tid,
		     size_t *ring_bytes)
{
	const struct sys *sys = code->sys;
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open_event(sys, code_event_attr(source, 0, *ring_bytes), tid, code->number);

	if (fd < 0)
		return fd;
	int result = ring_map(&code->ring, sys, fd, *ring_bytes);
	while ((result == -EPERM || result == -ENOMEM) && *ring_bytes > page_bytes) {
		*ring_bytes /= 2;
		result = ring_map(&code->ring, sys, fd, *ring_bytes);
	}
	if (result < 0) {
		sys_close(sys, fd);
		code->ring = (struct ring){0};
		return result == -EPERM ? -ENOBUFS : result;
	}
	code->ring_fd = fd;
	return 0;
}

int cpu_code_open(struct cpu_code *code, const struct sys *sys, int number, size_t *ring_bytes)
{
	*code = (struct cpu_code){.sys = sys, .number = number, .ring_fd = -1};
	return open_ring(code, CODE_EVENT_RING, -1, ring_bytes);
}

int cpu_code_open_own(struct cpu_code *code, const struct sys *sys, int number, size_t *ring_bytes)
{
	*code = (struct cpu_code){.sys = sys, .number = number, .ring_fd = -1};
	return open_ring(code, CODE_EVENT_OUTPUT, 0, ring_bytes);
}

static int set_period(const struct cpu_code *code, int fd, uint64_t period)
{
	return sys_perf_ioctl(code->sys, fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period);
}

static int set_output(const struct cpu_code *code, int fd, int output)
{
	return sys_perf_ioctl(code->sys, fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)output);
}

static void stop_member(const struct cpu_code *code, const struct cpu_code_event *member)
{
	set_period(code, member->fd, CODE_PERIOD_OFF);
	set_output(code, member->fd, member->restored_fd);
}

void cpu_code_close(struct cpu_code *code, struct cpu_counters *cpu)
{
	bool attached = cpu && cpu->open && cpu->code_fd == code->ring_fd;

	while (code->n > 0) {
		const struct cpu_code_event *event = &code->events[--code->n];
		if (event->owned)
			sys_close(code->sys, event->fd);
		else if (attached)
			stop_member(code, event);
	}
	if (attached)
		cpu->code_fd = -1;
	free(code->events);
	if (code->ring_fd >= 0) {
		ring_unmap(&code->ring);
		sys_close(code->sys, code->ring_fd);
	}
	*code = (struct cpu_code){.ring_fd = -1};
}

static void add_event(struct cpu_code *code, const struct cpu_code_event *event)
{
	code->events =
		array_reserve(code->events, &code->capacity, code->n + 1, sizeof(*code->events));
	code->events[code->n++] = *event;
}

/* Opens an event with that attr; tid -1: of all tasks. */
static int add_owned(struct cpu_code *code, unsigned event, pid_t tid,
		     const struct perf_event_attr *attr)
{
	struct cpu_code_event added = {.event = event,
				       .owned = true,
				       .has_period = attr->sample_type & PERF_SAMPLE_PERIOD,
				       .is_clock = attr->config == PERF_COUNT_SW_CPU_CLOCK,
				       .tid = tid > 0 ? tid : 0,
				       .period = attr->sample_period,
				       .restored_fd = -1};
	int fd = open_event(code->sys, *attr, tid, code->number);

	if (fd < 0)
		return fd;
	added.fd = fd;
	int result = sys_perf_ioctl(code->sys, fd, PERF_EVENT_IOC_ID, (uintptr_t)&added.id);
	if (result == 0)
		result = set_output(code, fd, code->ring_fd);
	if (result < 0)
		sys_close(code->sys, fd);
	else
		add_event(code, &added);
	return result;
}

int cpu_code_add(struct cpu_code *code, unsigned event, enum code_event_source source,
		 uint64_t period, size_t ring_bytes)
{
	const struct perf_event_attr attr = code_event_attr(source, period, ring_bytes);

	return add_owned(code, event, -1, &attr);
}

int cpu_code_add_thread(struct cpu_code *code, unsigned event, enum code_event_source source,
			pid_t tid, bool user_only, uint64_t period)
{
	struct perf_event_attr attr = code_event_attr(source, period, code->ring.data_bytes);

	attr.exclude_kernel = attr.exclude_callchain_kernel = user_only;
	return add_owned(code, event, tid, &attr);
}

void cpu_code_remove_thread(struct cpu_code *code, pid_t tid)
{
	size_t kept = 0;

	for (size_t i = 0; i < code->n; i++) {
		if (code->events[i].tid == tid)
			sys_close(code->sys, code->events[i].fd);
		else
			code->events[kept++] = code->events[i];
	}
	code->n = kept;
}

bool cpu_code_has_thread(const struct cpu_code *code, pid_t tid)
{
	for (size_t i = 0; i < code->n; i++)
		if (code->events[i].tid == tid)
			return true;
	return false;
}

/* Returns 0, or -errno and the member only counts. */
static int attach_member(struct cpu_code *code, struct cpu_code_event *member, uint64_t period)
{
	int result =
		sys_perf_ioctl(code->sys, member->fd, PERF_EVENT_IOC_ID, (uintptr_t)&member->id);

	if (result == 0)
		result = set_output(code, member->fd, code->ring_fd);
	if (result == 0)
		result = set_period(code, member->fd, period);
	member->period = period;
	if (result < 0)
		stop_member(code, member);
	else
		add_event(code, member);
	return result;
}

/* Whether a member of a group counts an event of the plan, and can sample. */
static bool is_member(const struct counted_group *counted, const struct plan *plan, size_t nth,
		      unsigned event)
{
	int member = plan->groups[counted->index].members[nth];

	return counted->group.code_members >> nth & 1 && plan->counters[member].event == event;
}

bool cpu_code_can_attach(const struct cpu_counters *cpu, const struct plan *plan, unsigned counted)
{
	for (size_t k = 0; k < cpu->n_groups; k++)
		for (size_t i = 0; i < size_min(cpu->groups[k].group.n, 64); i++)
			if (is_member(&cpu->groups[k], plan, i, counted))
				return true;
	return false;
}

size_t cpu_code_attach(struct cpu_code *code, struct cpu_counters *cpu, const struct plan *plan,
		       unsigned counted, unsigned event, uint64_t period)
{
	size_t n = 0;

	for (size_t k = 0; k < cpu->n_groups; k++) {
		const struct group *group = &cpu->groups[k].group;
		for (size_t i = 0; i < size_min(group->n, 64); i++) {
			if (!is_member(&cpu->groups[k], plan, i, counted))
				continue;
			struct cpu_code_event member = {.event = event,
							.fd = group->fds[i],
							.has_period = true,
							.period = period,
							.restored_fd = -1};
			if (i == 0) /* it leads */
				member.restored_fd = cpu_counters_fd(cpu);
			if (attach_member(code, &member, period) == 0)
				n++;
		}
	}
	cpu->code_fd = code->ring_fd;
	return n;
}

void cpu_code_set_period(struct cpu_code *code, unsigned event, uint64_t period)
{
	for (size_t i = 0; i < code->n; i++) {
		struct cpu_code_event *item = &code->events[i];
		if (item->event == event && set_period(code, item->fd, period) == 0)
			item->period = period;
	}
}

void cpu_code_resume(struct cpu_code *code)
{
	for (size_t i = 0; i < code->n; i++) {
		struct cpu_code_event *item = &code->events[i];
		if (!item->throttled_ns)
			continue;
		set_period(code, item->fd, item->period);
		/* Of other events UNTHROTTLE is awaited, for the number of lost samples. */
		if (!item->owned)
			item->throttled_ns = 0;
	}
}

struct cpu_code_event *cpu_code_find(const struct cpu_code *code, uint64_t id)
{
	struct cpu_code_event *shared = NULL;

	for (size_t i = 0; i < code->n; i++) {
		if (code->events[i].id == id)
			return &code->events[i];
		if (!code->events[i].has_period)
			shared = &code->events[i];
	}
	return shared;
}
