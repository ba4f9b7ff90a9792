// SPDX-License-Identifier: MIT
/* The texts of /proc and /sys: as kernels write them, and broken ones. */
#include "core/base/util.h"
#include "core/sys/cpus.h"
#include "core/sys/credentials.h"
#include "core/sys/proc.h"
#include "core/sys/users.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/fake_kernel/faulty.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STAT_TAIL                                                                                  \
	" S 3 1 1 0 -1 2129984 10 0 5 0 7 8 0 0 20 0 1 0 777 1000 1 18446744073709551615 1 1 0 0 " \
	"0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"

static void test_stat(void **state)
{
	static const struct {
		const char *text, *comm;
		int result;
	} cases[] = {
		{"42 (worker)" STAT_TAIL, "worker", 0},
		{"42 (a) b (c)" STAT_TAIL, "a) b (c", 0},
		{"42 (x S 1 2 3)" STAT_TAIL, "x S 1 2 3", 0},
		{"42 ()" STAT_TAIL, "", 0},
		{"42 (1234567890123456789)" STAT_TAIL, "123456789012345", 0},
		{"", NULL, -EBADMSG},
		{"42", NULL, -EBADMSG},
		{"42 (worker", NULL, -EBADMSG},
		{"42 )worker(", NULL, -EBADMSG},
		{"42 (worker) S 1", NULL, -EBADMSG},
		{"-1 (worker)" STAT_TAIL, NULL, -EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct proc_stat stat;
		assert_int_equal(proc_stat_parse(cases[i].text, &stat), cases[i].result);
		if (cases[i].result < 0)
			continue;
		assert_string_equal(stat.comm, cases[i].comm);
		assert_int_equal(stat.pid, 42);
		assert_int_equal(stat.ppid, 3);
		assert_int_equal(stat.state, 'S');
		assert_true(stat.kernel);
		assert_int_equal(stat.minor_faults + stat.major_faults, 15);
		assert_int_equal(stat.user_ticks + stat.system_ticks, 15);
		assert_int_equal(stat.start_ticks, 777);
	}
}

/* The fields behind the 24th are unknown where a line does not have them. */
static void test_stat_fields(void **state)
{
#define LINE_22 "42 (worker) D 3 1 1 0 -1 4194304 10 0 5 0 7 8 0 0 -2 -20 1 0 777"
#define LINE_38 LINE_22 " 1000 250 18446744073709551615 4096 1 0 0 0 0 0 0 0 0 0 0 17"
	static const struct {
		const char *name, *text;
		int result, last_cpu, policy;
		unsigned rt_priority;
	} rows[] = {
		{"no size", LINE_22 "\n", -EBADMSG},
		{"up to 24", LINE_22 " 1000 250\n", 0, -1, -1},
		{"up to 38", LINE_38 "\n", 0, -1, -1},
		{"up to 41", LINE_38 " 5 99 1\n", 0, 5, 1, 99},
		{"up to 44", LINE_38 " 5 0 3 1234 0 0\n", 0, 5, 3, 0},
		{"6.18", LINE_38 " 1 0 0 7 0 0 1 1 1 1 1 1 0\n", 0, 1, 0, 0},
		{"huge CPU", LINE_38 " -9 0 0 0\n", 0, -1, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct proc_stat stat;

		print_message("%s\n", rows[i].name);
		assert_int_equal(proc_stat_parse(rows[i].text, &stat), rows[i].result);
		if (rows[i].result < 0)
			continue;
		assert_int_equal(stat.nice, -20);
		assert_int_equal(stat.rss_pages, 250);
		assert_int_equal(stat.start_code, strstr(rows[i].text, " 4096 ") ? 4096 : 1);
		assert_int_equal(stat.last_cpu, rows[i].last_cpu);
		assert_int_equal(stat.policy, rows[i].policy);
		assert_int_equal(stat.rt_priority, rows[i].rt_priority);
	}
}

static void test_cpu_list(void **state)
{
	static const struct {
		const char *text;
		int result;
		size_t n;
		int last;
	} cases[] = {
		{"0\n", 0, 1, 0},
		{"0-3\n", 0, 4, 3},
		{"0-1,4,6-7\n", 0, 5, 7},
		{"", -EINVAL},
		{"\n", -EINVAL},
		{"x", -EINVAL},
		{"3-1", -EINVAL},
		{"0,0", -EINVAL},
		{"4,2", -EINVAL},
		{"-1", -EINVAL},
		{"0-", -EINVAL},
		{"0;1", -EINVAL},
		{"0-99999999999", -ERANGE},
		{"8192", -ERANGE},
		{"8191", 0, 1, 8191},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cpu_list list;
		assert_int_equal(cpu_list_parse(cases[i].text, &list), cases[i].result);
		assert_int_equal(list.n, cases[i].n);
		if (list.n > 0)
			assert_int_equal(list.numbers[list.n - 1], cases[i].last);
		cpu_list_fini(&list);
	}
}

static void test_users(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	char name[24];

	(void)state;
	fk_file(fk, "/etc/passwd",
		"root:x:0:0:root:/root:/bin/sh\n"
		"toor:x:0:0::/:/bin/sh\n"
		"broken\n:x:5:\nnouid:x::\n"
		"a-name-that-is-longer-than-any-column:x:1000:1000::/:/bin/sh\n"
		"late:x:7:7::/:/bin/sh\n");
	struct users *users = users_new(&sys);
	users_name(users, 0, name, sizeof(name));
	assert_string_equal(name, "root");
	users_name(users, 7, name, sizeof(name));
	assert_string_equal(name, "late");
	users_name(users, 1000, name, sizeof(name));
	assert_string_equal(name, "a-name-that-is-longer-t");
	users_name(users, 4321, name, sizeof(name));
	assert_string_equal(name, "4321");
	users_name(users, (uid_t)-1, name, sizeof(name));
	assert_string_equal(name, "");
	/* A user that was added later is found, but the file is not read again at once. */
	fk_file(fk, "/etc/passwd", "new:x:4321:0::/:/bin/sh\n");
	users_name(users, 4321, name, sizeof(name));
	assert_string_equal(name, "4321");
	fk_advance(fk, 11 * NS_PER_S);
	users_name(users, 4321, name, sizeof(name));
	assert_string_equal(name, "new");
	users_free(users);
	fk_free(fk);
}

/* Users without a line are listed for another source, whose names stay. */
static void test_other_users(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	uid_t uids[8];
	char name[24];

	(void)state;
	fk_file(fk, "/etc/passwd", "root:x:0:0::/:\nann:x:7:7::/:\n");
	struct users *users = users_new(&sys);
	assert_int_equal(users_nameless(users, uids, ARRAY_SIZE(uids)), 0);
	static const uid_t shown[] = {7, 900, 5, 0, 900, 6, (uid_t)-1};
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		users_name(users, shown[i], name, sizeof(name));
	assert_int_equal(users_nameless(users, uids, 2), 2);
	assert_true(uids[0] == 5 && uids[1] == 6);
	assert_int_equal(users_nameless(users, uids, ARRAY_SIZE(uids)), 1);
	assert_int_equal(uids[0], 900);
	users_learn(users, 900, "bob");
	users_learn(users, 7, "eve"); /* the file has precedence */
	users_name(users, 900, name, sizeof(name));
	assert_string_equal(name, "bob");
	users_name(users, 7, name, sizeof(name));
	assert_string_equal(name, "ann");
	uid_t uid = 0;
	assert_int_equal(users_find(users, "bob", &uid), 0);
	assert_int_equal(uid, 900);
	/* Now the file has one of them, and the other names are still known. */
	fk_file(fk, "/etc/passwd", "root:x:0:0::/:\nann:x:7:7::/:\nfive:x:5:5::/:\n");
	fk_advance(fk, USERS_AGAIN_NS + NS_PER_S);
	users_name(users, 5, name, sizeof(name));
	assert_string_equal(name, "five");
	users_name(users, 900, name, sizeof(name));
	assert_string_equal(name, "bob");
	assert_int_equal(users_nameless(users, uids, ARRAY_SIZE(uids)), 1);
	assert_int_equal(uids[0], 6);
	users_free(users);
	fk_free(fk);
}

/* The line "Groups" may be long. The lines after it are read. */
static void test_status(void **state)
{
	static const char before[] = "Name:\tsh\nUid:\t5\t6\t5\t5\nGroups:\t";
	static const char behind[] = "\nCapEff:\tff\nvoluntary_ctxt_switches:\t40\n"
				     "nonvoluntary_ctxt_switches:\t2\n";
	/* Up to NGROUPS_MAX, and around the length of the first read. */
	static const size_t lengths[] = {0,
					 4095 - (sizeof(before) - 1) - (sizeof(behind) - 1),
					 4096 - (sizeof(before) - 1) - (sizeof(behind) - 1),
					 4000,
					 9000,
					 (size_t)65536 * 11};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct credentials credentials;
		struct proc_switches switches = {0};
		char *text;
		size_t size;
		FILE *file = xopen_memstream(&text, &size);

		fputs(before, file);
		for (size_t k = 0; k < lengths[i]; k++)
			fputc(k % 11 == 10 ? ' ' : '1', file);
		fputs(behind, file);
		fclose(file);
		fk_file(fk, "/proc/7/task/70/status", text);
		fk_file(fk, "/proc/self/status", text);
		assert_int_equal(proc_thread_switches(&sys, 7, 70, &switches), 0);
		assert_int_equal(switches.voluntary, 40);
		assert_int_equal(switches.involuntary, 2);
		credentials_read(&sys, &credentials);
		assert_true(credentials.known);
		assert_int_equal(credentials.uid, 6);
		assert_int_equal(credentials.capabilities, 0xff);
		free(text);
	}
	struct credentials credentials;
	struct proc_switches switches;
	fk_file(fk, "/proc/self/status", NULL);
	assert_int_equal(proc_thread_switches(&sys, 7, 71, &switches), -ENOENT);
	credentials_read(&sys, &credentials);
	assert_false(credentials.known);
	fk_free(fk);
}

/* A number that is cut off is not used. Three zeros are unknown. */
static void test_schedstat(void **state)
{
	static const struct {
		const char *text;
		int result;
		struct proc_schedstat expected;
	} rows[] = {
		{"512220000 30 7\n", 0, {512220000, 30, 7}},
		{"0 2500 0\n", 0, {0, 2500, 0}},
		{"18446744073709551615 1 2\n", 0, {UINT64_MAX, 1, 2}},
		{"0 0 0\n", -ENODATA},
		{"512220000 30 7", -EBADMSG},
		{"512220000 30\n", -EBADMSG},
		{"5122", -EBADMSG},
		{"", -EBADMSG},
		{"none 0 0\n", -EBADMSG},
		{"-1 0 0\n", -EBADMSG},
		{"18446744073709551616 1 2\n", -EBADMSG},
		{NULL, -ENOENT},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct proc_schedstat got = {0};

		fk_file(fk, "/proc/7/task/70/schedstat", rows[i].text);
		assert_int_equal(proc_thread_schedstat(&sys, 7, 70, &got), rows[i].result);
		assert_memory_equal(&got, &rows[i].expected, sizeof(got));
	}
	fk_free(fk);
}

static void test_io(void **state)
{
#define IO_BEGIN "rchar: 323934931\nwchar: 99\nsyscr: 1\nsyscw: 2\n"
	static const struct {
		const char *text;
		int result;
		uint64_t read_bytes, write_bytes;
	} rows[] = {
		{IO_BEGIN "read_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 5\n", 0,
		 4096, 8192},
		{IO_BEGIN "read_bytes: 4096\ncancelled_write_bytes: 5\n", -ENOENT},
		{IO_BEGIN "read_bytes: 4096\nwrite_bytes: 81", -ENOENT},
		{"read_bytes: x\nwrite_bytes: 1\n", -EBADMSG},
		{"", -ENOENT},
		{NULL, -ENOENT},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct proc_io io;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fk_file(fk, "/proc/7/io", rows[i].text);
		assert_int_equal(proc_io_read(&sys, 7, &io), rows[i].result);
		if (rows[i].result < 0)
			continue;
		assert_int_equal(io.read_bytes, rows[i].read_bytes);
		assert_int_equal(io.write_bytes, rows[i].write_bytes);
	}
	fk_file(fk, "/proc/7/io", rows[0].text);
	fk_fail(fk, FK_FILE_READ, 1, EACCES);
	assert_int_equal(proc_io_read(&sys, 7, &io), -EACCES);
	assert_int_equal(proc_thread_io(&sys, 7, 70, &io), -ENOENT);
	fk_file(fk, "/proc/7/task/70/io", "read_bytes: 5\nwrite_bytes: 6\n");
	assert_int_equal(proc_thread_io(&sys, 7, 70, &io), 0);
	assert_int_equal(io.read_bytes, 5);
	fk_free(fk);
}

/* From the least active to the most active. */
static void test_states(void **state)
{
	static const char letters[] = "IXZPtTSDR";

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(letters); i++) {
		assert_int_equal(proc_state_activity(letters[i]), i);
		assert_int_equal(proc_state_letter((double)i), letters[i]);
	}
	assert_int_equal(proc_state_activity('?'), -1);
	assert_int_equal(proc_state_activity('\0'), -1);
	assert_int_equal(proc_state_letter(-1), '?');
	assert_int_equal(proc_state_letter(9), '?');
}

static void test_pids(void **state)
{
	(void)state;
	assert_int_equal(proc_pid("1"), 1);
	assert_int_equal(proc_pid("4194304"), 4194304);
	assert_int_equal(proc_pid("self"), 0);
	assert_int_equal(proc_pid("12x"), 0);
	assert_int_equal(proc_pid("0"), 0);
	assert_int_equal(proc_pid("-5"), 0);
	assert_int_equal(proc_pid("99999999999999999999"), 0);
}

/* What is known of a thread whose process holds stat back. */
static void stat_is_held_back(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys inner = fk_sys(fk);
	struct proc_stat whole, stat;
	struct faulty faulty;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 40, .comm = "parent"});
	fk_task(fk, &(struct fk_spec){.tid = 50, .ppid = 40, .comm = "a\\b) c"});
	faulty_init(&faulty, &inner);
	struct sys sys = faulty_sys(&faulty);
	assert_int_equal(proc_thread_stat(&sys, 50, 50, &whole), 0);
	for (int held = 0; held < 2; held++) {
		faulty_hold(&faulty, held ? 50 : 0);
		assert_int_equal(proc_thread_stat(&sys, 50, 50, &stat), held ? -ETIMEDOUT : 0);
		assert_int_equal(proc_thread_brief(&sys, 50, 50, &stat), 0);
		assert_int_equal(stat.pid, 50);
		assert_int_equal(stat.ppid, 40);
		assert_string_equal(stat.comm, "a\\b) c");
		assert_int_equal(stat.state, whole.state);
		assert_int_equal(stat.threads, whole.threads);
		assert_int_equal(stat.start_ticks, 0);
		assert_int_equal(proc_thread_brief(&sys, 51, 51, &stat), -ENOENT);
	}
	fk_free(fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat),         cmocka_unit_test(test_stat_fields),
		cmocka_unit_test(test_io),           cmocka_unit_test(test_cpu_list),
		cmocka_unit_test(test_users),        cmocka_unit_test(test_other_users),
		cmocka_unit_test(test_states),       cmocka_unit_test(test_pids),
		cmocka_unit_test(test_status),       cmocka_unit_test(test_schedstat),
		cmocka_unit_test(stat_is_held_back),
	};

	return cmocka_run_group_tests_name("proc", tests, NULL, NULL);
}
