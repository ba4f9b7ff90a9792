// SPDX-License-Identifier: MIT
/* The offset of a time namespace as text, and the clock of a process in a real one. */
#include "core/sys/time_namespace.h"

#include "core/base/util.h"
#include "core/sys/sys.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define S ((int64_t)NS_PER_S)

static void offsets(void **state)
{
	static const struct {
		const char *name, *text;
		const char *own, *of_children; /* links in /proc/self/ns; NULL: none */
		int64_t ahead_ns;
	} rows[] = {
		{"Linux before 5.6", NULL, NULL, NULL, 0},
		{"the host", "monotonic           0         0\nboottime            0         0\n",
		 "time:[4026531834]", "time:[4026531834]", 0},
		{"ahead", "monotonic        3600         5\nboottime          100         0\n",
		 "time:[4026532300]", "time:[4026532300]", 3600 * S + 5},
		{"behind", "monotonic          -2 500000000\nboottime           -2 500000000\n",
		 "time:[4026532300]", "time:[4026532300]", -2 * S + S / 2},
		{"Linux 5.6", "1 3600 0\n7 100 0\n", NULL, NULL, 3600 * S},
		{"boottime alone", "monotonic 0 0\nboottime 3600 0\n", NULL, NULL, 0},
		{"of children", "monotonic 3600 0\nboottime 3600 0\n", "time:[4026531834]",
		 "time:[4026532300]", 0},
		{"too much", "monotonic 9223372036854775807 0\n", NULL, NULL, 0},
		{"too many ns", "monotonic 1 1000000000\n", NULL, NULL, 0},
		{"not a number", "monotonic x y\n", NULL, NULL, 0},
		{"no line", "", NULL, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);

		fk_file(fk, "/proc/self/timens_offsets", rows[i].text);
		fk_file(fk, "/proc/self/ns/time", rows[i].own);
		fk_file(fk, "/proc/self/ns/time_for_children", rows[i].of_children);
		int64_t ahead_ns = time_namespace_ahead_ns(&sys);
		if (ahead_ns != rows[i].ahead_ns)
			fail_msg("%s: %lld", rows[i].name, (long long)ahead_ns);
		fk_free(fk);
	}
}

/* What a process in a time namespace of its own reads. */
struct reading {
	uint64_t now_ns, deadline_ns, later_ns;
	int waited;
};

static void read_clock(int fd)
{
	struct sys sys;
	struct reading reading;

	memset(&reading, 0, sizeof(reading)); /* what is between its members, too */
	if (sys_linux_init(&sys) < 0)
		_exit(1);
	reading.now_ns = sys_now_ns(&sys);
	reading.deadline_ns = reading.now_ns + NS_PER_MS;
	do
		reading.waited = sys_wait(&sys, NULL, 0, reading.deadline_ns);
	while (reading.waited == -EINTR);
	reading.later_ns = sys_now_ns(&sys);
	sys_linux_fini(&sys);
	_exit(write(fd, &reading, sizeof(reading)) != (ssize_t)sizeof(reading));
}

/* Status 2: the kernel refuses a time namespace. */
static void run_in_namespace(const char *offsets_text, int fd)
{
	int status, flags = CLONE_NEWTIME | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
	int offsets_fd = unshare(flags) == 0 ? open("/proc/self/timens_offsets", O_WRONLY) : -1;
	ssize_t length = (ssize_t)strlen(offsets_text);

	if (offsets_fd < 0 || write(offsets_fd, offsets_text, (size_t)length) != length)
		_exit(2);
	pid_t pid = fork();
	if (pid == 0)
		read_clock(fd);
	_exit(pid < 0 || waitpid(pid, &status, 0) != pid || status != 0);
}

static void clock_of_records(void **state)
{
	static const char *const texts[] = {"monotonic 86400 0\n", "monotonic -1 0\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int pipe_fds[2], status;
		struct reading reading;
		struct sys sys;

		assert_int_equal(sys_linux_init(&sys), 0);
		assert_int_equal(pipe(pipe_fds), 0);
		uint64_t before_ns = sys_now_ns(&sys);
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			run_in_namespace(texts[i], pipe_fds[1]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		uint64_t after_ns = sys_now_ns(&sys);
		close(pipe_fds[1]);
		ssize_t n = status == 0 ? read(pipe_fds[0], &reading, sizeof(reading)) : 0;
		close(pipe_fds[0]);
		sys_linux_fini(&sys);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
			skip();
		assert_int_equal(status, 0);
		assert_int_equal(n, sizeof(reading));
		assert_true(before_ns <= reading.now_ns && reading.now_ns <= after_ns);
		assert_int_equal(reading.waited, 0);
		assert_true(reading.deadline_ns <= reading.later_ns &&
			    reading.later_ns <= after_ns);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets),
		cmocka_unit_test(clock_of_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
