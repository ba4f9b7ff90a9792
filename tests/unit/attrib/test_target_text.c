// SPDX-License-Identifier: MIT
/* The target in words. */
#include "core/attrib/target.h"
#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_words(void **state)
{
	static const pid_t pids[] = {50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64};
	static const struct {
		const char *name;
		struct target_spec spec;
		const char *full, *brief;
	} rows[] = {
		{"all", {0}, "", ""},
		{"a process", {.pids = pids, .n_pids = 1}, "db\xef\xbf\xbd 50", "pid 50"},
		{"a thread", {.tids = pids, .n_tids = 1}, "thread db\xef\xbf\xbd 50", "tid 50"},
		{"a command", {.command = 51}, "web 51", "pid 51"},
		{"some", {.pids = pids, .n_pids = 3}, "3 processes: 50 51 52", "3 processes"},
		{"many",
		 {.pids = pids, .n_pids = 15},
		 "15 processes: 50 51 52 53 54 55 56 57 58 59 ..",
		 "15 processes"},
		{"threads", {.tids = pids, .n_tids = 2}, "2 threads: 50 51", "2 threads"},
		{"both",
		 {.pids = pids, .n_pids = 1, .tids = pids + 1, .n_tids = 1},
		 "2 processes and threads: 50 51",
		 "2 processes and threads"},
		{"a user", {.user = "0"}, "user 0", "user 0"},
		{"users", {.user = "1000,1001"}, "user 1000,1001", "user 1000,1001"},
		{"a cgroup",
		 {.cgroup = "/system.slice/nginx.service"},
		 "cgroup nginx.service",
		 "cgroup nginx.servic"},
		{"CPUs", {.cpus = "0,1,3"}, "CPU 0-1,3", "CPU 0-1,3"},
		{"a process and CPUs",
		 {.pids = pids, .n_pids = 1, .cpus = "1"},
		 "db\xef\xbf\xbd 50, CPU 1",
		 "pid 50, CPU 1"},
	};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 4});
	struct sys sys = fk_sys(fk);
	struct users *users = users_new(&sys);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		fk_task(fk, &(struct fk_spec){.tid = pids[i],
					      .comm = i == 0 ? "db\x01" : "web",
					      .cgroup = "/system.slice/nginx.service"});
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct target *target;
		struct target_text text;
		struct error err = {0};

		if (target_new(&sys, users, &rows[i].spec, &target, &err) < 0)
			fail_msg("%s: %s", rows[i].name, err.text);
		target_poll_roots(target, fk_now(fk));
		target_describe(target, users, &text);
		print_message("# %s\n", rows[i].name);
		assert_string_equal(text.full, rows[i].full);
		assert_string_equal(text.brief, rows[i].brief);
		target_free(target);
	}
	users_free(users);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_words)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
