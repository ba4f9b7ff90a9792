// SPDX-License-Identifier: MIT
#include "counted_cpu.h"

#include "record.h"

#include <errno.h>

void counted_cpu_init(struct counted_cpu *cpu, const struct sys *sys, struct attrib *attrib,
		      int number, size_t index)
{
	*cpu = (struct counted_cpu){.number = number, .index = index, .sys = sys, .attrib = attrib};
}

int counted_cpu_open(struct counted_cpu *cpu, const struct event_set *events,
		     const struct plan_group *plan, size_t ring_bytes, size_t *failed)
{
	int result =
		group_open(&cpu->group, cpu->sys, events, plan, cpu->number, ring_bytes, failed);

	if (result < 0)
		return result;
	*failed = plan->layout.switch_value;
	result = ring_map(&cpu->ring, cpu->sys, cpu->group.switch_fd, ring_bytes);
	if (result < 0) {
		/* Told apart from a refusal of counters. */
		result = result == -EPERM || result == -ENOMEM ? -ENOBUFS : result;
		goto fail_map;
	}
	attrib_open(cpu->attrib, cpu->index, cpu->group.switch_id, cpu->group.tick_id,
		    sys_now_ns(cpu->sys), &plan->layout);
	result = group_start(&cpu->group);
	if (result < 0)
		goto fail_start;
	cpu->open = true;
	return 0;

fail_start:
	attrib_close(cpu->attrib, cpu->index);
	ring_unmap(&cpu->ring);
fail_map:
	group_close(&cpu->group);
	return result;
}

void counted_cpu_close(struct counted_cpu *cpu)
{
	attrib_close(cpu->attrib, cpu->index);
	if (cpu->open) {
		ring_unmap(&cpu->ring);
		group_close(&cpu->group);
	}
	counted_cpu_init(cpu, cpu->sys, cpu->attrib, cpu->number, cpu->index);
}

bool counted_cpu_drain(struct counted_cpu *cpu, uint64_t until_ns)
{
	struct ring *ring = &cpu->ring;
	const struct perf_event_header *header;
	struct record record;
	uint64_t broken = ring->broken;
	bool ticked = false;

	while (!ticked && (header = ring_peek(ring))) {
		if (record_decode(header, &record) == 0)
			ticked = attrib_record(cpu->attrib, cpu->index, &record) &&
				 record.time_ns >= until_ns;
		ring_consume(ring);
	}
	ring_release(ring);
	/* A LOST that the kernel did not write: whatever was there, an EXIT too, is not known. */
	record = (struct record){.kind = RECORD_LOST, .lost.records = ring->broken - broken};
	if (record.lost.records > 0)
		attrib_record(cpu->attrib, cpu->index, &record);
	return ticked;
}

bool counted_cpu_arm(struct counted_cpu *cpu)
{
	uint64_t now_ns = sys_now_ns(cpu->sys);

	if (group_arm_tick(&cpu->group) < 0)
		return false;
	cpu->armed_ns = now_ns;
	return true;
}

void counted_cpu_disarm(struct counted_cpu *cpu, bool ticked)
{
	group_disarm_tick(&cpu->group);
	cpu->armed_ns = 0;
	cpu->tickless_cuts = ticked ? 0 : cpu->tickless_cuts + 1;
	if (ticked)
		cpu->off_cuts = 0;
}

void counted_cpu_check(struct counted_cpu *cpu)
{
	uint64_t enabled_ns, running_ns;

	if (group_read_times(&cpu->group, &enabled_ns, &running_ns) < 0 ||
	    enabled_ns == cpu->enabled_ns) {
		cpu->dead = true;
		return;
	}
	cpu->off_cuts = running_ns == cpu->running_ns ? cpu->off_cuts + 1 : 0;
	cpu->enabled_ns = enabled_ns;
	cpu->running_ns = running_ns;
}
