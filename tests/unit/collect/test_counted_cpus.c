// SPDX-License-Identifier: MIT
/* When the next turn is due: often enough, and no more often than it is worth. */
#include "core/base/util.h"
#include "core/collect/counted_cpus.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void when_turns_are_due(void **state)
{
	static const struct {
		const char *name;
		unsigned turns;
		uint64_t interval_ms, cost_us, want_ms; /* 0: never */
	} rows[] = {
		{"nobody waits", 1, 1000, 0, 0},
		{"two groups, four times each", 2, 800, 10, 100},
		{"not too long", 2, 10000, 10, 100},
		{"eight groups, four times each", 8, 1000, 10, 31},
		{"not too short", 8, 100, 10, 10},
		{"a hundredth of the time at most", 2, 1000, 2000, 200},
		{"but each group once in an interval", 4, 1000, 5000, 250},
		{"which may not take more than a tenth", 8, 100, 5000, 50},
	};
	struct fk *fk = fk_new(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct counted_cpus cpus = {.sys = &sys,
					    .turn_cost_ns = rows[i].cost_us * NS_PER_US};

		counted_cpus_schedule(&cpus, rows[i].turns, rows[i].interval_ms * NS_PER_MS);
		uint64_t due_ms = (cpus.turn_due_ns - fk_now(fk)) / NS_PER_MS;
		if (rows[i].want_ms ? due_ms != rows[i].want_ms : cpus.turn_due_ns != UINT64_MAX)
			fail_msg("%s: %" PRIu64 " ms", rows[i].name, due_ms);
	}
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(when_turns_are_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
