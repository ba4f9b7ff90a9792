// SPDX-License-Identifier: MIT
/* Rights in /proc/self/status, also in one that is cut off. */
#include "core/sys/credentials.h"

#include "core/base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void statuses(void **state)
{
	static const struct {
		const char *status;
		struct credentials expected;
	} rows[] = {
		{"", {0}},
		{"Uid:\t1000\t1000\t1000\t1000\n", {0}}, /* no capabilities: unknown */
		{"Uid:\t1000\nCapEff:\t0\n", {0}},
		{"Uid:\t1000\t7\t1000\t1000\nCapEff:\t0000004000000000\n",
		 {.known = true, .uid = 7, .capabilities = 1ull << 38}},
		{"Uid:\t0\t0\t0\t0\nCapEff:\tff\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:"
		 "\t3\n",
		 {true, 0, 0xff, 2, 3, true}},
		{"Uid:\t0\t0\t0\t0\nCapEff:\tff\nSeccomp:\t2", /* cut */
		 {.known = true, .capabilities = 0xff}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct credentials got;

		credentials_parse(rows[i].status, &got);
		assert_int_equal(got.known, rows[i].expected.known);
		if (!got.known)
			continue;
		assert_int_equal(got.uid, rows[i].expected.uid);
		assert_int_equal(got.capabilities, rows[i].expected.capabilities);
		assert_int_equal(got.seccomp, rows[i].expected.seccomp);
		assert_int_equal(got.filters, rows[i].expected.filters);
		assert_int_equal(got.no_new_privs, rows[i].expected.no_new_privs);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
