// SPDX-License-Identifier: MIT
/* The ranges of wake-up latencies, and which events /proc has. */
#include "core/event/event_wait.h"

#include "core/base/util.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_ranges(void **state)
{
	static const struct {
		uint64_t latency_ns;
		size_t range;
	} rows[] = {
		{0, 0},
		{1, 0},
		{511, 0},
		{512, 0},
		{724, 0},
		{725, 1},
		{1023, 1},
		{1024, 2},
		{1449, 3},
		{UINT64_C(512) << 24, 48},
		{(UINT64_C(512) << 24) * 3 / 2, 49},
		{UINT64_C(512) << 25, 49},
		{UINT64_MAX, 49},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (wakeup_range(rows[i].latency_ns) != rows[i].range)
			fail_msg("%" PRIu64 " ns is in range %zu", rows[i].latency_ns,
				 wakeup_range(rows[i].latency_ns));
}

/* What the manual has: within 19 % from 0.5 us to 12 s. */
static void test_error(void **state)
{
	(void)state;
	for (double ns = 512; ns < 12e9; ns *= 1.003) {
		double error = wakeup_range_ns(wakeup_range((uint64_t)ns)) / ns - 1;
		if (error < -0.16 || error > 0.1902)
			fail_msg("%.0f ns: %.3f", ns, error);
	}
}

/* Without records of whole CPUs the other events are denied. */
static void test_of_proc(void **state)
{
	static const bool of_records[WAIT_EVENTS] = {
		[WAIT_PREEMPTED] = true,
		[WAIT_FORKED] = true,
		[WAIT_FORKS] = true,
		[WAIT_WAKEUPS] = true,
	};

	(void)state;
	for (int i = 0; i < WAIT_EVENTS; i++)
		if (event_wait_is_of_proc((enum event_wait)i) == of_records[i])
			fail_msg("%s", event_wait_names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_of_proc),
	};

	return cmocka_run_group_tests_name("event wait", tests, NULL, NULL);
}
