// SPDX-License-Identifier: MIT
/* A replaced file is the old or the new one, complete. Links and files of others are refused. */
#include "core/base/published_file.h"

#include "core/base/util.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/pmctop-replace-XXXXXX";

/* A path in the directory, valid for eight further calls. */
static const char *path_of(const char *name)
{
	static char paths[8][100];
	static unsigned next;
	char *path = paths[next++ % ARRAY_SIZE(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

static int clean(void **state)
{
	(void)state;
	remove_tree(directory);
	return mkdir(directory, 0700);
}

static int replace_bytes(const char *path, const void *bytes, size_t n, struct error *err)
{
	struct published_file_replace file = {.path = (char *)(uintptr_t)path, .fd = -1};
	int rc = published_file_replace(&file, bytes, n, NULL, err);

	if (file.fd >= 0)
		close(file.fd);
	return rc;
}

static int replace_text(const char *path, const char *text, struct error *err)
{
	return replace_bytes(path, text, strlen(text), err);
}

static int open_and_close(const char *path, struct error *err)
{
	struct published_file_replace file;
	int rc = published_file_open(path, &file, err);

	published_file_fini(&file);
	return rc;
}

static void test_make_and_replace(void **state)
{
	const char *path = path_of("a.prom");
	struct error err = {0};
	struct stat status;

	(void)state;
	umask(077);
	assert_int_equal(open_and_close(path, &err), 1);
	assert_int_equal(replace_text(path, "one", &err), 0);
	expect_file(path, "one");
	assert_int_equal(open_and_close(path, &err), 1);
	assert_int_equal(replace_text(path, "", &err), 0);
	expect_file(path, "");
	assert_int_equal(replace_text(path, "three", &err), 0);
	expect_file(path, "three");
	umask(022);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0644);
	assert_int_equal(count_files(directory), 1);
}

static void test_refused_paths(void **state)
{
	static const struct {
		const char *path; /* absolute, or in the directory */
		int want;
		const char *sentence; /* part of the error */
	} rows[] = {
		{"link", -ELOOP, "is a symbolic link and would be replaced. Name its target."},
		{"dangling", -ELOOP, "is a symbolic link"},
		{"dir", -EISDIR, "Is a directory"},
		{"dir/", -EISDIR, "Is a directory"},
		{"none/a", -ENOENT, "No such file or directory"},
		{"target/a", -ENOTDIR, "Not a directory"},
		{"fifo", 0, ""},
		{"/dev/null", 0, ""},
		{"out", 0, ""},
		{"target", 1, ""},
		{"new", 1, ""},
	};

	(void)state;
	write_file(path_of("target"), "mine");
	assert_int_equal(symlink(path_of("target"), path_of("link")), 0);
	assert_int_equal(symlink(path_of("nothing"), path_of("dangling")), 0);
	assert_int_equal(symlink("/dev/null", path_of("out")), 0);
	assert_int_equal(mkdir(path_of("dir"), 0700), 0);
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	unsigned before = count_files(directory);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *path = rows[i].path[0] == '/' ? rows[i].path : path_of(rows[i].path);
		struct error err = {0};
		int got = open_and_close(path, &err);

		if (got != rows[i].want || !strstr(err.text, rows[i].sentence))
			fail_msg("%s: %d %s", rows[i].path, got, err.text);
		if (rows[i].want <= 0)
			assert_true(replace_text(path, "bad", &err) < 0);
	}
	assert_int_equal(count_files(directory), before);
	expect_file(path_of("target"), "mine");
}

static void test_file_of_another_user(void **state)
{
	const char *path = path_of("theirs");
	struct error err = {0};

	(void)state;
	need_chown();
	write_file(path, "theirs");
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(open_and_close(path, &err), -EPERM);
	assert_non_null(
		strstr(err.text, "belongs to another user. Remove it, or choose another name."));
	assert_int_equal(replace_text(path, "mine", &err), -EPERM);
	expect_file(path, "theirs");
	assert_int_equal(count_files(directory), 1);
}

/* The second pmctop fails: when it opens the file, or when it writes if both began at once. */
static void test_lock(void **state)
{
	const char *path = path_of("one");
	struct published_file_replace one, two, both;
	struct error err = {0};

	(void)state;
	assert_int_equal(published_file_open(path, &one, &err), 1);
	assert_int_equal(published_file_open(path, &both, &err), 1);
	assert_int_equal(published_file_replace(&one, "1", 1, NULL, &err), 0);
	assert_int_equal(published_file_open(path, &two, &err), -EBUSY);
	assert_int_equal(published_file_replace(&both, "2", 1, NULL, &err), -EBUSY);
	assert_non_null(strstr(err.text, "is being written by another pmctop"));
	assert_int_equal(published_file_replace(&one, "3", 1, NULL, &err), 0);
	expect_file(path, "3");
	assert_int_equal(count_files(directory), 1);
	published_file_fini(&one);
	assert_int_equal(published_file_replace(&both, "4", 1, NULL, &err), 0);
	expect_file(path, "4");
	published_file_fini(&both);
}

/* A file size limit acts as a full disk: the write ends in the middle. */
static void test_full_disk(void **state)
{
	const char *path = path_of("full");
	struct rlimit before, limit;
	struct error err = {0};
	char large[8192];

	(void)state;
	memset(large, 'x', sizeof(large));
	assert_int_equal(replace_text(path, "old", &err), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 4096;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	int rc = replace_bytes(path, large, sizeof(large), &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(rc, -EFBIG);
	assert_non_null(
		strstr(err.text, "was not replaced: File too large. The limit is 'ulimit -f'"));
	expect_file(path, "old");
	assert_int_equal(count_files(directory), 1);
}

/* A reader finds the old or the new file, complete. */
static void *read_repeatedly(void *arg)
{
	const char *path = path_of("hammered");
	size_t *bad = arg;

	for (unsigned i = 0; i < 3000; i++) {
		static char text[70000];
		FILE *file = fopen(path, "re");
		size_t n = file ? fread(text, 1, sizeof(text), file) : 0;

		*bad += !file || n == 0 || n % 1000 != 0 || memchr(text, text[0] ^ 1, n) ||
			text[n - 1] != text[0];
		if (file)
			fclose(file);
	}
	return NULL;
}

static void test_readers(void **state)
{
	static char texts[2][60000];
	const char *path = path_of("hammered");
	struct error err = {0};
	pthread_t reader;
	size_t bad = 0;

	(void)state;
	memset(texts[0], 'a', sizeof(texts[0]));
	memset(texts[1], 'b', sizeof(texts[1]));
	assert_int_equal(replace_bytes(path, texts[0], 1000, &err), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_repeatedly, &bad), 0);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(replace_bytes(path, texts[i % 2], 1000 * (1 + i % 60), &err), 0);
	pthread_join(reader, NULL);
	assert_int_equal(bad, 0);
	assert_int_equal(count_files(directory), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_make_and_replace, clean),
		cmocka_unit_test_teardown(test_refused_paths, clean),
		cmocka_unit_test_teardown(test_file_of_another_user, clean),
		cmocka_unit_test_teardown(test_lock, clean),
		cmocka_unit_test_teardown(test_full_disk, clean),
		cmocka_unit_test_teardown(test_readers, clean),
	};

	signals_restore();
	if (!mkdtemp(directory))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(directory);
	return failed;
}
