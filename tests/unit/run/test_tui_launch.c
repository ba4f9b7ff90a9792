// SPDX-License-Identifier: MIT
/* A command with a start or end that the kernel does not report. send() here replaces libc's. */
#include "core/base/util.h"
#include "tui/run/launch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The number of next calls of send() that fail, and their errno. */
static unsigned send_fails;
static int send_error;

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
	if (send_fails == 0)
		return sendto(fd, bytes, size, flags, NULL, 0);
	send_fails--;
	errno = send_error;
	return -1;
}

static char *const command[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"exit 7"}, NULL};

static void open_command(struct launch *launch)
{
	const struct rights rights = {.environment = environ};
	const struct launch_config config = {.command = command, .rights = &rights};
	struct error err = {0};

	if (launch_open(&config, launch, &err))
		fail_msg("%s", err.text);
}

static void await_end(struct launch *launch)
{
	while (!launch_wait(launch, NS_PER_S))
		;
}

static void starts_that_fail(void **state)
{
	static const struct {
		const char *name;
		unsigned fails;
		int error, want, status;
		const char *sentence;
	} rows[] = {
		{"nothing fails", 0, 0, 0, 7, ""},
		{"a signal", 3, EINTR, 0, 7, ""},
		{"no memory for the byte", 1, ENOBUFS, -ENOBUFS, LAUNCH_CANNOT_EXECUTE,
		 "'sh' cannot be started: No buffer space available. Free memory, and try again."},
		{"the child has exited", 1, EPIPE, 0, LAUNCH_CANNOT_EXECUTE, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = {0};
		struct launch launch;

		open_command(&launch);
		send_fails = rows[i].fails;
		send_error = rows[i].error;
		int rc = launch_go(&launch, LAUNCH_KEEP, &err);
		if (rc == 0)
			await_end(&launch);
		if (rc != rows[i].want || launch.status != rows[i].status ||
		    strcmp(err.text, rows[i].sentence) != 0)
			fail_msg("%s: %d, status %d, '%s'", rows[i].name, rc, launch.status,
				 err.text);
		launch_close(&launch);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	}
}

static void an_end_that_is_not_reported(void **state)
{
	struct error err = {0};
	struct launch launch;

	(void)state;
	open_command(&launch);
	assert_int_equal(launch_go(&launch, LAUNCH_KEEP, &err), 0);
	assert_int_equal(waitpid(launch.pid, NULL, 0), launch.pid);
	await_end(&launch);
	assert_int_equal(launch.status, LAUNCH_UNKNOWN);
	launch_close(&launch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_that_fail),
		cmocka_unit_test(an_end_that_is_not_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
