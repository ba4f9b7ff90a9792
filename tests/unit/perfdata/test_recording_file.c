// SPDX-License-Identifier: MIT
/* A recording's file that other programs change, or that becomes full, while it is written. */
#include "core/perfdata/recording_file.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
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

static char directory[] = "/tmp/pmctop-record-file-XXXXXX";
static char path[64], moved[64];

static void put_native(struct perfdata *data, enum native_kind kind)
{
	perfdata_native_begin(data, kind);
	perfdata_word(data, kind);
	perfdata_native_end(data);
}

/* A piece that begins a file which ends with sections. Returns its size in bytes. */
static size_t put_beginning(struct recording_file *file, const char *stamp)
{
	const struct perf_event_attr attr = {.size = sizeof(attr)};
	const uint64_t id = 11;
	struct perfdata *data = recording_file_new_part(file);

	perfdata_head(data);
	put_native(data, NATIVE_ROOM);
	perfdata_attr(data, &attr, &id, 1);
	size_t n = data->n;
	recording_file_append(file, data, stamp);
	return n;
}

static void put_more(struct recording_file *file)
{
	struct perfdata *data = recording_file_new_part(file);

	put_native(data, NATIVE_END);
	recording_file_append(file, data, NULL);
}

/* The file is written by a thread of its own. */
static void wait_for_size(size_t n)
{
	struct stat status = {0};

	while (stat(path, &status) < 0 || (size_t)status.st_size != n)
		usleep(1000);
}

static void leave_file(size_t n)
{
	(void)n;
}

static void empty_file(size_t n)
{
	(void)n;
	assert_int_equal(truncate(path, 0), 0);
}

static void shorten_file(size_t n)
{
	assert_int_equal(truncate(path, (off_t)n - 1), 0);
}

static void move_file(size_t n)
{
	(void)n;
	assert_int_equal(rename(path, moved), 0);
}

static void remove_file(size_t n)
{
	(void)n;
	assert_int_equal(unlink(path), 0);
}

static void replace_file(size_t n)
{
	(void)n;
	int fd = open(moved, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(rename(moved, path), 0);
}

/* So many bytes and no more: the sections do not fit. */
static void bound_size(size_t n)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = n;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

enum then { THE_END, MORE, NEXT_FILE };

static void test_changed(void **state)
{
	static const struct {
		const char *name;
		void (*change)(size_t n);
		enum then then;
		int code;
		const char *says;
	} rows[] = {
		{"nothing", leave_file, MORE, 0, ""},
		{"nothing, two files", leave_file, NEXT_FILE, 0, ""},
		{"emptied", empty_file, THE_END, -ESTALE,
		 "truncated the recording. Record to another"},
		{"emptied, then more", empty_file, MORE, -ESTALE, "truncated the recording"},
		{"emptied, then another file", empty_file, NEXT_FILE, -ESTALE, "truncated"},
		{"cut off", shorten_file, THE_END, -ESTALE, "truncated the recording"},
		{"cut off, then more", shorten_file, MORE, -ESTALE, "truncated the recording"},
		{"removed", remove_file, THE_END, -ESTALE,
		 "removed the recording. Record to another"},
		{"removed, then more", remove_file, MORE, -ESTALE, "removed the recording"},
		{"removed, then another file", remove_file, NEXT_FILE, 0, ""},
		{"replaced", replace_file, MORE, -ESTALE, "removed the recording"},
		{"moved", move_file, MORE, 0, ""},
		{"bounded", bound_size, THE_END, -EFBIG,
		 "the sections for perf cannot be written: File"},
		{"bounded, then more", bound_size, MORE, -EFBIG,
		 "The recording has ended: File too"},
		{"bounded, then another file", bound_size, NEXT_FILE, -EFBIG,
		 "the sections for perf"},
	};
	const struct recording_rules rules = {.switches = true};
	struct rlimit before;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct recording_file *file;
		struct error err = {0};
		assert_int_equal(recording_file_open(path, &rules, &file, &err), 0);
		size_t n = put_beginning(file, NULL);
		wait_for_size(n);
		rows[i].change(n);
		if (rows[i].then == NEXT_FILE)
			put_beginning(file, "1");
		else if (rows[i].then == MORE)
			put_more(file);
		int code = recording_file_close(file, &err);
		setrlimit(RLIMIT_FSIZE, &before);
		if (code != rows[i].code || !strstr(err.text, rows[i].says))
			fail_msg("%s: %d '%s'", rows[i].name, code, err.text);
	}
}

/* Closed, main() has opened it with O_PATH; or it is only open for reading. */
static void test_standard_output(void **state)
{
	static const int flags[] = {O_PATH, O_RDONLY};

	(void)state;
	fflush(stdout);
	int saved = dup(STDOUT_FILENO);
	assert_true(saved >= 0);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct recording_file *file;
		struct error err = {0};
		int fd = open("/dev/null", flags[i] | O_CLOEXEC);
		assert_true(fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
		close(fd);
		int code = recording_file_open("-", &(struct recording_rules){0}, &file, &err);
		dup2(saved, STDOUT_FILENO);
		if (code != -EBADF || !strstr(err.text, "Standard output: it is closed"))
			fail_msg("%zu: %d '%s'", i, code, err.text);
	}
	close(saved);
}

static int remove_directory(void **state)
{
	(void)state;
	remove_tree(directory);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_standard_output),
	};

	signals_restore();
	if (!mkdtemp(directory)) {
		perror(directory);
		return 1;
	}
	snprintf(path, sizeof(path), "%s/r", directory);
	snprintf(moved, sizeof(moved), "%s/moved", directory);
	return cmocka_run_group_tests(tests, NULL, remove_directory);
}
