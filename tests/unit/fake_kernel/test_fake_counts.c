// SPDX-License-Identifier: MIT
/*
 * The fake kernel's counts, which events it opens for which user, and groups that wait for
 * counters. test_contract_open.c has the cases that can also run on Linux.
 */
#include "core/base/util.h"
#include "tests/unit/shared/two_tasks.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void rates_are_exact_at_any_step(void **state)
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

static void switch_records_have_the_counts_so_far(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	struct perf_group group;

	two_tasks_group(&sys, 0, &group);
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
	expect_none(&group);
	struct reading end = reading_take(&sys, group.fds[CYCLES]);
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
	perf_group_close(&group);
	finish(fk);
}

/* The sum of the deltas of records is the true count. The ring wraps hundreds of times. */
static void deltas_of_records_sum_to_the_true_count(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct perf_group group;
	uint64_t last[MEMBERS] = {0}, seven = 0, eight = 0, records = 0;

	fk_advance(fk, 12345);
	fk_switch(fk, 1, 8);
	uint64_t before = fk_truth_task(fk, 8, FK_CYCLES);
	two_tasks_group(&sys, 1, &group);
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
	/* Task 8 still runs after the last record. */
	struct reading end = reading_take(&sys, group.fds[CYCLES]);
	eight += end.values[CYCLES] - last[CYCLES];
	assert_int_equal(eight, fk_truth_task(fk, 8, FK_CYCLES) - before);
	perf_group_close(&group);
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
		struct fk *fk = two_tasks_new(&(struct fk_config){.cpus = 2});
		struct sys sys = fk_sys(fk);
		struct perf_event_attr attr = attr_counting(PERF_TYPE_SOFTWARE, rows[i].config);

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
		struct reading reading = reading_take(&sys, fd);
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
		{"plain on atom", &both, PERF_TYPE_HARDWARE, 0, 2, 0},
		{"raw on core", &both, PERF_TYPE_RAW, 0x1234, 1, 0},
		{"raw on atom", &both, PERF_TYPE_RAW, 0x1234, 2, -ENOENT},
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
		expect_open(&sys, rows[i].name, fd, rows[i].error);
		finish(fk);
	}
}

static void opening_needs_the_rights_of_linux(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct fk_config config;
		pid_t pid; /* -1: a CPU; 7: a task of the caller's user; 8: one of root */
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
		/* ENOENT (no counter) is returned only to callers with the right. */
		{"2 no PMU",
		 {.unprivileged = true, .paranoid = 2, .no_pmu = true},
		 7,
		 false,
		 -EACCES},
		{"2 no PMU, user",
		 {.unprivileged = true, .paranoid = 2, .no_pmu = true},
		 7,
		 true,
		 -ENOENT},
		{"2 no PMU, CPU",
		 {.unprivileged = true, .paranoid = 2, .no_pmu = true},
		 -1,
		 true,
		 -ENOENT},
		{"2 no such task", {.unprivileged = true, .paranoid = 2}, 77, false, -EACCES},
		{"2 no such task, user", {.unprivileged = true, .paranoid = 2}, 77, true, -ESRCH},
		{"3 self, user", {.unprivileged = true, .paranoid = 3}, 0, true, -EACCES},
		{"3 no such task", {.unprivileged = true, .paranoid = 3}, 77, true, -EACCES},
		{"no syscall", {.denied = ENOSYS}, 0, true, -ENOSYS},
		{"seccomp", {.denied = EPERM}, -1, true, -EPERM},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk_config config = rows[i].config;
		struct perf_event_attr attr = attr_counting(PERF_TYPE_HARDWARE, 0);

		config.uid = config.unprivileged ? 1000 : 0;
		struct fk *fk = two_tasks_new(&config);
		struct sys sys = fk_sys(fk);
		attr.exclude_kernel = rows[i].user_only;
		int fd = sys_perf_open(&sys, &attr, rows[i].pid, rows[i].pid < 0 ? 0 : -1, -1, 0);
		expect_open(&sys, rows[i].name, fd, rows[i].error);
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
	/* The first group has the counters. The other waits, even after the first is disabled. */
	assert_int_equal(reading_take(&sys, leader).running_ns, 1000);
	assert_int_equal(reading_take(&sys, other).enabled_ns, 1000);
	assert_int_equal(reading_take(&sys, other).running_ns, 0);
	sys_perf_ioctl(&sys, leader, PERF_EVENT_IOC_DISABLE, 0);
	fk_advance(fk, 500);
	assert_int_equal(reading_take(&sys, leader).enabled_ns, 1000);
	assert_int_equal(reading_take(&sys, leader).values[0], 100);
	assert_int_equal(reading_take(&sys, other).running_ns, 0);
	fk_advance(fk, FK_ROTATE_NS);
	assert_int_equal(reading_take(&sys, other).running_ns, 1500);
	sys_close(&sys, other);
	sys_close(&sys, software);
	sys_close(&sys, second);
	sys_close(&sys, leader);
	finish(fk);
}

static void a_group_off_the_pmu_has_less_running_time(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	struct perf_group group;

	two_tasks_group(&sys, 0, &group);
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
	struct reading off = reading_take(&sys, group.fds[CYCLES]);
	assert_int_equal(off.enabled_ns, 300);
	assert_int_equal(off.running_ns, 200);
	assert_int_equal(off.values[SWITCHES], 1);
	fk_advance(fk, 300);
	expect_sample(&group, 0, 0, 100, (uint64_t[]){10, 5, 1, 100});
	/* 100 ns of task 7 before and 100 after. What ran between is not counted. */
	struct reader_record record = expect_record(&group);
	assert_int_equal(record.enabled_ns, 500);
	assert_int_equal(record.running_ns, 300);
	assert_int_equal(record.values[CYCLES], 10 + 400);
	assert_int_equal(record.values[SWITCHES], 2);
	expect_none(&group);
	assert_int_equal(fk_truth_task(fk, 7, FK_CYCLES), 700);
	assert_int_equal(fk_truth_cpu(fk, 0, FK_SWITCHES), 4);
	perf_group_close(&group);
	finish(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_exact_at_any_step),
		cmocka_unit_test(switch_records_have_the_counts_so_far),
		cmocka_unit_test(deltas_of_records_sum_to_the_true_count),
		cmocka_unit_test(software_events_count_what_happens),
		cmocka_unit_test(only_events_that_exist_open),
		cmocka_unit_test(opening_needs_the_rights_of_linux),
		cmocka_unit_test(limits_are_kept),
		cmocka_unit_test(a_group_that_cannot_fit_an_empty_pmu_does_not_open),
		cmocka_unit_test(a_group_off_the_pmu_has_less_running_time),
	};

	return cmocka_run_group_tests_name("fake kernel: counts", tests, NULL, NULL);
}
