// SPDX-License-Identifier: MIT
/* The paths in /proc/PID/cgroup: the path that names the cgroup, and the path of a controller. */
#include "core/base/util.h"
#include "core/sys/cgroup_path.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void paths_are_parsed(void **state)
{
	static const struct {
		const char *name, *text, *want; /* NULL: no line has a path */
	} rows[] = {
		{"version 2", "0::/system.slice/a.service\n", "/system.slice/a.service"},
		{"the root of version 2", "0::/\n", "/"},
		{"no newline", "0::/a", "/a"},
		{"a cgroup that was removed", "0::/a/b (deleted)\n", "/a/b"},
		{"a name with (deleted), not removed", "0::/ (deleted)x\n", "/ (deleted)x"},
		{"outside the cgroup namespace", "0::/../b\n", "/../b"},
		{"a colon in a name", "0::/a:b/c:d\n", "/a:b/c:d"},
		{"any bytes", "0::/\x1b[2J\xff\n", "/\x1b[2J\xff"},
		{"hybrid: version 2 has it", "1:name=systemd:/x/y/z\n0::/a\n", "/a"},
		{"hybrid: version 2 is in its root",
		 "4:memory:/deep/er\n2:cpu,cpuacct:/deep\n0::/\n", "/deep/er"},
		{"version 1: systemd's",
		 "3:cpuset:/one/two/three\n1:name=systemd:/a/b\n8:pids:/a\n", "/a/b"},
		{"version 1: a controller of several", "2:cpuacct,cpu:/c\n", "/c"},
		{"version 1: the first of two with one depth", "2:pids:/p\n3:memory:/m\n", "/p"},
		{"names that begin like those of controllers", "2:cpuset:/c\n3:memoryx:/m\n", NULL},
		{"all in the root", "2:pids:/\n0::/\n", "/"},
		{"nothing", "", NULL},
		{"no path", "0::\n0:\n0\n\n:\n::\n", NULL},
		{"no absolute path", "0::a\n", NULL},
		{"an empty line before", "\n0::/a\n", "/a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char path[64] = "";
		bool found = cgroup_parse(rows[i].text, path, sizeof(path));

		if (found != (rows[i].want != NULL) || (found && strcmp(path, rows[i].want) != 0))
			fail_msg("%s: \"%s\"", rows[i].name, path);
	}
	char small[4];
	assert_true(cgroup_parse("0::/abcdef\n", small, sizeof(small)));
	assert_string_equal(small, "/ab");
}

#define HYBRID "4:memory:/m/x (deleted)\n3:cpuset:/\n2:cpu,cpuacct:/c\n0::/u\n"

static void the_path_of_a_controller(void **state)
{
	static const struct {
		const char *name, *text, *controller, *want; /* NULL: no such line */
	} rows[] = {
		{"the first of two", HYBRID, "cpu", "/c"},
		{"the second of two", HYBRID, "cpuacct", "/c"},
		{"removed", HYBRID, "memory", "/m/x"},
		{"version 2 beside version 1", HYBRID, NULL, "/u"},
		{"not there", HYBRID, "pids", NULL},
		{"the beginning of a name", HYBRID, "mem", NULL},
		{"version 2 alone", "0::/u\n", "cpu", NULL},
		{"version 1 alone", "2:cpu:/c\n", NULL, NULL},
		{"nothing", "", NULL, NULL},
		{"no path", "2:cpu:\n0::\n", "cpu", NULL},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	char path[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].name);
		fk_file(fk, "/proc/7/cgroup", rows[i].text);
		assert_int_equal(
			cgroup_of_controller(&sys, 7, rows[i].controller, path, sizeof(path)),
			rows[i].want ? 0 : -ENOENT);
		if (rows[i].want)
			assert_string_equal(path, rows[i].want);
	}
	fk_fail(fk, FK_FILE_READ, 1, ESRCH);
	assert_int_equal(cgroup_of_controller(&sys, 7, NULL, path, sizeof(path)), -ESRCH);
	fk_free(fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_parsed),
		cmocka_unit_test(the_path_of_a_controller),
	};

	return cmocka_run_group_tests_name("cgroup_path", tests, NULL, NULL);
}
