// SPDX-License-Identifier: MIT
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/files.h"
#include "tui/remote/held_folder.h"
#include "tui/remote/remote_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pmctop-remote-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[sizeof(folder) + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put_file(const char *name, const void *bytes, size_t n)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, bytes, n, NULL), 0);
	close(fd);
}

static void write_parcel(const char *record)
{
	struct parcel parcel = {.term = xstrdup("vt100"),
				.lines = xstrdup("30"),
				.record = record ? xstrdup(record) : NULL};
	struct error err;
	char *bytes;
	size_t n;

	parcel_add_word(&parcel, "pmctop");
	parcel_add_word(&parcel, "-b");
	assert_int_equal(parcel_pack(&parcel, &bytes, &n, &err), 0);
	put_file("parcel", bytes, n);
	free(bytes);
	parcel_fini(&parcel);
}

static int make_folder(void **state)
{
	(void)state;
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path_of("other"));
	unlink(path_of("parcel"));
	rmdir(folder);
	return 0;
}

static void test_received(void **state)
{
	struct parcel parcel;
	struct error err;
	int recording, reader;
	char byte;
	sigset_t blocked;

	(void)state;
	/* As inherited from a command of --via. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	setenv("COLUMNS", "132", 1);
	write_parcel("here.data");
	put_file("pmctop", "x", 1);
	assert_int_equal(mkfifo(path_of("recording"), 0600), 0);
	reader = open(path_of("recording"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(remote_folder_receive(folder, &parcel, &recording, &err), 0);
	assert_int_equal(parcel.n_words, 2);
	assert_string_equal(parcel.words[1], "-b");
	assert_string_equal(parcel.record, "here.data");
	assert_int_equal(write(recording, "r", 1), 1);
	assert_int_equal(read(reader, &byte, 1), 1);
	assert_int_equal(access(folder, F_OK), -1);
	assert_int_equal(parcel.link.alive, -1);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	assert_false(sigismember(&blocked, SIGINT) || sigismember(&blocked, SIGTERM));
	assert_string_equal(getenv("TERM"), "vt100");
	assert_string_equal(getenv("LINES"), "30");
	assert_null(getenv("COLORTERM"));
	assert_null(getenv("COLUMNS"));
	close(recording);
	close(reader);
	parcel_fini(&parcel);
}

static void test_recording_is_no_pipe(void **state)
{
	struct parcel parcel;
	struct error err;
	int recording;

	(void)state;
	write_parcel("here.data");
	put_file("recording", "x", 1);
	assert_int_equal(remote_folder_receive(folder, &parcel, &recording, &err), -EINVAL);
	assert_int_equal(recording, -1);
}

/* Files of other names stay, and so does the folder. A link is removed, not what it points to. */
static void test_others_stay(void **state)
{
	struct parcel parcel;
	struct error err;
	int recording;

	(void)state;
	write_parcel(NULL);
	put_file("other", "x", 1);
	assert_int_equal(symlink("other", path_of("pmctop")), 0);
	assert_int_equal(remote_folder_receive(folder, &parcel, &recording, &err), 0);
	assert_int_equal(recording, -1);
	assert_int_equal(access(path_of("other"), F_OK), 0);
	assert_int_equal(faccessat(AT_FDCWD, path_of("pmctop"), F_OK, AT_SYMLINK_NOFOLLOW), -1);
	parcel_fini(&parcel);
}

static void test_not_private(void **state)
{
	struct parcel parcel;
	struct error err;
	int recording;

	(void)state;
	write_parcel(NULL);
	assert_int_equal(chmod(folder, 0750), 0);
	assert_int_equal(remote_folder_receive(folder, &parcel, &recording, &err), -EPERM);
	assert_int_equal(access(path_of("parcel"), F_OK), 0);
	assert_int_equal(remote_folder_receive("/nonexistent/x", &parcel, &recording, &err),
			 -ENOENT);
}

static void test_link_refused(void **state)
{
	char link[sizeof(folder) + 8];
	struct parcel parcel;
	struct error err;
	int recording;

	(void)state;
	write_parcel(NULL);
	snprintf(link, sizeof(link), "%s.link", folder);
	assert_int_equal(symlink(folder, link), 0);
	assert_true(remote_folder_receive(link, &parcel, &recording, &err) < 0);
	assert_int_equal(access(path_of("parcel"), F_OK), 0);
	unlink(link);
}

/* What is no parcel is refused, and removed all the same. */
static void test_no_parcel(void **state)
{
	struct parcel parcel;
	struct error err;
	int recording;

	(void)state;
	put_file("parcel", "rubbish", 7);
	assert_int_equal(remote_folder_receive(folder, &parcel, &recording, &err), -EINVAL);
	assert_int_equal(access(folder, F_OK), -1);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(mkfifo(path_of("parcel"), 0600), 0);
	assert_true(remote_folder_receive(folder, &parcel, &recording, &err) < 0);
	assert_int_equal(access(folder, F_OK), -1);
}

/* Folders beside it. */
static void test_stale_ones(void **state)
{
	static const struct {
		const char *user, *host, *boot; /* boot NULL: this one */
		bool held, removed;
	} rows[] = {
		{"7", "box", NULL, false, true},
		{"7", "box", NULL, true, false},
		{"7", "far", NULL, false, false},
		{"7", "box", "00000000-1111-2222-3333-444444444444", false, false},
		{"8", "box", NULL, false, false},
	};
	char boot[HELD_FOLDER_BOOT_BYTES], names[ARRAY_SIZE(rows)][128], own[128],
		path[sizeof(folder) + 128];
	struct parcel parcel;
	struct error err;
	int recording, alive = -1;

	(void)state;
	if (!held_folder_boot_id(boot))
		skip();
	int place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(names[i], sizeof(names[i]), "pmctop-ssh-%s-%s-%s-12-abc%zu", rows[i].user,
			 rows[i].host, rows[i].boot ? rows[i].boot : boot, i);
		assert_int_equal(mkdirat(place, names[i], 0700), 0);
		int fd = openat(place, names[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		int hold = held_folder_hold(fd);
		if (rows[i].held)
			alive = hold;
		else
			close(hold);
		close(fd);
	}
	snprintf(own, sizeof(own), "pmctop-ssh-7-box-%s-11-abc", boot);
	assert_int_equal(mkdirat(place, own, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s", folder, own);
	assert_true(remote_folder_receive(path, &parcel, &recording, &err) < 0); /* no parcel */
	assert_int_equal(faccessat(place, own, F_OK, 0), -1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(faccessat(place, names[i], F_OK, 0), rows[i].removed ? -1 : 0);
	close(alive);
	close(place);
	remove_tree(folder);
	assert_int_equal(mkdir(folder, 0700), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_received),    IN_FOLDER(test_others_stay),
		IN_FOLDER(test_not_private), IN_FOLDER(test_link_refused),
		IN_FOLDER(test_no_parcel),   IN_FOLDER(test_recording_is_no_pipe),
		IN_FOLDER(test_stale_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
