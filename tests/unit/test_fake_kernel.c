// SPDX-License-Identifier: MIT
/*
 * The fake kernel's own arithmetic and scenarios: what cannot be asked of a real kernel, because
 * it needs exact counts, hardware, faults, or a machine that misbehaves when told to. What Linux
 * can be asked as well is in test_contract.c.
 */
#include "core/sys.h"
#include "core/util.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/fake_kernel/reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TICK_OFF_NS (1000 * NS_PER_S)
#define START_NS    (1000 * NS_PER_S)

static struct perf_event_attr event_attr(uint32_t type, uint64_t config)
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

static int open_on(struct sys *sys, uint32_t type, uint64_t config, int cpu, int group)
{
	struct perf_event_attr attr = event_attr(type, config);

	return sys_perf_open(sys, &attr, -1, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* What pmctop opens: cycles (disabled), instructions, switches with the ring, the tick. */
enum { CYCLES, INSTRUCTIONS, SWITCHES, TICK, MEMBERS };

struct group {
	struct sys *sys;
	int fds[MEMBERS];
	uint64_t ids[MEMBERS];
	struct perf_event_mmap_page *page;
	size_t size;
};

static void group_open(struct sys *sys, int cpu, size_t pages, struct group *group)
{
	struct perf_event_attr cycles = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_attr sampling =
		event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *address;

	*group = (struct group){.sys = sys, .size = (1 + pages) * page_size};
	cycles.disabled = 1;
	group->fds[CYCLES] = sys_perf_open(sys, &cycles, -1, cpu, -1, 0);
	group->fds[INSTRUCTIONS] = open_on(sys, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, cpu,
					   group->fds[CYCLES]);
	sampling.sample_type = READER_SAMPLE_TYPE;
	sampling.sample_id_all = sampling.watermark = 1;
	sampling.sample_period = 1;
	sampling.task = sampling.comm = sampling.comm_exec = 1;
	group->fds[SWITCHES] = sys_perf_open(sys, &sampling, -1, cpu, group->fds[CYCLES], 0);
	sampling.config = PERF_COUNT_SW_CPU_CLOCK;
	sampling.sample_period = TICK_OFF_NS;
	sampling.task = sampling.comm = sampling.comm_exec = 0;
	group->fds[TICK] = sys_perf_open(sys, &sampling, -1, cpu, group->fds[CYCLES], 0);
	assert_int_equal(sys_perf_map(sys, group->fds[SWITCHES], group->size, &address), 0);
	group->page = address;
	assert_int_equal(sys_perf_ioctl(sys, group->fds[TICK], PERF_EVENT_IOC_SET_OUTPUT,
					(uintptr_t)group->fds[SWITCHES]),
			 0);
	for (int i = 0; i < MEMBERS; i++)
		sys_perf_ioctl(sys, group->fds[i], PERF_EVENT_IOC_ID, (uintptr_t)&group->ids[i]);
	assert_int_equal(sys_perf_ioctl(sys, group->fds[CYCLES], PERF_EVENT_IOC_ENABLE, 0), 0);
}

static void group_close(struct group *group)
{
	assert_int_equal(sys_perf_unmap(group->sys, group->page, group->size), 0);
	for (int i = 0; i < MEMBERS; i++)
		assert_int_equal(sys_close(group->sys, group->fds[i]), 0);
}

static void group_period(struct group *group, uint64_t ns)
{
	assert_int_equal(
		sys_perf_ioctl(group->sys, group->fds[TICK], PERF_EVENT_IOC_PERIOD, (uintptr_t)&ns),
		0);
}

struct reading {
	uint64_t nr, enabled_ns, running_ns, values[16];
};

static struct reading read_event(struct sys *sys, int fd)
{
	struct reading reading = {0};

	assert_true(sys_perf_read(sys, fd, &reading, sizeof(reading)) > 0);
	return reading;
}

static struct reader_record next(struct group *group)
{
	struct reader_record record = {0};

	assert_true(reader_next(group->page, &record));
	return record;
}

static void no_more(struct group *group)
{
	struct reader_record record;

	assert_false(reader_next(group->page, &record));
}

static void expect_sample(struct group *group, pid_t pid, pid_t tid, uint64_t time_ns,
			  const uint64_t *values)
{
	struct reader_record record = next(group);

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

/* A machine with tasks 7 (2 cycles, 3/2 instructions a ns) and 8 (1 and 1/3). */
static struct fk *two_tasks(const struct fk_config *config)
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

/* Everything is closed and unmapped. */
static void finish(struct fk *fk)
{
	assert_int_equal(fk_open_fds(fk), 0);
	assert_int_equal(fk_mapped(fk), 0);
	fk_free(fk);
}

/* ---- counts */

static void rates_are_exact_however_often_one_looks(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct fk_rate rate;
		uint64_t ns, count;
	} rows[] = {
		{"none", {0, 1}, 1000, 0},  {"2", {2, 1}, 1000, 2000},
		{"1/1", {1, 1}, 7, 7},      {"1/3", {1, 3}, 1000, 333},
		{"2/3", {2, 3}, 1000, 666}, {"7/1000", {7, 1000}, 999, 6},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (uint64_t step = 1; step <= rows[i].ns; step *= 10) {
			struct fk *fk = fk_new(NULL);

			fk_task(fk, &(struct fk_spec){.tid = 5,
						      .rates = {[FK_CACHE_MISSES] = rows[i].rate}});
			fk_switch(fk, 0, 5);
			for (uint64_t done = 0; done < rows[i].ns; done += step) {
				uint64_t left = rows[i].ns - done;

				fk_advance(fk, step < left ? step : left);
				fk_truth_task(fk, 5, FK_CACHE_MISSES);
			}
			if (fk_truth_task(fk, 5, FK_CACHE_MISSES) != rows[i].count)
				fail_msg("%s in steps of %llu", rows[i].name,
					 (unsigned long long)step);
			assert_int_equal(fk_truth_task(fk, 5, FK_TASK_CLOCK), rows[i].ns);
			fk_free(fk);
		}
	}
}

static void switches_carry_the_counts_up_to_them(void **state)
{
	(void)state;
	struct fk *fk = two_tasks(NULL);
	struct sys sys = fk_sys(fk);
	struct group group;

	group_open(&sys, 0, 1, &group);
	fk_script(fk,
		  (struct fk_step[]){
			  {.at_ns = 100, .action = FK_SWITCH, .tid = 7},
			  {.at_ns = 300, .action = FK_SWITCH, .tid = 8},
			  {.at_ns = 600, .action = FK_SWITCH, .tid = 0},
		  },
		  3);
	assert_int_equal(sys_wait(&sys, NULL, 0, START_NS + 1000), 0);
	assert_int_equal(fk_now(fk), START_NS + 1000);
	expect_sample(&group, 0, 0, 100, (uint64_t[]){10, 5, 1, 100});
	expect_sample(&group, 7, 7, 300, (uint64_t[]){410, 305, 2, 300});
	expect_sample(&group, 8, 8, 600, (uint64_t[]){710, 405, 3, 600});
	no_more(&group);
	struct reading end = read_event(&sys, group.fds[CYCLES]);
	assert_int_equal(end.enabled_ns, 1000);
	assert_int_equal(end.running_ns, 1000);
	assert_int_equal(end.values[CYCLES], 750);
	assert_int_equal(end.values[INSTRUCTIONS], 425);
	assert_int_equal(end.values[SWITCHES], 3);
	assert_int_equal(end.values[TICK], 1000);

	assert_int_equal(fk_truth_task(fk, 7, FK_CYCLES), 400);
	assert_int_equal(fk_truth_task(fk, 7, FK_INSTRUCTIONS), 300);
	assert_int_equal(fk_truth_task(fk, 7, FK_SWITCHES), 1);
	assert_int_equal(fk_truth_task(fk, 8, FK_CYCLES), 300);
	assert_int_equal(fk_truth_task(fk, 8, FK_TASK_CLOCK), 300);
	assert_int_equal(fk_truth_idle(fk, 0, FK_CYCLES), 50);
	assert_int_equal(fk_truth_idle(fk, FK_ALL_CPUS, FK_TASK_CLOCK), 500);
	assert_int_equal(fk_truth_cpu(fk, 0, FK_CYCLES), 750);
	assert_int_equal(fk_truth_cpu(fk, 0, FK_SWITCHES), 3);
	group_close(&group);
	finish(fk);
}

/* Record deltas add up to the truth, through a ring that wraps hundreds of times. */
static void deltas_of_records_add_up_to_the_truth(void **state)
{
	(void)state;
	struct fk *fk = two_tasks(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct group group;
	uint64_t last[MEMBERS] = {0}, seven = 0, eight = 0, records = 0;

	fk_advance(fk, 12345);
	fk_switch(fk, 1, 8);
	uint64_t before = fk_truth_task(fk, 8, FK_CYCLES);
	group_open(&sys, 1, 1, &group);
	fk_ping_pong(fk, 1, 7, 8, 777, 10000);
	for (int i = 0; i < 1000; i++) {
		struct reader_record record;

		sys_wait(&sys, NULL, 0, fk_now(fk) + 10 * 777);
		while (reader_next(group.page, &record)) {
			*(record.tid == 7 ? &seven : &eight) +=
				record.values[CYCLES] - last[CYCLES];
			memcpy(last, record.values, sizeof(last));
			assert_int_equal(record.values[SWITCHES], ++records);
		}
	}
	assert_int_equal(records, 10000);
	assert_int_equal(fk_lost(fk), 0);
	assert_int_equal(seven, fk_truth_task(fk, 7, FK_CYCLES));
	/* Eight runs on after the last record. */
	struct reading end = read_event(&sys, group.fds[CYCLES]);
	eight += end.values[CYCLES] - last[CYCLES];
	assert_int_equal(eight, fk_truth_task(fk, 8, FK_CYCLES) - before);
	group_close(&group);
	finish(fk);
}

static void software_events_count_what_happens(void **state)
{
	(void)state;
	static const struct {
		uint64_t config, user_only, count;
	} rows[] = {
		{PERF_COUNT_SW_PAGE_FAULTS, 0, 3},
		{PERF_COUNT_SW_PAGE_FAULTS, 1, 3},
		{PERF_COUNT_SW_PAGE_FAULTS_MIN, 0, 2},
		{PERF_COUNT_SW_PAGE_FAULTS_MAJ, 0, 1},
		{PERF_COUNT_SW_CPU_MIGRATIONS, 0, 1},
		{PERF_COUNT_SW_CPU_MIGRATIONS, 1, 0},
		{PERF_COUNT_SW_CONTEXT_SWITCHES, 0, 2},
		{PERF_COUNT_SW_CONTEXT_SWITCHES, 1, 0},
		{PERF_COUNT_SW_DUMMY, 0, 0},
		{PERF_COUNT_SW_CPU_CLOCK, 0, 200},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = two_tasks(&(struct fk_config){.cpus = 2});
		struct sys sys = fk_sys(fk);
		struct perf_event_attr attr = event_attr(PERF_TYPE_SOFTWARE, rows[i].config);

		attr.exclude_kernel = rows[i].user_only & 1;
		fk_switch(fk, 0, 7);
		fk_switch(fk, 0, 0);
		int fd = sys_perf_open(&sys, &attr, -1, 1, -1, 0);
		fk_switch(fk, 1, 7); /* a migration from CPU 0 */
		fk_fault(fk, 1, false);
		fk_advance(fk, 100);
		fk_fault(fk, 1, true);
		fk_fault(fk, 1, false);
		fk_fault(fk, 0, true); /* elsewhere */
		fk_switch(fk, 1, 8);
		fk_advance(fk, 100);
		struct reading reading = read_event(&sys, fd);
		if (reading.values[0] != rows[i].count)
			fail_msg("row %zu: %llu", i, (unsigned long long)reading.values[0]);
		assert_int_equal(fk_truth_task(fk, 7, FK_PAGE_FAULTS), 3);
		assert_int_equal(fk_truth_task(fk, 7, FK_MAJOR_FAULTS), 1);
		assert_int_equal(fk_truth_task(fk, 7, FK_MIGRATIONS), 1);
		assert_int_equal(fk_truth_cpu(fk, FK_ALL_CPUS, FK_PAGE_FAULTS), 4);
		sys_close(&sys, fd);
		finish(fk);
	}
}

/* ---- what exists, and who may have it */

static void only_events_that_exist_open(void **state)
{
	(void)state;
	enum { L1D_MISS = 1 << 16, L1D_WRITE = 1 << 8 };
	static const struct fk_pmu hybrid[] = {
		{"cpu_core", 4, 0, 1, 8, FK_ALL_HARDWARE},
		{"cpu_atom", 10, 2, 3, 6, FK_GENERIC},
	};
	static const struct fk_config one = {0}, none = {.no_pmu = true},
				      few = {.events = FK_BIT(FK_CYCLES)},
				      both = {.cpus = 4, .pmus = hybrid, .n_pmus = 2};
	static const struct {
		const char *name;
		const struct fk_config *config;
		uint32_t type;
		uint64_t value;
		int cpu, error;
	} rows[] = {
		{"cycles", &one, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0},
		{"past the last", &one, PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX, 0, -ENOENT},
		{"cache", &one, PERF_TYPE_HW_CACHE, L1D_MISS, 0, 0},
		{"cache writes", &one, PERF_TYPE_HW_CACHE, L1D_WRITE, 0, -ENOENT},
		{"raw", &one, PERF_TYPE_RAW, 0x1234, 0, 0},
		{"cycles without PMU", &none, PERF_TYPE_HARDWARE, 0, 0, -ENOENT},
		{"raw without PMU", &none, PERF_TYPE_RAW, 0x3c, 0, -ENOENT},
		{"the one of few", &few, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0},
		{"not of few", &few, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -ENOENT},
		{"raw cycles of few", &few, PERF_TYPE_RAW, 0x3c, 0, 0},
		{"raw not of few", &few, PERF_TYPE_RAW, 0x1234, 0, -ENOENT},
		{"plain on core", &both, PERF_TYPE_HARDWARE, 0, 1, 0},
		{"plain on atom", &both, PERF_TYPE_HARDWARE, 0, 2, -ENOENT},
		{"atom on atom", &both, PERF_TYPE_HARDWARE, 10ull << 32, 2, 0},
		{"atom on core", &both, PERF_TYPE_HARDWARE, 10ull << 32, 1, -ENOENT},
		{"by the PMU's type", &both, 10, 0x3c, 3, 0},
		{"no such cache on atom", &both, PERF_TYPE_HW_CACHE, 10ull << 32 | L1D_MISS, 3,
		 -ENOENT},
		{"no such PMU", &both, PERF_TYPE_HARDWARE, 11ull << 32, 0, -ENOENT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(rows[i].config);
		struct sys sys = fk_sys(fk);
		int fd = open_on(&sys, rows[i].type, rows[i].value, rows[i].cpu, -1);

		if ((fd < 0 ? fd : 0) != rows[i].error)
			fail_msg("%s: %d", rows[i].name, fd);
		if (fd >= 0)
			sys_close(&sys, fd);
		finish(fk);
	}
}

static void the_opener_may_do_what_linux_lets_him(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct fk_config config;
		pid_t pid; /* -1: a CPU; 7 is his own, 8 is root's */
		bool user_only;
		int error;
	} rows[] = {
		{"root, paranoid 4", {.paranoid = 4}, -1, false, 0},
		{"root, others' tasks", {.paranoid = 4}, 7, false, 0},
		{"-1 CPU", {.unprivileged = true, .paranoid = -1}, -1, false, 0},
		{"0 CPU", {.unprivileged = true, .paranoid = 0}, -1, false, 0},
		{"1 CPU", {.unprivileged = true, .paranoid = 1}, -1, true, -EACCES},
		{"1 own task", {.unprivileged = true, .paranoid = 1}, 7, false, 0},
		{"1 root's task", {.unprivileged = true, .paranoid = 1}, 8, false, -EACCES},
		{"2 own task", {.unprivileged = true, .paranoid = 2}, 7, false, -EACCES},
		{"2 own task, user", {.unprivileged = true, .paranoid = 2}, 7, true, 0},
		{"2 self, user", {.unprivileged = true, .paranoid = 2}, 0, true, 0},
		{"3 self, user", {.unprivileged = true, .paranoid = 3}, 0, true, -EACCES},
		{"no syscall", {.denied = ENOSYS}, 0, true, -ENOSYS},
		{"seccomp", {.denied = EPERM}, -1, true, -EPERM},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk_config config = rows[i].config;
		struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, 0);

		config.uid = config.unprivileged ? 1000 : 0;
		struct fk *fk = two_tasks(&config);
		struct sys sys = fk_sys(fk);
		attr.exclude_kernel = rows[i].user_only;
		int fd = sys_perf_open(&sys, &attr, rows[i].pid, rows[i].pid < 0 ? 0 : -1, -1, 0);
		if ((fd < 0 ? fd : 0) != rows[i].error)
			fail_msg("%s: %d", rows[i].name, fd);
		if (fd >= 0)
			sys_close(&sys, fd);
		finish(fk);
	}
}

static void limits_are_kept(void **state)
{
	(void)state;
	struct fk_config config = {
		.unprivileged = true, .paranoid = 0, .mlock_kb = 36, .fd_limit = 3, .cpus = 2};
	struct fk *fk = fk_new(&config);
	struct sys sys = fk_sys(fk);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fds[3];
	void *first, *second;

	for (int i = 0; i < 3; i++)
		fds[i] = open_on(&sys, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, i % 2, -1);
	assert_int_equal(open_on(&sys, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, -1), -EMFILE);
	assert_int_equal(fk_open_fds(fk), 3);
	/* 36 KiB for each of two CPUs. */
	if (page == 4096) {
		assert_int_equal(sys_perf_map(&sys, fds[0], 17 * page, &first), 0);
		assert_int_equal(sys_perf_map(&sys, fds[1], 2 * page, &second), -EPERM);
		assert_int_equal(sys_perf_map(&sys, fds[1], page, &second), 0);
		assert_int_equal(fk_mapped(fk), 2);
		sys_perf_unmap(&sys, first, 17 * page);
		sys_perf_unmap(&sys, second, page);
	}
	for (int i = 0; i < 3; i++)
		sys_close(&sys, fds[i]);
	finish(fk);
}

/* ---- counters that are not enough */

static void a_group_that_cannot_fit_an_empty_pmu_does_not_open(void **state)
{
	(void)state;
	struct fk *fk = fk_new(&(struct fk_config){.slots = 2});
	struct sys sys = fk_sys(fk);
	int leader = open_on(&sys, PERF_TYPE_HARDWARE, 0, 0, -1);
	int second = open_on(&sys, PERF_TYPE_HARDWARE, 1, 0, leader);
	int software = open_on(&sys, PERF_TYPE_SOFTWARE, 0, 0, leader);

	assert_int_equal(open_on(&sys, PERF_TYPE_HARDWARE, 2, 0, leader), -EINVAL);
	int other = open_on(&sys, PERF_TYPE_HARDWARE, 2, 0, -1);
	assert_true(software >= 0 && other >= 0);
	fk_advance(fk, 1000);
	/* First come, first served; the other waits until the first goes. */
	assert_int_equal(read_event(&sys, leader).running_ns, 1000);
	assert_int_equal(read_event(&sys, other).enabled_ns, 1000);
	assert_int_equal(read_event(&sys, other).running_ns, 0);
	sys_perf_ioctl(&sys, leader, PERF_EVENT_IOC_DISABLE, 0);
	fk_advance(fk, 500);
	assert_int_equal(read_event(&sys, leader).enabled_ns, 1000);
	assert_int_equal(read_event(&sys, leader).values[0], 100);
	assert_int_equal(read_event(&sys, other).running_ns, 500);
	sys_close(&sys, other);
	sys_close(&sys, software);
	sys_close(&sys, second);
	sys_close(&sys, leader);
	finish(fk);
}

static void a_group_off_the_pmu_counts_nothing_and_says_so(void **state)
{
	(void)state;
	struct fk *fk = two_tasks(NULL);
	struct sys sys = fk_sys(fk);
	struct group group;

	group_open(&sys, 0, 1, &group);
	fk_script(fk,
		  (struct fk_step[]){
			  {.at_ns = 100, .action = FK_SWITCH, .tid = 7},
			  {.at_ns = 200, .action = FK_HOLD, .n = 5}, /* 1 of 6 is left */
			  {.at_ns = 250, .action = FK_SWITCH, .tid = 8},
			  {.at_ns = 300, .action = FK_SWITCH, .tid = 7},
			  {.at_ns = 400, .action = FK_HOLD, .n = 4}, /* 2 are enough */
			  {.at_ns = 500, .action = FK_SWITCH, .tid = 0},
		  },
		  6);
	fk_advance(fk, 300);
	struct reading off = read_event(&sys, group.fds[CYCLES]);
	assert_int_equal(off.enabled_ns, 300);
	assert_int_equal(off.running_ns, 200);
	assert_int_equal(off.values[SWITCHES], 1);
	fk_advance(fk, 300);
	expect_sample(&group, 0, 0, 100, (uint64_t[]){10, 5, 1, 100});
	/* 100 ns of task 7 before and 100 after; what was between is nowhere but in the truth. */
	struct reader_record record = next(&group);
	assert_int_equal(record.enabled_ns, 500);
	assert_int_equal(record.running_ns, 300);
	assert_int_equal(record.values[CYCLES], 10 + 400);
	assert_int_equal(record.values[SWITCHES], 2);
	no_more(&group);
	assert_int_equal(fk_truth_task(fk, 7, FK_CYCLES), 700);
	assert_int_equal(fk_truth_cpu(fk, 0, FK_SWITCHES), 4);
	group_close(&group);
	finish(fk);
}

/* ---- records */

static void records_are_lost_and_owned_up_to(void **state)
{
	(void)state;
	struct fk *fk = two_tasks(NULL);
	struct sys sys = fk_sys(fk);
	struct group group;

	group_open(&sys, 0, 1, &group);
	fk_switch(fk, 0, 7);
	fk_lose(fk, 0, 2);
	fk_switch(fk, 0, 8);
	fk_switch(fk, 0, 7);
	fk_advance(fk, 10);
	fk_switch(fk, 0, 0);
	expect_sample(&group, 0, 0, 0, (uint64_t[]){0, 0, 1, 0});
	struct reader_record lost = next(&group);
	assert_int_equal(lost.type, PERF_RECORD_LOST);
	assert_int_equal(lost.lost, 2);
	assert_int_equal(lost.lost_id, group.ids[SWITCHES]);
	assert_int_equal(lost.time_ns, START_NS + 10);
	assert_int_equal(lost.tid, 7);
	expect_sample(&group, 7, 7, 10, (uint64_t[]){20, 15, 4, 10});
	no_more(&group);
	assert_int_equal(fk_lost(fk), 2);
	group_close(&group);
	finish(fk);
}

static void the_last_switch_of_a_task_names_what_is_left_of_it(void **state)
{
	(void)state;
	static const struct {
		enum fk_exit how;
		pid_t pid, tid;
	} rows[] = {
		{FK_EXIT_THREAD, 7, -1},
		{FK_EXIT_REAPED, -1, -1},
		{FK_EXIT_ZOMBIE, 7, 70},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = two_tasks(NULL);
		struct sys sys = fk_sys(fk);
		struct group group;
		struct reader_record record;
		char text[64];

		fk_switch(fk, 0, 7);
		group_open(&sys, 0, 1, &group);
		fk_thread(fk, 7, 70);
		fk_switch(fk, 0, 70);
		fk_advance(fk, 100);
		assert_true(sys_file_read(&sys, "/proc/7/task/70/comm", text, sizeof(text)) > 0);
		fk_exit(fk, 70, rows[i].how);
		assert_int_equal(sys_file_read(&sys, "/proc/7/task/70/comm", text, sizeof(text)),
				 -ENOENT);
		fk_advance(fk, 50);
		fk_switch(fk, 0, 0);

		record = next(&group);
		assert_int_equal(record.type, PERF_RECORD_FORK);
		assert_int_equal(record.task_pid, 7);
		assert_int_equal(record.task_tid, 70);
		assert_int_equal(record.task_ptid, 7);
		expect_sample(&group, 7, 7, 0, (uint64_t[]){0, 0, 1, 0});
		record = next(&group);
		assert_int_equal(record.type, PERF_RECORD_EXIT);
		assert_int_equal(record.task_tid, 70);
		assert_int_equal(record.task_ppid, 1);
		assert_int_equal(record.tid, 70);
		assert_int_equal(record.time_ns, START_NS + 100);
		expect_sample(&group, rows[i].pid, rows[i].tid, 150,
			      (uint64_t[]){300, 225, 2, 150});
		no_more(&group);
		assert_int_equal(fk_truth_task(fk, 70, FK_CYCLES), 300);
		/* The number is free again. */
		fk_task(fk, &(struct fk_spec){.tid = 70});
		assert_int_equal(fk_truth_task(fk, 70, FK_CYCLES), 0);
		group_close(&group);
		finish(fk);
	}
}

static void ticks_fire_while_they_are_armed(void **state)
{
	(void)state;
	struct fk *fk = two_tasks(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);
	struct group group;

	group_open(&sys, 0, 1, &group);
	fk_switch(fk, 0, 7);
	next(&group);
	fk_advance(fk, 5000);
	group_period(&group, 10000);
	fk_advance(fk, 9999);
	no_more(&group);
	fk_advance(fk, 10001);
	expect_sample(&group, 7, 7, 15000, (uint64_t[]){30000, 22500, 1, 15000});
	expect_sample(&group, 7, 7, 25000, (uint64_t[]){50000, 37500, 1, 25000});
	group_period(&group, TICK_OFF_NS);
	fk_advance(fk, NS_PER_S);
	no_more(&group);

	/* At one instant the tick comes before the switch: it names who runs until then. */
	group_period(&group, 10000);
	fk_script(fk, &(struct fk_step){.at_ns = 10000, .action = FK_SWITCH, .tid = 8}, 1);
	fk_advance(fk, 10000);
	group_period(&group, TICK_OFF_NS);
	struct reader_record tick = next(&group), change = next(&group);
	assert_int_equal(tick.id, group.ids[TICK]);
	assert_int_equal(tick.tid, 7);
	assert_int_equal(change.id, group.ids[SWITCHES]);
	assert_int_equal(change.time_ns, tick.time_ns);

	/* Idle: ticks, unless told otherwise. */
	fk_switch(fk, 0, 0);
	next(&group);
	for (int i = 0; i < 3; i++) {
		fk_no_tick(fk, 0, i == 1);
		fk_silent_idle(fk, 0, i == 2);
		group_period(&group, 10000);
		fk_advance(fk, 10000);
		group_period(&group, TICK_OFF_NS);
		if (!i)
			assert_int_equal(next(&group).tid, 0);
		no_more(&group);
	}
	/* A silent idle leaves without a record, but it counts. */
	fk_switch(fk, 0, 7);
	no_more(&group);
	fk_switch(fk, 0, 8);
	assert_int_equal(next(&group).values[SWITCHES], 5);
	assert_int_equal(fk_lost(fk), 0);
	group_close(&group);
	finish(fk);
}

static void records_without_clockid_have_another_clock(void **state)
{
	(void)state;
	struct fk *fk = two_tasks(NULL);
	struct sys sys = fk_sys(fk);
	size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr =
		event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct reader_record record;
	void *address;

	attr.use_clockid = 0;
	attr.clockid = 0;
	attr.sample_type = READER_SAMPLE_TYPE;
	attr.sample_id_all = 1;
	attr.sample_period = 1;
	int fd = sys_perf_open(&sys, &attr, -1, 0, -1, 0);
	assert_int_equal(sys_perf_map(&sys, fd, size, &address), 0);
	fk_switch(fk, 0, 7);
	assert_true(reader_next(address, &record));
	assert_int_not_equal(record.time_ns, fk_now(fk));
	sys_perf_unmap(&sys, address, size);
	sys_close(&sys, fd);
	finish(fk);
}

/* ---- time */

static void note(struct fk *fk, void *arg)
{
	*(uint64_t *)arg = fk_now(fk);
}

static void waits_end_when_something_is_ready(void **state)
{
	(void)state;
	struct fk *fk = two_tasks(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);
	struct group group;
	uint64_t noted = 0;

	group_open(&sys, 0, 1, &group);
	struct pollfd fd = {.fd = group.fds[SWITCHES], .events = POLLIN};
	/* The watermark of a page is half of it: passed by record 22 of 96 bytes. */
	fk_ping_pong(fk, 0, 7, 8, 1000, 100);
	assert_int_equal(sys_wait(&sys, &fd, 1, START_NS + NS_PER_S), 1);
	assert_int_equal(fd.revents, POLLIN);
	if (group.size == 2 * 4096)
		assert_int_equal(sys_now_ns(&sys), START_NS + 21 * 1000);
	reader_all(group.page, NULL, 0);
	assert_int_equal(sys_wait(&sys, &fd, 1, START_NS + 40 * 1000), 0);
	assert_int_equal(fk_now(fk), START_NS + 40 * 1000);

	/* A scripted wake, and what is due at a deadline is done before it returns. */
	fk_script(fk, &(struct fk_step){.at_ns = 500, .action = FK_WAKE}, 1);
	assert_int_equal(sys_wait(&sys, NULL, 0, START_NS + NS_PER_S), 0);
	assert_int_equal(fk_now(fk), START_NS + 40 * 1000 + 500);
	fk_after(fk, 100, note, &noted);
	sys_wait(&sys, NULL, 0, fk_now(fk) + 100);
	assert_int_equal(noted, fk_now(fk));
	/* In the past it only looks, but does what is due. */
	fk_after(fk, 0, note, &noted);
	noted = 0;
	sys_wait(&sys, NULL, 0, 0);
	assert_int_equal(noted, fk_now(fk));
	group_close(&group);
	finish(fk);
}

static void append(struct fk *fk, void *arg)
{
	(void)fk;
	char **at = *(char ***)arg;

	strcat(at[0], at[1]);
}

static void actions_come_in_order(void **state)
{
	(void)state;
	struct fk *fk = fk_new(NULL);
	char text[16] = "";
	static const struct {
		uint64_t in_ns;
		char name[2];
	} rows[] = {{30, "d"}, {10, "a"}, {20, "b"}, {20, "c"}, {30, "e"}, {31, "f"}};
	char *args[ARRAY_SIZE(rows)][2];
	char **pointers[ARRAY_SIZE(rows)];
	char names[ARRAY_SIZE(rows)][2];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memcpy(names[i], rows[i].name, 2);
		args[i][0] = text;
		args[i][1] = names[i];
		pointers[i] = args[i];
		fk_after(fk, rows[i].in_ns, append, &pointers[i]);
	}
	fk_advance(fk, 30);
	assert_string_equal(text, "abcde");
	fk_advance(fk, 1);
	assert_string_equal(text, "abcdef");
	finish(fk);
}

static void reading_the_clock_takes_time(void **state)
{
	(void)state;
	struct fk *fk = fk_new(&(struct fk_config){.start_ns = 5000, .step_ns = 10});
	struct sys sys = fk_sys(fk);
	uint64_t noted = 0;

	fk_after(fk, 15, note, &noted);
	assert_int_equal(sys_now_ns(&sys), 5010);
	assert_int_equal(noted, 0);
	assert_int_equal(sys_now_ns(&sys), 5020);
	assert_int_equal(noted, 5015);
	assert_int_equal(fk_now(fk), 5020);
	assert_int_equal(fk_calls(fk, FK_NOW), 2);
	fk_free(fk);

	fk = fk_new(&(struct fk_config){.frozen_clock = true});
	sys = fk_sys(fk);
	assert_int_equal(sys_now_ns(&sys), START_NS);
	assert_int_equal(sys_now_ns(&sys), START_NS);
	fk_free(fk);
}

/* ---- faults */

/* Everything once, so that each op can be made to fail; the first error, or 0. */
static int call_everything(struct sys *sys)
{
	size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
	uint64_t values[8];
	char text[64];
	uid_t owner;
	void *address = NULL;
	int fd = open_on(sys, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, -1);
	int error = fd < 0 ? fd : 0;

	if (!error)
		error = sys_perf_map(sys, fd, size, &address);
	if (!error && sys_perf_read(sys, fd, values, sizeof(values)) < 0)
		error = -1;
	if (!error)
		error = sys_perf_ioctl(sys, fd, PERF_EVENT_IOC_ENABLE, 0);
	if (!error)
		error = sys_wait(sys, NULL, 0, 0);
	if (!error && sys_file_read(sys, "/proc/stat", text, sizeof(text)) < 0)
		error = -1;
	if (!error)
		error = sys_file_owner(sys, "/proc/7", &owner);
	if (address && sys_perf_unmap(sys, address, size) < 0)
		sys_perf_unmap(sys, address, size);
	if (fd >= 0 && sys_close(sys, fd) < 0)
		sys_close(sys, fd);
	return error;
}

static void any_call_can_be_made_to_fail(void **state)
{
	(void)state;
	static const enum fk_op ops[] = {FK_PERF_OPEN, FK_PERF_MAP,  FK_PERF_READ, FK_PERF_IOCTL,
					 FK_WAIT,      FK_FILE_READ, FK_FILE_OWNER};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		struct fk *fk = two_tasks(NULL);
		struct sys sys = fk_sys(fk);

		assert_int_equal(call_everything(&sys), 0);
		assert_int_equal(fk_calls(fk, ops[i]), 1);
		fk_fail(fk, ops[i], 2, EMFILE);
		assert_int_equal(call_everything(&sys), 0);
		assert_int_not_equal(call_everything(&sys), 0);
		assert_int_equal(call_everything(&sys), 0);
		assert_int_equal(fk_calls(fk, ops[i]), 4);
		fk_fail(fk, ops[i], 0, EIO);
		assert_int_not_equal(call_everything(&sys), 0);
		assert_int_not_equal(call_everything(&sys), 0);
		fk_fail(fk, ops[i], 0, 0);
		assert_int_equal(call_everything(&sys), 0);
		finish(fk);
	}
	struct fk *fk = two_tasks(NULL);
	struct sys sys = fk_sys(fk);
	fk_fail(fk, FK_CLOSE, 1, EINTR);
	fk_fail(fk, FK_PERF_UNMAP, 1, EINVAL);
	assert_int_equal(call_everything(&sys), 0);
	assert_int_equal(fk_calls(fk, FK_CLOSE), 2);
	assert_int_equal(fk_calls(fk, FK_PERF_UNMAP), 2);
	finish(fk);
}

static void counters_of_an_offline_cpu_are_dead_for_good(void **state)
{
	(void)state;
	struct fk *fk = two_tasks(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct group group;
	char text[64];

	group_open(&sys, 1, 1, &group);
	fk_switch(fk, 1, 7);
	fk_advance(fk, 100);
	fk_cpu_offline(fk, 1);
	fk_advance(fk, 100);
	assert_int_equal(open_on(&sys, PERF_TYPE_SOFTWARE, 0, 1, -1), -ENODEV);
	assert_int_equal(open_on(&sys, PERF_TYPE_HARDWARE, 99, 1, -1), -ENOENT);
	assert_true(sys_file_read(&sys, "/sys/devices/system/cpu/online", text, sizeof(text)) > 0);
	assert_string_equal(text, "0\n");
	assert_true(sys_file_read(&sys, "/sys/devices/system/cpu/possible", text, 64) > 0);
	assert_string_equal(text, "0-1\n");

	fk_cpu_online(fk, 1);
	fk_switch(fk, 1, 7);
	fk_advance(fk, 100);
	assert_int_equal(sys_perf_ioctl(&sys, group.fds[CYCLES], PERF_EVENT_IOC_ENABLE, 0), 0);
	fk_advance(fk, 100);
	/* The group is dissolved: a read has one event and stands still. */
	struct reading dead = read_event(&sys, group.fds[CYCLES]);
	assert_int_equal(dead.nr, 1);
	assert_int_equal(dead.enabled_ns, 100);
	assert_int_equal(dead.values[0], 200);
	/* Idle to 7, 7 to idle as the CPU went, and no more. */
	assert_int_equal(next(&group).values[SWITCHES], 1);
	assert_int_equal(next(&group).values[SWITCHES], 2);
	no_more(&group);
	int fd = open_on(&sys, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, -1);
	fk_advance(fk, 100);
	assert_int_equal(read_event(&sys, fd).values[0], 200);
	/* 100 ns offline belong to nobody. */
	assert_int_equal(fk_truth_cpu(fk, 1, FK_TASK_CLOCK), 400);
	sys_close(&sys, fd);
	group_close(&group);
	finish(fk);
}

/* ---- files */

static int collect(void *arg, const char *name)
{
	char *names = arg;

	snprintf(names + strlen(names), 256 - strlen(names), "%s ", name);
	return !strcmp(name, "stop");
}

static void files_tell_of_tasks_and_machine(void **state)
{
	(void)state;
	static const struct fk_pmu pmus[] = {{"armv8_pmuv3_0", 8, 0, 1, 6, FK_GENERIC},
					     {"armv8_pmuv3_1", 9, 2, 3, 6, FK_GENERIC}};
	struct fk *fk = two_tasks(&(struct fk_config){
		.cpus = 4, .pmus = pmus, .n_pmus = 2, .paranoid = 1, .mlock_kb = 100});
	struct sys sys = fk_sys(fk);
	char text[1024], names[256] = "";
	uid_t owner;
	static const struct {
		const char *path, *text; /* NULL: ENOENT */
	} rows[] = {
		{"/proc/7/comm", "seven\n"},
		{"/proc/70/comm", "sev) 1 (en\n"},
		{"/proc/7/task/70/comm", "sev) 1 (en\n"},
		{"/proc/8/task/70/comm", NULL},
		{"/proc/9/comm", NULL},
		{"/proc/7/nothing", NULL},
		{"/proc/sys/kernel/perf_event_paranoid", "1\n"},
		{"/proc/sys/kernel/perf_event_mlock_kb", "100\n"},
		{"/proc/loadavg", "0.00 0.00 0.00 1/3 1\n"},
		{"/sys/devices/system/cpu/online", "0,2-3\n"},
		{"/sys/devices/system/cpu/possible", "0-3\n"},
		{"/sys/bus/event_source/devices/armv8_pmuv3_1/type", "9\n"},
		{"/sys/bus/event_source/devices/armv8_pmuv3_1/cpus", "2-3\n"},
		{"/sys/bus/event_source/devices/software/type", "1\n"},
		{"/sys/bus/event_source/devices/cpu/type", NULL},
		{"/etc/passwd", "root:x:0:0::/:/bin/sh\n"},
		{"/proc/8/comm", "given\n"},
		{"/proc/8/stat", NULL},
		{"/proc/stat", "cpu  200 0 0 600 0 0 0 0 0 0\ncpu0 200 0 0 0 0 0 0 0 0 0\n"
			       "cpu2 0 0 0 200 0 0 0 0 0 0\ncpu3 0 0 0 200 0 0 0 0 0 0\n"
			       "btime 1700000000\n"},
		{"/proc/7/task/70/stat",
		 "70 (sev) 1 (en) S 1 7 7 0 -1 0 1 0 0 0 100 0 0 0 20 0 2 "
		 "0 100000 4096000 100 18446744073709551615 0 0 0 0 0 0 0 0 "
		 "0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"},
		{"/proc/7/stat", "7 (seven) R 1 7 7 0 -1 0 1 0 0 0 200 0 0 0 20 0 2 "
				 "0 100000 4096000 100 18446744073709551615 0 0 0 0 0 0 0 0 "
				 "0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"},
		{"/proc/7/task/70/schedstat", "1000000000 0 1\n"},
	};

	fk_switch(fk, 0, 7);
	fk_thread(fk, 7, 70);
	fk_switch(fk, 0, 70);
	fk_comm(fk, 70, "sev) 1 (en");
	fk_fault(fk, 0, false);
	fk_advance(fk, NS_PER_S);
	fk_switch(fk, 0, 7);
	fk_advance(fk, NS_PER_S);
	fk_cpu_offline(fk, 1);
	fk_file(fk, "/etc/passwd", "root:x:0:0::/:/bin/sh\n");
	fk_file(fk, "/proc/8/comm", "given\n");
	fk_file(fk, "/proc/8/stat", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ssize_t length = sys_file_read(&sys, rows[i].path, text, sizeof(text));

		if (!rows[i].text ? length != -ENOENT
				  : length < 0 || strcmp(text, rows[i].text) != 0)
			fail_msg("%s: %zd %s", rows[i].path, length, length < 0 ? "" : text);
	}
	assert_int_equal(sys_file_read(&sys, "/proc/7/comm", text, 4), 3);
	assert_string_equal(text, "sev");
	assert_int_equal(sys_file_owner(&sys, "/proc/7", &owner), 0);
	assert_int_equal(owner, 1000);
	assert_int_equal(sys_file_owner(&sys, "/proc/9", &owner), -ENOENT);
	assert_int_equal(sys_dir_each(&sys, "/proc", collect, names), 0);
	assert_string_equal(names, "7 8 loadavg stat sys ");
	names[0] = '\0';
	assert_int_equal(sys_dir_each(&sys, "/proc/7/task", collect, names), 0);
	assert_string_equal(names, "7 70 ");
	names[0] = '\0';
	fk_file(fk, "/sys/bus/event_source/devices/stop/type", "99\n");
	fk_file(fk, "/sys/bus/event_source/devices/uncore/type", "98\n");
	sys_dir_each(&sys, "/sys/bus/event_source/devices", collect, names);
	assert_string_equal(names, "armv8_pmuv3_0 armv8_pmuv3_1 software tracepoint breakpoint "
				   "stop ");
	assert_int_equal(sys_dir_each(&sys, "/proc/9/task", collect, names), -ENOENT);
	finish(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_exact_however_often_one_looks),
		cmocka_unit_test(switches_carry_the_counts_up_to_them),
		cmocka_unit_test(deltas_of_records_add_up_to_the_truth),
		cmocka_unit_test(software_events_count_what_happens),
		cmocka_unit_test(only_events_that_exist_open),
		cmocka_unit_test(the_opener_may_do_what_linux_lets_him),
		cmocka_unit_test(limits_are_kept),
		cmocka_unit_test(a_group_that_cannot_fit_an_empty_pmu_does_not_open),
		cmocka_unit_test(a_group_off_the_pmu_counts_nothing_and_says_so),
		cmocka_unit_test(records_are_lost_and_owned_up_to),
		cmocka_unit_test(the_last_switch_of_a_task_names_what_is_left_of_it),
		cmocka_unit_test(ticks_fire_while_they_are_armed),
		cmocka_unit_test(records_without_clockid_have_another_clock),
		cmocka_unit_test(waits_end_when_something_is_ready),
		cmocka_unit_test(actions_come_in_order),
		cmocka_unit_test(reading_the_clock_takes_time),
		cmocka_unit_test(any_call_can_be_made_to_fail),
		cmocka_unit_test(counters_of_an_offline_cpu_are_dead_for_good),
		cmocka_unit_test(files_tell_of_tasks_and_machine),
	};

	return cmocka_run_group_tests_name("fake kernel", tests, NULL, NULL);
}
