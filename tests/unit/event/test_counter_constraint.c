// SPDX-License-Identifier: MIT
/* Which codes can count at the same time: single rules, and random codes against all assignments.
 */
#include "core/event/event.h"
#include "tests/unit/shared/cases.h"

#include <string.h>

#define FIXED(i)  (UINT64_C(1) << (COUNTER_FIRST_FIXED + (i)))
#define METRIC(i) (UINT64_C(1) << (COUNTER_FIRST_METRIC + (i)))
#define ALL       (UINT64_C(0xff) | FIXED(0) | FIXED(1) | FIXED(2) | FIXED(3)) /* of the PMU */

#define ON(counters_)                                                       \
	{                                                                   \
		.attr = {.config = 0x1a3}, .constraint = { counters_, ALL } \
	}
#define ONLY_FIXED(i)                                                      \
	{                                                                  \
		.attr = {.config = 0x300}, .constraint = { FIXED(i), ALL } \
	}
#define INSTRUCTIONS                                                      \
	{                                                                 \
		.attr = {.config = 0xc0}, .constraint = { FIXED(0), ALL } \
	}
#define INSTRUCTIONS_(bits)                                                        \
	{                                                                          \
		.attr = {.config = 0xc0 | (bits)}, .constraint = { FIXED(0), ALL } \
	}
#define UNKNOWN                            \
	{                                  \
		.attr = {.config = 0x1a3 } \
	}
#define ALONE                                                                         \
	{                                                                             \
		.attr = {.config = 0x3c6}, .constraint = { 0xff, ALL, .alone = true } \
	}
#define WITH(register_, value)                                                                     \
	{                                                                                          \
		.attr = {.config = 0x12a, .config1 = value}, .constraint = { 0xf, ALL, register_ } \
	}
#define SLOTS                                              \
	{                                                  \
		.attr = {.config = 0x400}, .constraint = { \
			FIXED(3),                          \
			ALL,                               \
			.topdown = COUNTER_SLOTS           \
		}                                          \
	}
#define TOPDOWN(i)                                          \
	{                                                   \
		.attr = {.config = 0x8000}, .constraint = { \
			METRIC(i),                          \
			.topdown = COUNTER_TOPDOWN_METRIC   \
		}                                           \
	}
#define USER_TOPDOWN(i)                                                             \
	{                                                                           \
		.attr = {.config = 0x8000, .exclude_kernel = true}, .constraint = { \
			METRIC(i),                                                  \
			.topdown = COUNTER_TOPDOWN_METRIC                           \
		}                                                                   \
	}

enum { CODES_MOST = 10 };

static bool fit_all(const struct event_code *codes, size_t n, bool watchdog)
{
	const struct event_code *pointers[CODES_MOST];

	for (size_t i = 0; i < n; i++)
		pointers[i] = &codes[i];
	return counter_constraint_fits(pointers, n, watchdog);
}

struct fit_case {
	const char *name;
	size_t n;
	struct event_code codes[CODES_MOST];
	bool fit, watchdog;
};

static const struct fit_case fit_cases[] = {
	{"no code", 0, {{0}}, true},
	{"four on four counters", 4, {ON(0xf), ON(0xf), ON(0xf), ON(0xf)}, true},
	{"five on four", 5, {ON(0xf), ON(0xf), ON(0xf), ON(0xf), ON(0xf)}, false},
	{"a code moves to another counter", 3, {ON(0x3), ON(0x1), ON(0x6)}, true},
	{"two that only one counter can count", 2, {ON(0x1), ON(0x1)}, false},
	{"unknown ones need no counter", 3, {ON(0x1), UNKNOWN, UNKNOWN}, true},
	{"a fixed counter twice", 2, {ONLY_FIXED(2), ONLY_FIXED(2)}, false},
	{"the same, with a code of its own", 2, {INSTRUCTIONS, INSTRUCTIONS}, true},
	{"a fixed counter has no cmask: eight are full",
	 9,
	 {ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff),
	  INSTRUCTIONS_(0x1000000)},
	 false},
	{"without one, there is the fixed counter",
	 9,
	 {ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff),
	  INSTRUCTIONS},
	 true},
	{"and the other way round",
	 9,
	 {ON(0xff),
	  ON(0xff),
	  ON(0xff),
	  ON(0xff),
	  ON(0xff),
	  ON(0xff),
	  ON(0xff),
	  ON(0xff),
	  {.attr = {.config = 0xc0}, .constraint = {0xff, ALL}}},
	 true},
	{"the watchdog takes the last counter",
	 9,
	 {ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff),
	  ONLY_FIXED(1)},
	 false,
	 true},
	{"and not without the watchdog",
	 9,
	 {ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff),
	  ONLY_FIXED(1)},
	 true},
	{"the watchdog has its fixed counter",
	 9,
	 {ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff), ON(0xff),
	  ONLY_FIXED(2)},
	 true,
	 true},
	{"two registers for offcore",
	 2,
	 {WITH(COUNTER_OFFCORE, 1), WITH(COUNTER_OFFCORE, 2)},
	 true},
	{"three values",
	 3,
	 {WITH(COUNTER_OFFCORE, 1), WITH(COUNTER_OFFCORE, 2), WITH(COUNTER_OFFCORE, 3)},
	 false},
	{"three codes, two values",
	 3,
	 {WITH(COUNTER_OFFCORE, 1), WITH(COUNTER_OFFCORE, 2), WITH(COUNTER_OFFCORE, 1)},
	 true},
	{"one register for the front end",
	 2,
	 {WITH(COUNTER_FRONTEND, 1), WITH(COUNTER_FRONTEND, 2)},
	 false},
	{"the same value", 2, {WITH(COUNTER_FRONTEND, 1), WITH(COUNTER_FRONTEND, 1)}, true},
	{"registers of different kinds",
	 2,
	 {WITH(COUNTER_FRONTEND, 1), WITH(COUNTER_LOAD_LATENCY, 2)},
	 true},
	{"values without a register",
	 3,
	 {WITH(COUNTER_NO_REGISTER, 1), WITH(COUNTER_NO_REGISTER, 2), WITH(COUNTER_NO_REGISTER, 3)},
	 true},
	{"alone", 1, {ALONE}, true},
	{"alone, beside fixed counters", 3, {INSTRUCTIONS, ALONE, ONLY_FIXED(2)}, true},
	{"alone, beside slots and its metrics", 3, {SLOTS, TOPDOWN(0), ALONE}, true},
	{"alone, and another one", 2, {ALONE, ON(0xff)}, false},
	{"alone, and an unknown one", 2, {ALONE, UNKNOWN}, false},
	{"two that are alone", 2, {ALONE, ALONE}, false},
	{"metrics with slots", 3, {SLOTS, TOPDOWN(0), TOPDOWN(1)}, true},
	{"metrics without slots", 2, {TOPDOWN(0), TOPDOWN(1)}, false},
	{"a metric twice", 3, {SLOTS, TOPDOWN(0), TOPDOWN(0)}, false},
	{"slots twice", 2, {SLOTS, SLOTS}, false},
	{"a metric of another level than slots", 2, {SLOTS, USER_TOPDOWN(0)}, false},
};

static void test_fit(void **state)
{
	const struct fit_case *this = *state;

	assert_int_equal(fit_all(this->codes, this->n, this->watchdog), this->fit);
}

struct topdown_case {
	const char *name;
	uint64_t config, counters;
	enum counter_topdown topdown;
};

static const struct topdown_case topdown_cases[] = {
	{"slots", 0x400, FIXED(3), COUNTER_SLOTS},
	{"the first metric", 0x8000, METRIC(0), COUNTER_TOPDOWN_METRIC},
	{"the last metric", 0x8700, METRIC(7), COUNTER_TOPDOWN_METRIC},
	{"one more", 0x8800, 5, COUNTER_NO_TOPDOWN},
	{"another event", 0x80c2, 5, COUNTER_NO_TOPDOWN},
	{"slots with cmask", 0x1000400, 5, COUNTER_NO_TOPDOWN},
};

static void test_topdown(void **state)
{
	const struct topdown_case *this = *state;
	struct counter_constraint constraint = {.counters = 5};

	counter_constraint_set_topdown(&constraint, this->config);
	assert_int_equal(constraint.topdown, this->topdown);
	assert_true(constraint.counters == this->counters);
}

static void test_scarcity(void **state)
{
	static const struct event_code codes[] = {UNKNOWN, ONLY_FIXED(2), ON(0xff),
						  ON(0xf), ON(0x3),       ON(1)};

	(void)state;
	assert_int_equal(counter_constraint_scarcity(&codes[0]), 0);
	assert_int_equal(counter_constraint_scarcity(&codes[1]), 0);
	for (size_t i = 2; i < sizeof(codes) / sizeof(*codes); i++)
		assert_true(counter_constraint_scarcity(&codes[i]) >
			    counter_constraint_scarcity(&codes[i - 1]));
	assert_true(counter_constraint_scarcity(&(struct event_code)ALONE) >=
		    counter_constraint_scarcity(&codes[5]));
}

/* All assignments of codes from `at` on to counters that are not in `taken`. */
static bool assign(const struct event_code *codes, size_t n, size_t at, uint64_t taken)
{
	if (at == n)
		return true;
	uint64_t counters = codes[at].constraint.counters;
	if (counters == 0)
		return assign(codes, n, at + 1, taken);
	for (unsigned counter = 0; counter < 64; counter++) {
		uint64_t bit = UINT64_C(1) << counter;
		if (counters & bit && !(taken & bit) && assign(codes, n, at + 1, taken | bit))
			return true;
	}
	return false;
}

static unsigned draw(uint64_t *seed, unsigned below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(*seed >> 33) % below;
}

/* Event 0, so that a code has only the counters that are drawn. */
static void test_all_assignments(void **state)
{
	enum { ROUNDS = 20000, CODES = 7, COUNTERS = 6 };
	uint64_t seed = 1;
	size_t fitted = 0;

	(void)state;
	for (size_t round = 0; round < ROUNDS; round++) {
		struct event_code codes[CODES] = {{0}};
		size_t n = 1 + draw(&seed, CODES);

		for (size_t i = 0; i < n; i++)
			for (unsigned k = draw(&seed, 4); k > 0; k--) {
				unsigned counter = draw(&seed, COUNTERS);
				codes[i].constraint.counters |=
					counter < 4 ? UINT64_C(1) << counter : FIXED(counter - 4);
			}
		bool fits = assign(codes, n, 0, 0);
		fitted += fits;
		assert_int_equal(fit_all(codes, n, false), fits);
	}
	/* Both answers are common. */
	assert_in_range(fitted, ROUNDS / 10, ROUNDS - ROUNDS / 10);
}

/* More codes than any PMU has counters. */
static void test_too_many(void **state)
{
	static const struct event_code unknown = UNKNOWN;
	const struct event_code *codes[65];

	(void)state;
	for (size_t i = 0; i < 65; i++)
		codes[i] = &unknown;
	assert_true(counter_constraint_fits(codes, 64, true));
	assert_false(counter_constraint_fits(codes, 65, false));
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_scarcity),
		cmocka_unit_test(test_all_assignments),
		cmocka_unit_test(test_too_many),
	};
	static const struct cases tables[] = {
		CASES(test_fit, fit_cases),
		CASES(test_topdown, topdown_cases),
	};

	return cases_run("counter_constraint", tables, sizeof(tables) / sizeof(*tables), others,
			 sizeof(others) / sizeof(*others));
}
