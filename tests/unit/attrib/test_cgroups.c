// SPDX-License-Identifier: MIT
/* The path in /proc/PID/cgroup, and that each path is kept once. */
#include "core/attrib/cgroups.h"
#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void paths_are_parsed(void **state)
{
	static const struct {
		const char *name, *text, *want; /* NULL: no line has a path */
	} rows[] = {
		{"version 2", "0::/system.slice/a.service\n", "/system.slice/a.service"},
		{"its root", "0::/\n", "/"},
		{"no newline", "0::/a", "/a"},
		{"removed under its task", "0::/a/b (deleted)\n", "/a/b"},
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
		{"a name that only begins like one", "2:cpuset:/c\n3:memoryx:/m\n", NULL},
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

static void paths_are_kept_once(void **state)
{
	enum { N = 1000 };
	struct cgroups *cgroups = cgroups_new();
	struct cgroup *held[N];
	char path[32];

	(void)state;
	for (int i = 0; i < N; i++) {
		snprintf(path, sizeof(path), "/a/%d", i);
		held[i] = cgroups_get(cgroups, path);
		assert_ptr_equal(cgroups_get(cgroups, path), held[i]);
	}
	assert_int_equal(cgroups_count(cgroups), N);
	for (int i = 0; i < N; i++) {
		cgroups_put(cgroups, held[i]);
		snprintf(path, sizeof(path), "/a/%d", i);
		assert_string_equal(held[i]->path, path);
		if (i % 2)
			cgroups_put(cgroups, held[i]);
	}
	assert_int_equal(cgroups_count(cgroups), N / 2);
	cgroups_put(cgroups, NULL);
	cgroups_free(cgroups);
	cgroups_free(NULL);
}

static void paths_are_read(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct cgroups *cgroups = cgroups_new();

	(void)state;
	fk_file(fk, "/proc/7/cgroup", "0::/a\n");
	fk_file(fk, "/proc/8/cgroup", "");
	struct cgroup *cgroup = cgroups_read(cgroups, &sys, 7);
	assert_string_equal(cgroup->path, "/a");
	assert_null(cgroups_read(cgroups, &sys, 8));
	assert_null(cgroups_read(cgroups, &sys, 9));
	cgroups_put(cgroups, cgroup);
	assert_int_equal(cgroups_count(cgroups), 0);
	cgroups_free(cgroups);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_parsed),
		cmocka_unit_test(paths_are_kept_once),
		cmocka_unit_test(paths_are_read),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
