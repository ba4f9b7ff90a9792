// SPDX-License-Identifier: MIT
/* F7 and F8 change the nice values of the rows that are shown, and of no later process. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"
#include "tui/screen/renice.h"

#include <errno.h>

/* A machine of a few threads, at 100 s after its boot. The ticks of /proc are 10 ms. */
enum { TASKS = 5, NOW_S = 100, SEEN_S = 99, OTHERS_PID = 5000 };

struct machine_task {
	pid_t pid, tid;
	unsigned long long start_ticks;
	int nice;
	bool ended;
};

struct machine {
	struct machine_task tasks[TASKS];
	bool may_raise;   /* the right to lower values */
	pid_t ends_after; /* the process ends when its pidfd is open; 0: none */
	pid_t reused;     /* another process has the number from then on; 0: none */
	int open_fds, calls;
};

static const struct machine fresh = {
	.tasks = {{4121, 4121, 10, 0, false},
		  {4121, 4130, 20, 5, false},
		  {4121, 4131, 9950, 19, false}, /* began after the snapshot */
		  {4122, 4122, 10, 18, false},
		  {OTHERS_PID, OTHERS_PID, 10, 0, false}},
	.may_raise = true,
};

static struct machine_task *find_task(struct machine *machine, pid_t pid, pid_t tid)
{
	for (size_t i = 0; i < TASKS; i++) {
		struct machine_task *task = &machine->tasks[i];

		if ((pid == 0 || task->pid == pid) && task->tid == tid && !task->ended)
			return task;
	}
	return NULL;
}

static ssize_t machine_file(void *ctx, const char *path, char *buffer, size_t size)
{
	struct machine_task *task;
	int pid, tid;

	if (sscanf(path, "/proc/%d/task/%d/stat", &pid, &tid) != 2) {
		if (sscanf(path, "/proc/%d/stat", &pid) != 1)
			return -ENOENT;
		tid = pid;
	}
	task = find_task(ctx, pid, tid);
	if (!task)
		return -ENOENT;
	return snprintf(buffer, size,
			"%d (task%d) S 1 1 1 0 -1 0 1 0 0 0 1 1 0 0 20 %d 3 0 %llu 1 1 1\n", tid,
			tid, task->nice, task->start_ticks);
}

static int machine_directory(void *ctx, const char *path, int (*fn)(void *arg, const char *name),
			     void *arg)
{
	struct machine *machine = ctx;
	int pid, result = 0;

	if (sscanf(path, "/proc/%d/task", &pid) != 1)
		return -ENOENT;
	for (size_t i = 0; i < TASKS && !result; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", machine->tasks[i].tid);
		if (machine->tasks[i].pid == pid)
			result = fn(arg, name);
	}
	return 0;
}

static int machine_set_nice(void *ctx, pid_t tid, int nice)
{
	struct machine *machine = ctx;
	struct machine_task *task = find_task(machine, 0, tid);

	if (!task)
		return -ESRCH;
	if (task->pid == OTHERS_PID)
		return -EPERM;
	if (nice < task->nice && !machine->may_raise)
		return -EACCES;
	assert_true(task->pid != machine->reused);
	machine->calls++;
	task->nice = nice;
	return 0;
}

static int machine_pidfd_open(void *ctx, pid_t pid)
{
	struct machine *machine = ctx;

	if (!find_task(machine, pid, pid))
		return -ESRCH;
	machine->open_fds++;
	if (machine->reused == pid)
		find_task(machine, pid, pid)->start_ticks = 9990;
	return pid;
}

static int machine_pidfd_signal(void *ctx, int fd, int number)
{
	struct machine *machine = ctx;

	assert_int_equal(number, 0);
	return fd == machine->ends_after ? -ESRCH : 0;
}

static int machine_close(void *ctx, int fd)
{
	(void)fd;
	((struct machine *)ctx)->open_fds--;
	return 0;
}

static uint64_t machine_now(void *ctx)
{
	(void)ctx;
	return NOW_S * NS_PER_S;
}

static const struct sys_ops machine_ops = {
	.file_read = machine_file,
	.dir_each = machine_directory,
	.now_ns = machine_now,
	.boottime_ns = machine_now,
	.pidfd_open = machine_pidfd_open,
	.pidfd_signal = machine_pidfd_signal,
	.set_nice = machine_set_nice,
	.close = machine_close,
};

static void test_apply(void **state)
{
	static const struct {
		const char *name;
		struct renice_target target;
		int delta, want;
		int nice[3];     /* of the threads of 4121, then */
		const char *why; /* the error, or the changed target */
	} rows[] = {
		{"all threads", {4121, 0, 0}, 1, 0, {1, 6, 19}, "4121 task4121"},
		{"and up", {4121, 0, 0}, -1, 0, {-1, 4, 18}, "4121 task4121"},
		{"a thread", {4121, 4130, 0}, -1, 0, {0, 4, 19}, "4130 task4130"},
		{"a later thread",
		 {4121, 4131, 0},
		 -1,
		 -ESRCH,
		 {0, 5, 19},
		 "Thread 4131 has ended."},
		{"no such thread",
		 {4121, 4122, 0},
		 1,
		 -ESRCH,
		 {0, 5, 19},
		 "Thread 4122 has ended."},
		{"no such process", {7, 0, 0}, 1, -ESRCH, {0, 5, 19}, "Process 7 has ended."},
		{"far down", {4121, 0, 0}, 100, 0, {19, 19, 19}, "4121 task4121"},
		{"far up", {4121, 0, 0}, -100, 0, {-20, -20, -20}, "4121 task4121"},
		{"of another user",
		 {OTHERS_PID, 0, 0},
		 1,
		 -EPERM,
		 {0, 5, 19},
		 "Process 5000 belongs to another user or has more rights: its priority needs root "
		 "or "
		 "CAP_SYS_NICE."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine = fresh;
		const struct sys sys = {&machine_ops, &machine};
		struct renice_target target = rows[i].target;
		struct renice_change change;
		struct error err;

		target.seen_ns = SEEN_S * NS_PER_S;
		int got = renice_apply(&sys, &target, rows[i].delta, &change, &err);
		if (got != rows[i].want)
			fail_msg("%s: %d", rows[i].name, got);
		assert_string_equal(got ? err.text : change.name, rows[i].why);
		for (size_t t = 0; t < ARRAY_SIZE(rows[i].nice); t++)
			if (machine.tasks[t].nice != rows[i].nice[t])
				fail_msg("%s: thread %zu has %d", rows[i].name, t,
					 machine.tasks[t].nice);
		assert_int_equal(machine.open_fds, 0);
	}
}

/* No right, an end, or another process with the number: the value stays. */
static void test_refused(void **state)
{
	static const struct {
		const char *name;
		bool may_raise;
		pid_t ends_after, reused;
		int delta, want;
		const char *why;
	} rows[] = {
		{"no right", false, 0, 0, -1, -EACCES,
		 "Process 4121: a higher priority needs root, CAP_SYS_NICE or a limit of nice "
		 "values "
		 "(ulimit -e)."},
		{"down needs none", false, 0, 0, 1, 0, ""},
		{"it ends", true, 4121, 0, 1, -ESRCH, "Process 4121 has ended."},
		{"reused", true, 0, 4121, 1, -ESRCH, "Process 4121 has ended."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine = fresh;
		const struct sys sys = {&machine_ops, &machine};
		struct renice_target target = {4121, 0, SEEN_S * NS_PER_S};
		struct renice_change change;
		struct error err = {0};

		machine.may_raise = rows[i].may_raise;
		machine.ends_after = rows[i].ends_after;
		machine.reused = rows[i].reused;
		int got = renice_apply(&sys, &target, rows[i].delta, &change, &err);
		if (got != rows[i].want || strcmp(err.text, rows[i].why) != 0)
			fail_msg("%s: %d, %s", rows[i].name, got, err.text);
		assert_true((machine.calls > 0) == (got == 0));
		assert_int_equal(machine.open_fds, 0);
	}
}

static struct snapshot *seen_processes(void)
{
	struct snapshot *snapshot = screen_snapshot(2);

	snapshot->time_ns = SEEN_S * NS_PER_S;
	return snapshot;
}

static void test_keys(void **state)
{
	enum { F7 = KEYMAP_F0 + 7, F8 = KEYMAP_F0 + 8 };
	static const struct {
		const char *name;
		int keys[8];
		bool may_raise, readonly;
		const char *message;
	} rows[] = {
		{"F8",
		 {F8},
		 true,
		 false,
		 "4121 task4121: nice 0 -> 1, a lower priority, 3 threads."},
		{"F7",
		 {F7},
		 true,
		 false,
		 "4121 task4121: nice 0 -> -1, a higher priority, 3 threads."},
		{"without the right",
		 {F7},
		 false,
		 false,
		 "Process 4121: a higher priority needs root"},
		{"the last value",
		 {KEYMAP_DOWN, F8, F8},
		 true,
		 false,
		 "4122 task4122: nice stays 19, the lowest priority."},
		{"a thread",
		 {'H', F8},
		 true,
		 false,
		 "4121 task4121: nice 0 -> 1, a lower priority."},
		{"tagged",
		 {' ', ' ', KEYMAP_END, F8},
		 true,
		 false,
		 "2 rows: nice +1, a lower priority."},
		{"tagged, one of another user",
		 {' ', KEYMAP_DOWN, KEYMAP_DOWN, KEYMAP_DOWN, ' ', F7},
		 true,
		 false,
		 "1 of 2 rows: nice -1. Process 5000 belongs to another user"},
		{"a tree",
		 {'t', F8},
		 true,
		 false,
		 "4121 task4121: nice 0 -> 1, a lower priority, 3 threads."},
		{"a user", {'g', F8}, true, false, "A priority needs a process or a thread"},
		{"a CPU", {'C', F8}, true, false, "A priority needs a process or a thread"},
		{"--readonly", {F8}, true, true, "--readonly: no priority is changed."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine = fresh;
		const struct sys sys = {&machine_ops, &machine};
		struct stage stage;

		machine.may_raise = rows[i].may_raise;
		stage_open(&stage, 100, 24, false, seen_processes());
		stage.app.config.sys = &sys;
		stage.app.config.readonly = rows[i].readonly;
		stage_keys(&stage, rows[i].keys);
		stage_check_text(&stage, rows[i].message, true);
		assert_true(machine.calls == 0 || !rows[i].readonly);
		stage_close(&stage);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
