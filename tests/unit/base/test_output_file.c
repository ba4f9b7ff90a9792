// SPDX-License-Identifier: MIT
/* Paths that are written to and paths that are refused, by owner, kind and the links on them. */
#include "core/base/atomic_file.h"
#include "core/base/output_file.h"
#include "core/base/safe_path.h"

#include "core/base/util.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { OTHER = 12345 };

static char home[] = "/tmp/pmctop-output-XXXXXX";

/* Changes to the directory, so that names are short and relative. */
static int enter(void **state)
{
	(void)state;
	return chdir(home) || mkdir("work", 0755) || chdir("work");
}

static int leave(void **state)
{
	(void)state;
	assert_int_equal(chdir(home), 0);
	remove_tree("work");
	return 0;
}

static void make_directory(const char *path, mode_t mode, uid_t owner)
{
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chmod(path, mode), 0);
	if (owner)
		assert_int_equal(chown(path, owner, owner), 0);
}

static void make_link(const char *target, const char *path, uid_t owner)
{
	assert_int_equal(symlink(target, path), 0);
	if (owner)
		assert_int_equal(lchown(path, owner, owner), 0);
}

static void make_file(const char *path, uid_t owner)
{
	write_file(path, "old");
	if (owner)
		assert_int_equal(chown(path, owner, owner), 0);
}

/* Opens the path and writes "new". 0 or -errno. */
static int write_new(const char *path, struct error *err)
{
	int fd = output_file_open(path, err);

	if (fd < 0)
		return fd;
	int rc = write_all(fd, "new", 3, NULL);
	close(fd);
	return rc;
}

struct row {
	const char *path;
	int want;
	const char *text; /* part of the error, or the contents of `file` afterwards */
	const char *file;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct error err = {0};
		int got = write_new(rows[i].path, &err);

		if (got != rows[i].want || (got < 0 && !strstr(err.text, rows[i].text)))
			fail_msg("%s: %d %s", rows[i].path, got, err.text);
		if (rows[i].file)
			expect_file(rows[i].file, got < 0 ? "old" : rows[i].text);
	}
}

static void test_own_files(void **state)
{
	static const struct row rows[] = {
		{"fresh", 0, "new", "fresh"},
		{"./there", 0, "new", "there"},
		{"dir/../there", 0, "new", "there"},
		{"dir/", -EISDIR, "Is a directory", NULL},
		{"dir", -EISDIR, "Is a directory", NULL},
		{"..", -EISDIR, "Is a directory", NULL},
		{"/", -EISDIR, "Is a directory", NULL},
		{"", -ENOENT, "No such file", NULL},
		{"none/a", -ENOENT, "No such file or directory. Make its directory first.", NULL},
		{"there/a", -ENOTDIR, "Not a directory", NULL},
		{"link", 0, "new", "target"},
		{"chain", 0, "new", "target"},
		{"dangling", 0, "new", "dir/made"},
		{"into/x", 0, "new", "dir/x"},
		{"loop", -ELOOP, "Too many", NULL},
		{"/dev/null", 0, "", NULL},
		{"/dev/full", -ENOSPC, "", NULL},
	};

	(void)state;
	make_directory("dir", 0755, 0);
	make_file("there", 0);
	make_file("target", 0);
	make_link("target", "link", 0);
	make_link("dir/../link", "chain", 0);
	make_link("dir/made", "dangling", 0);
	make_link("dir", "into", 0);
	make_link("loop", "loop", 0);
	check_rows(rows, ARRAY_SIZE(rows));
	assert_int_equal(link("target", "second"), 0);
	check_rows(&(struct row){"second", 0, "new", "target"}, 1);
}

/* Directories in which another user creates files. */
static void test_shared_directories(void **state)
{
	static const struct row rows[] = {
		{"tmp/fresh", 0, "new", "tmp/fresh"},
		{"tmp/own", 0, "new", "tmp/own"},
		{"tmp/theirs", -EPERM, "belongs to another user", "tmp/theirs"},
		{"tmp/theirs.fifo", -EPERM, "belongs to another user", NULL},
		{"tmp/second", -EMLINK, "has several hard links", "first"},
		{"tmp/link", 0, "new", "first"},
		{"tmp/trap", -ELOOP, "'trap') that another user may have made", "secret"},
		{"tmp/way/x", -ELOOP, "'way') that another user may have made", NULL},
		{"through/trap", -ELOOP, "'trap') that another user may have made", "secret"},
		/* Made by this user, perhaps moved there by another. */
		{"open/link", -ELOOP, "may have made", "secret"},
		{"theirs/link", -ELOOP, "may have made", "secret"},
		{"theirs/theirs", -EPERM, "belongs to another user", "theirs/theirs"},
		{"theirs/fresh", 0, "new", "theirs/fresh"},
		{"mine/theirs", 0, "new", "mine/theirs"},
	};

	(void)state;
	need_chown();
	make_directory("tmp", 01777, 0);
	make_directory("open", 0777, 0);
	make_directory("theirs", 0755, OTHER);
	make_directory("mine", 0755, 0);
	make_file("secret", 0);
	make_file("first", 0);
	make_file("tmp/own", 0);
	make_file("tmp/theirs", OTHER);
	assert_int_equal(mkfifo("tmp/theirs.fifo", 0666), 0);
	assert_int_equal(chown("tmp/theirs.fifo", OTHER, OTHER), 0);
	assert_int_equal(link("first", "tmp/second"), 0);
	make_link("../first", "tmp/link", 0);
	make_link("../secret", "tmp/trap", OTHER);
	make_link("../mine", "tmp/way", OTHER);
	make_link("tmp", "through", 0);
	make_link("../secret", "open/link", 0);
	make_link("../secret", "theirs/link", 0);
	make_file("theirs/theirs", OTHER);
	make_file("mine/theirs", OTHER);
	check_rows(rows, ARRAY_SIZE(rows));
	assert_int_equal(access("mine/x", F_OK), -1);
}

/* A descriptor that the shell opened is written to by any name. */
static void test_descriptor(void **state)
{
	struct error err = {0};
	char path[64];
	int ends[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	assert_int_equal(write_new(path, &err), 0);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(byte, 'n');
	close(ends[0]);
	close(ends[1]);
}

static void test_lock(void **state)
{
	struct error err = {0};
	struct stat status;

	(void)state;
	int fd = output_file_open("out", &err);
	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, "first", 5, NULL), 0);
	assert_int_equal(output_file_open("out", &err), -EBUSY);
	assert_non_null(strstr(err.text, "is being written by another pmctop"));
	expect_file("out", "first");
	close(fd);
	assert_int_equal(write_new("out", &err), 0);
	expect_file("out", "new");
	umask(027);
	assert_int_equal(write_new("other", &err), 0);
	umask(022);
	assert_int_equal(stat("other", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
}

/* The file of that name is always complete. */
static void test_atomic_file(void **state)
{
	struct atomic_file file;
	struct safe_path place;

	(void)state;
	make_file("a", 0);
	assert_int_equal(safe_path_find("a", false, &place, NULL), 0);
	assert_int_equal(atomic_file_open(&place, &file), 0);
	assert_int_equal(count_files("."), file.name[0] ? 2 : 1);
	atomic_file_fini(&file);
	expect_file("a", "old");
	assert_int_equal(atomic_file_open(&place, &file), 0);
	assert_int_equal(write_all(file.fd, "new", 3, NULL), 0);
	assert_int_equal(atomic_file_put(&file), 0);
	atomic_file_fini(&file);
	expect_file("a", "new");
	/* A name that became a directory is not replaced, and no temporary file is left. */
	assert_int_equal(unlink("a"), 0);
	assert_int_equal(mkdir("a", 0755), 0);
	assert_int_equal(atomic_file_open(&place, &file), 0);
	assert_int_equal(atomic_file_put(&file), -EISDIR);
	atomic_file_fini(&file);
	assert_int_equal(count_files("."), 1);
	safe_path_fini(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own_files, enter, leave),
		cmocka_unit_test_setup_teardown(test_shared_directories, enter, leave),
		cmocka_unit_test_setup_teardown(test_descriptor, enter, leave),
		cmocka_unit_test_setup_teardown(test_lock, enter, leave),
		cmocka_unit_test_setup_teardown(test_atomic_file, enter, leave),
	};

	signals_restore();
	umask(022);
	if (!mkdtemp(home))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(home);
	return failed;
}
