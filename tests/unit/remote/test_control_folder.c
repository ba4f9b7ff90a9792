// SPDX-License-Identifier: MIT
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/files.h"
#include "tui/remote/control_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

static char place[] = "/tmp/pmctop-ctl-XXXXXX";

static int make_place(void **state)
{
	(void)state;
	memcpy(place + sizeof(place) - 7, "XXXXXX", 6);
	return mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state)
{
	(void)state;
	remove_tree(place);
	return 0;
}

/* Makes the folder. Skips the test if not even /tmp can be used: a container of another user. */
static void make_folder(const char *parent, struct control_folder *folder)
{
	struct error err;

	if (control_folder_make(parent, folder, &err))
		skip();
}

static bool is_in(const struct control_folder *folder, const char *parent)
{
	return strncmp(folder->path, parent, strlen(parent)) == 0 &&
	       strncmp(folder->path + strlen(parent), "/pmctop-control-",
		       strlen("/pmctop-control-")) == 0;
}

static void test_made_and_removed(void **state)
{
	struct control_folder folder;
	struct stat status;

	(void)state;
	make_folder(place, &folder);
	assert_true(is_in(&folder, place));
	assert_int_equal(lstat(folder.path, &status), 0);
	assert_int_equal(status.st_mode, S_IFDIR | 0700);
	write_file(folder.socket, "");
	control_folder_remove(&folder);
	assert_int_equal(count_files(place), 0);
	control_folder_remove(&folder); /* zeroed */
}

/* A folder that another user may replace, or whose name ssh would change: /tmp is used. */
static void test_parents(void **state)
{
	char inner[64], link[64], odd[64];
	struct control_folder folder;

	(void)state;
	snprintf(inner, sizeof(inner), "%s/inner", place);
	snprintf(link, sizeof(link), "%s/link", place);
	snprintf(odd, sizeof(odd), "%s/a b", place);
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_int_equal(mkdir(odd, 0700), 0);
	assert_int_equal(symlink("inner", link), 0);
	const char *const refused[] = {NULL, "", "relative", odd, "/nonexistent"};
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		make_folder(refused[i], &folder);
		assert_true(is_in(&folder, "/tmp"));
		control_folder_remove(&folder);
	}
	make_folder(link, &folder);
	assert_true(is_in(&folder, inner));
	control_folder_remove(&folder);
	assert_int_equal(chmod(place, 0777), 0);
	const char *const open_ones[] = {place, inner, link};
	for (size_t i = 0; i < ARRAY_SIZE(open_ones); i++) {
		make_folder(open_ones[i], &folder);
		assert_true(is_in(&folder, "/tmp"));
		control_folder_remove(&folder);
	}
	assert_int_equal(chmod(place, 01777), 0);
	make_folder(inner, &folder);
	assert_true(is_in(&folder, inner));
	control_folder_remove(&folder);
}

/* With a link in place of the folder, nothing elsewhere is removed. */
static void test_replaced(void **state)
{
	struct control_folder folder;
	char target[64], socket[96], moved[64];

	(void)state;
	make_folder(place, &folder);
	snprintf(target, sizeof(target), "%s/target", place);
	snprintf(moved, sizeof(moved), "%s/moved", place);
	snprintf(socket, sizeof(socket), "%s/s", target);
	assert_int_equal(mkdir(target, 0700), 0);
	write_file(socket, "mine");
	assert_int_equal(rename(folder.path, moved), 0);
	assert_int_equal(symlink(target, folder.path), 0);
	control_folder_remove(&folder);
	expect_file(socket, "mine");
	assert_int_equal(count_files(place), 3);
}

static void test_stale(void **state)
{
	struct control_folder living, left, next;
	char path[96];

	(void)state;
	make_folder(place, &living);
	make_folder(place, &left);
	write_file(left.socket, "");
	text_copy(path, sizeof(path), left.path);
	close(left.alive); /* as a killed process does */
	make_folder(place, &next);
	assert_int_equal(access(living.path, F_OK), 0);
	assert_int_equal(access(path, F_OK), -1);
	close(left.folder);
	close(left.parent);
	control_folder_remove(&living);
	control_folder_remove(&next);
	assert_int_equal(count_files(place), 0);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(test_made_and_removed),
		IN_PLACE(test_parents),
		IN_PLACE(test_replaced),
		IN_PLACE(test_stale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
