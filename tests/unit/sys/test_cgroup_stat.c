// SPDX-License-Identifier: MIT
/* The limits of a cgroup and what they did, of both versions. */
#include "core/base/util.h"
#include "core/sys/cgroup_stat.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct cgroup_dir v1 = {.version = 1, .path = "/cg/a"};
static const struct cgroup_dir v2 = {.version = 2, .path = "/cg/a"};

static void test_throttling(void **state)
{
#define USAGE "usage_usec 90\nuser_usec 60\nsystem_usec 30\n"
	static const struct {
		const char *name, *text;
		int result;
		struct cgroup_throttling want;
	} rows[] = {
		{"version 1",
		 "nr_periods 45\nnr_throttled 44\nthrottled_time 3600000000\n",
		 0,
		 {45, 44, 3600000000}},
		{"version 1 from 6.1",
		 "nr_periods 45\nnr_throttled 44\nthrottled_time 7\nnr_bursts 0\nburst_time 0\n",
		 0,
		 {45, 44, 7}},
		{"version 2",
		 USAGE "nr_periods 45\nnr_throttled 44\nthrottled_usec 3600000\nnr_bursts 1\n",
		 0,
		 {45, 44, 3600000000}},
		{"no controller", USAGE, -ENODATA},
		{"root of version 2", USAGE "core_sched.force_idle_usec 0\n", -ENODATA},
		{"no time", "nr_periods 45\nnr_throttled 44\n", -ENODATA},
		{"cut off", "nr_periods 45\nnr_throttled 44\nthrottled_time 36", -ENODATA},
		{"more than 64 bits of ns",
		 "nr_periods 1\nnr_throttled 1\nthrottled_usec 18446744073709552\n", -ENODATA},
		{"a word behind a number", "nr_periods 1x\nnr_throttled 1\nthrottled_usec 1\n",
		 -ENODATA},
		{"a sign", "nr_periods -1\nnr_throttled 1\nthrottled_usec 1\n", -ENODATA},
		{"empty", "", -ENODATA},
		{"none", NULL, -ENOENT},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cgroup_throttling got;

		print_message("%s\n", rows[i].name);
		fk_file(fk, "/cg/a/cpu.stat", rows[i].text);
		assert_int_equal(cgroup_throttling_read(&sys, &v2, &got), rows[i].result);
		if (rows[i].result == 0)
			assert_memory_equal(&got, &rows[i].want, sizeof(got));
	}
	fk_free(fk);
}

static void test_quota(void **state)
{
	static const struct {
		const char *name;
		const char *max, *quota, *period; /* of version 2, or the two of version 1 */
		int result;
		double cpus; /* 0: not limited */
	} rows[] = {
		{"version 2, none", "max 100000\n", NULL, NULL, 0, 0},
		{"version 2, half a CPU", "50000 100000\n", NULL, NULL, 0, 0.5},
		{"version 2, three CPUs", "300000 100000\n", NULL, NULL, 0, 3},
		{"version 2, a period of 0", "50000 0\n", NULL, NULL, -EBADMSG},
		{"version 2, cut off", "50000 100", NULL, NULL, -EBADMSG},
		{"version 2, one number", "50000\n", NULL, NULL, -EBADMSG},
		{"version 2, words", "maximum 100000\n", NULL, NULL, -EBADMSG},
		{"version 2, its root", NULL, NULL, NULL, -ENOENT},
		{"version 1, none", NULL, "-1\n", "100000\n", 0, 0},
		{"version 1, a tenth", NULL, "10000\n", "100000\n", 0, 0.1},
		{"version 1, no period", NULL, "10000\n", NULL, -ENOENT},
		{"version 1, a period of 0", NULL, "10000\n", "0\n", -EBADMSG},
		{"version 1, a negative number", NULL, "-5\n", "100000\n", -EBADMSG},
		{"version 1, empty", NULL, "", "100000\n", -EBADMSG},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cgroup_quota got;

		print_message("%s\n", rows[i].name);
		fk_file(fk, "/cg/a/cpu.max", rows[i].max);
		fk_file(fk, "/cg/a/cpu.cfs_quota_us", rows[i].quota);
		fk_file(fk, "/cg/a/cpu.cfs_period_us", rows[i].period);
		assert_int_equal(cgroup_quota_read(&sys, rows[i].quota ? &v1 : &v2, &got),
				 rows[i].result);
		if (rows[i].result < 0)
			continue;
		assert_int_equal(got.limited, rows[i].cpus > 0);
		assert_true(got.cpus == rows[i].cpus);
	}
	fk_free(fk);
}

#define MAX_1 (1u << CGROUP_MEMORY_MAX | 1u << CGROUP_MEMORY_OOM_KILL)

static void test_memory(void **state)
{
	static const struct {
		const char *name;
		const struct cgroup_dir *dir;
		struct {
			const char *name, *text;
		} files[5];
		int result;
		struct cgroup_memory want;
	} rows[] = {
		{"version 2, no limit",
		 &v2,
		 {{"current", "4096\n"},
		  {"max", "max\n"},
		  {"high", "max\n"},
		  {"events", "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n"}},
		 0,
		 {4096, CGROUP_NO_LIMIT, CGROUP_NO_LIMIT, true, 0x1f, {1, 2, 3, 4, 5}}},
		{"version 2, limited",
		 &v2,
		 {{"current", "4096\n"}, {"max", "8192\n"}, {"high", "6000\n"}},
		 0,
		 {4096, 8192, 6000, true}},
		{"version 2, an old kernel's events",
		 &v2,
		 {{"current", "4096\n"}, {"max", "8192\n"}, {"events", "low 1\nhigh 2\nmax 3"}},
		 0,
		 {4096, 8192, CGROUP_NO_LIMIT, false, 3, {1, 2}}},
		{"version 2, its root", &v2, {{NULL}}, -ENOENT},
		{"version 1, no limit",
		 &v1,
		 {{"usage_in_bytes", "4096\n"},
		  {"limit_in_bytes", "9223372036854771712\n"},
		  {"failcnt", "7\n"},
		  {"oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"}},
		 0,
		 {4096, CGROUP_NO_LIMIT, CGROUP_NO_LIMIT, true, MAX_1, {0, 0, 7, 0, 2}}},
		{"version 1, limited",
		 &v1,
		 {{"usage_in_bytes", "4096\n"}, {"limit_in_bytes", "8192\n"}},
		 0,
		 {4096, 8192, CGROUP_NO_LIMIT, true}},
		{"version 1, broken", &v1, {{"usage_in_bytes", "x\n"}}, -EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct cgroup_memory *want = &rows[i].want;
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);
		struct cgroup_memory got;
		char path[64];

		print_message("%s\n", rows[i].name);
		for (size_t k = 0; k < ARRAY_SIZE(rows[i].files) && rows[i].files[k].name; k++) {
			snprintf(path, sizeof(path), "/cg/a/memory.%s", rows[i].files[k].name);
			fk_file(fk, path, rows[i].files[k].text);
		}
		assert_int_equal(cgroup_memory_read(&sys, rows[i].dir, &got), rows[i].result);
		if (rows[i].result == 0) {
			assert_int_equal(got.current_bytes, want->current_bytes);
			assert_int_equal(got.max_bytes, want->max_bytes);
			assert_int_equal(got.high_bytes, want->high_bytes);
			assert_int_equal(got.limits_known, want->limits_known);
			assert_int_equal(got.events_known, want->events_known);
			assert_memory_equal(got.events, want->events, sizeof(got.events));
		}
		fk_free(fk);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_throttling),
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("cgroup_stat", tests, NULL, NULL);
}
