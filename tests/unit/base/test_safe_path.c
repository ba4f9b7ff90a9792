// SPDX-License-Identifier: MIT
#include "core/base/safe_path.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* Directories `outer` and `outer/inner`, below a private one in /tmp. */
struct row {
	const char *name;
	unsigned outer_mode, inner_mode;
	bool outer_others, inner_others; /* they belong to another user */
	const char *path;                /* what is opened, below the private directory */
	int result;
};

static const struct row rows[] = {
	{"own directories", 0755, 0700, false, false, "outer/inner", 0},
	{"a link to one", 0755, 0700, false, false, "link", 0},
	{"..", 0755, 0700, false, false, "outer/../outer/inner", 0},
	{"all may write, with the sticky bit", 0755, 01777, false, false, "outer/inner", 0},
	{"all may write", 0755, 0777, false, false, "outer/inner", -EPERM},
	{"a group may write", 0755, 0770, false, false, "outer/inner", -EPERM},
	{"all may write the parent", 0777, 0700, false, false, "outer/inner", -EPERM},
	{"all may write the parent of a link's target", 0777, 0700, false, false, "link", -EPERM},
	{"all may write the parent, with the sticky bit", 01777, 0700, false, false, "outer/inner",
	 0},
	{"another user's", 0755, 0755, false, true, "outer/inner", -EPERM},
	{"another user's, with the sticky bit", 0755, 01777, false, true, "outer/inner", -EPERM},
	{"another user's parent", 0755, 0755, true, false, "outer/inner", -EPERM},
	{"a file", 0755, 0700, false, false, "file", -ENOTDIR},
	{"no directory", 0755, 0700, false, false, "missing", -ENOENT},
};

static void run_row(void **state)
{
	const struct row *row = *state;
	char base[] = "/tmp/pmctop-path-XXXXXX", name[PATH_MAX], path[64], expected[64];

	if (row->outer_others || row->inner_others)
		need_chown();
	int tmp = safe_path_open_fixed("/tmp", name);
	if (tmp < 0)
		skip(); /* a container of another user */
	close(tmp);
	assert_non_null(mkdtemp(base));
	int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(fd, "outer", 0700), 0);
	assert_int_equal(mkdirat(fd, "outer/inner", 0700), 0);
	assert_int_equal(symlinkat("outer/inner", fd, "link"), 0);
	close(openat(fd, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	if (row->inner_others)
		assert_int_equal(fchownat(fd, "outer/inner", 12345, 12345, 0), 0);
	if (row->outer_others)
		assert_int_equal(fchownat(fd, "outer", 12345, 12345, 0), 0);
	assert_int_equal(fchmodat(fd, "outer/inner", row->inner_mode, 0), 0);
	assert_int_equal(fchmodat(fd, "outer", row->outer_mode, 0), 0);
	snprintf(path, sizeof(path), "%s/%s", base, row->path);
	snprintf(expected, sizeof(expected), "%s/outer/inner", base);
	int opened = safe_path_open_fixed(path, name);
	if (row->result) {
		assert_int_equal(opened, row->result);
	} else {
		assert_true(opened >= 0);
		assert_string_equal(name, expected);
		close(opened);
	}
	close(fd);
	remove_tree(base);
}

static void test_root(void **state)
{
	char name[PATH_MAX];
	int fd = safe_path_open_fixed("//", name);

	(void)state;
	if (fd == -EPERM)
		skip(); /* a container of another user */
	assert_true(fd >= 0);
	assert_string_equal(name, "/");
	close(fd);
}

int main(void)
{
	const struct cases tables[] = {CASES(run_row, rows)};
	const struct CMUnitTest others[] = {cmocka_unit_test(test_root)};

	return cases_run("safe_path", tables, 1, others, 1);
}
