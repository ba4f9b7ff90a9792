// SPDX-License-Identifier: MIT
/* The values of the machine: their bounds, and the values of several intervals. */
#include "core/base/util.h"
#include "core/snapshot/snapshot_machine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_set(void **state)
{
	static const struct {
		double value;
		bool known;
	} rows[] = {
		{0, true},
		{12.5, true},
		{MACHINE_VALUE_MOST, true},
		{-1, false},
		{1e19, false},
		{(double)NAN, false},
		{0, true},
		{(double)INFINITY, false},
	};
	struct snapshot_machine machine = {.known = {false}};

	(void)state;
	assert_false(machine_is_known(&machine));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		machine_set(&machine, MACHINE_STEAL, rows[i].value);
		assert_int_equal(machine.known[MACHINE_STEAL], rows[i].known);
		assert_true(machine.values[MACHINE_STEAL] == (rows[i].known ? rows[i].value : 0));
		assert_int_equal(machine_is_known(&machine), rows[i].known);
	}
}

/* Each row: an interval of 1 s, then one of 3 s. -1: unknown. */
static void test_merge(void **state)
{
	static const struct {
		const char *name;
		enum machine_value which;
		double first, second, sum;
	} rows[] = {
		{"a share: the mean", MACHINE_STEAL, 8, 0, 2},
		{"a rate: the mean", MACHINE_FORKS, 100, 20, 40},
		{"a state: the last", MACHINE_LOAD_1M, 8, 2, 2},
		{"the first is unknown", MACHINE_STEAL, -1, 6, 6},
		{"the second is unknown", MACHINE_STEAL, 6, -1, 6},
		{"the last state is unknown", MACHINE_MEMORY, 6, -1, 6},
		{"both are unknown", MACHINE_STEAL, -1, -1, -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot_machine sum = {.known = {false}}, next = {.known = {false}};

		machine_set(&next, rows[i].which, rows[i].first);
		machine_merge(&sum, 0, &next, NS_PER_S);
		machine_set(&next, rows[i].which, rows[i].second);
		machine_merge(&sum, NS_PER_S, &next, 3 * NS_PER_S);
		if (sum.known[rows[i].which] != (rows[i].sum >= 0) ||
		    (rows[i].sum >= 0 && sum.values[rows[i].which] != rows[i].sum))
			fail_msg("%s: %g", rows[i].name, sum.values[rows[i].which]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
