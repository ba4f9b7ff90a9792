// SPDX-License-Identifier: MIT
/*
 * The fake kernel's events beyond cycles and instructions: raw ones, modifiers, tracepoints,
 * breakpoints and PMUs of devices; and tasks as the caller.
 */
#include "tests/fake_kernel/internal.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/two_tasks.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#define RAWS 14

/* Each ns task 5 makes i + 1 of the raw event 0x100 + i, and 1/2 of other raw events; 6 half. */
static struct fk *raw_tasks_new(const struct fk_config *config)
{
	struct fk *fk = fk_new(config);
	struct fk_spec spec = {.tid = 5, .rates = {[FK_RAW] = {1, 2}, [FK_CYCLES] = {3, 1}}};

	for (uint32_t i = 0; i < RAWS; i++)
		spec.raws[i] = (struct fk_raw){0x100 + i, {i + 1, 1}};
	fk_task(fk, &spec);
	spec.tid = 6;
	for (uint32_t i = 0; i < RAWS; i++)
		spec.raws[i].rate.den = 2;
	fk_task(fk, &spec);
	return fk;
}

static void raw_events_have_counts_of_their_own(void **state)
{
	(void)state;
	const struct fk_config config = {.slots = RAWS + 1};
	struct fk *fk = raw_tasks_new(&config);
	struct sys sys = fk_sys(fk);
	int fds[RAWS + 1];

	for (uint32_t i = 0; i <= RAWS; i++)
		fds[i] = open_on(&sys, PERF_TYPE_RAW, i < RAWS ? 0x100 + i : 0x999, 0,
				 i ? fds[0] : -1);
	fk_switch(fk, 0, 5);
	fk_advance(fk, 101);
	fk_switch(fk, 0, 6);
	fk_advance(fk, 33);
	fk_fork(fk, 6, 7); /* has its parent's rates */
	fk_switch(fk, 0, 7);
	fk_advance(fk, 10);
	fk_switch(fk, 0, 6);
	fk_advance(fk, 34);
	struct reading reading = reading_take(&sys, fds[0]);
	for (uint32_t i = 0; i < RAWS; i++) {
		assert_int_equal(fk_truth_task_raw(fk, 5, 0x100 + i), 101 * (i + 1));
		assert_int_equal(fk_truth_task_raw(fk, 6, 0x100 + i), 67 * (i + 1) / 2);
		assert_int_equal(fk_truth_task_raw(fk, 7, 0x100 + i), 10 * (i + 1) / 2);
		assert_int_equal(reading.values[i],
				 101 * (i + 1) + 67 * (i + 1) / 2 + 10 * (i + 1) / 2);
	}
	assert_int_equal(reading.values[RAWS], 50 + 33 + 5);
	assert_int_equal(fk_truth_task(fk, 5, FK_RAW), 50);
	for (size_t i = RAWS + 1; i-- > 0;)
		sys_close(&sys, fds[i]);
	finish(fk);
}

static void modifiers_choose_what_is_counted(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct perf_event_attr attr;
		/* 1,000 ns of task 5, with 3 cycles a ns, a third of them in the kernel, and 1,000
		 * ns of idle with 1/10. */
		uint64_t count;
	} rows[] = {
		{"all", {.exclude_hv = 1, .exclude_guest = 1}, 3100},
		{"user", {.exclude_kernel = 1}, 2000},
		{"kernel", {.exclude_user = 1}, 1100},
		{"neither", {.exclude_user = 1, .exclude_kernel = 1}, 0},
		{"guests", {.exclude_host = 1}, 0},
		{"idle is not excluded by x86", {.exclude_idle = 1}, 3100},
		{"raw", {.type = PERF_TYPE_RAW, .config = 0x107}, 8000},
		{"raw user", {.type = PERF_TYPE_RAW, .config = 0x107, .exclude_kernel = 1}, 5333},
		{"raw kernel", {.type = PERF_TYPE_RAW, .config = 0x107, .exclude_user = 1}, 2667},
		{"faults", {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS}, 1},
		{"faults in the kernel",
		 {.type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_PAGE_FAULTS,
		  .exclude_user = 1},
		 0},
		{"switches in the kernel",
		 {.type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		  .exclude_user = 1},
		 2},
		{"clocks ignore modifiers",
		 {.type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_CPU_CLOCK,
		  .exclude_user = 1,
		  .exclude_kernel = 1},
		 2000},
		{"software is never precise",
		 {.type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		  .precise_ip = 2},
		 2},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = rows[i].attr, usual = attr_counting(0, 0);
		struct fk_spec spec = {.tid = 5,
				       .rates = {[FK_CYCLES] = {3, 1}},
				       .raws = {{0x107, {8, 1}}},
				       .user = {2, 3}};
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);

		attr.size = usual.size;
		attr.read_format = usual.read_format;
		fk_task(fk, &spec);
		int fd = sys_perf_open(&sys, &attr, -1, 0, -1, 0);
		assert_true(fd >= 0);
		fk_switch(fk, 0, 5);
		fk_advance(fk, 499);
		fk_fault(fk, 0, false);
		reading_take(&sys, fd);
		fk_advance(fk, 501);
		fk_switch(fk, 0, 0);
		fk_advance(fk, 1000);
		uint64_t count = reading_take(&sys, fd).values[0];
		if (count != rows[i].count)
			fail_msg("%s: %llu", rows[i].name, (unsigned long long)count);
		assert_int_equal(fk_truth_task(fk, 5, FK_CYCLES), 3000);
		assert_int_equal(fk_truth_task_user(fk, 5, FK_CYCLES), 2000);
		sys_close(&sys, fd);
		finish(fk);
	}
}

static void a_trace(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = 372;
}

static void no_trace(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = 373;
}

static void precise(struct perf_event_attr *attr)
{
	attr->precise_ip = 1;
}

static void no_idle(struct perf_event_attr *attr)
{
	attr->exclude_idle = 1;
}

static void no_guest(struct perf_event_attr *attr)
{
	attr->exclude_guest = 1;
}

static void user(struct perf_event_attr *attr)
{
	attr->exclude_kernel = 1;
}

static void sampling(struct perf_event_attr *attr)
{
	attr->sample_period = 1000;
}

static void breakpoint(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_type = HW_BREAKPOINT_W;
	attr->bp_addr = (uintptr_t)attr;
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

static void pmus_accept_different_attributes(void **state)
{
	(void)state;
	static const struct fk_config plain = {0};
	enum { MSR = 9, POWER = 12 };
	static const struct {
		const char *name;
		const struct fk_config *config;
		uint32_t type;
		uint64_t value;
		pid_t pid;
		int cpu;
		const char *group; /* NULL: none, or a leader: "sw", "cycles", "power" */
		void (*change)(struct perf_event_attr *attr);
		int error;
	} rows[] = {
		{"precise without PEBS", &plain, 0, 0, -1, 0, NULL, precise, -EOPNOTSUPP},
		{"precise Intel", &fk_machine_intel, 0, 0, -1, 0, NULL, precise, -EINVAL},
		{"precise AMD", &fk_machine_zen, 0, 0, -1, 0, NULL, precise, -EOPNOTSUPP},
		{"precise Arm", &fk_machine_neoverse, 0, 0, -1, 0, NULL, precise, 0},
		{"no idle Intel", &fk_machine_intel, 0, 0, -1, 0, NULL, no_idle, 0},
		{"no idle Arm", &fk_machine_neoverse, 0, 0, -1, 0, NULL, no_idle, -EOPNOTSUPP},

		{"tracepoint", &plain, 2, 0, -1, 0, NULL, a_trace, 0},
		{"tracepoint of a task", &plain, 2, 0, 7, -1, NULL, a_trace, 0},
		{"tracepoint with cycles", &plain, 2, 0, -1, 0, "cycles", a_trace, 0},
		{"no such tracepoint", &plain, 2, 0, -1, 0, NULL, no_trace, -EINVAL},

		{"breakpoint", &plain, 5, 0, -1, 0, NULL, breakpoint, 0},
		{"breakpoint of a task", &plain, 5, 0, 7, -1, NULL, breakpoint, 0},
		{"breakpoint of nothing", &plain, 5, 0, -1, 0, NULL, breakpoint_of_nothing,
		 -EINVAL},
		{"breakpoint of 3 bytes", &plain, 5, 0, -1, 0, NULL, breakpoint_of_3, -EINVAL},

		{"msr", &fk_machine_zen, MSR, 0, -1, 3, NULL, NULL, 0},
		{"msr of a task", &fk_machine_zen, MSR, 0, 7, -1, NULL, NULL, 0},
		{"msr with cycles", &fk_machine_zen, MSR, 0, -1, 3, "cycles", NULL, 0},
		{"no such msr", &fk_machine_zen, MSR, 1, -1, 3, NULL, NULL, -EINVAL},
		{"msr user", &fk_machine_zen, MSR, 0, -1, 3, NULL, user, -EINVAL},
		{"msr without guests", &fk_machine_zen, MSR, 0, -1, 3, NULL, no_guest, -EINVAL},
		{"msr sampling", &fk_machine_zen, MSR, 0, -1, 3, NULL, sampling, -EINVAL},
		{"no msr", &fk_machine_neoverse, MSR, 0, -1, 3, NULL, NULL, -ENOENT},

		{"power", &fk_machine_zen, POWER, 2, -1, 0, NULL, NULL, 0},
		{"power on another CPU", &fk_machine_zen, POWER, 2, -1, 3, NULL, NULL, 0},
		{"power of a task", &fk_machine_zen, POWER, 2, 7, -1, NULL, NULL, -EINVAL},
		{"power of a task on a CPU", &fk_machine_zen, POWER, 2, 7, 0, NULL, NULL, -EINVAL},
		{"no such power", &fk_machine_zen, POWER, 5, -1, 0, NULL, NULL, -EINVAL},
		{"power user", &fk_machine_zen, POWER, 2, -1, 0, NULL, user, -EINVAL},
		{"power without guests", &fk_machine_zen, POWER, 2, -1, 0, NULL, no_guest, -EINVAL},
		{"power sampling", &fk_machine_zen, POWER, 2, -1, 0, NULL, sampling, -EINVAL},
		{"power with power", &fk_machine_zen, POWER, 1, -1, 0, "power", NULL, 0},
		{"power with software", &fk_machine_zen, POWER, 2, -1, 0, "sw", NULL, 0},
		{"software with power", &fk_machine_zen, 1, 9, -1, 0, "power", NULL, 0},
		{"power with cycles", &fk_machine_zen, POWER, 2, -1, 0, "cycles", NULL, -EINVAL},
		{"cycles with power", &fk_machine_zen, 0, 0, -1, 0, "power", NULL, -EINVAL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = attr_counting(rows[i].type, rows[i].value);
		struct fk *fk = two_tasks_new(rows[i].config);
		struct sys sys = fk_sys(fk);
		const char *group = rows[i].group;
		int leader = -1;

		fk_tracepoint(fk, 372);
		if (group)
			leader = !strcmp(group, "sw")       ? open_on(&sys, 1, 9, rows[i].cpu, -1)
				 : !strcmp(group, "cycles") ? open_on(&sys, 0, 0, rows[i].cpu, -1)
							    : open_on(&sys, POWER, 2, 0, -1);
		if (rows[i].change)
			rows[i].change(&attr);
		int fd = sys_perf_open(&sys, &attr, rows[i].pid, rows[i].cpu, leader, 0);
		expect_open(&sys, rows[i].name, fd, rows[i].error);
		if (leader >= 0)
			sys_close(&sys, leader);
		finish(fk);
	}
}

static void a_cpu_has_four_breakpoints(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct perf_event_attr attr = attr_counting(0, 0);
	static const struct {
		const char *name;
		pid_t pid;
		int cpu;
		int error;
	} rows[] = {
		{"first", -1, 0, 0},
		{"of a task, on all CPUs", 7, -1, 0},
		{"third", -1, 0, 0},
		{"fourth", -1, 0, 0},
		{"fifth", -1, 0, -ENOSPC},
		{"elsewhere", -1, 1, 0},
		{"of another task", 8, -1, -ENOSPC},
	};
	int fds[ARRAY_SIZE(rows)];

	breakpoint(&attr);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fds[i] = sys_perf_open(&sys, &attr, rows[i].pid, rows[i].cpu, -1, 0);
		if ((fds[i] < 0 ? fds[i] : 0) != rows[i].error)
			fail_msg("%s: %d", rows[i].name, fds[i]);
	}
	fk_switch(fk, 0, 7);
	fk_advance(fk, 100);
	assert_int_equal(reading_take(&sys, fds[0]).values[0], 0);
	assert_int_equal(reading_take(&sys, fds[0]).running_ns, 100);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (fds[i] >= 0)
			sys_close(&sys, fds[i]);
	finish(fk);
}

static void tracepoints_count_hits(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct perf_event_attr attr = attr_counting(PERF_TYPE_TRACEPOINT, 372);

	fk_tracepoint(fk, 371);
	fk_tracepoint(fk, 372);
	int of_cpu = sys_perf_open(&sys, &attr, -1, 1, -1, 0);
	int of_task = sys_perf_open(&sys, &attr, 7, -1, -1, 0);
	attr.exclude_kernel = 1;
	int of_user = sys_perf_open(&sys, &attr, -1, 1, -1, 0);
	attr = attr_counting(PERF_TYPE_TRACEPOINT, 371);
	int another = sys_perf_open(&sys, &attr, -1, 1, -1, 0);

	fk_switch(fk, 1, 7);
	fk_trace(fk, 1, 372);
	fk_trace(fk, 1, 371);
	fk_trace(fk, 1, 372);
	fk_trace(fk, 0, 372);
	fk_switch(fk, 1, 8);
	fk_trace(fk, 1, 372);
	fk_switch(fk, 1, 0);
	fk_switch(fk, 0, 7);
	fk_trace(fk, 0, 372);
	assert_int_equal(reading_take(&sys, of_cpu).values[0], 3);
	assert_int_equal(reading_take(&sys, of_task).values[0], 3);
	assert_int_equal(reading_take(&sys, of_user).values[0], 0);
	assert_int_equal(reading_take(&sys, another).values[0], 1);
	sys_close(&sys, another);
	sys_close(&sys, of_user);
	sys_close(&sys, of_task);
	sys_close(&sys, of_cpu);
	finish(fk);
}

/* The data of the next record, which must be sample `n` of task `tid`. */
static struct fk_switch_data expect_switch(struct perf_group *group, uint64_t n, pid_t tid)
{
	struct reader_record record = expect_record(group);
	struct fk_switch_data data;
	uint32_t size = 0;

	assert_int_equal(record.type, PERF_RECORD_SAMPLE);
	assert_int_equal(record.id, group->ids[SWITCHES]);
	assert_int_equal(record.tid, tid);
	assert_int_equal(record.values[SWITCHES], n);
	assert_int_equal(record.n_rest, sizeof(size) + sizeof(data) + sizeof(uint32_t));
	memcpy(&size, record.rest, sizeof(size));
	assert_int_equal(size, sizeof(data) + sizeof(uint32_t));
	memcpy(&data, record.rest + sizeof(size), sizeof(data));
	assert_int_equal(data.type, FK_SCHED_SWITCH);
	return data;
}

/* It is not changed by another program that samples switches. */
static void sched_switch_names_both_tasks(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	const struct perf_event_attr counters[] = {
		attr_counting(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
		attr_counting(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
	};
	const struct perf_event_attr switches = attr_tracing(FK_SCHED_SWITCH);
	struct perf_group group;

	perf_group_open_with(&group, &sys, 0, 1, &switches, counters, ARRAY_SIZE(counters));
	perf_group_enable(&group);
	fk_rival(fk, &(struct fk_rival){.chain_bytes = 104, .other_namespace = true});
	fk_switch(fk, 0, 7);
	struct fk_switch_data data = expect_switch(&group, 1, 0);
	assert_int_equal(data.prev_pid, 0);
	assert_string_equal(data.prev_comm, "swapper/0");
	assert_int_equal(data.prev_state, 0);
	assert_int_equal(data.next_pid, 7);
	assert_string_equal(data.next_comm, "seven");
	fk_switch(fk, 0, 8);
	data = expect_switch(&group, 2, 7);
	assert_int_equal(data.prev_pid, 7);
	assert_int_equal(data.prev_state, 1);
	assert_int_equal(data.next_pid, 8);
	fk_exit(fk, 8, FK_EXIT_REAPED);
	fk_switch(fk, 0, 0);
	assert_int_equal(expect_record(&group).type, PERF_RECORD_EXIT);
	data = expect_switch(&group, 3, -1);
	assert_int_equal(data.prev_pid, 8);
	assert_int_equal(data.prev_state, 0x10);
	assert_int_equal(data.next_pid, 0);
	assert_string_equal(data.next_comm, "swapper/0");
	expect_none(&group);
	perf_group_close(&group);
	finish(fk);
}

/* The switch to an unreported task has a record: the previous task makes it. */
static void unreported_tasks_make_no_records(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	struct perf_event_attr attr =
		attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	const struct perf_event_attr leader =
		attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	const struct perf_event_attr switches = attr_tracing(FK_SCHED_SWITCH);
	struct perf_group group;

	fk_task(fk, &(struct fk_spec){.tid = 9, .unreported = true});
	int counted = sys_perf_open(&sys, &attr, -1, 0, -1, 0);
	perf_group_open_with(&group, &sys, 0, 1, &switches, &leader, 1);
	perf_group_enable(&group);
	fk_switch(fk, 0, 7);
	fk_switch(fk, 0, 9);
	fk_switch(fk, 0, 8);
	fk_switch(fk, 0, 0);
	for (uint64_t n = 1; n <= 3; n++) {
		struct reader_record record = expect_record(&group);
		assert_int_equal(record.values[1], n);
		assert_int_equal(record.tid, n == 1 ? 0 : n == 2 ? 7 : 8);
	}
	expect_none(&group);
	assert_int_equal(reading_take(&sys, counted).values[0], 4);
	sys_close(&sys, counted);
	perf_group_close(&group);
	finish(fk);
}

static void raw_samples_need_a_right(void **state)
{
	static const struct {
		const char *name;
		struct fk_config config;
		uint64_t id;
		bool raw;
		int answer;
	} rows[] = {
		{"root", {.paranoid = 4}, FK_SCHED_SWITCH, true, 0},
		{"no such tracepoint", {.paranoid = 4}, FK_SCHED_WAKING + 1, true, -EINVAL},
		{"0", {.unprivileged = true, .paranoid = 0}, FK_SCHED_SWITCH, true, -EPERM},
		{"0, not raw", {.unprivileged = true, .paranoid = 0}, FK_SCHED_SWITCH, false, 0},
		{"-1", {.unprivileged = true, .paranoid = -1}, FK_SCHED_SWITCH, true, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&rows[i].config);
		struct sys sys = fk_sys(fk);
		struct perf_event_attr attr = attr_tracing(rows[i].id);

		if (!rows[i].raw)
			attr.sample_type = READER_SAMPLE_TYPE;
		int fd = sys_perf_open(&sys, &attr, -1, 0, -1, 0);
		expect_open(&sys, rows[i].name, fd, rows[i].answer);
		finish(fk);
	}
}

static void devices_count_for_any_task(void **state)
{
	(void)state;
	static const struct fk_device_event events[] = {
		{.name = "energy", .config = 2, .rate = {7, 3}, .scale = "0.5", .unit = "Joules"}};
	static const struct fk_device power = {
		.name = "power", .type = 12, .socket_cpus = 2, .events = events, .n_events = 1};
	static const struct fk_device msr = {
		.name = "msr", .type = 9, .of_cpus = true, .events = events, .n_events = 1};
	static const struct fk_device *const devices[] = {&power, &msr};
	struct fk *fk =
		two_tasks_new(&(struct fk_config){.cpus = 4, .devices = devices, .n_devices = 2});
	struct sys sys = fk_sys(fk);
	struct perf_event_attr msr_attr = attr_counting(9, 2);

	fk_advance(fk, 10);
	int first = open_on(&sys, 12, 2, 0, -1), second = open_on(&sys, 12, 2, 3, -1);
	int of_cpu = open_on(&sys, 9, 2, 1, -1);
	int of_task = sys_perf_open(&sys, &msr_attr, 7, -1, -1, 0);
	fk_advance(fk, 1);
	fk_switch(fk, 1, 7);
	for (int i = 0; i < 100; i++) {
		fk_advance(fk, 1);
		reading_take(&sys, first);
		reading_take(&sys, of_task);
	}
	fk_switch(fk, 1, 0);
	fk_advance(fk, 200);
	/* The count up to 311 ns less that up to 10 ns. Socket 1 counts twice as fast. */
	assert_int_equal(reading_take(&sys, first).values[0], 725 - 23);
	assert_int_equal(reading_take(&sys, second).values[0], 1451 - 46);
	assert_int_equal(reading_take(&sys, of_cpu).values[0], 725 - 23);
	assert_int_equal(reading_take(&sys, of_task).values[0], 259 - 25);
	assert_int_equal(reading_take(&sys, of_task).running_ns, 100);
	assert_int_equal(fk_truth_device(fk, "power", 2, 1), 725);
	assert_int_equal(fk_truth_device(fk, "power", 2, 2), 1451);
	sys_close(&sys, of_task);
	sys_close(&sys, of_cpu);
	sys_close(&sys, second);
	sys_close(&sys, first);
	finish(fk);
}

static void pmus_have_files(void **state)
{
	(void)state;
#define DEVICES "/sys/bus/event_source/devices"
	static const struct {
		/* text NULL: ENOENT; of a directory ("/" at the end): its names */
		const char *path, *text;
	} rows[] = {
		{"/power/type", "12\n"},
		{"/power/cpumask", "1,2\n"},
		{"/power/cpus", NULL},
		{"/power/format/event", "config:0-7\n"},
		{"/power/events/energy-pkg", "event=0x02\n"},
		{"/power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n"},
		{"/power/events/energy-pkg.unit", "Joules\n"},
		{"/power/events/energy-pkg.snapshot", NULL},
		{"/power/events/energy", NULL},
		{"/msr/type", "9\n"},
		{"/msr/cpumask", NULL},
		{"/msr/events/tsc", "event=0x00\n"},
		{"/msr/events/tsc.scale", NULL},
		{"/cpu/format/umask", "config:8-15\n"},
		{"/cpu/events/cpu-cycles", "event=0x3c\n"},
		{"/cpu/events/nothing", NULL},
		{"/nothing/type", NULL},
		{"/", "cpu msr power software tracepoint breakpoint "},
		{"/power/events/", "energy-cores energy-cores.scale energy-cores.unit energy-pkg "
				   "energy-pkg.scale energy-pkg.unit "},
		{"/power/format/", "event "},
		{"/msr/events/", "tsc smi "},
		{"/cpu/format/", "event umask edge inv cmask "},
		{"/cpu/events/", "cpu-cycles instructions "},
	};
	struct fk_config config = fk_machine_intel;
	struct fk_device power = *config.devices[1];
	const struct fk_device *const devices[] = {config.devices[0], &power};

	power.socket_cpus = 2;
	config.devices = devices;
	config.n_devices = 2;
	struct fk *fk = fk_new(&config);
	struct sys sys = fk_sys(fk);
	fk_cpu_offline(fk, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char path[128], text[256] = "";
		bool directory = rows[i].path[strlen(rows[i].path) - 1] == '/';
		ssize_t result;

		snprintf(path, sizeof(path), DEVICES "%s", rows[i].path);
		if (directory) {
			path[strlen(path) - 1] = '\0';
			result = read_names(&sys, path, text);
		} else {
			result = sys_file_read(&sys, path, text, sizeof(text));
		}
		if (rows[i].text ? result < 0 || strcmp(text, rows[i].text) != 0
				 : result != -ENOENT)
			fail_msg("%s: %zd \"%s\"", rows[i].path, result, text);
	}
	finish(fk);
}

static void the_caller_can_be_a_task(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct perf_event_attr attr = attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	pid_t pid, tid;

	assert_int_equal(sys_current_cpu(&sys), -1);
	assert_int_equal(fk_self(fk, &pid, &tid), -ESRCH);
	fk_switch(fk, 1, 7);
	fk_thread(fk, 7, 70);
	fk_self_task(fk, 70);
	assert_int_equal(fk_self(fk, &pid, &tid), 0);
	assert_int_equal(pid, 7);
	assert_int_equal(tid, 70);
	assert_int_equal(sys_current_cpu(&sys), -1);
	fk_switch(fk, 1, 70);
	assert_int_equal(sys_current_cpu(&sys), 1);
	int mine = sys_perf_open(&sys, &attr, 0, -1, -1, 0);
	fk_advance(fk, 100);
	assert_int_equal(reading_take(&sys, mine).values[0], 100);
	fk_switch(fk, 1, 7);
	fk_advance(fk, 100);
	assert_int_equal(reading_take(&sys, mine).values[0], 100);
	assert_int_equal(sys_current_cpu(&sys), -1);
	fk_self_task(fk, 0);
	assert_int_equal(fk_self(fk, &pid, &tid), -ESRCH);
	sys_close(&sys, mine);
	finish(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_events_have_counts_of_their_own),
		cmocka_unit_test(modifiers_choose_what_is_counted),
		cmocka_unit_test(pmus_accept_different_attributes),
		cmocka_unit_test(a_cpu_has_four_breakpoints),
		cmocka_unit_test(tracepoints_count_hits),
		cmocka_unit_test(sched_switch_names_both_tasks),
		cmocka_unit_test(unreported_tasks_make_no_records),
		cmocka_unit_test(raw_samples_need_a_right),
		cmocka_unit_test(devices_count_for_any_task),
		cmocka_unit_test(pmus_have_files),
		cmocka_unit_test(the_caller_can_be_a_task),
	};

	return cmocka_run_group_tests_name("fake kernel: events", tests, NULL, NULL);
}
