// SPDX-License-Identifier: MIT
/*
 * What core relies on to sample code beside counting: a member of a group that was opened with a
 * period out of reach counts as any other, and samples once it has a ring and a period. It runs on
 * every kernel of world.h, so a clock is in the place of a hardware event. Records are read with
 * core/perf/code_record, whose layouts are compared with the kernel's here.
 */
#include "core/base/util.h"
#include "core/perf/code_event.h"
#include "core/perf/code_record.h"
#include "core/perf/ring.h"
#include "tests/fake_kernel/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

enum { RING_PAGES = 64, FAULTS = 200, FAULTS_PERIOD = 10 };
#define PERIOD_NS (100 * NS_PER_US)

struct code {
	struct world *world;
	int ring_fd;
	struct ring ring;
};

static void code_open(struct code *code, struct world *world)
{
	size_t bytes = RING_PAGES * world->page_size;

	code->world = world;
	code->ring_fd = world_open(world, code_event_attr(CODE_EVENT_RING, 0, bytes), -1);
	assert_int_equal(ring_map(&code->ring, &world->sys, code->ring_fd, bytes), 0);
}

static void code_close(struct code *code)
{
	ring_unmap(&code->ring);
	sys_close(&code->world->sys, code->ring_fd);
}

static int control(const struct code *code, int fd, unsigned long request, uint64_t argument)
{
	return request == PERF_EVENT_IOC_PERIOD
		       ? sys_perf_ioctl(&code->world->sys, fd, request, (uintptr_t)&argument)
		       : sys_perf_ioctl(&code->world->sys, fd, request, (uintptr_t)argument);
}

static void check_sample(const struct code_sample *sample)
{
	assert_true(sample->n_chain >= 2);
	assert_true(sample->chain[0] >= (uint64_t)PERF_CONTEXT_MAX);
	assert_int_equal(sample->chain[0] == (uint64_t)PERF_CONTEXT_KERNEL, sample->kernel);
	assert_int_equal(sample->chain[1], sample->ip);
}

/* Consumes the ring. Returns how many samples of "me" have this id. */
static size_t samples_of(struct code *code, uint64_t id, bool has_period, uint64_t weight)
{
	const struct perf_event_header *header;
	size_t n = 0;

	for (; (header = ring_peek(&code->ring)); ring_consume(&code->ring)) {
		struct code_sample sample;
		struct code_record record;
		if (header->type != PERF_RECORD_SAMPLE) {
			assert_int_equal(code_record_decode(header, &record), 0);
			continue;
		}
		assert_int_equal(code_sample_decode(header, has_period, &sample), 0);
		assert_int_equal(code_record_id(header), id);
		assert_int_equal(sample.weight, weight);
		if (sample.pid != code->world->me)
			continue;
		check_sample(&sample);
		n++;
	}
	ring_release(&code->ring);
	return n;
}

static uint64_t id_of(const struct code *code, int fd)
{
	uint64_t id = 0;

	assert_int_equal(sys_perf_ioctl(&code->world->sys, fd, PERF_EVENT_IOC_ID, (uintptr_t)&id),
			 0);
	return id;
}

/* Begins and ends to sample, `rounds` times, in a group with a second clock that only counts. */
static void members_sample_on_request(void **state)
{
	struct world *world = *state;
	struct perf_event_attr counting =
		attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr attr = counting;
	struct code code;

	code_open(&code, world);
	code_event_add_sampling(&attr);
	int leader = world_open(world, attr, -1), sibling = world_open(world, attr, leader);
	int counter = world_open(world, counting, leader);
	for (int round = 0; round < 3; round++) {
		int member = round % 2 ? leader : sibling;
		me_spins(world, 3 * NS_PER_MS);
		assert_int_equal(samples_of(&code, 0, true, 0), 0);
		struct reading before = reading_take(&world->sys, leader);
		assert_int_equal(before.nr, 3);
		assert_int_equal(
			control(&code, member, PERF_EVENT_IOC_SET_OUTPUT, (uint64_t)code.ring_fd),
			0);
		assert_int_equal(control(&code, member, PERF_EVENT_IOC_PERIOD, PERIOD_NS), 0);
		me_spins(world, 20 * PERIOD_NS);
		assert_int_equal(control(&code, member, PERF_EVENT_IOC_PERIOD, CODE_PERIOD_OFF), 0);
		assert_int_equal(control(&code, member, PERF_EVENT_IOC_SET_OUTPUT, UINT64_MAX), 0);
		struct reading after = reading_take(&world->sys, leader);
		/* The weight of a clock stays as it was opened. */
		size_t n = samples_of(&code, id_of(&code, member), true, CODE_PERIOD_OFF);
		assert_true(n >= 10);
		/* The clocks of the group have not stopped: all have the same time. */
		for (size_t i = 0; i < 3; i++) {
			uint64_t ns = after.values[i] - before.values[i];
			assert_true(ns >= 20 * PERIOD_NS);
			assert_true(ns <= after.enabled_ns - before.enabled_ns + NS_PER_MS);
		}
	}
	sys_close(&world->sys, counter);
	sys_close(&world->sys, sibling);
	sys_close(&world->sys, leader);
	code_close(&code);
}

static void counters_never_sample(void **state)
{
	struct world *world = *state;
	struct code code;

	code_open(&code, world);
	int fd = world_open(world, attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK), -1);
	assert_int_equal(control(&code, fd, PERF_EVENT_IOC_PERIOD, PERIOD_NS), -EINVAL);
	sys_close(&world->sys, fd);
	code_close(&code);
}

static void me_faults(const struct world *world)
{
	if (world->fk) {
		for (int i = 0; i < FAULTS; i++)
			fk_fault(world->fk, world->cpu, false);
		return;
	}
	size_t bytes = FAULTS * world->page_size;
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < FAULTS; i++)
		((volatile char *)memory)[i * world->page_size] = 1;
	munmap(memory, bytes);
}

/* With PERIOD each event is a sample, with a weight of 1, so page faults have no PERIOD. */
static void software_events_have_no_period(void **state)
{
	struct world *world = *state;

	for (int has_period = 0; has_period < 2; has_period++) {
		struct perf_event_attr attr = code_event_attr(CODE_EVENT_FAULTS, FAULTS_PERIOD, 0);
		struct code code;
		code_open(&code, world);
		if (has_period)
			attr.sample_type |= PERF_SAMPLE_PERIOD;
		int fd = world_open(world, attr, -1);
		assert_int_equal(
			control(&code, fd, PERF_EVENT_IOC_SET_OUTPUT, (uint64_t)code.ring_fd), 0);
		me_faults(world);
		uint64_t id = id_of(&code, fd);
		sys_close(&world->sys, fd);
		size_t n = samples_of(&code, id, has_period, has_period);
		assert_true(has_period ? n >= FAULTS
				       : n >= FAULTS / FAULTS_PERIOD - 1 && n <= FAULTS / 2);
		code_close(&code);
	}
}

int main(void)
{
	static const struct world_case cases[] = {
		{WORLD_CASE(members_sample_on_request)},
		{WORLD_CASE(counters_never_sample)},
		{WORLD_CASE(software_events_have_no_period)},
	};

	return world_run("contract: code", cases, ARRAY_SIZE(cases));
}
