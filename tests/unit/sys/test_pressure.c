// SPDX-License-Identifier: MIT
/* Pressure files: as kernels write them, and broken ones. */
#include "core/base/util.h"
#include "core/sys/pressure.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SOME "some avg10=69.22 avg60=46.66 avg300=38.58 total=18855774968\n"
#define FULL "full avg10=0.06 avg60=0.25 avg300=0.19 total=382435700\n"

static void test_parse(void **state)
{
	static const struct {
		const char *name, *text;
		struct pressure expected;
	} rows[] = {
		{"6.18", SOME FULL, {{true, 0.6922, 18855774968}, {true, 0.0006, 382435700}}},
		{"5.10, of the CPU", SOME, {{true, 0.6922, 18855774968}}},
		{"irq has only full", FULL, {.full = {true, 0.0006, 382435700}}},
		{"a whole machine", "some avg10=100.00 avg60=1 avg300=1 total=0\n", {{true, 1, 0}}},
		{"other keys in between",
		 "some avg1=1 avg10=50.00 x=y total=7\n",
		 {{true, 0.5, 7}}},
		{"more than all", "some avg10=100.01 total=7\n"},
		{"no number", "some avg10=x total=7\n"},
		{"a sign", "some avg10=-1 total=7\n"},
		{"a total of more than 64 bits", "some avg10=1 total=18446744073709551616\n"},
		{"a key of the next line", "some avg10=1\nfull total=7\n"},
		{"cut off", "some avg10=1 avg60=1 avg300=1 total=7"},
		{"full is cut off", SOME "full avg10=0.06 avg60=", {{true, 0.6922, 18855774968}}},
		{"not at the beginning", " " SOME},
		{"empty", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct pressure *expected = &rows[i].expected;
		struct pressure got;

		print_message("%s\n", rows[i].name);
		assert_int_equal(pressure_parse(rows[i].text, &got),
				 expected->some.known || expected->full.known ? 0 : -EBADMSG);
		assert_int_equal(got.some.known, expected->some.known);
		assert_int_equal(got.full.known, expected->full.known);
		if (got.some.known) {
			assert_true(got.some.avg10 == expected->some.avg10);
			assert_int_equal(got.some.total_us, expected->some.total_us);
		}
		if (got.full.known) {
			assert_true(got.full.avg10 == expected->full.avg10);
			assert_int_equal(got.full.total_us, expected->full.total_us);
		}
	}
}

static void test_read(void **state)
{
	static const char *const machine[] = {"/proc/pressure/cpu", "/proc/pressure/io",
					      "/proc/pressure/memory"};
	static const char *const cgroup[] = {"/cg/a/cpu.pressure", "/cg/a/io.pressure",
					     "/cg/a/memory.pressure"};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	char long_path[PATH_MAX + 1];
	struct pressure got;

	(void)state;
	for (enum pressure_resource i = 0; i < PRESSURE_RESOURCES; i++) {
		assert_int_equal(pressure_read(&sys, NULL, i, &got), -ENOENT);
		fk_file(fk, machine[i], SOME FULL);
		assert_int_equal(pressure_read(&sys, NULL, i, &got), 0);
		assert_int_equal(got.full.total_us, 382435700);
		assert_int_equal(pressure_read(&sys, "/cg/a", i, &got), -ENOENT);
		fk_file(fk, cgroup[i], SOME);
		assert_int_equal(pressure_read(&sys, "/cg/a", i, &got), 0);
		assert_false(got.full.known);
		fk_fail(fk, FK_FILE_READ, 1, EOPNOTSUPP);
		assert_int_equal(pressure_read(&sys, NULL, i, &got), -EOPNOTSUPP);
	}
	memset(long_path, 'x', sizeof(long_path));
	long_path[sizeof(long_path) - 8] = '\0';
	assert_int_equal(pressure_read(&sys, long_path, PRESSURE_CPU, &got), -ENAMETOOLONG);
	fk_free(fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests_name("pressure", tests, NULL, NULL);
}
