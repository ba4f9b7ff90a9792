// SPDX-License-Identifier: MIT
/*
 * What core relies on in perf_event_open and its descriptors: errnos, the layout of a reading, and
 * how groups are enabled, disabled and closed. It runs on every kernel of world.h. For rings see
 * test_contract_records.c.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/world.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <sys/ioctl.h>

struct open_case {
	const char *name;
	int error;
	uint32_t type;
	uint64_t config;
	pid_t pid;
	int cpu;   /* -2: the CPU of this process */
	int group; /* 0: none, 1: a leader, 2: a sibling, 3: not open, 4: a task's leader */
	void (*change)(struct perf_event_attr *attr);
};

static void no_clockid(struct perf_event_attr *attr)
{
	attr->use_clockid = 0;
	attr->clockid = 0;
}

static void bad_clockid(struct perf_event_attr *attr)
{
	attr->clockid = 99;
}

static void small(struct perf_event_attr *attr)
{
	attr->size = 8;
}

static void huge_period(struct perf_event_attr *attr)
{
	attr->sample_period = 1ull << 63;
}

static void bad_sample_type(struct perf_event_attr *attr)
{
	attr->sample_type = 1ull << 40;
}

static void bad_read_format(struct perf_event_attr *attr)
{
	attr->read_format = 1ull << 20;
}

static void pinned(struct perf_event_attr *attr)
{
	attr->pinned = 1;
}

static void precise(struct perf_event_attr *attr)
{
	attr->precise_ip = 2;
}

static void everything_excluded(struct perf_event_attr *attr)
{
	attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
	attr->exclude_idle = attr->exclude_host = attr->exclude_guest = 1;
}

static void breakpoint(struct perf_event_attr *attr)
{
	static int watched;

	attr->bp_type = HW_BREAKPOINT_W;
	attr->bp_addr = (uintptr_t)&watched;
	attr->bp_len = 4;
}

static void breakpoint_of_nothing(struct perf_event_attr *attr)
{
	breakpoint(attr);
	attr->bp_type = HW_BREAKPOINT_EMPTY;
}

static void breakpoint_of_3(struct perf_event_attr *attr)
{
	breakpoint(attr);
	attr->bp_len = 3;
}

#define SW PERF_TYPE_SOFTWARE
static const struct open_case open_cases[] = {
	{"valid", 0, SW, PERF_COUNT_SW_DUMMY, -1, -2, 0, NULL},
	{"of a task", 0, SW, PERF_COUNT_SW_DUMMY, 0, -1, 0, NULL},
	{"of a task on a CPU", 0, SW, PERF_COUNT_SW_DUMMY, 0, -2, 0, NULL},
	{"sibling", 0, SW, PERF_COUNT_SW_DUMMY, -1, -2, 1, NULL},
	{"no hardware", -ENOENT, PERF_TYPE_HARDWARE, 0, -1, -2, 0, NULL},
	{"no cache", -ENOENT, PERF_TYPE_HW_CACHE, 0, -1, -2, 0, NULL},
	{"no raw", -ENOENT, PERF_TYPE_RAW, 0x3c, -1, -2, 0, NULL},
	{"no such type", -ENOENT, 99, 0, -1, -2, 0, NULL},
	{"no such software event", -ENOENT, SW, 99, -1, -2, 0, NULL},
	{"no such process", -ESRCH, SW, 0, 4194303, -1, 0, NULL},
	{"neither task nor CPU", -EINVAL, SW, 0, -1, -1, 0, NULL},
	{"no such CPU", -EINVAL, SW, 0, -1, 100000, 0, NULL},
	{"no such CPU for unknown event", -EINVAL, 99, 0, -1, 100000, 0, NULL},
	{"sibling of a sibling", -EINVAL, SW, 0, -1, -2, 2, NULL},
	{"group is no descriptor", -EBADF, SW, 0, -1, -2, 3, NULL},
	{"group of a task", -EINVAL, SW, 0, -1, -2, 4, NULL},
	{"sibling with another clock", -EINVAL, SW, 0, -1, -2, 1, no_clockid},
	{"another clock", 0, SW, 0, -1, -2, 0, no_clockid},
	{"no such clock", -EINVAL, SW, 0, -1, -2, 0, bad_clockid},
	{"pinned sibling", -EINVAL, SW, 0, -1, -2, 1, pinned},
	{"attr too small", -E2BIG, SW, 0, -1, -2, 0, small},
	{"period of 2^63", -EINVAL, SW, 0, -1, -2, 0, huge_period},
	{"unknown sample_type", -EINVAL, SW, 0, -1, -2, 0, bad_sample_type},
	{"unknown read_format", -EINVAL, SW, 0, -1, -2, 0, bad_read_format},
	{"precise software event", 0, SW, 0, -1, -2, 0, precise},
	{"everything excluded", 0, SW, 0, -1, -2, 0, everything_excluded},
	{"no such tracepoint", -EINVAL, PERF_TYPE_TRACEPOINT, 99999999, -1, -2, 0, NULL},
	{"breakpoint of nothing", -EINVAL, PERF_TYPE_BREAKPOINT, 0, -1, -2, 0,
	 breakpoint_of_nothing},
	{"breakpoint of 3 bytes", -EINVAL, PERF_TYPE_BREAKPOINT, 0, -1, -2, 0, breakpoint_of_3},
};

/* The real machine may have a PMU. */
static bool has_pmu(struct world *world)
{
	struct perf_event_attr attr = attr_counting(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	int fd = sys_perf_open(&world->sys, &attr, -1, world->cpu, -1, 0);

	if (fd >= 0)
		sys_close(&world->sys, fd);
	return fd >= 0;
}

static void opening_has_errnos(void **state)
{
	struct world *world = *state;
	struct perf_event_attr dummy = attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int leader = world_open(world, dummy, -1);
	int sibling = world_open(world, dummy, leader);
	int of_task = sys_perf_open(&world->sys, &dummy, 0, -1, -1, 0);
	const int groups[] = {-1, leader, sibling, 1 << 20, of_task};
	bool pmu = has_pmu(world);

	for (size_t i = 0; i < ARRAY_SIZE(open_cases); i++) {
		const struct open_case *row = &open_cases[i];
		struct perf_event_attr attr = attr_counting(row->type, row->config);

		if (pmu && (row->type == PERF_TYPE_HARDWARE || row->type == PERF_TYPE_HW_CACHE ||
			    row->type == PERF_TYPE_RAW))
			continue;
		if (row->change)
			row->change(&attr);
		int fd = sys_perf_open(&world->sys, &attr, row->pid,
				       row->cpu == -2 ? world->cpu : row->cpu, groups[row->group],
				       0);
		if (fd >= 0)
			assert_int_equal(sys_close(&world->sys, fd), 0);
		if ((fd < 0 ? fd : 0) != row->error)
			fail_msg("%s: %d instead of %d", row->name, fd, row->error);
		if (row->error == -E2BIG && attr.size < PERF_ATTR_SIZE_VER0)
			fail_msg("%s: the kernel does not return its size", row->name);
	}
	sys_close(&world->sys, of_task);
	sys_close(&world->sys, sibling);
	sys_close(&world->sys, leader);
	assert_int_equal(sys_close(&world->sys, leader), -EBADF);
}

/* For x86; other architectures have other numbers. */
static void a_cpu_has_four_breakpoints(void **state)
{
	struct world *world = *state;
	struct perf_event_attr attr = attr_counting(PERF_TYPE_BREAKPOINT, 0);
	int fds[5], n = 0;

#if !defined(__x86_64__)
	if (!world->fk)
		skip();
#endif
	breakpoint(&attr);
	while (n < 5) {
		fds[n] = sys_perf_open(&world->sys, &attr, -1, world->cpu, -1, 0);
		if (fds[n] < 0)
			break;
		n++;
	}
	int error = n < 5 ? fds[n] : 0;
	while (n > 0)
		sys_close(&world->sys, fds[--n]);
	assert_int_equal(error, -ENOSPC);
}

/* The PMU "msr", if there is one. It refuses attrs that software events accept. */
static void msr_has_errnos(void **state)
{
	struct world *world = *state;
	char text[16];
	static const struct {
		const char *name;
		uint64_t config;
		pid_t pid;
		uint64_t period;
		unsigned exclude_guest : 1;
		bool grouped;
		int error;
	} rows[] = {
		{"tsc", 0, -1, 0, 0, false, 0},
		{"tsc of a task", 0, 0, 0, 0, false, 0},
		{"tsc with software", 0, -1, 0, 0, true, 0},
		{"tsc without guests", 0, -1, 0, 1, false, -EINVAL},
		{"tsc sampling", 0, -1, 1000, 0, false, -EINVAL},
		{"no such register", 99, -1, 0, 0, false, -EINVAL},
	};

	if (sys_file_read(&world->sys, "/sys/bus/event_source/devices/msr/type", text,
			  sizeof(text)) < 0)
		skip();
	uint32_t type = (uint32_t)strtoul(text, NULL, 10);
	int leader = world_open(world, attr_counting(SW, PERF_COUNT_SW_DUMMY), -1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = attr_counting(type, rows[i].config);

		attr.sample_period = rows[i].period;
		attr.exclude_guest = rows[i].exclude_guest;
		int fd = sys_perf_open(&world->sys, &attr, rows[i].pid,
				       rows[i].pid < 0 ? world->cpu : -1,
				       rows[i].grouped ? leader : -1, 0);
		if ((fd < 0 ? fd : 0) != rows[i].error)
			fail_msg("%s: %d", rows[i].name, fd);
		if (fd < 0)
			continue;
		/* In a running group of software events it does not start: it has another PMU. */
		sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_DISABLE, 0);
		sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_ENABLE, 0);
		size_t at = rows[i].grouped;
		uint64_t before = reading_take(&world->sys, fd).values[at];
		me_spins(world, 10000);
		assert_true(reading_take(&world->sys, fd).values[at] > before);
		sys_close(&world->sys, fd);
	}
	sys_close(&world->sys, leader);
}

static void ioctls_have_errnos(void **state)
{
	struct world *world = *state;
	struct perf_group group;
	struct perf_event_attr lone_attr = attr_sampling(PERF_COUNT_SW_DUMMY, 1);
	struct perf_event_attr local_attr = lone_attr;
	uint64_t zero = 0, huge = 1ull << 63, one = 1;

	world_group(world, 1, &group);
	no_clockid(&local_attr);
	int lone = world_open(world, lone_attr, -1);
	int bare = world_open(world, lone_attr, -1);
	int local = world_open(world, local_attr, -1);
	const struct {
		const char *name;
		int fd;
		unsigned long request;
		uintptr_t argument;
		int error;
	} rows[] = {
		{"period 0", lone, PERF_EVENT_IOC_PERIOD, (uintptr_t)&zero, -EINVAL},
		{"period 2^63", lone, PERF_EVENT_IOC_PERIOD, (uintptr_t)&huge, -EINVAL},
		{"period 1", lone, PERF_EVENT_IOC_PERIOD, (uintptr_t)&one, 0},
		{"period NULL", lone, PERF_EVENT_IOC_PERIOD, 0, -EFAULT},
		{"period of a counter", group.fds[LEADER], PERF_EVENT_IOC_PERIOD, (uintptr_t)&one,
		 -EINVAL},
		{"no such ioctl", lone, _IO('$', 99), 0, -ENOTTY},
		{"no such type", lone, _IO('x', 0), 0, -ENOTTY},
		{"bad descriptor", 1 << 20, PERF_EVENT_IOC_ENABLE, 0, -EBADF},
		{"output to no ring", lone, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)bare, -EINVAL},
		{"output to itself", lone, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)lone, -EINVAL},
		{"output to nothing", lone, PERF_EVENT_IOC_SET_OUTPUT, 1 << 20, -EBADF},
		{"output of another clock", local, PERF_EVENT_IOC_SET_OUTPUT,
		 (uintptr_t)group.fds[SWITCHES], -EINVAL},
		{"output of a mapped one", group.fds[SWITCHES], PERF_EVENT_IOC_SET_OUTPUT,
		 (uintptr_t)bare, -EINVAL},
		{"output to a ring", lone, PERF_EVENT_IOC_SET_OUTPUT,
		 (uintptr_t)group.fds[SWITCHES], 0},
		{"output by way of another", bare, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)lone, 0},
		{"output to none", lone, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)-1, 0},
		{"enable twice", group.fds[LEADER], PERF_EVENT_IOC_ENABLE, 0, 0},
		{"enable twice", group.fds[LEADER], PERF_EVENT_IOC_ENABLE, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int result =
			sys_perf_ioctl(&world->sys, rows[i].fd, rows[i].request, rows[i].argument);

		if (result != rows[i].error)
			fail_msg("%s: %d instead of %d", rows[i].name, result, rows[i].error);
	}
	sys_close(&world->sys, local);
	sys_close(&world->sys, bare);
	sys_close(&world->sys, lone);
	perf_group_close(&group);
}

static void maps_have_errnos(void **state)
{
	struct world *world = *state;
	struct perf_event_attr attr = attr_sampling(PERF_COUNT_SW_DUMMY, 1);
	struct perf_group group;
	void *address, *again;

	world_group(world, 4, &group);
	int fd = world_open(world, attr, -1);
	const struct {
		const char *name;
		int fd;
		size_t pages;
		int error;
	} rows[] = {
		{"3 data pages", fd, 4, -EINVAL},
		{"6 data pages", fd, 7, -EINVAL},
		{"redirected, another size", group.fds[TICK], 3, -EINVAL},
		{"mapped, another size", group.fds[SWITCHES], 3, -EINVAL},
		{"bad descriptor", 1 << 20, 2, -EBADF},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int result = sys_perf_map(&world->sys, rows[i].fd, rows[i].pages * world->page_size,
					  &address);

		if (result != rows[i].error)
			fail_msg("%s: %d instead of %d", rows[i].name, result, rows[i].error);
	}
	assert_int_equal(sys_perf_map(&world->sys, group.fds[SWITCHES], group.size, &again), 0);
	assert_int_equal(sys_perf_unmap(&world->sys, again, group.size), 0);
	assert_int_equal(sys_perf_map(&world->sys, fd, world->page_size, &address), 0);
	assert_int_equal(sys_perf_unmap(&world->sys, address, world->page_size), 0);
	sys_close(&world->sys, fd);
	assert_int_equal(group.page->data_offset, world->page_size);
	assert_int_equal(group.page->data_size, 4 * world->page_size);
	perf_group_close(&group);
}

static void readings_have_the_layout_of_read_format(void **state)
{
	struct world *world = *state;
	static const struct {
		const char *name;
		uint64_t format;
		size_t words; /* of a leader with one sibling */
	} rows[] = {
		{"value", 0, 1},
		{"enabled", PERF_FORMAT_TOTAL_TIME_ENABLED, 2},
		{"times", READER_READ_FORMAT & ~PERF_FORMAT_GROUP, 3},
		{"times and id", (READER_READ_FORMAT & ~PERF_FORMAT_GROUP) | PERF_FORMAT_ID, 4},
		{"group", PERF_FORMAT_GROUP, 3},
		{"group and times", READER_READ_FORMAT, 5},
		{"group, times and ids", READER_READ_FORMAT | PERF_FORMAT_ID, 7},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr =
			attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
		uint64_t values[16] = {0}, id;

		attr.read_format = rows[i].format;
		int leader = world_open(world, attr, -1);
		int sibling = world_open(world, attr, leader);
		me_spins(world, 50000);
		ssize_t size = sys_perf_read(&world->sys, leader, values, sizeof(values));
		if (size != (ssize_t)(rows[i].words * 8))
			fail_msg("%s: %zd bytes", rows[i].name, size);
		assert_int_equal(sys_perf_read(&world->sys, leader, values, (size_t)size - 8),
				 -ENOSPC);
		bool group = rows[i].format & PERF_FORMAT_GROUP;
		assert_true(group ? values[0] == 2 : values[0] >= 50000);
		sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_ID, (uintptr_t)&id);
		if (rows[i].format & PERF_FORMAT_ID)
			assert_int_equal(values[group ? 4 : 3], id);
		/* A sibling with PERF_FORMAT_GROUP reads the whole group. */
		assert_int_equal(sys_perf_read(&world->sys, sibling, values, sizeof(values)), size);
		sys_close(&world->sys, sibling);
		sys_close(&world->sys, leader);
	}
}

static void a_leader_switches_its_group_on_and_off(void **state)
{
	struct world *world = *state;
	struct perf_group group;

	world_group(world, 4, &group);
	me_sleeps(world);
	struct reading off = reading_take(&world->sys, group.fds[LEADER]);
	assert_int_equal(off.nr, MEMBERS);
	assert_int_equal(off.enabled_ns, 0);
	assert_int_equal(off.values[SWITCHES], 0);

	perf_group_enable(&group);
	me_sleeps(world);
	me_spins(world, 100000);
	struct reading on = reading_take(&world->sys, group.fds[LEADER]);
	assert_true(on.enabled_ns >= 100000);
	assert_int_equal(on.running_ns, on.enabled_ns);
	assert_true(on.values[SWITCHES] >= 2);
	assert_true(on.values[TICK] >= 100000);

	sys_perf_ioctl(&world->sys, group.fds[LEADER], PERF_EVENT_IOC_DISABLE, 0);
	struct reading then = reading_take(&world->sys, group.fds[LEADER]);
	me_sleeps(world);
	struct reading later = reading_take(&world->sys, group.fds[LEADER]);
	assert_memory_equal(&then, &later, sizeof(then));

	sys_perf_ioctl(&world->sys, group.fds[LEADER], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	struct reading reset = reading_take(&world->sys, group.fds[LEADER]);
	assert_int_equal(reset.values[SWITCHES], 0);
	assert_int_equal(reset.values[TICK], 0);
	assert_int_equal(reset.enabled_ns, later.enabled_ns);
	perf_group_close(&group);
}

/*
 * A sibling that is opened or enabled in a group that already counts. In a group of software events
 * it starts only if it is of its leader's kind (Linux 6.2 and later).
 */
static void late_siblings_start_with_their_group(void **state)
{
	struct world *world = *state;
	static const uint64_t configs[] = {PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
					   PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_DUMMY};

	if (world->version < (6 << 8 | 2))
		skip();
	for (size_t l = 0; l < 4; l++) {
		for (size_t s = 0; s < 6; s++) {
			struct perf_event_attr attr = attr_counting(PERF_TYPE_SOFTWARE, configs[l]);
			struct perf_event_attr late =
				attr_counting(PERF_TYPE_SOFTWARE, configs[s % 3]);
			bool same = configs[s % 3] == configs[l] || (s % 3 == 2 && l == 3);
			int sibling;

			attr.disabled = 1;
			late.disabled = s >= 3;
			int leader = world_open(world, attr, -1);
			if (late.disabled)
				sibling = world_open(world, late, leader);
			sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_ENABLE, 0);
			if (!late.disabled)
				sibling = world_open(world, late, leader);
			else
				sys_perf_ioctl(&world->sys, sibling, PERF_EVENT_IOC_ENABLE, 0);
			me_sleeps(world);
			me_spins(world, 20000);
			if ((reading_take(&world->sys, leader).values[1] > 0) != same)
				fail_msg("leader %zu, sibling %zu: counts %s", l, s,
					 same ? "not" : "unexpectedly");
			sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_DISABLE, 0);
			sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_ENABLE, 0);
			me_sleeps(world);
			me_spins(world, 20000);
			assert_true(reading_take(&world->sys, leader).values[1] > 0);
			sys_close(&world->sys, sibling);
			sys_close(&world->sys, leader);
		}
	}
}

static void closing_a_leader_frees_its_siblings(void **state)
{
	struct world *world = *state;
	struct reader_record record;
	struct perf_group group;

	world_group(world, 4, &group);
	perf_group_enable(&group);
	me_sleeps(world);
	sys_close(&world->sys, group.fds[LEADER]);
	group.fds[LEADER] = -1;
	struct reading before = reading_take(&world->sys, group.fds[SWITCHES]);
	assert_int_equal(before.nr, 1);
	reader_all(group.page, NULL, 0);
	me_sleeps(world);
	struct reading after = reading_take(&world->sys, group.fds[SWITCHES]);
	assert_true(after.values[0] >= before.values[0] + 2);
	assert_true(after.running_ns > before.running_ns);
	assert_true(reader_next(group.page, &record));
	assert_int_equal(record.nr, 1);

	/* While the ring is mapped, its event counts after the descriptor is closed. */
	sys_close(&world->sys, group.fds[SWITCHES]);
	group.fds[SWITCHES] = -1;
	reader_all(group.page, NULL, 0);
	me_sleeps(world);
	assert_true(reader_next(group.page, &record));
	perf_group_close(&group);
}

static void unmapping_a_ring_ends_the_output_of_all(void **state)
{
	struct world *world = *state;
	struct perf_group group;
	void *address;

	world_group(world, 4, &group);
	perf_group_enable(&group);
	sys_perf_unmap(&world->sys, group.page, group.size);
	group.page = NULL;
	uint64_t before = reading_take(&world->sys, group.fds[LEADER]).values[SWITCHES];
	me_sleeps(world);
	assert_true(reading_take(&world->sys, group.fds[LEADER]).values[SWITCHES] >= before + 2);
	/* The tick, which wrote to that ring, can have its own ring now. */
	assert_int_equal(sys_perf_map(&world->sys, group.fds[TICK], group.size, &address), 0);
	group.page = address;
	assert_int_equal(reader_used(group.page), 0);
	perf_group_close(&group);
}

static void counters_of_a_task_count_that_task(void **state)
{
	struct world *world = *state;
	struct perf_event_attr attr = attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	struct perf_event_attr switches =
		attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);

	attr.disabled = 1;
	int leader = sys_perf_open(&world->sys, &attr, 0, -1, -1, 0);
	int sibling = sys_perf_open(&world->sys, &switches, 0, -1, leader, 0);
	assert_true(leader >= 0 && sibling >= 0);
	sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_ENABLE, 0);
	struct reading start = reading_take(&world->sys, leader);
	me_spins(world, 100000);
	struct reading spun = reading_take(&world->sys, leader);
	assert_true(spun.values[0] - start.values[0] >= 100000);
	uint64_t began_ns = sys_now_ns(&world->sys);
	for (int i = 0; i < 50; i++)
		me_sleeps(world);
	struct reading slept = reading_take(&world->sys, leader);
	uint64_t took_ns = sys_now_ns(&world->sys) - began_ns;
	assert_true(slept.values[1] >= spun.values[1] + 50);
	/* While the task sleeps, neither the clock nor enabled ns grows: 50 x 20 us. */
	assert_true(slept.enabled_ns - spun.enabled_ns + 50 * 20000 <= took_ns);
	sys_close(&world->sys, sibling);
	sys_close(&world->sys, leader);
}

int main(void)
{
	static const struct world_case cases[] = {
		{WORLD_CASE(opening_has_errnos)},
		{WORLD_CASE(a_cpu_has_four_breakpoints)},
		{WORLD_CASE(msr_has_errnos)},
		{WORLD_CASE(ioctls_have_errnos)},
		{WORLD_CASE(maps_have_errnos)},
		{WORLD_CASE(readings_have_the_layout_of_read_format)},
		{WORLD_CASE(a_leader_switches_its_group_on_and_off)},
		{WORLD_CASE(late_siblings_start_with_their_group)},
		{WORLD_CASE(closing_a_leader_frees_its_siblings)},
		{WORLD_CASE(unmapping_a_ring_ends_the_output_of_all)},
		{WORLD_CASE(counters_of_a_task_count_that_task)},
	};

	return world_run("contract: open", cases, ARRAY_SIZE(cases));
}
