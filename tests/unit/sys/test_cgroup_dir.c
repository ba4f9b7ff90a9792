// SPDX-License-Identifier: MIT
/* From mounts and the path of a task to the directory of its cgroup. */
#include "core/base/util.h"
#include "core/sys/cgroup_dir.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TMPFS  "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
#define V2     "24 23 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define CPU    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define MEMORY "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define HYBRID TMPFS CPU MEMORY "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
#define INSIDE "35 31 0:32 /docker/01 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"

static void the_directory_of_a_path(void **state)
{
	static const struct {
		const char *name, *mounts;
		enum cgroup_controller controller;
		const char *path;
		unsigned version; /* 0: no directory */
		const char *want;
	} rows[] = {
		{"version 2", V2, CGROUP_CPU, "/a/b", 2, "/sys/fs/cgroup/a/b"},
		{"version 2, memory", V2, CGROUP_MEMORY, "/a", 2, "/sys/fs/cgroup/a"},
		{"version 2, pressure", V2, CGROUP_UNIFIED, "/", 2, "/sys/fs/cgroup"},
		{"hybrid, cpu", HYBRID, CGROUP_CPU, "/a", 1, "/sys/fs/cgroup/cpu,cpuacct/a"},
		{"hybrid, memory", HYBRID, CGROUP_MEMORY, "/", 1, "/sys/fs/cgroup/memory"},
		{"hybrid, pressure", HYBRID, CGROUP_UNIFIED, "/a", 2, "/sys/fs/cgroup/unified/a"},
		{"version 2 first", V2 CPU, CGROUP_CPU, "/a", 1, "/sys/fs/cgroup/cpu,cpuacct/a"},
		{"version 1 first", CPU V2, CGROUP_CPU, "/a", 1, "/sys/fs/cgroup/cpu,cpuacct/a"},
		{"version 1 alone, pressure", TMPFS CPU, CGROUP_UNIFIED, "/a"},
		{"version 1 without the controller", TMPFS CPU, CGROUP_MEMORY, "/a"},
		{"container", INSIDE, CGROUP_MEMORY, "/docker/01/x", 1, "/sys/fs/cgroup/memory/x"},
		{"container, its root", INSIDE, CGROUP_MEMORY, "/docker/01", 1,
		 "/sys/fs/cgroup/memory"},
		{"container, another one", INSIDE, CGROUP_MEMORY, "/docker/012"},
		{"container, the whole beside", INSIDE MEMORY, CGROUP_MEMORY, "/docker/01", 1,
		 "/sys/fs/cgroup/memory/docker/01"},
		{"container, two of its mounts",
		 INSIDE "36 31 0:32 /docker/02 /other ro - cgroup cgroup rw,memory\n",
		 CGROUP_MEMORY, "/docker/01", 1, "/sys/fs/cgroup/memory"},
		{"the whole, mounted twice",
		 V2 "99 1 0:22 / /host/cgroup rw - cgroup2 cgroup2 rw\n", CGROUP_CPU, "/a", 2,
		 "/sys/fs/cgroup/a"},
		{"outside the namespace", V2, CGROUP_CPU, "/../b"},
		{"outside the namespace, its root", V2, CGROUP_CPU, "/.."},
		{"dots in a name", V2, CGROUP_CPU, "/..b/...", 2, "/sys/fs/cgroup/..b/..."},
		{"no absolute path", V2, CGROUP_CPU, "a"},
		{"blanks and a backslash", "1 1 0:1 / /m\\040\\134\\9x rw - cgroup2 none rw\n",
		 CGROUP_CPU, "/a b", 2, "/m \\\\9x/a b"},
		{"another option", "1 1 0:1 / /m rw - cgroup cgroup rw,cpux,xcpu\n", CGROUP_CPU,
		 "/a"},
		{"another type", "1 1 0:1 / /m rw - cgroup2x none rw\n", CGROUP_CPU, "/a"},
		{"no newline", "1 1 0:1 / /m rw - cgroup2 none rw", CGROUP_CPU, "/a"},
		{"no mount point", "1 1 0:1 / m rw - cgroup2 none rw\n", CGROUP_CPU, "/a"},
		{"too few fields", "1 1 - cgroup2 none rw\n - \n-\n\n1 / / - cgroup2 x\n",
		 CGROUP_CPU, "/a"},
		{"nothing", "", CGROUP_CPU, "/a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cgroup_mounts mounts;
		struct cgroup_dir dir;

		cgroup_mounts_parse(rows[i].mounts, &mounts);
		print_message("%s\n", rows[i].name);
		assert_int_equal(cgroup_dir_find(&mounts, rows[i].controller, rows[i].path, &dir),
				 rows[i].version ? 0 : -ENOENT);
		if (rows[i].version) {
			assert_string_equal(dir.path, rows[i].want);
			assert_int_equal(dir.version, rows[i].version);
		}
		cgroup_mounts_fini(&mounts);
	}
}

static void the_mounts_of_this_process(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct cgroup_mounts mounts;
	struct cgroup_dir dir;

	(void)state;
	assert_int_equal(cgroup_mounts_read(&sys, &mounts), -ENOENT);
	assert_int_equal(cgroup_dir_find(&mounts, CGROUP_CPU, "/c", &dir), -ENOENT);
	cgroup_mounts_fini(&mounts);
	fk_file(fk, "/proc/self/mountinfo", HYBRID);
	assert_int_equal(cgroup_mounts_read(&sys, &mounts), 0);
	assert_int_equal(cgroup_dir_find(&mounts, CGROUP_CPU, "/c", &dir), 0);
	assert_string_equal(dir.path, "/sys/fs/cgroup/cpu,cpuacct/c");
	cgroup_mounts_fini(&mounts);
	fk_free(fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_directory_of_a_path),
		cmocka_unit_test(the_mounts_of_this_process),
	};

	return cmocka_run_group_tests_name("cgroup_dir", tests, NULL, NULL);
}
