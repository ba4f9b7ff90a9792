// SPDX-License-Identifier: MIT
/*
 * The states of the fake kernel's tasks while they are off their CPU: their times, and what switch
 * samples (core/attrib) and /proc have of them.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void expect_file(const struct sys *sys, const char *path, const char *part)
{
	char text[1024];

	assert_true(sys_file_read(sys, path, text, sizeof(text)) > 0);
	if (!strstr(text, part))
		fail_msg("%s: no '%s' in '%s'", path, part, text);
}

/* Task 7 runs for 100 ns, is off its CPU for 50 ns in a state, runs again, and sleeps. */
static void a_task_leaves_its_cpu_in_a_state(void **state)
{
	static const struct {
		const char *name;
		enum fk_state leaves;
		bool woken; /* for the last 20 of the 50 ns */
		uint64_t times[FK_STATES];
		const char *stat, *schedstat, *involuntary;
	} rows[] = {
		{
			"sleeps, gets a CPU as it wakes",
			FK_SLEEPING,
			false,
			{[FK_SLEEPING] = 60, [FK_RUNNING] = 200},
			"(a) S ",
			"200 0 2\n",
			"nonvoluntary_ctxt_switches:\t0\n",
		},
		{
			"sleeps, waits for a CPU",
			FK_SLEEPING,
			true,
			{[FK_SLEEPING] = 40, [FK_WOKEN] = 20, [FK_RUNNING] = 200},
			"(a) R ",
			"200 20 2\n",
			"nonvoluntary_ctxt_switches:\t0\n",
		},
		{
			"is preempted",
			FK_PREEMPTED,
			false,
			{[FK_SLEEPING] = 10, [FK_PREEMPTED] = 50, [FK_RUNNING] = 200},
			"(a) R ",
			"200 50 2\n",
			"nonvoluntary_ctxt_switches:\t1\n",
		},
		{
			"uninterruptible, waits for a CPU",
			FK_UNINTERRUPTIBLE,
			true,
			{[FK_SLEEPING] = 10,
			 [FK_UNINTERRUPTIBLE] = 30,
			 [FK_WOKEN] = 20,
			 [FK_RUNNING] = 200},
			"(a) R ",
			"200 20 2\n",
			"nonvoluntary_ctxt_switches:\t0\n",
		},
		{
			"is stopped",
			FK_STOPPED,
			false,
			{[FK_SLEEPING] = 10, [FK_STOPPED] = 50, [FK_RUNNING] = 200},
			"(a) T ",
			"200 0 2\n",
			"nonvoluntary_ctxt_switches:\t0\n",
		},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config){.cpus = 1});
		struct sys sys = fk_sys(fk);

		fk_task(fk, &(struct fk_spec){.tid = 7, .comm = "a"});
		fk_switch(fk, 0, 7);
		fk_advance(fk, 100);
		fk_block(fk, 7, rows[i].leaves);
		fk_switch(fk, 0, 0);
		fk_advance(fk, 30);
		if (rows[i].woken)
			fk_ready(fk, 7);
		fk_advance(fk, 20);
		expect_file(&sys, "/proc/7/task/7/stat", rows[i].stat);
		fk_switch(fk, 0, 7);
		fk_advance(fk, 100);
		expect_file(&sys, "/proc/7/task/7/schedstat", rows[i].schedstat);
		fk_switch(fk, 0, 0);
		fk_advance(fk, 10);
		expect_file(&sys, "/proc/7/task/7/status", rows[i].involuntary);
		for (enum fk_state k = 0; k < FK_STATES; k++)
			if (fk_truth_state(fk, 7, k) != rows[i].times[k])
				fail_msg("%s: %" PRIu64 " ns in state %d, not %" PRIu64,
					 rows[i].name, fk_truth_state(fk, 7, k), (int)k,
					 rows[i].times[k]);
		fk_free(fk);
	}
}

static void a_forked_task_waits_for_a_cpu(void **state)
{
	(void)state;
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1});
	struct sys sys = fk_sys(fk);

	fk_task(fk, &(struct fk_spec){.tid = 7, .comm = "a"});
	expect_file(&sys, "/proc/loadavg", " 0/1 ");
	fk_switch(fk, 0, 7);
	fk_fork(fk, 7, 8);
	expect_file(&sys, "/proc/loadavg", " 2/2 ");
	expect_file(&sys, "/proc/stat", "\nprocesses 2\nprocs_running 2\n");
	fk_advance(fk, 30);
	fk_switch(fk, 0, 8);
	fk_advance(fk, 10);
	fk_exit(fk, 8, FK_EXIT_REAPED);
	fk_switch(fk, 0, 0);
	fk_advance(fk, 1000); /* not a time of the dead task */
	expect_file(&sys, "/proc/stat", "\nprocesses 2\nprocs_running 0\n");
	assert_int_equal(fk_truth_state(fk, 8, FK_WOKEN), 30);
	assert_int_equal(fk_truth_state(fk, 8, FK_RUNNING), 10);
	assert_int_equal(fk_truth_state(fk, 8, FK_SLEEPING), 0);
	fk_free(fk);
}

/* Task 7 is blocked for 50 ns, waits for a CPU for 20 ns, and runs. */
static void a_task_is_blocked_in_a_function(void **state)
{
	static const struct fk_wait lock = {.wchan = "futex_do_wait", .syscall = "202 0x1\n"};
	static const struct fk_wait disk = {.wchan = "folio_wait_bit",
					    .stack = "[<0>] a+0x1/0x2\n"};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 7, .comm = "a"});
	expect_file(&sys, "/proc/7/task/7/wchan", "0");
	fk_switch(fk, 0, 7);
	fk_block_in(fk, 7, FK_SLEEPING, &lock);
	expect_file(&sys, "/proc/7/task/7/wchan", "0");
	expect_file(&sys, "/proc/7/task/7/syscall", "running");
	fk_switch(fk, 0, 0);
	fk_advance(fk, 50);
	expect_file(&sys, "/proc/7/task/7/wchan", "futex_do_wait");
	expect_file(&sys, "/proc/7/task/7/syscall", "202 0x1");
	assert_int_equal(fk_truth_wait(fk, 7, &lock), 50);
	fk_ready(fk, 7);
	fk_advance(fk, 20);
	expect_file(&sys, "/proc/7/task/7/wchan", "0");
	fk_switch(fk, 0, 7);
	fk_block_in(fk, 7, FK_UNINTERRUPTIBLE, &disk);
	fk_switch(fk, 0, 0);
	fk_advance(fk, 10);
	expect_file(&sys, "/proc/7/task/7/stack", "[<0>] a+");
	expect_file(&sys, "/proc/7/task/7/syscall", "running");
	assert_int_equal(fk_truth_wait(fk, 7, &lock), 50);
	assert_int_equal(fk_truth_wait(fk, 7, &disk), 10);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_is_blocked_in_a_function),
		cmocka_unit_test(a_task_leaves_its_cpu_in_a_state),
		cmocka_unit_test(a_forked_task_waits_for_a_cpu),
	};

	return cmocka_run_group_tests_name("fake kernel: states", tests, NULL, NULL);
}
