// SPDX-License-Identifier: MIT
/*
 * The fake kernel's counters of tasks: when they count, how they share the PMU with counters of
 * CPUs, and the effect of forks, execs and exits. test_contract_tasks.c has the cases that can also
 * run on Linux, with software events.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/two_tasks.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

static struct perf_event_attr hardware(uint64_t config)
{
	return attr_counting(PERF_TYPE_HARDWARE, config);
}

static struct perf_event_attr software(uint64_t config)
{
	return attr_counting(PERF_TYPE_SOFTWARE, config);
}

static int open_of(const struct sys *sys, pid_t tid, struct perf_event_attr attr, int group)
{
	return sys_perf_open(sys, &attr, tid, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/* Opens `n` different hardware events in a group. Returns the leader. */
static int open_group_of(const struct sys *sys, pid_t tid, size_t n)
{
	int leader = -1;

	for (size_t i = 0; i < n; i++) {
		int fd = open_of(sys, tid, hardware(i), leader);

		assert_true(fd >= 0);
		leader = leader < 0 ? fd : leader;
	}
	return leader;
}

/* Closes n consecutive descriptors. */
static void close_from(const struct sys *sys, int first, unsigned n)
{
	while (n-- > 0)
		assert_int_equal(sys_close(sys, first + (int)n), 0);
}

static void expect_times(const struct sys *sys, int fd, uint64_t enabled_ns, uint64_t running_ns)
{
	struct reading reading = reading_take(sys, fd);

	assert_int_equal(reading.enabled_ns, enabled_ns);
	assert_int_equal(reading.running_ns, running_ns);
}

static void a_task_is_counted_wherever_it_runs(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	int leader = open_of(&sys, 7, hardware(PERF_COUNT_HW_CPU_CYCLES), -1);
	struct perf_event_attr here = hardware(PERF_COUNT_HW_CPU_CYCLES);

	open_of(&sys, 7, software(PERF_COUNT_SW_TASK_CLOCK), leader);
	open_of(&sys, 7, software(PERF_COUNT_SW_CONTEXT_SWITCHES), leader);
	int on_1 = sys_perf_open(&sys, &here, 7, 1, -1, 0);
	fk_advance(fk, 1000); /* asleep */
	fk_switch(fk, 0, 7);
	fk_advance(fk, 300);
	fk_switch(fk, 0, 8);
	fk_advance(fk, 1000);
	fk_switch(fk, 1, 7);
	fk_advance(fk, 50);

	struct reading all = reading_take(&sys, leader);
	expect_times(&sys, leader, 350, 350);
	assert_int_equal(all.values[0], fk_truth_task(fk, 7, FK_CYCLES));
	assert_int_equal(all.values[1], 350);
	assert_int_equal(all.values[2], 1);
	/* An event of a task on one CPU is enabled while the task runs on any CPU. */
	expect_times(&sys, on_1, 350, 50);
	assert_int_equal(reading_take(&sys, on_1).values[0], 100);
	close_from(&sys, leader, 4);
	finish(fk);
}

static void user_and_kernel_mode_are_separate(void **state)
{
	(void)state;
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct perf_event_attr user = hardware(0), kernel = hardware(0);

	user.exclude_kernel = 1;
	kernel.exclude_user = 1;
	fk_task(fk, &(struct fk_spec){.tid = 5, .rates = {{4, 1}}, .user = {3, 4}});
	int leader = open_of(&sys, 5, user, -1);
	open_of(&sys, 5, kernel, leader);
	fk_switch(fk, 0, 5);
	fk_advance(fk, 1000);
	struct reading reading = reading_take(&sys, leader);
	assert_int_equal(reading.values[0], 3000);
	assert_int_equal(reading.values[1], 1000);
	close_from(&sys, leader, 2);
	finish(fk);
}

static void events_of_a_hybrid_pmu_count_on_its_cpus(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&fk_machine_hybrid);
	struct sys sys = fk_sys(fk);
	int core = open_of(&sys, 7, hardware(4ull << 32), -1);
	int atom = open_of(&sys, 7, hardware(10ull << 32), -1);

	open_of(&sys, 7, software(PERF_COUNT_SW_TASK_CLOCK), atom);
	assert_int_equal(open_of(&sys, 7, hardware(10ull << 32), core), -EINVAL);
	fk_switch(fk, 0, 7);
	fk_advance(fk, 100);
	fk_switch(fk, 0, 0);
	fk_switch(fk, 3, 7);
	fk_advance(fk, 10);
	expect_times(&sys, core, 110, 100);
	expect_times(&sys, atom, 110, 10);
	assert_int_equal(reading_take(&sys, core).values[0], 200);
	assert_int_equal(reading_take(&sys, atom).values[0], 20);
	assert_int_equal(reading_take(&sys, atom).values[1], 10);
	close_from(&sys, core, 3);
	finish(fk);
}

static void groups_of_a_task_take_turns(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.slots = 2});
	struct sys sys = fk_sys(fk);
	int clock = open_of(&sys, 7, software(PERF_COUNT_SW_TASK_CLOCK), -1);
	int first = open_group_of(&sys, 7, 2);
	int second = open_group_of(&sys, 7, 2);
	uint64_t enabled_ns = 100ull * FK_ROTATE_NS;

	/* The task never runs for a whole turn, but the timer is the CPU's. */
	fk_switch(fk, 0, 7);
	fk_ping_pong(fk, 0, 8, 7, FK_ROTATE_NS / 4 + 1, 2 * 4 * 100);
	fk_advance(fk, 2 * enabled_ns + 10000);
	struct reading a = reading_take(&sys, first), b = reading_take(&sys, second);
	uint64_t ran_ns = reading_take(&sys, clock).values[0];
	assert_int_equal(ran_ns, fk_truth_task(fk, 7, FK_TASK_CLOCK));
	assert_int_equal(a.enabled_ns, ran_ns);
	assert_int_equal(b.enabled_ns, ran_ns);
	assert_int_equal(a.running_ns + b.running_ns, ran_ns);
	assert_int_equal(a.values[0], 2 * a.running_ns);
	assert_int_equal(b.values[0], 2 * b.running_ns);
	assert_in_range(a.running_ns, ran_ns / 3, ran_ns / 3 * 2);
	close_from(&sys, clock, 5);
	finish(fk);
}

static void groups_of_a_task_come_after_those_of_the_cpu(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.slots = 3});
	struct sys sys = fk_sys(fk);

	fk_switch(fk, 0, 7);
	int mine = open_group_of(&sys, 7, 2);
	fk_advance(fk, 100);
	expect_times(&sys, mine, 100, 100);
	int cpus = open_on(&sys, PERF_TYPE_HARDWARE, 0, 0, -1);
	int sibling = open_on(&sys, PERF_TYPE_HARDWARE, 1, 0, cpus);
	/* The CPU's groups have all counters and do not rotate: the task's wait for ever. */
	fk_advance(fk, 10ull * FK_ROTATE_NS);
	expect_times(&sys, cpus, 10ull * FK_ROTATE_NS, 10ull * FK_ROTATE_NS);
	expect_times(&sys, mine, 100 + 10ull * FK_ROTATE_NS, 100);
	/* A group that fits beside them counts, although a larger one waits before it. */
	int small = open_group_of(&sys, 7, 1);
	expect_times(&sys, small, 0, 0);
	fk_advance(fk, 2ull * FK_ROTATE_NS);
	assert_true(reading_take(&sys, small).running_ns >= FK_ROTATE_NS);
	sys_close(&sys, sibling);
	sys_close(&sys, cpus);
	close_from(&sys, small, 1);
	close_from(&sys, mine, 2);
	finish(fk);
}

static struct perf_event_attr inherited(struct perf_event_attr attr)
{
	attr.inherit = 1;
	return attr;
}

/* Opens cycles and page faults of a task and of its future children. */
static int open_inherited(const struct sys *sys, pid_t tid)
{
	int leader = open_of(sys, tid, inherited(hardware(PERF_COUNT_HW_CPU_CYCLES)), -1);
	int faults = open_of(sys, tid, inherited(software(PERF_COUNT_SW_PAGE_FAULTS)), leader);

	assert_true(leader >= 0 && faults == leader + 1);
	return leader;
}

/* Task 7, and those from 20 up to `last`. */
static uint64_t truth_of_family(struct fk *fk, pid_t last, enum fk_event event)
{
	uint64_t sum = fk_truth_task(fk, 7, event);

	for (pid_t tid = 20; tid <= last; tid++)
		sum += fk_truth_task(fk, tid, event);
	return sum;
}

static void expect_family(struct fk *fk, const struct sys *sys, int fd, pid_t last)
{
	struct reading reading = reading_take(sys, fd);

	assert_int_equal(reading.enabled_ns, truth_of_family(fk, last, FK_TASK_CLOCK));
	assert_int_equal(reading.running_ns, reading.enabled_ns);
	assert_int_equal(reading.values[0], truth_of_family(fk, last, FK_CYCLES));
	assert_int_equal(reading.values[1], truth_of_family(fk, last, FK_PAGE_FAULTS));
}

static void counts_of_a_family_are_summed(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	int family = open_inherited(&sys, 7);

	fk_switch(fk, 0, 7);
	fk_fork(fk, 7, 20);
	fk_thread(fk, 7, 21);
	fk_switch(fk, 1, 20);
	fk_rate(fk, 20, FK_CYCLES, (struct fk_rate){5, 1});
	fk_fault(fk, 1, false);
	fk_fork(fk, 20, 22); /* a copy of a copy */
	fk_advance(fk, 100);
	expect_family(fk, &sys, family, 22);
	fk_exit(fk, 20, FK_EXIT_REAPED);
	fk_switch(fk, 1, 22);
	fk_fault(fk, 1, false);
	fk_advance(fk, 30);
	fk_switch(fk, 0, 21);
	fk_advance(fk, 7);
	expect_family(fk, &sys, family, 22);
	/* A read without PERF_FORMAT_GROUP is a sum, too. */
	struct perf_event_attr alone = inherited(hardware(PERF_COUNT_HW_CPU_CYCLES));
	alone.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
	int single = open_of(&sys, 22, alone, -1);
	uint64_t values[2], before = fk_truth_task(fk, 22, FK_CYCLES);
	fk_fork(fk, 22, 23);
	fk_switch(fk, 0, 23);
	fk_advance(fk, 10);
	assert_int_equal(sys_perf_read(&sys, single, values, sizeof(values)), sizeof(values));
	assert_int_equal(values[0], fk_truth_task(fk, 22, FK_CYCLES) - before +
					    fk_truth_task(fk, 23, FK_CYCLES));
	assert_int_equal(values[1], 20);
	for (pid_t tid = 21; tid <= 23; tid++) {
		fk_switch(fk, 0, tid == 22 ? 0 : tid);
		fk_exit(fk, tid, FK_EXIT_REAPED);
		fk_switch(fk, tid == 22 ? 1 : 0, 0);
	}
	expect_family(fk, &sys, family, 23);
	close_from(&sys, family, 3);
	finish(fk);
}

static void closing_removes_all_copies(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.slots = 1, .cpus = 2});
	struct sys sys = fk_sys(fk);

	fk_switch(fk, 0, 7);
	fk_fork(fk, 7, 20); /* has no copy: it was forked before */
	int family = open_inherited(&sys, 7);
	fk_fork(fk, 7, 21);
	fk_switch(fk, 1, 20);
	fk_advance(fk, 100);
	assert_int_equal(reading_take(&sys, family).running_ns, 100);
	fk_switch(fk, 1, 21);
	fk_advance(fk, 10);
	assert_int_equal(reading_take(&sys, family).running_ns, 120);
	/* Without its leader the sibling still counts, in all tasks. */
	sys_close(&sys, family);
	fk_fault(fk, 0, false);
	fk_fault(fk, 1, false);
	assert_int_equal(reading_take(&sys, family + 1).values[0], 2);
	sys_close(&sys, family + 1);
	assert_int_equal(fk_open_fds(fk), 0);
	/* The only counter of the child's CPU is free again. */
	int next = open_of(&sys, 21, hardware(PERF_COUNT_HW_CPU_CYCLES), -1);
	fk_advance(fk, 10);
	expect_times(&sys, next, 10, 10);
	sys_close(&sys, next);
	finish(fk);
}

static void copies_are_enabled_with_their_event(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	struct perf_event_attr attr = inherited(hardware(PERF_COUNT_HW_CPU_CYCLES));

	attr.disabled = 1;
	int fd = open_of(&sys, 7, attr, -1);
	fk_switch(fk, 0, 7);
	fk_fork(fk, 7, 20);
	fk_switch(fk, 1, 20);
	fk_advance(fk, 10);
	expect_times(&sys, fd, 0, 0);
	sys_perf_ioctl(&sys, fd, PERF_EVENT_IOC_ENABLE, 0);
	fk_fork(fk, 20, 21); /* enabled: its parent's is enabled now */
	fk_advance(fk, 10);
	fk_switch(fk, 0, 21);
	fk_advance(fk, 10);
	expect_times(&sys, fd, 40, 40);
	fk_exit(fk, 21, FK_EXIT_REAPED);
	sys_perf_ioctl(&sys, fd, PERF_EVENT_IOC_DISABLE, 0);
	fk_advance(fk, 10);
	expect_times(&sys, fd, 40, 40);
	/* A reset leaves the counts of exited tasks. */
	sys_perf_ioctl(&sys, fd, PERF_EVENT_IOC_RESET, 0);
	expect_times(&sys, fd, 40, 40);
	assert_int_equal(reading_take(&sys, fd).values[0], 20);
	sys_close(&sys, fd);
	finish(fk);
}

/* Groups of parent and child must have the same members to be summed. */
static void a_group_that_changed_since_a_fork_cannot_be_read(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	struct reading reading;
	int family = open_inherited(&sys, 7);

	fk_switch(fk, 0, 7);
	fk_fork(fk, 7, 20);
	int late = open_of(&sys, 7, inherited(software(PERF_COUNT_SW_DUMMY)), family);
	assert_int_equal(sys_perf_read(&sys, family, &reading, sizeof(reading)), -ECHILD);
	sys_close(&sys, late);
	assert_int_equal(sys_perf_read(&sys, family, &reading, sizeof(reading)), -ECHILD);
	fk_switch(fk, 0, 20);
	fk_advance(fk, 10);
	fk_exit(fk, 20, FK_EXIT_REAPED);
	expect_times(&sys, family, 10, 10);
	close_from(&sys, family, 2);
	finish(fk);
}

static void some_events_cannot_be_inherited(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	int family = open_inherited(&sys, 7);
	struct perf_event_attr sampling = inherited(attr_sampling(PERF_COUNT_SW_DUMMY, 1));
	void *address;

	sampling.sample_type = PERF_SAMPLE_READ;
	assert_int_equal(open_of(&sys, 7, sampling, -1), -EINVAL);
	assert_int_equal(open_of(&sys, 7, software(PERF_COUNT_SW_DUMMY), family), -EINVAL);
	assert_int_equal(sys_perf_map(&sys, family, 1 << 13, &address), -EINVAL);
	close_from(&sys, family, 2);
	finish(fk);
}

static void a_group_can_start_at_an_exec(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	struct perf_event_attr attr = inherited(hardware(PERF_COUNT_HW_CPU_CYCLES));

	attr.disabled = attr.enable_on_exec = 1;
	int leader = open_of(&sys, 7, attr, -1);
	open_of(&sys, 7, inherited(software(PERF_COUNT_SW_TASK_CLOCK)), leader);
	fk_switch(fk, 0, 7);
	fk_advance(fk, 100);
	fk_comm(fk, 7, "still me");
	expect_times(&sys, leader, 0, 0);
	fk_exec(fk, 7, "other");
	fk_advance(fk, 10);
	fk_fork(fk, 7, 20);
	fk_switch(fk, 0, 20);
	fk_advance(fk, 5);
	expect_times(&sys, leader, 15, 15);
	assert_int_equal(reading_take(&sys, leader).values[0], 30);
	assert_int_equal(reading_take(&sys, leader).values[1], 15);
	/* A second exec does not enable it. */
	fk_switch(fk, 0, 7);
	sys_perf_ioctl(&sys, leader, PERF_EVENT_IOC_DISABLE, 0);
	fk_exec(fk, 7, "third");
	fk_advance(fk, 10);
	expect_times(&sys, leader, 15, 15);
	close_from(&sys, leader, 2);
	finish(fk);
}

static void counts_of_exited_tasks_stay(void **state)
{
	(void)state;
	struct fk *fk = two_tasks_new(NULL);
	struct sys sys = fk_sys(fk);
	int leader = open_group_of(&sys, 7, 2);
	struct perf_event_attr dummy = software(PERF_COUNT_SW_DUMMY);

	fk_switch(fk, 0, 7);
	fk_advance(fk, 100);
	fk_exit(fk, 7, FK_EXIT_ZOMBIE);
	fk_advance(fk, 10); /* the zombie still runs, and is not counted */
	fk_switch(fk, 0, 8);
	fk_advance(fk, 10);
	expect_times(&sys, leader, 100, 100);
	struct reading reading = reading_take(&sys, leader);
	assert_int_equal(reading.nr, 2);
	assert_int_equal(reading.values[0], 200);
	assert_int_equal(reading.values[1], 150);
	assert_int_equal(sys_perf_ioctl(&sys, leader, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(sys_perf_open(&sys, &dummy, 7, -1, leader, 0), -ESRCH);
	/* A new task with the same number is another task. */
	fk_task(fk, &(struct fk_spec){.tid = 7, .rates = {{1, 1}}});
	fk_switch(fk, 0, 7);
	fk_advance(fk, 10);
	expect_times(&sys, leader, 100, 100);
	sys_close(&sys, leader);
	expect_times(&sys, leader + 1, 100, 100);
	sys_close(&sys, leader + 1);
	finish(fk);
}

static void expect_file(const struct sys *sys, const char *path, const char *text)
{
	char found[1024];

	assert_true(sys_file_read(sys, path, found, sizeof(found)) >= 0);
	if (!strstr(found, text))
		fail_msg("%s: %s", path, found);
}

static void proc_describes_families(void **state)
{
	(void)state;
	struct fk *fk = fk_new(&(struct fk_config){.fd_limit = 256});
	struct sys sys = fk_sys(fk);
	char text[8];

	fk_task(fk, &(struct fk_spec){.tid = 7, .uid = 12, .comm = "a\nUid:\\", .user = {3, 4}});
	fk_task(fk, &(struct fk_spec){.tid = 9, .ppid = 7});
	fk_switch(fk, 0, 7);
	fk_fork(fk, 7, 20);
	fk_thread(fk, 7, 21);
	fk_advance(fk, NS_PER_S);
	fk_switch(fk, 0, 21);
	fk_fork(fk, 21, 22);
	fk_advance(fk, 10);
	static const struct {
		const char *path, *text;
	} rows[] = {
		{"/proc/7/task/7/children", "9 20 "},
		{"/proc/7/task/21/children", "22 "},
		{"/proc/7/task/7/status", "Name:\ta\\nUid:\\\\\nState:\tS (sleeping)\n"},
		{"/proc/7/status", "\nUid:\t12\t12\t12\t12\n"},
		{"/proc/7/status", "\nThreads:\t2\n"},
		{"/proc/22/status", "\nPPid:\t7\n"},
		{"/proc/7/status", "\nvoluntary_ctxt_switches:\t1\n"},
		{"/proc/7/schedstat", "1000000000 0 1\n"},
		{"/proc/7/task/21/schedstat", "10 1000000000 1\n"},
		{"/proc/7/stat", " 75 25 0 0 20 0 2 0 "},
		{"/proc/self/limits",
		 "\nMax open files            256                  256                  files     "
		 "\n"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_file(&sys, rows[i].path, rows[i].text);

	/* Children of a thread go to its process, children of a process to init. */
	fk_exit(fk, 21, FK_EXIT_THREAD);
	fk_switch(fk, 0, 7);
	expect_file(&sys, "/proc/7/task/7/children", "22 ");
	fk_exit(fk, 7, FK_EXIT_REAPED);
	fk_switch(fk, 0, 0);
	expect_file(&sys, "/proc/22/status", "\nPPid:\t1\n");
	assert_int_equal(sys_file_read(&sys, "/proc/7/status", text, sizeof(text)), -ENOENT);
	finish(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_is_counted_wherever_it_runs),
		cmocka_unit_test(user_and_kernel_mode_are_separate),
		cmocka_unit_test(events_of_a_hybrid_pmu_count_on_its_cpus),
		cmocka_unit_test(groups_of_a_task_take_turns),
		cmocka_unit_test(groups_of_a_task_come_after_those_of_the_cpu),
		cmocka_unit_test(counts_of_a_family_are_summed),
		cmocka_unit_test(closing_removes_all_copies),
		cmocka_unit_test(copies_are_enabled_with_their_event),
		cmocka_unit_test(a_group_that_changed_since_a_fork_cannot_be_read),
		cmocka_unit_test(some_events_cannot_be_inherited),
		cmocka_unit_test(a_group_can_start_at_an_exec),
		cmocka_unit_test(counts_of_exited_tasks_stay),
		cmocka_unit_test(proc_describes_families),
	};

	return cmocka_run_group_tests_name("fake kernel: tasks", tests, NULL, NULL);
}
