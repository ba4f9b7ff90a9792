// SPDX-License-Identifier: MIT
/*
 * The names of a recording and of its earlier files, while other programs rename and remove them.
 */
#include "core/perfdata/perfdata.h"
#include "core/perfdata/recording_name.h"
#include "tests/unit/shared/signals.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
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

static char directory[] = "/tmp/pmctop-record-name-XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

/* All names in the directory, sorted. */
static void assert_files(const char *expected)
{
	struct dirent **entries;
	char names[1024] = "";
	int n = scandir(directory, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			strcat(names, names[0] ? " " : "");
			strcat(names, entries[i]->d_name);
		}
		free(entries[i]);
	}
	free(entries);
	assert_string_equal(names, expected);
}

static int empty_directory(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s/*", directory);
	return system(command);
}

/* Writes the magic number of a recording, and a letter. */
static void write_mark(int fd, char letter)
{
	uint64_t magic = PERFDATA_MAGIC;

	assert_int_equal(write(fd, &magic, sizeof(magic)), sizeof(magic));
	assert_int_equal(write(fd, &letter, 1), 1);
}

static char letter_of(const char *name)
{
	FILE *file = fopen(path_of(name), "r");
	int letter;

	assert_non_null(file);
	fseek(file, -1, SEEK_END);
	letter = fgetc(file);
	fclose(file);
	return (char)letter;
}

static int open_name(struct recording_name *name, const char *file, size_t keep)
{
	const struct recording_rules rules = {.switches = true, .keep = keep};
	struct error err = {0};
	int fd = recording_name_open(name, path_of(file), &rules, &err);

	if (fd < 0)
		fail_msg("%s", err.text);
	write_mark(fd, 'a');
	return fd;
}

static void open_next(struct recording_name *name, int *fd, const char *stamp, char letter)
{
	struct error err = {0};

	if (recording_name_next(name, fd, stamp, &err) < 0)
		fail_msg("%s", err.text);
	write_mark(*fd, letter);
}

static void close_name(struct recording_name *name, int fd)
{
	close(fd);
	recording_name_fini(name);
}

static void test_keep(void **state)
{
	static const struct {
		size_t keep;
		const char *files;
	} rows[] = {
		{0, "r r.1 r.2 r.3 r.4"}, {1, "r"}, {2, "r r.4"}, {4, "r r.2 r.3 r.4"},
		{9, "r r.1 r.2 r.3 r.4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct recording_name name;
		int fd = open_name(&name, "r", rows[i].keep);
		for (char stamp[] = "1", letter = 'b'; stamp[0] <= '4'; stamp[0]++, letter++)
			open_next(&name, &fd, stamp, letter);
		assert_files(rows[i].files);
		assert_int_equal(letter_of("r"), 'e');
		close_name(&name, fd);
		empty_directory(NULL);
	}
}

/* Files of another run stay, and so does a file that replaced one of this run. */
static void test_keep_others(void **state)
{
	struct recording_name name;
	int fd;

	(void)state;
	fd = open_name(&name, "r", 0);
	open_next(&name, &fd, "0", 'b');
	close_name(&name, fd);
	fd = open_name(&name, "r", 2);
	assert_files("r r.0 r.old");
	open_next(&name, &fd, "1", 'b');
	assert_int_equal(rename(path_of("r.1"), path_of("mine")), 0);
	fclose(fopen(path_of("r.1"), "w"));
	open_next(&name, &fd, "2", 'c');
	open_next(&name, &fd, "3", 'd');
	assert_files("mine r r.0 r.1 r.3 r.old");
	close_name(&name, fd);
}

/* The clock was set back, or two files are of the same hundredth of a second. */
static void test_same_stamp(void **state)
{
	struct recording_name name;
	int fd = open_name(&name, "r", 0);

	(void)state;
	open_next(&name, &fd, "1", 'b');
	open_next(&name, &fd, "1", 'c');
	open_next(&name, &fd, "1", 'd');
	assert_files("r r.1 r.1.2 r.1.3");
	assert_int_equal(letter_of("r.1"), 'a');
	assert_int_equal(letter_of("r.1.3"), 'c');
	close_name(&name, fd);
}

static void test_moved_and_removed(void **state)
{
	struct recording_name name;
	int fd = open_name(&name, "r", 2);

	(void)state;
	assert_int_equal(rename(path_of("r"), path_of("elsewhere")), 0);
	open_next(&name, &fd, "1", 'b');
	assert_files("elsewhere r");
	assert_int_equal(letter_of("elsewhere"), 'a');
	unlink(path_of("r"));
	open_next(&name, &fd, "2", 'c');
	assert_files("elsewhere r");
	/* Another file has the name: another program's recording is renamed, as at the start. */
	unlink(path_of("r"));
	FILE *file = fopen(path_of("r"), "w");
	write_mark(fileno(file), 'x');
	fclose(file);
	open_next(&name, &fd, "3", 'd');
	assert_files("elsewhere r r.old");
	assert_int_equal(letter_of("r.old"), 'x');
	close_name(&name, fd);
}

/* Each new file is locked, too. */
static void test_second_recorder(void **state)
{
	const struct recording_rules rules = {0};
	struct recording_name name, other;
	struct error err;
	int fd = open_name(&name, "r", 0);

	(void)state;
	for (char stamp[] = "1"; stamp[0] <= '3'; stamp[0]++) {
		assert_int_equal(recording_name_open(&other, path_of("r"), &rules, &err), -EBUSY);
		assert_non_null(strstr(err.text, "is in use by another recording"));
		open_next(&name, &fd, stamp, 'b');
	}
	/* It was faster: the name is its own then. */
	unlink(path_of("r"));
	int others_fd = open_name(&other, "r", 0);
	assert_int_equal(recording_name_next(&name, &fd, "4", &err), -EBUSY);
	assert_true(fd < 0);
	assert_files("r r.1 r.2 r.3");
	close_name(&other, others_fd);
	recording_name_fini(&name);
}

static void make_locked_recording(const char *file)
{
	struct recording_name name;

	open_name(&name, file, 0); /* stays open, and so locked */
	recording_name_fini(&name);
}

static void make_text(const char *file)
{
	FILE *made = fopen(path_of(file), "w");

	assert_non_null(made);
	fputs("a text", made);
	fclose(made);
}

static void make_link(const char *file)
{
	assert_int_equal(symlink("absent", path_of(file)), 0);
}

static void make_directory(const char *file)
{
	assert_int_equal(mkdir(path_of(file), 0700), 0);
}

struct other_file {
	void (*make)(const char *file);
	int code;
	const char *text;
};

/* `file` is the one to record to, or the one to which an earlier recording would be renamed. */
static void check_stays(const struct other_file *other, const char *file)
{
	const struct recording_rules rules = {0};
	bool old = strcmp(file, "r") != 0;
	struct recording_name name;
	struct error err = {0};
	struct stat before, after;
	char want[80];

	if (old)
		close_name(&name, open_name(&name, "r", 0));
	other->make(file);
	assert_int_equal(lstat(path_of(file), &before), 0);
	assert_int_equal(recording_name_open(&name, path_of("r"), &rules, &err), other->code);
	snprintf(want, sizeof(want), "/%s' %s", file, other->text);
	if (!strstr(err.text, want))
		fail_msg("'%s' lacks '%s'", err.text, want);
	assert_int_equal(lstat(path_of(file), &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_size, after.st_size);
	assert_files(old ? "r r.old" : "r");
	if (old)
		assert_int_equal(letter_of("r"), 'a');
}

static void test_others_stay(void **state)
{
	static const struct other_file others[] = {
		{make_locked_recording, -EBUSY, "is in use by another recording"},
		{make_text, -EEXIST, "is not a recording"},
		{make_link, -ELOOP, "is a symbolic link"},
		{make_directory, -EISDIR, "is a directory"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		empty_directory(state);
		check_stays(&others[i], "r");
		empty_directory(state);
		check_stays(&others[i], "r.old");
	}
}

static void test_long_names(void **state)
{
	struct recording_rules rules = {0};
	struct recording_name name;
	struct error err;
	char text[NAME_MAX + 2];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[NAME_MAX + 1] = '\0';
	assert_int_equal(recording_name_open(&name, path_of(text), &rules, &err), -ENAMETOOLONG);
	text[NAME_MAX] = '\0';
	int fd = recording_name_open(&name, path_of(text), &rules, &err);
	assert_true(fd >= 0);
	recording_name_remove(&name, fd);
	close_name(&name, fd);
	rules.switches = true;
	assert_int_equal(recording_name_open(&name, path_of(text), &rules, &err), -ENAMETOOLONG);
	assert_non_null(strstr(err.text, "shorter name"));
	text[NAME_MAX - 17] = '\0';
	fd = recording_name_open(&name, path_of(text), &rules, &err);
	assert_true(fd >= 0);
	write_mark(fd, 'a');
	open_next(&name, &fd, "2026112201504299", 'b');
	close_name(&name, fd);
}

/* A new name is refused with a sentence and the old file stays, whole. */
static void test_directory_goes(void **state)
{
	struct recording_name name;
	struct error err = {0};
	int fd;

	(void)state;
	assert_int_equal(
		recording_name_open(&name, path_of("d/r"), &(struct recording_rules){0}, &err),
		-ENOENT);
	assert_int_equal(mkdir(path_of("d"), 0700), 0);
	fd = open_name(&name, "d/r", 0);
	assert_int_equal(rename(path_of("d"), path_of("gone")), 0);
	assert_int_equal(recording_name_next(&name, &fd, "1", &err), -ENOENT);
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_int_equal(letter_of("gone/r"), 'a');
	recording_name_fini(&name);
}

static void test_nothing_came(void **state)
{
	const struct recording_rules rules = {0};
	struct recording_name name;
	struct error err;
	int fd = recording_name_open(&name, path_of("r"), &rules, &err);

	(void)state;
	assert_true(fd >= 0);
	recording_name_remove(&name, fd);
	assert_files("");
	fclose(fopen(path_of("r"), "w"));
	recording_name_remove(&name, fd); /* another program's */
	assert_files("r");
	close_name(&name, fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_keep, empty_directory),
		cmocka_unit_test_teardown(test_keep_others, empty_directory),
		cmocka_unit_test_teardown(test_same_stamp, empty_directory),
		cmocka_unit_test_teardown(test_moved_and_removed, empty_directory),
		cmocka_unit_test_teardown(test_second_recorder, empty_directory),
		cmocka_unit_test_teardown(test_others_stay, empty_directory),
		cmocka_unit_test_teardown(test_long_names, empty_directory),
		cmocka_unit_test_teardown(test_directory_goes, empty_directory),
		cmocka_unit_test_teardown(test_nothing_came, empty_directory),
	};

	signals_restore();
	if (!mkdtemp(directory)) {
		perror(directory);
		return 1;
	}
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(directory);
	return failed;
}
