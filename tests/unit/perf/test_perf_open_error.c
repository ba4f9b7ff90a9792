// SPDX-License-Identifier: MIT
/* The sentence for each errno of perf_event_open on a machine, with the remedy if there is one. */
#include "core/base/util.h"
#include "core/perf/perf_open_error.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define FILTERED "Uid:\t0\t0\t0\t0\nCapEff:\t0\nSeccomp:\t2\n"
#define FREE     "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nSeccomp:\t0\n"

/* The machines of the rows. Without braces in it, a row keeps to few lines. */
#define LEVEL(paranoia)                \
	{                              \
		.paranoid = (paranoia) \
	}
#define USER(paranoia)                                       \
	{                                                    \
		.unprivileged = true, .paranoid = (paranoia) \
	}
#define DENIED(error, paranoia)                           \
	{                                                 \
		.denied = (error), .paranoid = (paranoia) \
	}

static void test_sentences(void **state)
{
	static const struct {
		const char *name;
		int code;
		const char *event;
		struct fk_config config;
		const char *message, *remedy;
		const char *status, *path, *text; /* of /proc/self/status and of one more file */
	} rows[] = {
		{"Debian's level", EACCES, NULL, USER(3),
		 "perf_event_paranoid=3 denies all counters.", "To count: sudo pmctop"},
		{"Ubuntu's level", EPERM, NULL, USER(4),
		 "perf_event_paranoid=4 denies all counters.", "To count: sudo pmctop"},
		{"system-wide", EACCES, NULL, USER(2),
		 "perf_event_paranoid=2 allows only your own tasks.", "All: sudo pmctop"},
		{"a user namespace", EACCES, NULL, USER(2), "capabilities do not count",
		 "On the host: sudo sysctl", FREE, "/proc/self/ns/user", "user:[4026532177]"},
		{"seccomp", EPERM, NULL, DENIED(EPERM, 0), "blocked by a seccomp filter",
		 "--cap-add PERFMON"},
		{"docker's seccomp", EPERM, NULL, DENIED(EPERM, 2),
		 "Blocked by the container's seccomp filter", "add --cap-add PERFMON.", FILTERED,
		 "/.dockerenv", ""},
		{"docker's seccomp, EACCES", EACCES, NULL, DENIED(EACCES, 2),
		 "Blocked by the container's seccomp filter", "add --cap-add PERFMON.", FILTERED,
		 "/run/.containerenv", ""},
		{"kubernetes", EPERM, NULL, DENIED(EPERM, 0), "Blocked by the container's",
		 "securityContext", FILTERED, "/proc/self/cgroup", "0::/kubepods.slice/x\n"},
		{"lxc", EPERM, NULL, DENIED(EPERM, 0), "Blocked by the container's",
		 "lxc.seccomp.profile", FILTERED, "/run/systemd/container", "lxc\n"},
		{"systemd-nspawn", EPERM, NULL, DENIED(EPERM, 0), "Blocked by the container's",
		 "--system-call-filter=perf_event_open", FILTERED, "/run/systemd/container",
		 "systemd-nspawn\n"},
		{"a security module", EACCES, NULL, DENIED(EACCES, 0), "a security module", "dmesg",
		 FREE},
		{"a security module, EPERM", EPERM, NULL, DENIED(EPERM, 0), "a security module",
		 "dmesg", FREE},
		{"denied all the same", EACCES, NULL, DENIED(EACCES, -1), "blocked",
		 "--cap-add PERFMON"},
		{"ENOSYS by seccomp", ENOSYS, NULL, DENIED(ENOSYS, 2),
		 "blocked by a seccomp filter", "--cap-add PERFMON", FILTERED},
		/* Without an event, no PMU is needed. */
		{"not even software", ENOENT, NULL, LEVEL(2),
		 "perf_event_open failed: No such file", ""},
		{"one event", ENOENT, "cycles", LEVEL(2),
		 "Event cycles is not supported on this CPU", ""},
		{"one event, by its mode", EOPNOTSUPP, "cycles", LEVEL(2),
		 "not supported on this CPU", ""},
		{"invalid terms", EINVAL, "branches", LEVEL(2), "Event branches is invalid here",
		 ""},
		{"descriptors", EMFILE, NULL, LEVEL(2), "Out of file descriptors", "ulimit -n"},
		{"descriptors of all", ENFILE, NULL, LEVEL(2), "Out of file descriptors",
		 "fs.file-max"},
		{"rings", ENOBUFS, NULL, LEVEL(2), "No locked memory is left", "RLIMIT_MEMLOCK"},
		{"memory", ENOMEM, NULL, LEVEL(2), "no memory left", "memory.max"},
		{"exclusive", EBUSY, NULL, LEVEL(2), "held by another program", ""},
		{"offline", ENODEV, NULL, LEVEL(2), "went offline", ""},
		{"anything else", EIO, "cycles", LEVEL(2), "failed for cycles: Input/output error",
		 ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&rows[i].config);
		struct sys sys = fk_sys(fk);
		struct error err = {0};

		if (rows[i].status)
			fk_file(fk, "/proc/self/status", rows[i].status);
		if (rows[i].path)
			fk_file(fk, rows[i].path, rows[i].text);
		perf_open_error(&sys, -rows[i].code, rows[i].event, &err);
		if (!strstr(err.text, rows[i].message) || !strstr(err.text, rows[i].remedy))
			fail_msg("%s: %s", rows[i].name, err.text);
		assert_int_equal(err.code, -rows[i].code);
		assert_true(strlen(err.text) < sizeof(err.text) - 1); /* not cut */
		fk_free(fk);
	}
}

static void test_no_perf(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.denied = ENOSYS});
	struct sys sys = fk_sys(fk);
	struct error err;

	(void)state;
	fk_file(fk, "/proc/sys/kernel/perf_event_paranoid", NULL);
	fk_file(fk, "/proc/sys/kernel/osrelease", "6.18.0\n");
	perf_open_error(&sys, -ENOSYS, NULL, &err);
	assert_non_null(strstr(err.text, "built without CONFIG_PERF_EVENTS"));
	fk_free(fk);
}

/* An event that needs CAP_SYS_ADMIN is explained by itself if other events are permitted. */
static void test_kernel_breakpoint(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){0});
	struct sys sys = fk_sys(fk);
	struct event_code code = {
		.attr = {.type = PERF_TYPE_BREAKPOINT, .bp_addr = 0xffffffff81000000},
	};
	struct event event = {
		.name = (char[]){"mem:0xffffffff81000000:w"},
		.kind = EVENT_SOFTWARE,
		.codes = &code,
		.n_codes = 1,
		.answer = -EPERM,
	};
	struct error err;

	(void)state;
	perf_open_error_event(&sys, &event, &err);
	assert_non_null(strstr(err.text, "CAP_SYS_ADMIN"));
	code.attr.bp_addr = 0x7f0010000000;
	perf_open_error_event(&sys, &event, &err);
	assert_null(strstr(err.text, "CAP_SYS_ADMIN"));
	fk_free(fk);
}

/* The command names this program as sudo finds it, or a sysctl if its path is no word or long. */
static void test_command(void **state)
{
	static const struct {
		const char *program, *command;
	} rows[] = {
		{NULL, "All: sudo pmctop"},
		{"/usr/bin/pmctop", "All: sudo pmctop"},
		{"/usr/local/bin/pmctop", "All: sudo /usr/local/bin/pmctop"},
		{"/home/ana/pmctop", "All: sudo /home/ana/pmctop"},
		{"/home/ana/pmctop (deleted)", "All: sudo sysctl kernel.perf_event_paranoid=0"},
		{"/home/ana/a/long/path/of/a/clone/of/the/repository/build/pmctop",
		 "All: sudo sysctl kernel.perf_event_paranoid=0"},
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config)USER(2));
		struct sys sys = fk_sys(fk);

		fk_file(fk, "/proc/self/exe", rows[i].program);
		perf_open_error(&sys, -EACCES, NULL, &err);
		assert_non_null(strstr(err.text, "allows only your own tasks."));
		assert_string_equal(strstr(err.text, "All: "), rows[i].command);
		fk_free(fk);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_no_perf),
		cmocka_unit_test(test_kernel_breakpoint),
	};

	return cmocka_run_group_tests_name("perf_open_error", tests, NULL, NULL);
}
