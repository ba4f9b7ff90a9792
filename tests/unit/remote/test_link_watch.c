// SPDX-License-Identifier: MIT
/* The process that watches, and the shell, are children, because both are ended. */
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tui/remote/link_watch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHORT_MS = 20, LONG_MS = 3600 * 1000 };

static char folder[] = "/tmp/pmctop-link-XXXXXX", path[sizeof(folder) + 8];

static int make_pipe(void **state)
{
	(void)state;
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/alive", folder);
	return mkfifo(path, 0600);
}

static int remove_pipe(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static pid_t start_sleeper(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static pid_t start_watcher_of(int fd, pid_t shell, uid_t owner, int patience_ms)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		const struct host_link link = {fd, shell, owner};

		if (fd < 0 || link_watch_start(&link, patience_ms))
			_exit(1);
		for (;;)
			pause();
	}
	close(fd);
	return pid;
}

static pid_t start_watcher(pid_t shell, uid_t owner, int patience_ms)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return start_watcher_of(fd, shell, owner, patience_ms);
}

static int signal_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_shell_ends(void **state)
{
	pid_t shell = start_sleeper(), watcher = start_watcher(shell, getuid(), LONG_MS);
	int writer = open(path, O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(write(writer, ".", 1), 1);
	close(writer);
	assert_int_equal(signal_of(watcher), SIGIO);
	assert_int_equal(kill(shell, SIGKILL), 0);
	assert_int_equal(signal_of(shell), SIGKILL);
}

/* Returns when a watcher of the same patience has waited for its second dot in vain. */
static void wait_for_patience(void)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	pid_t watcher = start_watcher_of(ends[0], 0, getuid(), SHORT_MS);
	assert_int_equal(write(ends[1], ".", 1), 1);
	assert_int_equal(signal_of(watcher), SIGIO);
	close(ends[1]);
}

/* Without a first dot nothing is expected: the shell lives, and its end is still noticed. */
static void test_no_dots(void **state)
{
	pid_t shell = start_sleeper(), watcher = start_watcher(shell, getuid(), SHORT_MS);
	int writer = open(path, O_WRONLY | O_CLOEXEC);

	(void)state;
	for (int i = 0; i < 3; i++)
		wait_for_patience();
	assert_int_equal(waitpid(shell, NULL, WNOHANG), 0);
	assert_int_equal(waitpid(watcher, NULL, WNOHANG), 0);
	kill(shell, SIGKILL);
	assert_int_equal(signal_of(shell), SIGKILL);
	close(writer);
	assert_int_equal(signal_of(watcher), SIGIO);
}

static void test_silent_link(void **state)
{
	pid_t shell = start_sleeper(), watcher = start_watcher(shell, getuid(), SHORT_MS);
	int writer = open(path, O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(write(writer, "..", 2), 2);
	assert_int_equal(signal_of(watcher), SIGIO);
	assert_int_equal(signal_of(shell), SIGHUP);
	close(writer);
}

static void test_process_of_other_user(void **state)
{
	pid_t other = start_sleeper(), watcher = start_watcher(other, getuid() + 1, SHORT_MS);
	int writer = open(path, O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(write(writer, ".", 1), 1);
	assert_int_equal(signal_of(watcher), SIGIO);
	assert_int_equal(kill(other, SIGKILL), 0);
	assert_int_equal(signal_of(other), SIGKILL);
	close(writer);
}

static void test_signals(void **state)
{
	static const struct {
		const char *bytes;
		int number;
	} rows[] = {{"..i", SIGINT}, {"t.", SIGTERM}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pid_t watcher = start_watcher(0, getuid(), LONG_MS);
		int writer = open(path, O_WRONLY | O_CLOEXEC);

		assert_int_equal(write_all(writer, rows[i].bytes, strlen(rows[i].bytes), NULL), 0);
		assert_int_equal(signal_of(watcher), rows[i].number);
		close(writer);
	}
}

#define WITH_PIPE(test) cmocka_unit_test_setup_teardown(test, make_pipe, remove_pipe)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PIPE(test_shell_ends),  WITH_PIPE(test_no_dots),
		WITH_PIPE(test_silent_link), WITH_PIPE(test_process_of_other_user),
		WITH_PIPE(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
