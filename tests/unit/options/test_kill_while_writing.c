// SPDX-License-Identifier: MIT
/*
 * A process that writes a file has_text killed at each of its system calls. The old file or the new
 * one must then be on the disk, complete, and no other file. The writer has_text a traced child.
 */
#include "core/base/published_file.h"
#include "core/perfdata/perfdata.h"
#include "core/perfdata/recording_name.h"
#include "tui/options/config_save.h"

#include "core/base/util.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { CALLS_MAX = 400, TEXT = 5000 };

static char directory[] = "/tmp/pmctop-killed-XXXXXX";
static char old[TEXT + 1], new[TEXT + 1];

static bool has_text(const char *path, const char *text)
{
	char found[TEXT + 100];
	FILE *file = fopen(path, "re");
	size_t n = file ? fread(found, 1, sizeof(found) - 1, file) : 0;

	if (!file)
		return false;
	fclose(file);
	found[n] = '\0';
	return strcmp(found, text) == 0;
}

/* Removes all files of the current directory. Returns their number. */
static unsigned clear_directory(void)
{
	DIR *dir = opendir(".");
	unsigned n = 0;

	assert_non_null(dir);
	for (const struct dirent *entry; (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			unlink(entry->d_name);
			n++;
		}
	}
	closedir(dir);
	return n;
}

/* Kills work() at the call of that index. Returns whether it ended before; -1: no tracing here. */
static int run_killed(int (*work)(void), unsigned calls)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		raise(SIGSTOP);
		_exit(work() ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (unsigned i = 0; WIFSTOPPED(status); i++) {
		if (i == calls)
			kill(pid, SIGKILL);
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) && errno != ESRCH)
			fail_msg("ptrace: %s", strerror(errno));
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return -1;
	if (WIFEXITED(status))
		assert_int_equal(WEXITSTATUS(status), 0);
	return WIFEXITED(status);
}

/*
 * Kills work() at each of its calls; check() then examines the files. Returns for how many calls
 * more than `files` files were left.
 */
static unsigned kill_everywhere(void (*prepare)(void), int (*work)(void), void (*check)(bool done),
				unsigned files)
{
	unsigned strays = 0, calls = 0;
	int done = 0;

	for (; done == 0; calls++) {
		prepare();
		done = run_killed(work, calls);
		if (done < 0) {
			clear_directory();
			print_message("# skipped: a child may not be traced here\n");
			skip();
		}
		check(done);
		strays += clear_directory() > files;
		assert_true(calls < CALLS_MAX);
	}
	print_message("killed at %u calls, %u left a file\n", calls, strays);
	return strays;
}

static void prepare_published(void)
{
	write_file("a.prom", old);
}

static int replace_published(void)
{
	struct published_file_replace file;

	return published_file_open("a.prom", &file, NULL) != 1 ||
	       published_file_replace(&file, new, strlen(new), NULL, NULL);
}

static void check_published(bool done)
{
	assert_true(has_text("a.prom", done ? new : old) || has_text("a.prom", new));
}

/* Whether files without a name can be made here. If not, a temporary name may be left. */
static bool has_nameless(void)
{
	int fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && access("/proc/self/fd", X_OK) == 0;
}

static void published_file_is_whole(void **state)
{
	(void)state;
	unsigned strays = kill_everywhere(prepare_published, replace_published, check_published, 1);
	/* The new file has a temporary name at two stops, before rename(). */
	if (has_nameless())
		assert_in_range(strays, 0, 2);
}

static void prepare_config(void)
{
	write_file("f.conf", "# mine\n[pmctop]\ndelay = 1\n");
}

static int save_config(void)
{
	static const struct config_change change = {"pmctop", "delay", "2"};

	return config_save("f.conf", NULL, &change, 1, NULL);
}

static void check_config(bool done)
{
	assert_true(has_text("f.conf", "# mine\n[pmctop]\ndelay = 2\n") ||
		    (!done && has_text("f.conf", "# mine\n[pmctop]\ndelay = 1\n")));
}

static void configuration_is_whole(void **state)
{
	(void)state;
	unsigned strays = kill_everywhere(prepare_config, save_config, check_config, 1);
	if (has_nameless())
		assert_in_range(strays, 0, 2);
}

static const char recording[] = "PERFILE2 and so on";

static void prepare_recording(void)
{
	write_file("r", recording);
	write_file("r.old", "PERFILE2 before that");
}

static int open_recording(void)
{
	const struct recording_rules rules = {0};
	struct recording_name name;

	return recording_name_open(&name, "r", &rules, NULL) < 0;
}

static void check_recording(bool done)
{
	assert_true(has_text("r", recording) ? !done : has_text("r.old", recording));
}

static void earlier_recording_stays(void **state)
{
	(void)state;
	assert_int_equal(kill_everywhere(prepare_recording, open_recording, check_recording, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_file_is_whole),
		cmocka_unit_test(configuration_is_whole),
		cmocka_unit_test(earlier_recording_stays),
	};

	signals_restore();
	memset(old, 'o', TEXT);
	memset(new, 'n', TEXT);
	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(directory);
	return failed;
}
