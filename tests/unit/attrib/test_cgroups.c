// SPDX-License-Identifier: MIT
/* The cgroups of tasks: each path is kept once. */
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

static void parents_live_as_long_as_their_children(void **state)
{
	struct cgroups *cgroups = cgroups_new();
	struct cgroup *cgroup = cgroups_get(cgroups, "/a/b"), *other = cgroups_get(cgroups, "/a/c");

	(void)state;
	struct cgroup *parent = cgroup_parent(cgroup);
	assert_string_equal(parent->path, "/a");
	assert_ptr_equal(cgroup_parent(other), parent);
	assert_ptr_equal(cgroup_parent(cgroup), parent);
	assert_string_equal(cgroup_parent(parent)->path, "/");
	assert_null(cgroup_parent(cgroup_parent(parent)));
	cgroups_put(cgroups, cgroup);
	assert_int_equal(cgroups_count(cgroups), 3);
	cgroups_put(cgroups, other);
	assert_int_equal(cgroups_count(cgroups), 0);
	cgroups_free(cgroups);
}

static void paths_are_read(void **state)
{
	static const struct {
		pid_t tid;
		const char *cgroup, *cpu;
	} rows[] = {
		{5, "/b", NULL}, {6, "/b/c", "/c"}, {7, "/a", "/a"},
		{8, NULL, NULL}, {9, NULL, NULL},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct cgroups *cgroups = cgroups_new();

	(void)state;
	fk_file(fk, "/proc/7/cgroup", "0::/a\n");
	fk_file(fk, "/proc/8/cgroup", "");
	fk_file(fk, "/proc/6/cgroup", "4:cpu,cpuacct:/c\n3:memory:/b/c\n0::/\n");
	fk_file(fk, "/proc/5/cgroup", "3:memory:/b\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cgroup *cgroup, *cpu;
		assert_int_equal(cgroups_read(cgroups, &sys, rows[i].tid, &cgroup, &cpu),
				 rows[i].cgroup != NULL);
		if (rows[i].cgroup)
			assert_string_equal(cgroup->path, rows[i].cgroup);
		else
			assert_null(cgroup);
		if (rows[i].cpu)
			assert_string_equal(cpu->path, rows[i].cpu);
		else
			assert_null(cpu);
		cgroups_put(cgroups, cgroup);
		cgroups_put(cgroups, cpu);
	}
	assert_int_equal(cgroups_count(cgroups), 0);
	cgroups_free(cgroups);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_kept_once),
		cmocka_unit_test(parents_live_as_long_as_their_children),
		cmocka_unit_test(paths_are_read),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
