// SPDX-License-Identifier: MIT
/*
 * Scenes that a real kernel cannot repeat: lost records, failed calls, a stopped clock, offline
 * CPUs, and files with a given text. test_contract_records.c has the cases that can also run on
 * Linux.
 */
#include "core/base/util.h"
#include "tests/unit/shared/two_tasks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void lost_records_are_reported(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	struct perf_group group;

	two_tasks_group(&sys, 0, &group);
	fk_switch(fk, 0, 7);
	fk_lose(fk, 0, 2);
	fk_switch(fk, 0, 8);
	fk_switch(fk, 0, 7);
	fk_advance(fk, 10);
	fk_switch(fk, 0, 0);
	expect_sample(&group, 0, 0, 0, (uint64_t[]){0, 0, 1, 0});
	struct reader_record lost = expect_record(&group);
	assert_int_equal(lost.type, PERF_RECORD_LOST);
	assert_int_equal(lost.lost, 2);
	assert_int_equal(lost.lost_id, group.ids[SWITCHES]);
	assert_int_equal(lost.time_ns, START_NS + 10);
	assert_int_equal(lost.tid, 7);
	expect_sample(&group, 7, 7, 10, (uint64_t[]){20, 15, 4, 10});
	expect_none(&group);
	assert_int_equal(fk_lost(fk), 2);
	perf_group_close(&group);
	finish(fk);
}

static void the_last_switch_of_a_task_has_the_ids_that_are_left(void **state)
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
		struct fk *fk = two_tasks_new(NULL);
		struct sys sys = fk_sys(fk);
		struct perf_group group;
		struct reader_record record;
		char text[64];

		fk_switch(fk, 0, 7);
		two_tasks_group(&sys, 0, &group);
		fk_thread(fk, 7, 70);
		fk_switch(fk, 0, 70);
		fk_advance(fk, 100);
		assert_true(sys_file_read(&sys, "/proc/7/task/70/comm", text, sizeof(text)) > 0);
		fk_exit(fk, 70, rows[i].how);
		assert_int_equal(sys_file_read(&sys, "/proc/7/task/70/comm", text, sizeof(text)),
				 -ENOENT);
		fk_advance(fk, 50);
		fk_switch(fk, 0, 0);

		record = expect_record(&group);
		assert_int_equal(record.type, PERF_RECORD_FORK);
		assert_int_equal(record.task_pid, 7);
		assert_int_equal(record.task_tid, 70);
		assert_int_equal(record.task_ptid, 7);
		expect_sample(&group, 7, 7, 0, (uint64_t[]){0, 0, 1, 0});
		record = expect_record(&group);
		assert_int_equal(record.type, PERF_RECORD_EXIT);
		assert_int_equal(record.task_tid, 70);
		assert_int_equal(record.task_ppid, 1);
		assert_int_equal(record.tid, 70);
		assert_int_equal(record.time_ns, START_NS + 100);
		expect_sample(&group, rows[i].pid, rows[i].tid, 150,
			      (uint64_t[]){300, 225, 2, 150});
		expect_none(&group);
		assert_int_equal(fk_truth_task(fk, 70, FK_CYCLES), 300);
		/* The number is free again. */
		fk_task(fk, &(struct fk_spec){.tid = 70});
		assert_int_equal(fk_truth_task(fk, 70, FK_CYCLES), 0);
		perf_group_close(&group);
		finish(fk);
	}
}

static void ticks_fire_while_they_are_armed(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);
	struct perf_group group;

	two_tasks_group(&sys, 0, &group);
	fk_switch(fk, 0, 7);
	expect_record(&group);
	fk_advance(fk, 5000);
	perf_group_period(&group, 10000);
	fk_advance(fk, 9999);
	expect_none(&group);
	fk_advance(fk, 10001);
	expect_sample(&group, 7, 7, 15000, (uint64_t[]){30000, 22500, 1, 15000});
	expect_sample(&group, 7, 7, 25000, (uint64_t[]){50000, 37500, 1, 25000});
	perf_group_period(&group, TICK_OFF_NS);
	fk_advance(fk, NS_PER_S);
	expect_none(&group);

	/* At one instant the tick comes before the switch: it has the task that ran until then. */
	perf_group_period(&group, 10000);
	fk_script(fk, &(struct fk_step){.at_ns = 10000, .action = FK_SWITCH, .tid = 8}, 1);
	fk_advance(fk, 10000);
	perf_group_period(&group, TICK_OFF_NS);
	struct reader_record tick = expect_record(&group), change = expect_record(&group);
	assert_int_equal(tick.id, group.ids[TICK]);
	assert_int_equal(tick.tid, 7);
	assert_int_equal(change.id, group.ids[SWITCHES]);
	assert_int_equal(change.time_ns, tick.time_ns);

	/* Idle CPUs tick, except with fk_no_tick() or fk_silent_idle(). */
	fk_switch(fk, 0, 0);
	expect_record(&group);
	for (int i = 0; i < 3; i++) {
		fk_no_tick(fk, 0, i == 1);
		fk_silent_idle(fk, 0, i == 2);
		perf_group_period(&group, 10000);
		fk_advance(fk, 10000);
		perf_group_period(&group, TICK_OFF_NS);
		if (!i)
			assert_int_equal(expect_record(&group).tid, 0);
		expect_none(&group);
	}
	/* A switch from silent idle has no record, but is counted. */
	fk_switch(fk, 0, 7);
	expect_none(&group);
	fk_switch(fk, 0, 8);
	assert_int_equal(expect_record(&group).values[SWITCHES], 5);
	assert_int_equal(fk_lost(fk), 0);
	perf_group_close(&group);
	finish(fk);
}

static void records_without_clockid_have_another_clock(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr =
		attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
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

static void note_time(struct fk *fk, void *arg)
{
	*(uint64_t *)arg = fk_now(fk);
}

static void waits_end_when_something_is_ready(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);
	struct perf_group group;
	uint64_t noted = 0;

	two_tasks_group(&sys, 0, &group);
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

	/* A scripted wake ends a wait. Actions due at the deadline are done before. */
	fk_script(fk, &(struct fk_step){.at_ns = 500, .action = FK_WAKE}, 1);
	assert_int_equal(sys_wait(&sys, NULL, 0, START_NS + NS_PER_S), -EINTR);
	assert_int_equal(fk_now(fk), START_NS + 40 * 1000 + 500);
	fk_after(fk, 100, note_time, &noted);
	sys_wait(&sys, NULL, 0, fk_now(fk) + 100);
	assert_int_equal(noted, fk_now(fk));
	/* A deadline in the past: no sleep, but actions that are due are done. */
	fk_after(fk, 0, note_time, &noted);
	noted = 0;
	sys_wait(&sys, NULL, 0, 0);
	assert_int_equal(noted, fk_now(fk));
	perf_group_close(&group);
	finish(fk);
}

static void append_letter(struct fk *fk, void *arg)
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
		fk_after(fk, rows[i].in_ns, append_letter, &pointers[i]);
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

	fk_after(fk, 15, note_time, &noted);
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

/* Makes each call once. Returns the first error, or 0. */
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
		struct fk *fk = two_tasks_new(NULL);
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
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	fk_fail(fk, FK_CLOSE, 1, EINTR);
	fk_fail(fk, FK_PERF_UNMAP, 1, EINVAL);
	assert_int_equal(call_everything(&sys), 0);
	assert_int_equal(fk_calls(fk, FK_CLOSE), 2);
	assert_int_equal(fk_calls(fk, FK_PERF_UNMAP), 2);
	finish(fk);
}

static void counters_of_an_offline_cpu_never_count_again(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct perf_group group;
	char text[64];

	two_tasks_group(&sys, 1, &group);
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
	/* The group is dissolved: a read has one event with a constant count. */
	struct reading dead = reading_take(&sys, group.fds[CYCLES]);
	assert_int_equal(dead.nr, 1);
	assert_int_equal(dead.enabled_ns, 100);
	assert_int_equal(dead.values[0], 200);
	/* The switches idle to 7, and 7 to idle at the offlining. */
	assert_int_equal(expect_record(&group).values[SWITCHES], 1);
	assert_int_equal(expect_record(&group).values[SWITCHES], 2);
	expect_none(&group);
	int fd = open_on(&sys, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, -1);
	fk_advance(fk, 100);
	assert_int_equal(reading_take(&sys, fd).values[0], 200);
	/* 100 ns offline are not counted. */
	assert_int_equal(fk_truth_cpu(fk, 1, FK_TASK_CLOCK), 400);
	sys_close(&sys, fd);
	perf_group_close(&group);
	finish(fk);
}

static void files_describe_tasks_and_machine(void **state)
{
	(void)state;
	static const struct fk_pmu pmus[] = {{"armv8_pmuv3_0", 8, 0, 1, 6, FK_GENERIC},
					     {"armv8_pmuv3_1", 9, 2, 3, 6, FK_GENERIC}};
	struct fk *fk = two_tasks_new(&(struct fk_config){
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
			       "btime 1700000000\nprocesses 3\nprocs_running 1\n"
			       "procs_blocked 0\n"},
		{"/proc/7/task/70/stat",
		 "70 (sev) 1 (en) S 1 7 7 0 -1 0 1 0 0 0 100 0 0 0 20 0 2 "
		 "0 100000 4096000 100 18446744073709551615 4194304 0 0 0 0 0 0 0 "
		 "0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"},
		{"/proc/7/stat", "7 (seven) R 1 7 7 0 -1 0 1 0 0 0 200 0 0 0 20 0 2 "
				 "0 100000 4096000 100 18446744073709551615 4194304 0 0 0 0 0 0 0 "
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
	assert_int_equal(read_names(&sys, "/proc", names), 0);
	assert_string_equal(names, "loadavg stat sys 7 8 ");
	names[0] = '\0';
	assert_int_equal(read_names(&sys, "/proc/7/task", names), 0);
	assert_string_equal(names, "7 70 ");
	names[0] = '\0';
	fk_file(fk, "/sys/bus/event_source/devices/stop/type", "99\n");
	fk_file(fk, "/sys/bus/event_source/devices/uncore/type", "98\n");
	read_names(&sys, "/sys/bus/event_source/devices", names);
	assert_string_equal(names, "armv8_pmuv3_0 armv8_pmuv3_1 software tracepoint breakpoint "
				   "stop ");
	assert_int_equal(read_names(&sys, "/proc/9/task", names), -ENOENT);
	finish(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_records_are_reported),
		cmocka_unit_test(the_last_switch_of_a_task_has_the_ids_that_are_left),
		cmocka_unit_test(ticks_fire_while_they_are_armed),
		cmocka_unit_test(records_without_clockid_have_another_clock),
		cmocka_unit_test(waits_end_when_something_is_ready),
		cmocka_unit_test(actions_come_in_order),
		cmocka_unit_test(reading_the_clock_takes_time),
		cmocka_unit_test(any_call_can_be_made_to_fail),
		cmocka_unit_test(counters_of_an_offline_cpu_never_count_again),
		cmocka_unit_test(files_describe_tasks_and_machine),
	};

	return cmocka_run_group_tests_name("fake kernel: scenes", tests, NULL, NULL);
}
