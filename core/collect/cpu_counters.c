// SPDX-License-Identifier: MIT
/*
 * The first group has the clock, the ticks and the switch event, and is always enabled. Of the
 * other groups one is enabled at a time. Their records go into the ring of the first. Windows
 * disable both.
 */
#include "core/collect/cpu_counters.h"

#include "core/base/util.h"
#include "core/event/code_members.h"

#include <errno.h>
#include <stdlib.h>

enum { CLOCK_READS = 1000 }; /* until a coarse clock has advanced */

void cpu_counters_init(struct cpu_counters *cpu, const struct sys *sys, struct attrib *attrib,
		       const struct switch_event *switches, int number, size_t index,
		       unsigned domain)
{
	*cpu = (struct cpu_counters){
		.number = number,
		.index = index,
		.sys = sys,
		.attrib = attrib,
		.switches = switches,
		.domain = domain,
		.switches_fd = -1,
		.wakings_fd = -1,
		.lives_fd = -1,
		.code_fd = -1,
		.window.share = 1,
	};
}

static int open_groups(struct cpu_counters *cpu, const struct event_set *events,
		       const struct plan *plan, size_t ring_bytes, struct counted_failure *failure)
{
	const struct plan_domain *domain = &plan->domains[cpu->domain];
	unsigned code_events[CODE_MEMBERS_MAX];
	size_t n_code_events = code_members_choose(events, plan, code_events);
	size_t largest = 0;

	cpu->groups = xcalloc(domain->n_groups, sizeof(*cpu->groups));
	for (unsigned k = 0; k < domain->n_groups; k++) {
		struct counted_group *counted = &cpu->groups[k];
		counted->index = domain->first_group + k;
		failure->group = counted->index;
		const struct group_place place = {.tid = -1,
						  .cpu = cpu->number,
						  .ring_bytes = ring_bytes,
						  .switches = cpu->switches,
						  .code_events = code_events,
						  .n_code_events = n_code_events};
		int result = group_open(&counted->group, cpu->sys, events, plan, counted->index,
					&place, &failure->member);
		if (result < 0)
			return result;
		cpu->n_groups++;
		counted->end = xcalloc(READING_VALUES + counted->group.n, sizeof(uint64_t));
		largest = counted->group.n > largest ? counted->group.n : largest;
	}
	cpu->reading = xcalloc(READING_VALUES + largest, sizeof(uint64_t));
	failure->group = domain->first_group;
	failure->member = plan->groups[domain->first_group].layout.switch_value;
	int result = ring_map(&cpu->ring, cpu->sys, cpu_counters_fd(cpu), ring_bytes);
	/* -EPERM would look like a refusal of counters. */
	return result == -EPERM ? -ENOBUFS : result;
}

/*
 * Starts the first group, which is not stopped again. The other groups run for a moment, which
 * shows whether they run at all, and where their counts begin.
 */
static int start_group(struct cpu_counters *cpu, struct counted_group *counted,
		       const struct attrib_layout *layout, bool confirm)
{
	const struct group *group = &counted->group;
	const struct attrib_stream stream = {
		.cpu = cpu->index,
		.tick_id = group->tick_id,
		.layout = layout,
		.switch_id = group->switch_id,
		.format = switch_event_format(cpu->switches),
	};
	uint64_t start_ns = sys_now_ns(cpu->sys);
	int result = layout->clock ? group_redirect(group, cpu_counters_fd(cpu)) : 0;

	if (layout->clock)
		attrib_open(cpu->attrib, &stream, start_ns, NULL);
	if (result == 0)
		result = group_enable(group);
	if (result < 0 || (layout->clock && !confirm))
		return result;
	uint64_t now_ns = sys_now_ns(cpu->sys);
	if (!layout->clock)
		result = group_disable(group);
	if (result == 0)
		result = group_read(group, cpu->reading);
	if (result < 0)
		return result;
	counted->enabled_ns = cpu->reading[READING_ENABLED_NS];
	counted->running_ns = cpu->reading[READING_RUNNING_NS];
	if (confirm && layout->n_hardware > 0 && counted->enabled_ns > 0 &&
	    counted->running_ns == 0)
		return -EUSERS;
	if (layout->clock)
		return 0;
	attrib_open(cpu->attrib, &stream, now_ns, cpu->reading);
	return group_redirect(group, cpu_counters_fd(cpu));
}

static void begin_slice(struct cpu_counters *cpu, const struct counted_group *counted,
			uint64_t weight)
{
	uint64_t start_ns = sys_now_ns(cpu->sys);

	attrib_resume(cpu->attrib, cpu->index, counted->index, start_ns, weight);
	if (cpu->recorder)
		recorder_resume(cpu->recorder, &counted->stream, start_ns, weight);
}

static int begin_turn(struct cpu_counters *cpu, size_t turn, uint64_t weight)
{
	int result = group_enable(&cpu->groups[turn].group);

	begin_slice(cpu, &cpu->groups[turn], weight);
	cpu->turn = turn;
	cpu->next_turn = turn + 1 < cpu->n_groups ? turn + 1 : 1;
	return result;
}

/* Opens an event besides the groups, with its records in the same ring. Returns 0 or -errno. */
static int open_beside(const struct cpu_counters *cpu, struct perf_event_attr attr, int *beside)
{
	int fd = sys_perf_open(cpu->sys, &attr, -1, cpu->number, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return fd;
	int result = sys_perf_ioctl(cpu->sys, fd, PERF_EVENT_IOC_SET_OUTPUT,
				    (uintptr_t)cpu_counters_fd(cpu));
	if (result < 0)
		sys_close(cpu->sys, fd);
	else
		*beside = fd;
	return result;
}

int cpu_counters_open(struct cpu_counters *cpu, const struct event_set *events,
		      const struct plan *plan, size_t ring_bytes, bool confirm,
		      struct counted_failure *failure)
{
	int result = open_groups(cpu, events, plan, ring_bytes, failure);

	for (size_t k = 0; result == 0 && k < cpu->n_groups; k++) {
		struct counted_group *counted = &cpu->groups[k];
		failure->group = counted->index;
		failure->member = plan->groups[counted->index].layout.switch_value;
		result = start_group(cpu, counted, &plan->groups[counted->index].layout, confirm);
	}
	failure->wakings = result == 0 && switch_event_wakings(cpu->switches);
	if (failure->wakings)
		result = open_beside(cpu, group_waking_attr(cpu->switches, ring_bytes),
				     &cpu->wakings_fd);
	failure->wakings &= result < 0;
	/* CPUs begin with different groups, so every group is enabled on some CPU. */
	if (result == 0 && cpu->n_groups > 1)
		result = begin_turn(cpu, 1 + cpu->index % (cpu->n_groups - 1), ATTRIB_WEIGHT_ONE);
	if (result < 0) {
		cpu_counters_close(cpu);
		return result;
	}
	cpu->open = true;
	return 0;
}

void cpu_counters_unrecord(struct cpu_counters *cpu)
{
	for (size_t k = 0; cpu->recorder && k < cpu->n_groups; k++)
		if (cpu->groups[k].stream.samples)
			recorder_drop(cpu->recorder, &cpu->groups[k].stream);
	cpu->recorder = NULL;
	cpu->switches_id = cpu->lives_id = 0;
}

void cpu_counters_close(struct cpu_counters *cpu)
{
	if (cpu->recorder)
		recorder_close(cpu->recorder, cpu->index);
	cpu_counters_unrecord(cpu);
	attrib_close(cpu->attrib, cpu->index);
	ring_unmap(&cpu->ring);
	if (cpu->switches_fd >= 0)
		sys_close(cpu->sys, cpu->switches_fd);
	if (cpu->wakings_fd >= 0)
		sys_close(cpu->sys, cpu->wakings_fd);
	if (cpu->lives_fd >= 0)
		sys_close(cpu->sys, cpu->lives_fd);
	/* In reverse: the other groups' output is the ring of the first. */
	while (cpu->n_groups > 0) {
		struct counted_group *counted = &cpu->groups[--cpu->n_groups];
		group_close(&counted->group);
		free(counted->end);
	}
	free(cpu->groups);
	free(cpu->reading);
	const struct cpu_counters was = *cpu;
	cpu_counters_init(cpu, was.sys, was.attrib, was.switches, was.number, was.index,
			  was.domain);
	cpu->window.share = was.window.share;
	cpu->records = was.records;
	cpu->needs_switches = was.needs_switches;
}

static void arm_group(struct cpu_counters *cpu, size_t k)
{
	uint64_t now_ns = sys_now_ns(cpu->sys);

	if (group_arm_tick(&cpu->groups[k].group) == 0)
		cpu->groups[k].armed_ns = now_ns;
}

void cpu_counters_arm(struct cpu_counters *cpu, bool turn_only)
{
	if (!turn_only)
		arm_group(cpu, 0);
	if (cpu->turn > 0 && cpu->groups[cpu->turn].off_readings < COUNTED_OFF_READINGS)
		arm_group(cpu, cpu->turn);
}

bool cpu_counters_awaits(const struct cpu_counters *cpu)
{
	return cpu->groups[0].armed_ns || cpu->groups[cpu->turn].armed_ns;
}

void counted_group_disarm(struct counted_group *counted)
{
	group_disarm_tick(&counted->group);
	counted->armed_ns = 0;
}

void cpu_counters_disarm(struct cpu_counters *cpu)
{
	if (cpu->groups[0].armed_ns)
		counted_group_disarm(&cpu->groups[0]);
	if (cpu->groups[cpu->turn].armed_ns)
		counted_group_disarm(&cpu->groups[cpu->turn]);
}

bool cpu_counters_enable_switch_records(struct cpu_counters *cpu)
{
	if (!cpu->needs_switches || !cpu->open || cpu->switches_fd >= 0 ||
	    open_beside(cpu, group_switch_record_attr(), &cpu->switches_fd) < 0)
		return false;
	if (cpu->window.shut)
		sys_perf_ioctl(cpu->sys, cpu->switches_fd, PERF_EVENT_IOC_DISABLE, 0);
	return true;
}

static void end_slice(struct cpu_counters *cpu, const struct counted_group *counted,
		      const uint64_t *reading, const struct attrib_runner *runner)
{
	attrib_pause(cpu->attrib, cpu->index, counted->index, reading, runner);
	if (cpu->recorder)
		recorder_pause(cpu->recorder, &counted->stream, reading, runner);
}

static void note_times(struct counted_group *counted, const uint64_t *reading)
{
	bool off = reading[READING_ENABLED_NS] != counted->enabled_ns &&
		   reading[READING_RUNNING_NS] == counted->running_ns;

	counted->off_readings = off ? counted->off_readings + 1 : 0;
	counted->enabled_ns = reading[READING_ENABLED_NS];
	counted->running_ns = reading[READING_RUNNING_NS];
}

void cpu_counters_turn(struct cpu_counters *cpu, const struct attrib_runner *runner)
{
	struct counted_group *counted = &cpu->groups[cpu->turn];

	if (cpu->n_groups <= 2 || cpu->window.share < 1)
		return;
	if (group_disable(&counted->group) < 0 || group_read(&counted->group, cpu->reading) < 0) {
		cpu->dead = true;
		return;
	}
	cpu_counters_drain_all(cpu);
	note_times(counted, cpu->reading);
	/* The thread was moved: it may not have run there when the turn ended. */
	if (runner && sys_current_cpu(cpu->sys) != cpu->number)
		runner = &attrib_unknown;
	end_slice(cpu, counted, cpu->reading, runner);
	cpu->late_turns = 0;
	if (begin_turn(cpu, cpu->next_turn, ATTRIB_WEIGHT_ONE) < 0)
		cpu->dead = true;
}

/*
 * The clock's group never stops. So its enabled time grows between two readings, unless it was
 * dissolved. If the system's clock does not advance either, it counts as alive.
 */
static bool is_dissolved(struct cpu_counters *cpu)
{
	const struct group *group = &cpu->groups[0].group;
	int result = group_read(group, cpu->reading);
	uint64_t enabled_ns = cpu->reading[READING_ENABLED_NS];
	uint64_t began_ns = sys_now_ns(cpu->sys), now_ns = began_ns;

	for (unsigned i = 0; i < CLOCK_READS && now_ns == began_ns; i++)
		now_ns = sys_now_ns(cpu->sys);
	if (result == 0)
		result = group_read(group, cpu->reading);
	return result < 0 || (now_ns != began_ns && cpu->reading[READING_ENABLED_NS] == enabled_ns);
}

void cpu_counters_read_end(struct cpu_counters *cpu)
{
	uint64_t clock_ns = cpu->groups[0].enabled_ns;

	cpu->read_ns[0] = sys_now_ns(cpu->sys);
	/* The first group last: a switch between the two readings is then in the records of both.
	 */
	for (size_t k = cpu->turn;; k = 0) {
		struct counted_group *counted = &cpu->groups[k];
		if (group_read(&counted->group, counted->end) < 0)
			cpu->dead = true;
		else
			note_times(counted, counted->end);
		if (k == 0)
			break;
	}
	cpu->read_ns[1] = sys_now_ns(cpu->sys);
	cpu->dead |= cpu->groups[0].enabled_ns == clock_ns && is_dissolved(cpu);
	cpu->ending = !cpu->dead;
	cpu->doubted = false;
}

unsigned cpu_counters_off(const struct cpu_counters *cpu)
{
	unsigned most = 0;

	for (size_t k = 0; k < cpu->n_groups; k++)
		if (cpu->groups[k].off_readings > most)
			most = cpu->groups[k].off_readings;
	return most;
}

int cpu_counters_begin_windows(struct cpu_counters *cpu)
{
	return cpu->lives_fd >= 0 ? 0 : open_beside(cpu, group_life_record_attr(), &cpu->lives_fd);
}

void cpu_counters_end_windows(struct cpu_counters *cpu)
{
	if (cpu->window.shut)
		cpu_counters_open_window(cpu, ATTRIB_WEIGHT_ONE);
	if (cpu->lives_fd >= 0)
		sys_close(cpu->sys, cpu->lives_fd);
	cpu->lives_fd = -1;
	cpu->lives_id = 0;
}

/* Enables or disables the events that make records only within windows. */
static void request_of_windows(const struct cpu_counters *cpu, unsigned long request)
{
	if (cpu->switches_fd >= 0)
		sys_perf_ioctl(cpu->sys, cpu->switches_fd, request, 0);
	if (cpu->wakings_fd >= 0)
		sys_perf_ioctl(cpu->sys, cpu->wakings_fd, request, 0);
}

void cpu_counters_open_window(struct cpu_counters *cpu, uint64_t weight)
{
	struct counted_group *clock = &cpu->groups[0];

	/* Records up to here belong to the time before the window. */
	cpu_counters_drain_all(cpu);
	request_of_windows(cpu, PERF_EVENT_IOC_ENABLE);
	cpu->dead |= group_enable(&clock->group) < 0;
	begin_slice(cpu, clock, weight);
	if (cpu->n_groups > 1)
		cpu->dead |= begin_turn(cpu, cpu->next_turn, weight) < 0;
	cpu->window.shut = false;
}

void cpu_counters_close_window(struct cpu_counters *cpu, const struct attrib_runner *runner)
{
	struct counted_group *on[] = {&cpu->groups[cpu->turn], &cpu->groups[0]};
	size_t first = cpu->turn > 0 ? 0 : 1;

	for (size_t i = first; i < ARRAY_SIZE(on); i++)
		cpu->dead |= group_disable(&on[i]->group) < 0;
	request_of_windows(cpu, PERF_EVENT_IOC_DISABLE);
	if (runner && sys_current_cpu(cpu->sys) != cpu->number)
		runner = &attrib_unknown;
	cpu_counters_drain_all(cpu);
	for (size_t i = first; i < ARRAY_SIZE(on); i++) {
		uint64_t enabled_ns = on[i]->enabled_ns;
		if (group_read(&on[i]->group, cpu->reading) < 0) {
			cpu->dead = true;
			continue;
		}
		note_times(on[i], cpu->reading);
		/* A group was enabled and its enabled time did not grow: it was dissolved. */
		cpu->dead |= on[i]->enabled_ns == enabled_ns;
		end_slice(cpu, on[i], cpu->reading, runner);
	}
	cpu->window.shut = true;
}
