// SPDX-License-Identifier: MIT
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/files.h"
#include "tui/remote/held_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char place[] = "/tmp/pmctop-held-XXXXXX";
static int parent;

static int make_place(void **state)
{
	(void)state;
	memcpy(place + sizeof(place) - 7, "XXXXXX", 6);
	if (!mkdtemp(place))
		return -1;
	parent = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return parent < 0;
}

static int remove_place(void **state)
{
	(void)state;
	close(parent);
	remove_tree(place);
	return 0;
}

/* A new folder with these files, separated by blanks. Returns its descriptor. */
static int make_folder(const char *name, const char *files)
{
	char file[32];
	int used;

	assert_int_equal(mkdirat(parent, name, 0700), 0);
	int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(folder >= 0);
	for (; sscanf(files, " %31s%n", file, &used) == 1; files += used)
		close(openat(folder, file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	return folder;
}

static void make_old(int folder)
{
	const struct timespec times[] = {{.tv_sec = time(NULL) - 7200},
					 {.tv_sec = time(NULL) - 7200}};

	assert_int_equal(futimens(folder, times), 0);
}

static bool is_there(const char *name)
{
	return faccessat(parent, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void remove_stale(void)
{
	held_folder_remove_stale(parent, "mine-", geteuid());
}

static void test_held(void **state)
{
	int folder = make_folder("mine-1", "pmctop parcel s s.0123456789abcdef");
	int alive = held_folder_hold(folder);

	(void)state;
	assert_true(alive >= 0);
	make_old(folder);
	remove_stale();
	assert_true(is_there("mine-1/pmctop"));
	close(alive);
	remove_stale();
	assert_false(is_there("mine-1"));
	close(folder);
}

/* The holder is a process, and its number says nothing here: it may be one of another namespace. */
static void test_held_by_another_process(void **state)
{
	int folder = make_folder("mine-1", "pmctop"), ready[2];
	char byte;

	(void)state;
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid_t child = fork();
	if (child == 0) {
		if (held_folder_hold(folder) >= 0 && write(ready[1], "r", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	remove_stale();
	assert_true(is_there("mine-1/pmctop"));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	remove_stale();
	assert_false(is_there("mine-1"));
	close(ready[0]);
	close(ready[1]);
	close(folder);
}

static void test_in_the_making(void **state)
{
	int young = make_folder("mine-young", ""), old = make_folder("mine-old", ""),
	    odd = make_folder("mine-odd", "pmctop");

	(void)state;
	assert_int_equal(mkfifoat(young, "pipe", 0600), 0);
	assert_int_equal(mkfifoat(old, "pipe", 0600), 0);
	make_old(old);
	make_old(odd);
	remove_stale();
	assert_true(is_there("mine-young/pipe"));
	assert_false(is_there("mine-old"));
	assert_true(is_there("mine-odd/pmctop"));
	close(young);
	close(old);
	close(odd);
}

/* Folders that are stale by all but one property. */
static void test_others_stay(void **state)
{
	int target = make_folder("target", "pmctop s"), other = make_folder("other-1", "pmctop"),
	    open_one = make_folder("mine-open", "pmctop"), full = make_folder("mine-full", "own"),
	    linked = make_folder("mine-linked", "");

	(void)state;
	const int made[] = {target, other, open_one, full};
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		close(held_folder_hold(made[i]));
	assert_int_equal(symlinkat("../target/alive", linked, "alive"), 0);
	assert_int_equal(fchmod(open_one, 0750), 0);
	assert_int_equal(symlinkat("target", parent, "mine-link"), 0);
	assert_int_equal(symlinkat("../target/s", full, "s"), 0);
	remove_stale();
	assert_true(is_there("target/pmctop"));
	assert_true(is_there("target/s"));
	assert_true(is_there("target/alive"));
	assert_true(is_there("other-1/pmctop"));
	assert_true(is_there("mine-open/pmctop"));
	assert_true(is_there("mine-link"));
	assert_true(is_there("mine-full/own"));
	assert_false(is_there("mine-full/s"));
	assert_true(is_there("mine-linked/alive"));
	held_folder_remove_stale(parent, "other-", geteuid() + 1);
	assert_true(is_there("other-1/pmctop"));
	close(linked);
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		close(made[i]);
}

/* The name was given to a link, or to another directory, in place of the folder. */
static void test_replaced(void **state)
{
	int folder = make_folder("mine-1", "pmctop s"), target = make_folder("target", "pmctop s");

	(void)state;
	assert_int_equal(renameat(parent, "mine-1", parent, "moved"), 0);
	assert_int_equal(symlinkat("target", parent, "mine-1"), 0);
	held_folder_remove(parent, "mine-1", folder);
	assert_true(is_there("mine-1"));
	assert_true(is_there("target/pmctop"));
	assert_true(is_there("target/s"));
	assert_false(is_there("moved/pmctop"));
	assert_int_equal(unlinkat(parent, "mine-1", 0), 0);
	assert_int_equal(mkdirat(parent, "mine-1", 0700), 0);
	held_folder_remove(parent, "mine-1", folder);
	assert_true(is_there("mine-1"));
	held_folder_remove(parent, "moved", folder);
	assert_false(is_there("moved"));
	close(folder);
	close(target);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(test_held),          IN_PLACE(test_held_by_another_process),
		IN_PLACE(test_in_the_making), IN_PLACE(test_others_stay),
		IN_PLACE(test_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
