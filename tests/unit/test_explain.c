// SPDX-License-Identifier: MIT
/* Every refusal has a sentence, and where there is a remedy the sentence has it. */
#include "core/explain.h"
#include "core/util.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_sentences(void **state)
{
	static const struct {
		const char *name;
		int code;
		const char *event;
		int paranoid;
		const char *says, *remedy;
	} rows[] = {
		{"Debian's level", EACCES, NULL, 3, "denies all counters to ordinary users",
		 "sysctl kernel.perf_event_paranoid=0"},
		{"Ubuntu's level", EPERM, NULL, 4, "(perf_event_paranoid=4)",
		 "sysctl kernel.perf_event_paranoid=0"},
		{"system-wide", EACCES, NULL, 2, "The system-wide view needs CAP_PERFMON",
		 "sysctl kernel.perf_event_paranoid=0"},
		{"seccomp", EPERM, NULL, 2, "blocked", "--cap-add PERFMON"},
		{"denied all the same", EACCES, NULL, -1, "blocked", "--cap-add PERFMON"},
		{"no such call", ENOSYS, NULL, 2, "unavailable", "CONFIG_PERF_EVENTS"},
		{"no PMU", ENOENT, NULL, 2, "No hardware counters", "enable the vPMU"},
		{"one event", ENOENT, "cycles", 2, "Event cycles is not supported on this CPU", ""},
		{"one event, by its mode", EOPNOTSUPP, "cycles", 2, "not supported on this CPU",
		 ""},
		{"no sense", EINVAL, "branches", 2, "Event branches is refused as it is", ""},
		{"descriptors", EMFILE, NULL, 2, "Out of file descriptors", "ulimit -n"},
		{"descriptors of all", ENFILE, NULL, 2, "Out of file descriptors", "fs.file-max"},
		{"rings", ENOBUFS, NULL, 2, "No locked memory is left", "RLIMIT_MEMLOCK"},
		{"exclusive", EBUSY, NULL, 2, "held by another program", ""},
		{"offline", ENODEV, NULL, 2, "went offline", ""},
		{"anything else", EIO, "cycles", 2, "failed for cycles: Input/output error", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config){.paranoid = rows[i].paranoid});
		struct sys sys = fk_sys(fk);
		struct error err = {0};

		explain_perf_open(&sys, -rows[i].code, rows[i].event, &err);
		if (!strstr(err.text, rows[i].says) || !strstr(err.text, rows[i].remedy))
			fail_msg("%s: %s", rows[i].name, err.text);
		assert_int_equal(err.code, -rows[i].code);
		assert_true(strlen(err.text) < sizeof(err.text) - 1); /* not cut */
		fk_free(fk);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_sentences)};

	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
