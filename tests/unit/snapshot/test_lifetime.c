// SPDX-License-Identifier: MIT
/* The parts of a lifetime: they do not overlap, and nothing is missing. */
#include "core/base/util.h"
#include "core/snapshot/lifetime.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define KNOWN(ms)                         \
	{                                 \
		.value = (ms), .share = 1 \
	}
#define ABOUT(ms)                                                    \
	{                                                            \
		.value = (ms), .share = 0.5f, .state = FIGURE_SCALED \
	}
#define LOST(ms)                                                \
	{                                                       \
		.value = (ms), .share = 1, .state = FIGURE_LOST \
	}
#define NONE                                \
	{                                   \
		.state = FIGURE_NOT_COUNTED \
	}

/* Times in ms. Parts are in the order of enum lifetime_part; -1: unknown, -2: not apart. */
enum { UNKNOWN = -1, APART = -2 };

static void test_split(void **state)
{
	static const struct {
		const char *name;
		struct lifetime_times times;
		int parts[LIFETIME_PARTS];
		int sum;
	} rows[] = {
		/* user, kernel, run, runq, throttled, disk, paging, D, lock, stopped, sleep,
		   blocked, ? */
		{"all known",
		 {1000, 300, KNOWN(0.5), KNOWN(200), ABOUT(50), KNOWN(500), KNOWN(200), KNOWN(40),
		  ABOUT(100), ABOUT(60), ABOUT(130)},
		 {150, 150, APART, 150, 50, 100, 60, 40, 130, 40, 130, APART, 0},
		 1000},
		{"nothing but the time on a CPU",
		 {0, 300, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE},
		 {APART, APART, 300, UNKNOWN, APART, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
		  APART, UNKNOWN, 0},
		 300},
		{"a part of the lifetime is unknown",
		 {1000, 300, KNOWN(0), LOST(100), NONE, LOST(350), LOST(100), LOST(0), NONE, NONE,
		  NONE},
		 {300, 0, APART, 100, UNKNOWN, UNKNOWN, UNKNOWN, 100, UNKNOWN, 0, 250, APART, 250},
		 1000},
		{"time in state D is unknown: disk is a part of all blocked time",
		 {1000, 0, NONE, KNOWN(0), KNOWN(0), KNOWN(1000), NONE, NONE, ABOUT(700), ABOUT(0),
		  ABOUT(100)},
		 {APART, APART, 0, 0, 0, 700, 0, UNKNOWN, 100, UNKNOWN, APART, 200, 0},
		 1000},
		{"estimates that are too large",
		 {1000, 500, KNOWN(1.2), KNOWN(100), ABOUT(300), KNOWN(400), KNOWN(300), KNOWN(0),
		  ABOUT(200), ABOUT(200), ABOUT(900)},
		 {0, 500, APART, 0, 100, 200, 100, 0, 100, 0, 0, APART, 0},
		 1000},
		{"a lock of the kernel is in state D",
		 {1000, 0, KNOWN(0), KNOWN(0), KNOWN(0), KNOWN(1000), KNOWN(800), KNOWN(0),
		  ABOUT(0), ABOUT(0), ABOUT(500)},
		 {0, 0, APART, 0, 0, 0, 0, 500, 500, 0, 0, APART, 0},
		 1000},
		{"more run than lifetime: the clocks differ",
		 {1000, 1001, KNOWN(0), KNOWN(0), KNOWN(0), KNOWN(0), KNOWN(0), KNOWN(0), KNOWN(0),
		  KNOWN(0), KNOWN(0)},
		 {1001, 0, APART, 0, 0, 0, 0, 0, 0, 0, 0, APART, 0},
		 1001},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lifetime lifetime;
		double sum = 0;

		lifetime_split(&rows[i].times, &lifetime);
		for (size_t k = 0; k < LIFETIME_PARTS; k++) {
			struct figure part = lifetime.parts[k];
			double value = figure_known(part)               ? part.value
				       : part.state == FIGURE_UNDEFINED ? APART
									: UNKNOWN;

			sum += figure_known(part) ? part.value : 0;
			if (fabs(value - rows[i].parts[k]) > 1e-6)
				fail_msg("%s: part %zu is %g", rows[i].name, k, value);
		}
		if (fabs(sum - lifetime.ns) > 1e-6 || fabs(lifetime.ns - rows[i].sum) > 1e-6)
			fail_msg("%s: %g of %g", rows[i].name, sum, lifetime.ns);
	}
}

/* A part has the mark of its source. */
static void test_states(void **state)
{
	static const struct lifetime_times times = {1000,       300,       ABOUT(0.5), LOST(200),
						    ABOUT(50),  LOST(500), KNOWN(200), KNOWN(40),
						    ABOUT(100), NONE,      ABOUT(130)};
	struct lifetime lifetime;

	(void)state;
	lifetime_split(&times, &lifetime);
	assert_int_equal(lifetime.parts[LIFETIME_KERNEL].state, FIGURE_SCALED);
	assert_int_equal(lifetime.parts[LIFETIME_RUNQ].state, FIGURE_LOST);
	assert_int_equal(lifetime.parts[LIFETIME_THROTTLED].state, FIGURE_SCALED);
	assert_int_equal(lifetime.parts[LIFETIME_PAGING].state, FIGURE_NOT_COUNTED);
	assert_int_equal(lifetime.parts[LIFETIME_STOPPED].state, FIGURE_VALID);
	assert_int_equal(lifetime.parts[LIFETIME_SLEEP].state, FIGURE_LOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
