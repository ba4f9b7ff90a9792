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
		cmocka_unit_test(paths_are_kept_once),
		cmocka_unit_test(paths_are_read),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
