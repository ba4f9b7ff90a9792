// SPDX-License-Identifier: MIT
/* The times at which turns are due: often, at a bounded cost, and in whole rotations. */
#include "core/base/util.h"
#include "core/collect/cpu_counter_set.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Plans an interval and goes through its turns: how many there are, and how long on average. */
static void plans_turns(void **state)
{
	static const struct {
		const char *name;
		unsigned turns;
		uint64_t interval_ms, cost_us, want_ms; /* of a turn; 0: there are none */
		unsigned want_rotations;                /* whole ones in an interval */
	} rows[] = {
		{"one group: no turns", 1, 1000, 0, 0, 0},
		{"two groups, four times each", 2, 800, 10, 100, 4},
		{"a long interval: turns of 100 ms", 2, 10000, 10, 100, 50},
		{"eight groups, four times each", 8, 1000, 10, 31, 4},
		{"a short interval: one turn each", 8, 100, 10, 12, 1},
		{"costly turns take a hundredth of the time at most", 2, 1000, 2000, 250, 2},
		{"each group has a turn in an interval, however costly", 4, 1000, 5000, 250, 1},
		{"turns never take more than a tenth of the time", 8, 100, 5000, 50, 0},
	};
	struct fk *fk = fk_new(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cpu_counter_set cpus = {.sys = &sys};
		uint64_t begin_ns = fk_now(fk), longest_ns = 0, shortest_ns = UINT64_MAX;
		unsigned n = rows[i].turns * (rows[i].want_rotations ? rows[i].want_rotations : 1);

		cpus.turn_cost_ns = rows[i].cost_us * NS_PER_US;
		cpu_counter_set_begin_turns(&cpus, rows[i].turns, rows[i].interval_ms * NS_PER_MS);
		if (rows[i].want_ms == 0) {
			assert_true(cpus.turn_due_ns == UINT64_MAX);
			continue;
		}
		assert_int_equal(cpus.turn_due_ns, begin_ns);
		for (unsigned turn = 0; turn < n; turn++) {
			uint64_t from_ns = cpus.turn_due_ns;
			cpu_counter_set_turn(&cpus);
			uint64_t ns = cpus.turn_due_ns - from_ns;
			longest_ns = ns > longest_ns ? ns : longest_ns;
			shortest_ns = ns < shortest_ns ? ns : shortest_ns;
			cpus.turn_cost_ns = rows[i].cost_us * NS_PER_US;
		}
		uint64_t each_ms = (cpus.turn_due_ns - begin_ns) / n / NS_PER_MS;
		if (each_ms != rows[i].want_ms)
			fail_msg("%s: %" PRIu64 " ms", rows[i].name, each_ms);
		/* Rotations differ, unless there is only one. */
		assert_int_equal(rows[i].want_rotations > 1, longest_ns > shortest_ns + NS_PER_MS);
		assert_true(longest_ns <= 2 * rows[i].want_ms * NS_PER_MS);
	}
	fk_free(fk);
}

/* A load that is in step with the intervals does not meet the same group in each. */
static void begins_with_any_group(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);
	struct cpu_counters cpu = {.open = true, .n_groups = 5, .next_turn = 1};
	struct cpu_counter_set cpus = {.sys = &sys, .items = &cpu, .n = 1};
	unsigned first[5] = {0};

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		cpu_counter_set_begin_turns(&cpus, 4, NS_PER_S);
		assert_in_range(cpu.next_turn, 1, 4);
		first[cpu.next_turn]++;
	}
	for (unsigned group = 1; group <= 4; group++)
		assert_in_range(first[group], 50, 150);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_turns),
		cmocka_unit_test(begins_with_any_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
